/**
 * Reads one room's log from its stream, and reads on (docs/spec/rooms.md R21, R23).
 * Law: in the order of the stream, each message once; what is not to be judged yet holds the reading up, and what was wrongly taken for
 * unproven, or is not there any more, has it begin anew. Nothing on a log makes it grow beyond the entries that count.
 */
import { maxRoomEntryBytes } from '../../shared/protocol/payload-room-control.ts';
import type { DurablePlane, StoredMessage, StreamPage } from '../bus/durable.ts';
import type { StoredJudge } from '../envelope/stored-judge.ts';
import type { RecordChecks } from '../identity/signed-record.ts';
import type { Clock } from '../ports/clock.ts';
import { createRoomLog, type EntryRefusal, type RoomLog } from './room-log.ts';
import { roomLogSubject, roomStreamOf } from './room-subjects.ts';
import { type EntryReading, readStoredEntry } from './stored-entry.ts';

/** What lies on a log and does not count. `not-membershipd`: its envelope (R23). */
export interface SkippedEntry {
  readonly seq: number;
  readonly why: EntryRefusal | 'not-membershipd' | 'stopped';
  readonly detail: string;
}

export interface RoomReadingDeps {
  readonly workspace: string;
  readonly room: string;
  readonly durable: DurablePlane;
  readonly judge: StoredJudge;
  readonly checks: RecordChecks;
  readonly clock: Pick<Clock, 'defer'>;
}

export interface RoomReading {
  /** Another one after the reading has begun anew. */
  log(): RoomLog;
  /** Reads to the stream's end; gives whether it got there: else it is not known yet who may write a log. Throws what reading throws. */
  catchUp(signal?: AbortSignal): Promise<boolean>;
  /** Place of the newest message that was read, of whatever kind; 0: none. */
  lastSeq(): number;
  /** Whether something counts for nothing only because no grant is known for it. */
  isUnproven(): boolean;
  /** The newest 256 of what was skipped, oldest first. */
  skipped(): readonly SkippedEntry[];
  skippedCount(): number;
  /** Forgets all; the next reading begins anew. */
  restart(): void;
}

const pageLimit = 1_000;
/** Entries that are judged in one go; others have their turn then. */
const turnLimit = 64;
const keptSkipped = 256;
/** Signers of whose unproven messages one is kept, to be judged again; larger ones are no entries. */
const keptUnproven = 64;
const maxUnprovenBytes = 4 * maxRoomEntryBytes;

/** What is known of a log up to a place. */
interface Progress {
  readonly log: RoomLog;
  readonly skipped: SkippedEntry[];
  skippedCount: number;
  lastSeq: number;
  /** By signer. */
  readonly unproven: Map<string, StoredMessage>;
}

function skippedOf(reading: EntryReading, seq: number): SkippedEntry | undefined {
  switch (reading.kind) {
    case 'skipped':
      return { seq, why: reading.why, detail: reading.detail };
    case 'refused':
    case 'unproven':
      return { seq, why: 'not-membershipd', detail: reading.detail };
    case 'stopped':
      return { seq, why: 'stopped', detail: 'It lies behind a fork of the log.' };
    default:
      return undefined;
  }
}

/** Creates a reading that has read nothing. */
export function createRoomReading(deps: RoomReadingDeps): RoomReading {
  const { workspace, room, durable, judge, checks, clock } = deps;
  const subject = roomLogSubject(workspace, room);
  const stream = durable.stream(roomStreamOf(workspace));
  let progress = begin();

  function begin(): Progress {
    return {
      ...{ log: createRoomLog(room, checks), skipped: [], unproven: new Map() },
      ...{ skippedCount: 0, lastSeq: 0 },
    };
  }

  function keepUnproven(signer: string, message: StoredMessage): void {
    const { unproven } = progress;
    if (unproven.has(signer) || message.data.length > maxUnprovenBytes) return;
    unproven.set(signer, message);
    if (unproven.size <= keptUnproven) return;
    for (const oldest of unproven.keys()) {
      unproven.delete(oldest);
      return;
    }
  }

  /** False: it cannot be judged yet. */
  function take(message: StoredMessage): boolean {
    const reading = readStoredEntry(progress.log, message, judge);
    if (reading.kind === 'locked') return false;
    if (reading.kind === 'unproven') keepUnproven(reading.signer ?? '', message);
    const skipped = skippedOf(reading, message.seq);
    if (skipped !== undefined) {
      progress.skippedCount++;
      progress.skipped.push(skipped);
      if (progress.skipped.length > keptSkipped) progress.skipped.shift();
    }
    progress.lastSeq = message.seq;
    return true;
  }

  /** Takes a page; false: one of it could not be judged. */
  async function takeAll(messages: readonly StoredMessage[]): Promise<boolean> {
    for (const [index, message] of messages.entries()) {
      if (index > 0 && index % turnLimit === 0) await new Promise<void>((resolve) => clock.defer(resolve));
      if (!take(message)) return false;
    }
    return true;
  }

  /** Whether a grant that is known by now covers what did not count for want of one: what came after it was judged without it. */
  const isProvenNow = (): boolean =>
    [...progress.unproven.values()].some((message) => judge(message).kind === 'accepted');

  async function readOn(signal: AbortSignal | undefined): Promise<boolean> {
    const options = { subject, limit: pageLimit, ...(signal === undefined ? {} : { signal }) };
    // Once more what was read last: it must lie there still.
    for (let fromSeq: number | undefined = Math.max(1, progress.lastSeq); fromSeq !== undefined; ) {
      const page: StreamPage = await stream.read({ ...options, fromSeq });
      const { lastSeq } = progress;
      const isThere: boolean = lastSeq < fromSeq || page.messages[0]?.seq === lastSeq;
      if (!isThere) progress = begin();
      else if (!(await takeAll(page.messages.filter(({ seq }) => seq > lastSeq)))) return false;
      fromSeq = isThere ? page.nextSeq : 1;
    }
    return true;
  }

  return {
    log: () => progress.log,
    async catchUp(signal) {
      const newest = (await stream.last(subject))?.seq ?? 0;
      // It was set back: what lies there now is another history.
      if (newest < progress.lastSeq || isProvenNow()) progress = begin();
      return newest === progress.lastSeq || (await readOn(signal));
    },
    lastSeq: () => progress.lastSeq,
    isUnproven: () => progress.unproven.size > 0,
    skipped: () => [...progress.skipped],
    skippedCount: () => progress.skippedCount,
    restart() {
      progress = begin();
    },
  };
}
