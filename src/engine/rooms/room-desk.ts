/**
 * One room as this peer is in it: read, written, its keys looked after (protocol.md §7).
 * Law: it looks when something is heard and now and then; what it does is done one after the other, and what it has read is on disk.
 */
import { createDisposer, type Disposable } from '../../shared/base/disposer.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import type { Bus } from '../bus/bus.ts';
import type { DurablePlane } from '../bus/durable.ts';
import type { EnvelopeDraft } from '../envelope/envelope-author.ts';
import type { StoredJudge } from '../envelope/stored-judge.ts';
import type { NkeySigner } from '../identity/nkey.ts';
import type { SharedJsonFile } from '../identity/shared-json-file.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Randomness } from '../ports/randomness.ts';
import { createSerialLane } from '../serial-lane.ts';
import type { FrameIntakes } from './frame-intake.ts';
import { createFrameSealer } from './frame-sealer.ts';
import { createRoomAttachments, type RoomAttachments } from './room-attachments.ts';
import type { CommitOptions, RoomChange, RoomCommits } from './room-commits.ts';
import type { RoomFileState } from './room-file.ts';
import type { VerifiedFrame } from './room-frame.ts';
import { createRoomKeyDuties } from './room-key-duties.ts';
import type { RoomKeyExchange } from './room-key-exchange.ts';
import { createRoomKeyWants } from './room-key-wants.ts';
import type { RoomKeyring } from './room-keyring.ts';
import type { RoomLogReader } from './room-log-reader.ts';
import { createLooking } from './room-looking.ts';
import { type UnreadMarks, unreadMarks } from './room-marks.ts';
import { createRoomPresence, type PresenceChoice, type RoomPresence } from './room-presence.ts';
import { createRoomReader, type RoomReader, readStateOf } from './room-reader.ts';
import { createRoomSender, type RoomSender } from './room-sender.ts';
import { roomMessagesSubject } from './room-subjects.ts';

export interface RoomDeskDeps {
  readonly workspace: string;
  readonly peer: string;
  readonly signer: NkeySigner;
  readonly bus: Pick<Bus, 'subscribe'>;
  readonly durable: DurablePlane;
  readonly logs: RoomLogReader;
  readonly file: SharedJsonFile<RoomFileState>;
  readonly intake: FrameIntakes;
  readonly keyring: RoomKeyring;
  readonly exchange: RoomKeyExchange;
  readonly commits: RoomCommits;
  readonly judge: StoredJudge;
  /** As `RoomPresenceDeps`. */
  readonly choice: () => PresenceChoice;
  readonly publishNow: ((draft: EnvelopeDraft) => void) | undefined;
  readonly isConnected: () => boolean;
  /** As `RoomSenderDeps.publish`. */
  readonly publishFrame: (frame: VerifiedFrame, id: string) => Promise<void>;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly logger: Logger;
  readonly onChange: () => void;
}

export interface RoomDesk extends Disposable {
  readonly room: string;
  readonly logs: RoomLogReader;
  readonly reader: RoomReader;
  readonly sender: RoomSender;
  readonly attachments: RoomAttachments;
  readonly presence: RoomPresence;
  /** What is unread behind the kept mark. */
  unread(): UnreadMarks;
  /** Whether this process has sealed frames of that boot. */
  sealed(boot: string): boolean;
  /** Marks, drafts and what else is kept. */
  readonly file: SharedJsonFile<RoomFileState>;
  /** Changes the room. Throws as `RoomCommits.commit`. */
  commit(change: RoomChange, options?: CommitOptions): Promise<void>;
  /** Reads, opens, sends and asks as far as it goes now; resolves when it has. Throws what reading throws. */
  look(): Promise<void>;
  /** The same in its own time. */
  lookSoon(): void;
  /** Asks for all keys that are missing. */
  requestKeys(): Promise<void>;
  /** Puts what was read on disk. */
  settle(): Promise<void>;
}

const lookEveryMs = 30_000;
const saveEveryMs = 1_000;

/** Puts what was read on disk, at most once a second. */
function createSaving({ file, clock }: Pick<RoomDeskDeps, 'file' | 'clock'>, reader: RoomReader) {
  let timer: Disposable | undefined;
  let savedSeq = reader.readSeq();

  /** What another process of the profile has read further is kept as it is. */
  async function now(): Promise<void> {
    timer?.dispose();
    timer = undefined;
    const state = reader.state();
    if (state.readSeq === savedSeq) return;
    savedSeq = state.readSeq;
    await file.update((kept) => (kept.readSeq > state.readSeq ? kept : { ...kept, ...state }));
  }

  return {
    now,
    soon(tell: (error: unknown) => void): void {
      if (timer === undefined && reader.readSeq() !== savedSeq)
        timer = clock.setTimer(saveEveryMs, () => void now().catch(tell));
    },
    dispose: () => timer?.dispose(),
  };
}

