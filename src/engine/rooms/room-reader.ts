/**
 * Reads a room: its log, then its messages in the order of the stream, and older ones page by page (protocol.md R7–R10, R22, R33).
 * Law: every frame goes through the window once, in its place; a page is judged by a log that was read after it; of what is asked of a
 * reader one thing is done after the other.
 */
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import type { DurablePlane, StoredMessage } from '../bus/durable.ts';
import type { Clock } from '../ports/clock.ts';
import { createSerialLane } from '../serial-lane.ts';
import type { FrameIntakes } from './frame-intake.ts';
import { createFrameWindow, type FrameWindow, type WindowFault } from './frame-window.ts';
import { emptyRoomFile, type RoomFileState } from './room-file.ts';
import type { EpochStart, RoomLog } from './room-log.ts';
import type { LogStanding, RoomLogReader } from './room-log-reader.ts';
import { createRoomMessages, type RoomMessages } from './room-messages.ts';
import { roomMessagesSubject, roomStreamOf } from './room-subjects.ts';
import { createRoomTimeline, type RoomTimeline, type TimelineMessage } from './room-timeline.ts';

/** What is kept of a reading between two starts. */
export type ReadState = Pick<RoomFileState, 'readSeq' | 'window' | 'keyUse' | 'refused' | 'undecided'>;

export interface RoomReaderDeps {
  readonly workspace: string;
  readonly durable: DurablePlane;
  /** Of the room. */
  readonly logs: Pick<RoomLogReader, 'room' | 'log' | 'standing' | 'catchUp'>;
  readonly intake: FrameIntakes;
  /** Key of this peer: a room is read from where it came in. */
  readonly self: string;
  readonly saved: ReadState;
  readonly clock: Pick<Clock, 'monotonic'>;
}

/** What is wrong with the room as a whole. */
export interface ReaderTrouble {
  readonly kind: 'fork' | 'rolled-back' | 'diverged';
  readonly detail: string;
}

export interface RoomReader {
  log(): RoomLog;
  /** Another one when the log was another. */
  timeline(): RoomTimeline;
  /** Reads to the end of the stream. False: something cannot be judged yet. Throws what reading throws; then it goes on from there. */
  catchUp(signal?: AbortSignal): Promise<boolean>;
  /** Loads at least so many older messages, if there are; whether there may be more. Throws `limit-exceeded` when as many lie in memory as may. */
  loadOlder(count: number, signal?: AbortSignal): Promise<boolean>;
  hasOlder(): boolean;
  /** Loads all that was stored since a time, ms since the epoch, as far as memory takes it. Throws what reading throws. */
  loadSince(sinceMs: number): Promise<void>;
  /** A key came, or a grant: what could not be opened or judged is tried again. */
  tryAgain(signal?: AbortSignal): Promise<void>;
  trouble(): ReaderTrouble | undefined;
  /** Whether the present key has been used for too long or too often (R4). */
  keyUse(limits: { readonly nowMs: number; readonly maxAgeMs: number; readonly maxCount: number }): {
    readonly isOld: boolean;
    readonly isUsedUp: boolean;
  };
  /** Process starts of a member that have spoken in the present epoch (R41). */
  bootCount(peer: string): number;
  /** Place up to which everything was read. */
  readSeq(): number;
  state(): ReadState;
  /** Rises with every change of what is known. */
  version(): number;
}

const pageLimit = 200;
/** Messages that lie in memory at most, and characters of them; older ones are read again. */
const inMemory = { count: 20_000, weight: 64 * 2 ** 20 };
/** The same where somebody has looked for older ones. */
const maxLoaded = { count: 60_000, weight: 128 * 2 ** 20 };
/** Messages that are read again at one go because their key came. */
const againLimit = 64;
/** Frames whose sender has no grant that is known are read and judged again so often, ms: whoever sends them costs no more. */
const undecidedEveryMs = 5_000;
/** First stretch of the stream that is looked at for older messages; then twice as much each time. */
const firstStretch = 512;

/** Where this peer came into the room first; everything for a shared history. Undefined: it never was in. */
function firstSeqOf(log: RoomLog, self: string): number | undefined {
  const joined = log.epochs().find(({ kind, author }) => author === self && (kind === 'JOIN' || kind === 'CREATE'));
  if (joined === undefined) return undefined;
  return log.standing()?.history === 'shared' ? log.epochs()[0]?.seq : joined.seq;
}

/** The entry that brought the key which an epoch's follows from. */
function keyStart(log: RoomLog, epoch: number): EpochStart | undefined {
  return log.epochs().findLast((one) => one.epoch <= epoch && one.kind !== 'JOIN');
}

/** All that was judged by one log, and where its reading stands. */
interface Judged {
  readonly log: RoomLog;
  readonly timeline: RoomTimeline;
  readonly messages: RoomMessages;
  readonly window: FrameWindow;
  readSeq: number;
  /** Messages from here on lie in memory. */
  loadedFrom: number;
  isWhole: boolean;
  keyUse: ReadState['keyUse'];
}

