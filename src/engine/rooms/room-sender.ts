/**
 * Sends what somebody said to a room (protocol.md R4, R8, docs/spec/rooms.md R36, R51).
 * Law: an intent is kept until its frame was read back as one that counts; it is sealed only with the connection there and the log read,
 * under the key that is in force, one after the other.
 */
import { type ErrorShape, isVakError, VakError } from '../../shared/base/vak-error.ts';
import type { RoomContent } from '../../shared/protocol/room-content.ts';
import type { Clock } from '../ports/clock.ts';
import type { Randomness } from '../ports/randomness.ts';
import { createSerialLane } from '../serial-lane.ts';
import type { FrameSealer } from './frame-sealer.ts';
import { maxBootsPerEpoch } from './frame-window.ts';
import type { RoomChange } from './room-commits.ts';
import type { RoomIntent } from './room-file.ts';
import type { VerifiedFrame } from './room-frame.ts';
import { contentOf, createRoomIntents, frameIdOf, type IntentFile, type RoomIntents } from './room-intents.ts';
import type { RoomKeyring } from './room-keyring.ts';
import type { RoomReader } from './room-reader.ts';

/** How an intent stands. */
export interface SendingState {
  readonly intent: RoomIntent;
  readonly content: RoomContent;
  readonly state: 'waiting' | 'sending' | 'failed';
  readonly error: ErrorShape | null;
}

export interface RoomSenderDeps {
  readonly reader: RoomReader;
  readonly keyring: RoomKeyring;
  readonly sealer: FrameSealer;
  /** Key of this peer. */
  readonly self: string;
  readonly isConnected: () => boolean;
  /**
   * Publishes a frame under an id; resolves when its stream has it. Throws why it was refused for good (`conflict` with `details.why`
   * `stale`: its epoch ended before it went), `exists` (it is under way already), and `disconnected` or `timeout` while nobody knows.
   */
  readonly publish: (frame: VerifiedFrame, id: string) => Promise<void>;
  /** Changes the room (REKEY), as `RoomCommits.commit`. */
  readonly commit: (change: RoomChange) => Promise<void>;
  readonly askForKey: (epoch: number) => void;
  readonly intents: IntentFile;
  /** Told of what is taken back, before it is forgotten. */
  readonly onTakenBack: (content: RoomContent) => Promise<void>;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly onChange: () => void;
}

export interface RoomSender {
  /** Keeps it and begins to send it; resolves with its id when it is on disk. Throws `invalid-payload`, `limit-exceeded`, `forbidden`. */
  say(content: RoomContent): Promise<string>;
  /** Sends what waits, as far as it goes now. */
  flush(): Promise<void>;
  /** Takes one back that no stream has. Throws `not-found`, `conflict` if it may have been stored. */
  cancel(messageId: string): Promise<void>;
  /** Tries one again that failed. */
  retry(messageId: string): Promise<void>;
  sending(): readonly SendingState[];
}

/** A key is used for so long, ms, and for so many messages (R4). */
const maxKeyAgeMs = 7 * 24 * 3_600_000;
const maxKeyMessages = 2 ** 20;
/** The clocks of this peer and of the stream may differ by so much, ms. */
const maxSkewMs = 3_600_000;
/** How often a frame may come too late for its epoch before somebody is told. */
const maxSeals = 8;

/** What leaves an intent waiting: the next flush tries again. */
const passing: ReadonlySet<string> = new Set([
  'disconnected',
  'timeout',
  'no-responders',
  'locked',
  'aborted',
  'closed',
  'exists',
]);

/** Why a new key comes first: somebody left, the key is old, or it or its sender's starts are used up (R4, R41). */
function rekeyCause({
  reader,
  sealer,
  clock,
}: Pick<RoomSenderDeps, 'reader' | 'sealer' | 'clock'>): 'left' | 'age' | 'count' | undefined {
  if (reader.log().standing()?.isRekeyPending === true) return 'left';
  const { isOld, isUsedUp } = reader.keyUse({
    nowMs: clock.now(),
    maxAgeMs: maxKeyAgeMs,
    maxCount: maxKeyMessages,
  });
  if (isUsedUp || reader.bootCount(sealer.sender) >= maxBootsPerEpoch) return 'count';
  return isOld ? 'age' : undefined;
}

/** Why nothing can be sent to the room by the holder of a key. */
function standingFault(reader: RoomReader, self: string): VakError | undefined {
  const standing = reader.log().standing();
  const trouble = reader.trouble();
  if (trouble !== undefined) return new VakError('conflict', `room: nothing is sent to it any more. ${trouble.detail}`);
  if (standing?.isClosed === true) return new VakError('closed', 'room: it is closed');
  if (standing?.members.has(self) !== true) return new VakError('forbidden', 'room: this peer is no member of it');
  return undefined;
}

const oftenEnded = (): VakError =>
  new VakError('conflict', `room: its epoch ended ${maxSeals} times before the message was stored; send it again`);

