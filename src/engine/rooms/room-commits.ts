/**
 * Changes a room: signs the next entry, has it stored, and makes the key that it brings (protocol.md R2, R4, docs/spec/rooms.md R24, R32).
 * Law: a key is kept before the entry that commits to it is sent; handing it out is the duty of whoever reads that entry (`room-key-duties`).
 */
import { toBase64Url } from '../../shared/base/base64url.ts';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import type { RoomEntryBody } from '../../shared/protocol/payload-room-log.ts';
import type { NkeySigner } from '../identity/nkey.ts';
import type { Randomness } from '../ports/randomness.ts';
import type { MembershipClient } from './membership-client.ts';
import { signRoomCreate, signRoomEntry } from './room-entry.ts';
import type { RoomKeyring } from './room-keyring.ts';
import { commitRoomKey, createRoomKey } from './room-keys.ts';
import type { EntryVerdict } from './room-log.ts';
import type { RoomLogReader } from './room-log-reader.ts';

/** A change before its key: KICK of a member and REKEY get theirs here. */
export type RoomChange =
  | Exclude<RoomEntryBody, { readonly type: 'CREATE' | 'KICK' | 'REKEY' }>
  | { readonly type: 'KICK'; readonly reason?: string }
  | { readonly type: 'REKEY'; readonly cause: 'left' | 'age' | 'count' | 'hand' };

export interface RoomCommitsDeps {
  readonly client: Pick<MembershipClient, 'append'>;
  readonly keyring: RoomKeyring;
  readonly signer: NkeySigner;
  readonly randomness: Randomness;
}

export interface CommitOptions {
  /** Key of whom it is about. */
  readonly subject?: string;
  readonly signal?: AbortSignal;
}

export interface NewRoom {
  readonly peer: string;
  readonly name: string;
  readonly topic: string;
  readonly history: 'joined' | 'shared';
}

export interface RoomCommits {
  /** Makes a room; `readerOf` gives the reader of its log. Resolves with its id. */
  create(fields: NewRoom, readerOf: (room: string) => RoomLogReader): Promise<string>;
  /**
   * Changes a room, however often somebody is faster. Throws `forbidden` that says why the log refuses it, `conflict` if it changes nothing
   * or others are always faster, and what asking the service throws.
   */
  commit(reader: RoomLogReader, change: RoomChange, options?: CommitOptions): Promise<void>;
}

const nonceBytes = 16;
/** What the service says of an entry whose place is another's by now. */
const overtaken: ReadonlySet<string> = new Set(['taken', 'wrong-place', 'busy']);
/** How often others may be faster. */
const maxTries = 8;

const refusalWords = {
  'not-allowed': 'this peer may not do that in the room',
  'no-such-member': 'there is no such member',
  'already-there': 'it is so already',
  full: 'the room is full: 1 000 members and invited peers',
  closed: 'the room is closed',
} as const;

/** Why the log would skip an entry, as an error. */
function refusalOf(verdict: EntryVerdict): VakError | undefined {
  if (verdict.kind === 'counts' || verdict.kind === 'repeated') return undefined;
  if (verdict.kind !== 'skipped') return new VakError('conflict', 'the room has stopped: its log has a fork');
  const words = verdict.why in refusalWords ? refusalWords[verdict.why as keyof typeof refusalWords] : verdict.detail;
  const code =
    verdict.why === 'already-there' ? 'conflict' : verdict.why === 'no-such-member' ? 'not-found' : 'forbidden';
  return new VakError(code, `room: ${words}`, { details: { why: verdict.why } });
}

/** Creates it. */
export function createRoomCommits(deps: RoomCommitsDeps): RoomCommits {
  const { client, keyring, signer, randomness } = deps;

  /** A fresh key of an epoch, kept; gives its commitment. */
  async function makeKey(room: string, epoch: number): Promise<string> {
    const key = createRoomKey(randomness);
    const commit = toBase64Url(commitRoomKey(key));
    await keyring.keep({ room, epoch, commit }, key);
    return commit;
  }

  const bringsKey = (reader: RoomLogReader, { type }: RoomChange, subject: string | undefined): boolean =>
    type === 'REKEY' ||
    (type === 'KICK' &&
      reader
        .log()
        .standing()
        ?.invited.has(subject ?? '') !== true);

  async function bodyOf(
    reader: RoomLogReader,
    change: RoomChange,
    subject: string | undefined,
  ): Promise<RoomEntryBody> {
    if (!bringsKey(reader, change, subject)) return change as RoomEntryBody;
    const epoch = (reader.log().standing()?.epoch ?? 0) + 1;
    return { ...change, commit: await makeKey(reader.room, epoch) } as RoomEntryBody;
  }

  async function tryOnce(reader: RoomLogReader, change: RoomChange, { subject, signal }: CommitOptions): Promise<void> {
    await reader.catchUp();
    const { stop, isBehind } = reader.standing();
    if (stop !== undefined)
      throw new VakError('conflict', `room: it has stopped (${stop.kind}); nothing more is changed in it`);
    if (isBehind)
      throw new VakError('timeout', 'room: its log could not be read whole yet; try again', { retryable: true });
    const body = await bodyOf(reader, change, subject);
    const entry = signRoomEntry(reader.log().draft(body, subject), signer);
    const refusal = refusalOf(reader.log().wouldRead(entry));
    if (refusal !== undefined) throw refusal;
    await client.append(entry, { reader, ...(signal === undefined ? {} : { signal }) });
  }

  return {
    async create({ peer, name, topic, history }, readerOf) {
      const key = createRoomKey(randomness);
      const nonce = toBase64Url(randomness.bytes(nonceBytes));
      const commit = toBase64Url(commitRoomKey(key));
      const { room, entry } = signRoomCreate({ type: 'CREATE', nonce, peer, name, topic, history, commit }, signer);
      await keyring.keep({ room, epoch: 0, commit }, key);
      await client.append(entry, { reader: readerOf(room) });
      return room;
    },
    async commit(reader, change, options = {}) {
      for (let tries = 1; ; tries++) {
        try {
          await tryOnce(reader, change, options);
          await keyring.tidy(reader.log());
          return;
        } catch (error) {
          // Somebody who was faster is no reason to give up; what the log itself refuses is one.
          const isOvertaken = isVakError(error, 'conflict') && overtaken.has(String(error.details?.['why']));
          if (!isOvertaken || tries === maxTries) throw error;
        }
      }
    },
  };
}