/** What the desk does for the keys of its room, and to change it. */
function createKeyWork(deps: RoomDeskDeps, { reader, lookSoon, tell }: DeskUse) {
  const { signer, logs, file, keyring, exchange, commits, clock } = deps;
  const self = signer.nkey;
  const wants = createRoomKeyWants({ self, reader, keyring, exchange, clock, lookSoon });
  const duties = createRoomKeyDuties({ self, logs, file, keyring, exchange, clock });
  const lane = createSerialLane();
  const commit: RoomDesk['commit'] = async (change, options) => {
    // Two that begin an epoch at a time would forestall each other.
    await lane.run(() => commits.commit(logs, change, options));
    // It lies in the log: keys that cannot be given now are given later.
    await duties.run().catch(tell);
    lookSoon();
  };
  return { wants, duties, commit };
}

/** What is said in the room. */
function createTalk(
  deps: RoomDeskDeps,
  { reader, tell }: DeskUse,
  { wants, commit }: ReturnType<typeof createKeyWork>,
) {
  const { workspace, peer, signer, durable, logs, file, keyring, clock, randomness } = deps;
  const sealer = createFrameSealer({ room: logs.room, sender: peer, signer, randomness });
  const sender = createRoomSender({
    ...{ reader, keyring, sealer, self: signer.nkey, commit, clock, randomness },
    ...{ isConnected: deps.isConnected, publish: deps.publishFrame, onChange: deps.onChange },
    askForKey: () => void wants.askIfDue().catch(tell),
    intents: {
      read: () => file.read().intents,
      update: (change) => file.update((state) => ({ ...state, intents: [...change(state.intents)] })),
    },
    onTakenBack: (content) => attachments.takeBack(content),
  });
  const attachments = createRoomAttachments({
    ...{ workspace, peer, durable, reader, sender, keyring, file, clock, randomness },
  });
  return { sealer, sender, attachments };
}

/** What the parts of a desk have of it. */
interface DeskUse {
  readonly reader: RoomReader;
  readonly lookSoon: () => void;
  readonly tell: (error: unknown) => void;
}

/** Creates it; `lookSoon` begins. */
export function createRoomDesk(deps: RoomDeskDeps): RoomDesk {
  const { workspace, peer, signer, bus, judge, logs, file, isConnected, clock, logger, onChange } = deps;
  const { room } = logs;
  const self = signer.nkey;
  const held = createDisposer();
  const isOpen = (): boolean => !held.isDisposed;
  const reader = createRoomReader({ ...deps, self, saved: readStateOf(file.read()) });
  const use: DeskUse = { reader, lookSoon: () => lookSoon(), tell };
  const keyWork = createKeyWork(deps, use);
  const { wants, duties, commit } = keyWork;
  held.add(wants);
  const { sealer, sender, attachments } = createTalk(
    { ...deps, isConnected: () => isOpen() && isConnected() },
    use,
    keyWork,
  );
  const saving = held.add(createSaving(deps, reader));
  const presence = held.add(createRoomPresence({ ...deps, room, self, judge, log: () => reader.log() }));

  function tell(error: unknown): void {
    if (isVakError(error)) logger.warn('room.look', { room, code: error.code });
    else logger.bug('room.look', error);
  }

  /** What is to be done once the room is read, each by itself: one that fails keeps none of the others. */
  const steps = [wants.askIfDue, duties.run, sender.flush, attachments.tidy];

  async function workOn(): Promise<void> {
    for (const step of steps) if (isOpen() && isConnected()) await step().catch(tell);
  }

  const look = createLooking(async () => {
    if (!isOpen()) return;
    try {
      await reader.catchUp();
      await reader.tryAgain();
      await workOn();
    } finally {
      // Whoever closed the room meanwhile has no timer left that nobody ends.
      if (isOpen()) {
        saving.soon(tell);
        onChange();
      }
    }
  });

  function lookSoon(): void {
    if (isOpen()) look().catch(tell);
  }

  held.add(bus.subscribe(roomMessagesSubject(workspace, room), { kind: 'latest', capacity: 1, onBatch: lookSoon }));
  held.add(logs.onChange(lookSoon));
  held.add(clock.setTicker(lookEveryMs, lookSoon));

  return {
    ...{ room, logs, reader, sender, attachments, presence, file, commit, look, lookSoon },
    sealed: (boot) => boot === sealer.boot,
    unread: () => unreadMarks(reader.timeline(), { markSeq: file.read().markSeq, sign: self, peer }),
    requestKeys: wants.ask,
    settle: saving.now,
    dispose() {
      held.dispose();
      logs.dispose();
      file.dispose();
    },
  };
}