/** Brings one intent into the room. */
function createSending(
  deps: RoomSenderDeps,
  { markSealed, mayBeThere }: Pick<RoomIntents, 'markSealed' | 'mayBeThere'>,
  isThere: (messageId: string) => boolean,
) {
  const { reader, keyring, sealer, self, publish, commit, askForKey } = deps;

  /** Intents that were looked for, or sealed, by this process: what it reads from then on has them. */
  const sought = new Set<string>();

  /** A process that was killed, or another one, may have had it stored below the place where this one began to read. */
  async function seek(intent: RoomIntent): Promise<void> {
    const { messageId, createdMs } = intent;
    if (mayBeThere(intent) && !sought.has(messageId)) await reader.loadSince(createdMs - maxSkewMs);
    sought.add(messageId);
  }

  async function catchUp(): Promise<void> {
    if (await reader.catchUp()) return;
    throw (
      standingFault(reader, self) ??
      new VakError('timeout', 'room: it could not be read whole yet', { retryable: true })
    );
  }

  async function prepare(): Promise<void> {
    await catchUp();
    const fault = standingFault(reader, self);
    if (fault !== undefined) throw fault;
    const cause = rekeyCause(deps);
    if (cause === undefined) return;
    await commit({ type: 'REKEY', cause });
    await catchUp();
  }

  function seal(intent: RoomIntent): VerifiedFrame {
    const log = reader.log();
    const [epoch, head] = [log.standing()?.epoch ?? 0, log.head()];
    const key = keyring.keyOf(log, epoch);
    if (key === undefined || head === undefined) {
      askForKey(epoch);
      throw new VakError('locked', `room: the key of epoch ${epoch} has not come yet; it was asked for`, {
        retryable: true,
      });
    }
    const place = { epoch, n: head.n, head: head.hash, messageId: intent.messageId };
    return sealer.seal(place, contentOf(intent), key);
  }

  /** A frame that did not go, or not as the first of its intent: what is in the room by now says which. */
  async function publishOnce(intent: RoomIntent): Promise<VakError | undefined> {
    const frame = seal(intent);
    await markSealed(intent.messageId);
    try {
      await publish(frame, frameIdOf(intent, frame.epoch));
      return undefined;
    } catch (error) {
      if (!isVakError(error, 'conflict')) throw error;
      return error.details?.['why'] === 'stale' ? undefined : error;
    }
  }

  return {
    /** Seals and publishes until it lies where its epoch is in force. */
    async send(intent: RoomIntent): Promise<void> {
      for (let seals = 1; seals <= maxSeals; seals++) {
        await prepare();
        await seek(intent);
        if (isThere(intent.messageId)) return;
        const conflict = await publishOnce(intent);
        await catchUp();
        if (isThere(intent.messageId)) return;
        if (conflict !== undefined) throw conflict;
      }
      throw oftenEnded();
    },
  };
}

/** Creates the sender of one room for this process. */
export function createRoomSender(deps: RoomSenderDeps): RoomSender {
  const { reader, self, isConnected, onChange } = deps;
  const lane = createSerialLane();
  /** Own messages that were read back, and count. */
  function isThere(messageId: string): boolean {
    const message = reader.timeline().byId(messageId);
    return message?.isCounted === true && message.sign === self;
  }

  const intents = createRoomIntents(deps.intents, { ...deps, boot: deps.sealer.boot, isThere });
  const { send } = createSending(deps, intents, isThere);
  let current: string | undefined;
  /** Why the last try of one did not come through. */
  const problems = new Map<string, ErrorShape>();

  async function settle(isLast: boolean): Promise<void> {
    await intents.settle(isLast);
    const waiting = new Set(intents.all().map(({ messageId }) => messageId));
    for (const messageId of problems.keys()) if (!waiting.has(messageId)) problems.delete(messageId);
  }

  /** False: nothing more can be sent now. */
  async function tryOne(intent: RoomIntent): Promise<boolean> {
    const { messageId } = intent;
    current = messageId;
    onChange();
    try {
      await send(intent);
      await settle(false);
      return true;
    } catch (error) {
      if (!isVakError(error)) throw error;
      problems.set(messageId, error.toShape());
      const isPassing = error.retryable || passing.has(error.code);
      if (!isPassing) await intents.setFailed(messageId, error.toShape());
      return !isPassing;
    } finally {
      current = undefined;
      onChange();
    }
  }

  async function flush(): Promise<void> {
    try {
      for (;;) {
        const next = intents.next();
        if (next === undefined || !isConnected()) return;
        if (!(await tryOne(next))) return;
      }
    } finally {
      await settle(true);
    }
  }

  return {
    async say(content) {
      const fault = standingFault(reader, self);
      if (fault !== undefined) throw fault;
      const messageId = await intents.add(content);
      onChange();
      return messageId;
    },
    flush: () => lane.run(flush),
    async cancel(messageId) {
      const intent = intents.get(messageId);
      // One that failed lies nowhere: it was refused. What is being sent may not be marked yet.
      if ((intents.mayBeThere(intent) && intent.failed === null) || current === messageId)
        throw new VakError('conflict', 'room: the message may have been stored already; redact it once it is there');
      await deps.onTakenBack(contentOf(intent));
      await intents.drop((one) => one === messageId);
      onChange();
    },
    async retry(messageId) {
      intents.get(messageId);
      await intents.setFailed(messageId, null);
      onChange();
    },
    sending: () =>
      // What lies in the room is kept for a while longer.
      intents.all().flatMap((intent) => {
        if (isThere(intent.messageId)) return [];
        const { messageId, failed } = intent;
        const state = failed !== null ? 'failed' : messageId === current ? 'sending' : 'waiting';
        const error = failed === null ? (problems.get(messageId) ?? null) : { ...failed, retryable: false };
        return { intent, content: contentOf(intent), state, error: error as ErrorShape | null };
      }),
  };
}
