/**
 * Messages that wait to be sent to a room, as they are kept (protocol.md R8, docs/spec/rooms.md R36, R51).
 * Law: what was said is on disk before it is sealed, bounded in number and size, and stays until somebody has seen it lie in the room.
 */
import { toBase64Url } from '../../shared/base/base64url.ts';
import { toText, utf8 } from '../../shared/base/bytes.ts';
import { type ErrorShape, VakError } from '../../shared/base/vak-error.ts';
import { labelledFields } from '../../shared/protocol/labelled-fields.ts';
import { decodeRoomContent, encodeRoomContent, type RoomContent } from '../../shared/protocol/room-content.ts';
import { runtimePrimitives } from '../crypto/runtime-primitives.ts';
import type { Clock } from '../ports/clock.ts';
import { createUuid, type Randomness } from '../ports/randomness.ts';
import { maxIntents, type RoomIntent } from './room-file.ts';

/** Where they are kept. */
export interface IntentFile {
  read(): readonly RoomIntent[];
  update(change: (intents: readonly RoomIntent[]) => readonly RoomIntent[]): Promise<void>;
}

export interface RoomIntents {
  all(): readonly RoomIntent[];
  /** Throws `not-found`. */
  get(messageId: string): RoomIntent;
  /** The first that is to be tried, but for those that are stored. */
  next(): RoomIntent | undefined;
  /** Keeps one; resolves with its id. Throws `invalid-payload`, `limit-exceeded`. */
  add(content: RoomContent): Promise<string>;
  /** From here on its frame may lie in the room, and those of the next ones, which are marked with it: a file is written once for many. */
  markSealed(messageId: string): Promise<void>;
  /** Whether its frame may lie in the room. */
  mayBeThere(intent: RoomIntent): boolean;
  /** Forgets those that are stored once there are many; `isLast`: any, and takes back the marks of those that were not sealed. */
  settle(isLast: boolean): Promise<void>;
  /** It is not tried again until somebody says so; null: it is. */
  setFailed(messageId: string, error: ErrorShape | null): Promise<void>;
  /** Forgets those. */
  drop(isDone: (messageId: string) => boolean): Promise<void>;
}

/** Characters of all that waits for one room. */
const maxLength = 8 * 2 ** 20;
const tokenBytes = 16;

/** What an intent says. */
export const contentOf = ({ kind, content }: RoomIntent): RoomContent => decodeRoomContent(kind, utf8(content));

/**
 * The id by which its stream knows the frame of an intent in an epoch, whichever process of the profile seals it: of two one is stored.
 * Nobody else can work it out, and so take it.
 */
export function frameIdOf({ messageId, token }: RoomIntent, epoch: number): string {
  return toBase64Url(runtimePrimitives.sha256(labelledFields('vak-room-frame-id-v1', [token, messageId, epoch])));
}

/** Messages for which their room's file is written once: each time it is written whole. */
export const intentBatch = 64;

export interface RoomIntentsDeps {
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** That of this process, as its frames have it. */
  readonly boot: string;
  /** Whether a message of this peer lies in the room, and counts. */
  readonly isThere: (messageId: string) => boolean;
}

/** Creates them over a file. */
export function createRoomIntents(
  file: IntentFile,
  { clock, randomness, boot, isThere }: RoomIntentsDeps,
): RoomIntents {
  const all = (): readonly RoomIntent[] => file.read();
  /** Those that were marked ahead and whose turn has come. */
  const reached = new Set<string>();

  const isOwnMark = ({ ahead, messageId }: RoomIntent): boolean => ahead === boot && !reached.has(messageId);
  const isWaiting = ({ failed, messageId }: RoomIntent): boolean => failed === null && !isThere(messageId);

  /** The mark stays if its turn came; the others never were sealed. */
  function unmarked(intent: RoomIntent): RoomIntent {
    if (intent.ahead !== boot) return intent;
    const { ahead, ...rest } = intent;
    return { ...rest, isSealed: reached.has(intent.messageId) };
  }

  function checkRoom(kept: readonly RoomIntent[], content: string): void {
    const length = kept.reduce((sum, one) => sum + one.content.length, content.length);
    if (kept.length < maxIntents && length <= maxLength) return;
    throw new VakError('limit-exceeded', `room: ${kept.length} messages wait to be sent; wait until they are`);
  }

  const change = (messageId: string, fields: Partial<RoomIntent>): Promise<void> =>
    file.update((kept) => kept.map((one) => (one.messageId === messageId ? { ...one, ...fields } : one)));

  return {
    all,
    get(messageId) {
      const intent = all().find((one) => one.messageId === messageId);
      if (intent !== undefined) return intent;
      throw new VakError('not-found', 'room: no message of this id waits to be sent');
    },
    next: () => all().find(isWaiting),
    mayBeThere: (intent) => intent.isSealed && !isOwnMark(intent),
    async add(said) {
      const content = toText(encodeRoomContent(said));
      const messageId = createUuid(clock, randomness);
      const token = toBase64Url(randomness.bytes(tokenBytes));
      const about = { createdMs: clock.now(), failed: null, isSealed: false };
      await file.update((kept) => {
        checkRoom(kept, content);
        return [...kept, { messageId, kind: said.kind, content, token, ...about }];
      });
      return messageId;
    },
    async markSealed(messageId) {
      reached.add(messageId);
      const isMarked = ({ isSealed, ahead }: RoomIntent): boolean =>
        isSealed && (ahead === undefined || ahead === boot);
      const one = all().find((intent) => intent.messageId === messageId);
      if (one === undefined || isMarked(one)) return;
      await file.update((kept) => {
        const next = kept.filter((intent) => intent.messageId !== messageId && !intent.isSealed && isWaiting(intent));
        const marked = new Set(next.slice(0, intentBatch - 1));
        return kept.map(({ ahead, ...intent }, at) => {
          if (intent.messageId === messageId) return { ...intent, isSealed: true };
          const isNext = marked.has(kept[at] as RoomIntent);
          return { ...intent, ...(isNext ? { isSealed: true, ahead: boot } : ahead === undefined ? {} : { ahead }) };
        });
      });
    },
    async settle(isLast) {
      const stored = all().filter(({ messageId }) => isThere(messageId));
      const isMarked = isLast && all().some(({ ahead }) => ahead === boot);
      if (stored.length < (isLast ? 1 : intentBatch) && !isMarked) return;
      const gone = new Set(stored.map(({ messageId }) => messageId));
      await file.update((kept) =>
        kept.filter(({ messageId }) => !gone.has(messageId)).map((one) => (isLast ? unmarked(one) : one)),
      );
      for (const messageId of reached) if (gone.has(messageId)) reached.delete(messageId);
    },
    setFailed: (messageId, error) =>
      change(messageId, {
        failed: error === null ? null : { code: error.code, message: error.message.slice(0, 1_024) },
      }),
    async drop(isDone) {
      if (all().some(({ messageId }) => isDone(messageId)))
        await file.update((kept) => kept.filter(({ messageId }) => !isDone(messageId)));
    },
  };
}