function judgedBy(log: RoomLog, saved: ReadState): Judged {
  const timeline = createRoomTimeline({
    leads: (sign, seq) => ['owner', 'moderator'].includes(log.roleAt(sign, seq) ?? ''),
    isWhole: () => judged.isWhole,
  });
  const judged: Judged = {
    ...{ log, timeline, messages: createRoomMessages(timeline, saved) },
    window: createFrameWindow(saved.window ?? undefined),
    ...{ readSeq: saved.readSeq, loadedFrom: saved.readSeq + 1, isWhole: false, keyUse: saved.keyUse },
  };
  return judged;
}

function countUse(judged: Judged, { epoch, isCounted }: TimelineMessage): void {
  const start = isCounted ? keyStart(judged.log, epoch) : undefined;
  if (start === undefined) return;
  const { keyUse } = judged;
  judged.keyUse = { epoch: start.epoch, count: start.epoch === keyUse.epoch ? keyUse.count + 1 : 1 };
}

/** Begins where this peer came in; false: it never was in. */
function begin(judged: Judged, self: string): boolean {
  const first = firstSeqOf(judged.log, self);
  if (first === undefined) return false;
  if (judged.readSeq >= first) return true;
  judged.readSeq = first;
  judged.loadedFrom = first + 1;
  judged.isWhole = true;
  return true;
}

function keepBounded({ messages, timeline, ...judged }: Judged): Pick<Judged, 'loadedFrom' | 'isWhole'> {
  if (!messages.keepNewest(inMemory)) return judged;
  return { isWhole: false, loadedFrom: timeline.all()[0]?.seq ?? judged.readSeq + 1 };
}

/** `diverged` is over when whoever said it is out: nobody holds a room up from outside. */
function troubleOf({ stop }: LogStanding, { log, messages }: Judged): ReaderTrouble | undefined {
  if (stop?.kind === 'fork')
    return { kind: 'fork', detail: `Two entries that count have one place in the log, at ${stop.seq} of the stream.` };
  if (stop !== undefined)
    return { kind: 'rolled-back', detail: `Entry ${stop.known.n} of the log was read here, and is gone or another.` };
  const detail = messages.diverged((sign) => log.standing()?.members.has(sign) === true);
  return detail === undefined ? undefined : { kind: 'diverged', detail };
}

/** The messages of a room, as they lie in the stream. */
function createPages({ workspace, durable, logs }: Pick<RoomReaderDeps, 'workspace' | 'durable' | 'logs'>) {
  const subject = roomMessagesSubject(workspace, logs.room);
  const stream = durable.stream(roomStreamOf(workspace));
  const read = (fromSeq: number, limit: number, signal: AbortSignal | undefined) =>
    stream.read({ subject, limit, fromSeq, ...(signal === undefined ? {} : { signal }) });
  return {
    read,
    /** The newest `max` of a stretch that ends before a place, in their order. */
    async newest(
      { from, before, max }: { readonly from: number; readonly before: number; readonly max: number },
      signal: AbortSignal | undefined,
    ): Promise<readonly StoredMessage[]> {
      let found: readonly StoredMessage[] = [];
      for (let fromSeq: number | undefined = from; fromSeq !== undefined && fromSeq < before; ) {
        const page = await read(fromSeq, pageLimit, signal);
        found = [...found, ...page.messages.filter(({ seq }) => seq < before)].slice(-max);
        fromSeq = page.nextSeq;
      }
      return found;
    },
  };
}

