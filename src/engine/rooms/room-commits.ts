/**
 * Changes a room: signs the next entry, has it stored, and makes the key that it brings (protocol.md R2, R4, docs/spec/rooms.md R24, R32).
 * Law: a key is kept before the entry that commits to it is sent; handing it out is the duty of whoever reads that entry (`room-key-duties`).
 * However often an entry is tried its key is one, and what the log refuses anyway has none.
 */
import { toBase64Url } from '../../shared/base/base64url.ts';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import type { RoomEntry, RoomEntryBody } from '../../shared/protocol/payload-room-log.ts';
import type { NkeySigner } from '../identity/nkey.ts';
import type { Randomness } from '../ports/randomness.ts';
import type { MembershipClient } from './membership-client.ts';
import { noHash, signRoomCreate, signRoomEntry } from './room-entry.ts';
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
  full: 'the room is full: it has its 1 000 members and invited peers, or its log has all the entries that it may have; make another room',
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

/** Makes the keys of changes that are tried. */
function createNewKeys({ keyring, randomness }: Pick<RoomCommitsDeps, 'keyring' | 'randomness'>) {
  /** By room: the last one that was made, and for what. It is not known whether its entry was stored. */
  const tried = new Map<string, { readonly epoch: number; readonly commit: string; readonly about: string }>();

  return {
    /** The key of an epoch that a change is to begin, kept; gives its commitment. The same for the same change, until that epoch has begun. */
    async commitOf(room: string, epoch: number, about: string): Promise<string> {
      const known = tried.get(room);
      const isSame = known?.epoch === epoch && known.about === about;
      if (isSame && keyring.has({ room, epoch, commit: known.commit })) return known.commit;
      const key = createRoomKey(randomness);
      const commit = toBase64Url(commitRoomKey(key));
      await keyring.keep({ room, epoch, commit }, key);
      tried.set(room, { epoch, commit, about });
      return commit;
    },
    forget: (room: string): void => void tried.delete(room),
  };
}

/** The newest epoch whose key follows from no other's. */
const newestKeyOf = (reader: RoomLogReader): string | undefined =>
  reader
    .log()
    .epochs()
    .findLast(({ kind }) => kind !== 'JOIN')?.hash;

/** Creates it. */
export function createRoomCommits(deps: RoomCommitsDeps): RoomCommits {
  const { client, keyring, signer, randomness } = deps;
  const newKeys = createNewKeys(deps);

  const bringsKey = (reader: RoomLogReader, { type }: RoomChange, subject: string | undefined): boolean =>
    type === 'REKEY' ||
    (type === 'KICK' &&
      reader
        .log()
        .standing()
        ?.invited.has(subject ?? '') !== true);

  function signed(reader: RoomLogReader, body: RoomEntryBody, subject: string | undefined): RoomEntry {
    const entry = signRoomEntry(reader.log().draft(body, subject), signer);
    const refusal = refusalOf(reader.log().wouldRead(entry));
    if (refusal !== undefined) throw refusal;
    return entry;
  }

  async function entryOf(reader: RoomLogReader, change: RoomChange, subject: string | undefined): Promise<RoomEntry> {
    if (!bringsKey(reader, change, subject)) return signed(reader, change as RoomEntryBody, subject);
    // What the log refuses whatever the key is needs none.
    signed(reader, { ...change, commit: noHash } as RoomEntryBody, subject);
    const epoch = (reader.log().standing()?.epoch ?? 0) + 1;
    const commit = await newKeys.commitOf(reader.room, epoch, `${change.type} ${subject ?? ''}`);
    return signed(reader, { ...change, commit } as RoomEntryBody, subject);
  }

  async function tryOnce(reader: RoomLogReader, change: RoomChange, { subject, signal }: CommitOptions): Promise<void> {
    await reader.catchUp();
    const { stop, isBehind } = reader.standing();
    if (stop !== undefined)
      throw new VakError('conflict', `room: it has stopped (${stop.kind}); nothing more is changed in it`);
    if (isBehind)
      throw new VakError('timeout', 'room: its log could not be read whole yet; try again', { retryable: true });
    const entry = await entryOf(reader, change, subject);
    await client.append(entry, { reader, ...(signal === undefined ? {} : { signal }) });
  }

  return {
    async create({ peer, name, topic, history }, readerOf) {
      const key = createRoomKey(randomness);
      try {
        const nonce = toBase64Url(randomness.bytes(nonceBytes));
        const commit = toBase64Url(commitRoomKey(key));
        const { room, entry } = signRoomCreate({ type: 'CREATE', nonce, peer, name, topic, history, commit }, signer);
        await keyring.keep({ room, epoch: 0, commit }, key);
        await client.append(entry, { reader: readerOf(room) });
        return room;
      } finally {
        key.dispose();
      }
    },
    async commit(reader, change, options = {}) {
      await reader.catchUp();
      const before = newestKeyOf(reader);
      for (let tries = 1; ; tries++) {
        try {
          // Whoever was faster with a new key has done what this one was for: each member would bring one else.
          const isDone =
            tries > 1 && change.type === 'REKEY' && change.cause !== 'hand' && newestKeyOf(reader) !== before;
          if (!isDone) await tryOnce(reader, change, options);
          newKeys.forget(reader.room);
          await keyring.tidy(reader.log());
          return;
        } catch (error) {
          // Somebody who was faster is no reason to give up; what the log itself refuses is one.
          const isOvertaken = isVakError(error, 'conflict') && overtaken.has(String(error.details?.['why']));
          if (!isOvertaken || tries === maxTries) throw error;
          await reader.catchUp();
        }
      }
    },
  };
}