/** What is judged as the reader stands, a step at a time; nothing here runs beside itself. */
function createSteps(deps: RoomReaderDeps) {
  const { logs, intake, self, saved, clock } = deps;
  const pages = createPages(deps);
  let judged = judgedBy(logs.log(), saved);
  let undecidedMs = Number.NEGATIVE_INFINITY;
  let version = 0;

  /** The log as far as the stream has it. False: it cannot be judged yet, or is none any more. */
  async function readLog(): Promise<boolean> {
    await logs.catchUp();
    const { stop, isBehind } = logs.standing();
    // What was read by the log as it was stays as it was read.
    if (stop?.kind === 'rolled-back') return false;
    if (logs.log() !== judged.log) {
      // What was kept was read by the same log, before a start; later it is another one.
      judged = judgedBy(logs.log(), version === 0 ? saved : emptyRoomFile);
      version++;
    }
    return !isBehind;
  }

  /** Takes new messages in their order; false: one cannot be judged yet. */
  function takeNew(messages: readonly StoredMessage[]): boolean {
    for (const message of messages) {
      const taken = intake.take(message, judged);
      if (taken.kind === 'locked') return false;
      judged.messages.note(message.seq, taken);
      if (taken.kind === 'shown') countUse(judged, taken.message);
      judged.readSeq = message.seq;
      version++;
    }
    Object.assign(judged, keepBounded(judged));
    return true;
  }

  /** Takes what the window has seen already. */
  function takeFormer(message: StoredMessage, fault: WindowFault | undefined): void {
    judged.messages.note(message.seq, intake.take(message, { log: judged.log, window: { take: () => fault } }));
    version++;
  }

  async function takeAgain(seq: number, signal: AbortSignal | undefined): Promise<void> {
    const [message] = (await pages.read(seq, 1, signal)).messages;
    if (message?.seq === seq) takeFormer(message, undefined);
    else judged.messages.forget(seq);
  }

  return {
    now: () => judged,
    version: () => version + judged.messages.version(),
    async catchUp(signal: AbortSignal | undefined): Promise<boolean> {
      if (!(await readLog()) || !begin(judged, self)) return false;
      for (let fromSeq: number | undefined = judged.readSeq + 1; fromSeq !== undefined; ) {
        const { log } = judged;
        const page = await pages.read(fromSeq, pageLimit, signal);
        if (page.messages.length === 0) return true;
        // Entries that came before these messages are in the log by now; by another log all is read anew.
        const isReady: boolean = (await readLog()) && judged.log === log;
        if (!isReady || !takeNew(page.messages)) return false;
        fromSeq = page.nextSeq;
      }
      return true;
    },
    async loadStretch(stretch: number, max: number, signal: AbortSignal | undefined): Promise<number> {
      const first = firstSeqOf(judged.log, self) ?? judged.loadedFrom;
      const from = Math.max(first, judged.loadedFrom - stretch);
      const messages = await pages.newest({ from, before: judged.loadedFrom, max }, signal);
      for (const message of messages) takeFormer(message, judged.messages.formerFault(message.seq));
      judged.loadedFrom = messages.length === max ? (messages[0]?.seq ?? from) : from;
      judged.isWhole = judged.loadedFrom <= first;
      version++;
      return messages.length;
    },
    async tryAgain(signal: AbortSignal | undefined): Promise<void> {
      const { log, messages } = judged;
      messages.openAgain((frame, message) => intake.open(frame, message, log));
      const openable = messages.unheld((epoch) => intake.canOpen(log, epoch));
      for (const seq of openable.slice(0, againLimit)) await takeAgain(seq, signal);
      if (clock.monotonic() - undecidedMs < undecidedEveryMs) return;
      undecidedMs = clock.monotonic();
      for (const seq of messages.nextUndecided(againLimit)) await takeAgain(seq, signal);
    },
  };
}

/** Creates a reader that goes on from what was kept. */
export function createRoomReader(deps: RoomReaderDeps): RoomReader {
  const steps = createSteps(deps);
  const lane = createSerialLane();
  const log = (): RoomLog => steps.now().log;

  async function loadOlder(count: number, signal: AbortSignal | undefined): Promise<boolean> {
    let missing = count;
    for (let stretch = firstStretch; !steps.now().isWhole && missing > 0; stretch *= 2) {
      if (!steps.now().timeline.fits(maxLoaded))
        throw new VakError('limit-exceeded', 'room: as many messages lie in memory as may; older ones cannot be added');
      missing -= await steps.loadStretch(stretch, Math.max(count, pageLimit), signal);
    }
    return !steps.now().isWhole;
  }

  async function loadSince(sinceMs: number): Promise<void> {
    const isMissing = (): boolean => {
      const { isWhole, timeline } = steps.now();
      return !isWhole && timeline.fits(maxLoaded) && (timeline.all()[0]?.atMs ?? sinceMs) >= sinceMs;
    };
    while (isMissing()) await loadOlder(pageLimit, undefined);
  }

  return {
    log,
    timeline: () => steps.now().timeline,
    catchUp: (signal) => lane.run(() => steps.catchUp(signal)),
    loadOlder: (count, signal) => lane.run(() => loadOlder(count, signal)),
    hasOlder: () => !steps.now().isWhole,
    loadSince: (sinceMs) => lane.run(() => loadSince(sinceMs)),
    tryAgain: (signal) => lane.run(() => steps.tryAgain(signal)),
    trouble: () => troubleOf(deps.logs.standing(), steps.now()),
    keyUse({ nowMs, maxAgeMs, maxCount }) {
      const { keyUse } = steps.now();
      const start = keyStart(log(), log().standing()?.epoch ?? 0);
      const isUsedUp = start?.epoch === keyUse.epoch && keyUse.count >= maxCount;
      return { isOld: start !== undefined && nowMs - start.atMs >= maxAgeMs, isUsedUp };
    },
    bootCount: (peer) => steps.now().window.bootCount(peer, log().standing()?.epoch ?? 0),
    readSeq: () => steps.now().readSeq,
    state() {
      const { messages, readSeq, keyUse, window } = steps.now();
      return { ...messages.state(), readSeq, keyUse, window: window.save() };
    },
    version: steps.version,
  };
}

/** What a room's reading begins with that nothing is kept of, or whose kept window is damaged. */
export function readStateOf(file: RoomFileState): ReadState {
  try {
    createFrameWindow(file.window ?? undefined);
    return file;
  } catch (error) {
    if (!isVakError(error, 'corrupt')) throw error;
    return emptyRoomFile;
  }
}
