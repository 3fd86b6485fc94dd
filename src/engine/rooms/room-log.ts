/**
 * A room's membership log, replayed (protocol.md R1, R9, docs/spec/rooms.md R17, R21, R22).
 * Law: everyone who reads the same stream comes to the same state; what does not count changes nothing, and a fork ends the room.
 */
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import {
  type RoomEntry,
  type RoomEntryBody,
  type RoomRole,
  roomEntry,
} from '../../shared/protocol/payload-room-log.ts';
import { parseRecord, type RecordChecks } from '../identity/signed-record.ts';
import { noHash, type RoomEntryFields, roomIdOf, type VerifiedEntry, verifyRoomEntry } from './room-entry.ts';
import { createRoomPast } from './room-past.ts';
import {
  beginRoom,
  beginsEpoch,
  type RoomStanding,
  type RoomStandingMachine,
  type StandingRefusal,
} from './room-standing.ts';

/** Why an entry was skipped (R21). */
export type EntryRefusal = StandingRefusal | 'bad-form' | 'bad-signature' | 'wrong-room' | 'wrong-place';

/** An entry that counts, with its place in the stream. */
export interface PlacedEntry extends VerifiedEntry {
  readonly seq: number;
  /** When it was stored, ms since the epoch. */
  readonly atMs: number;
}

type Place = Pick<PlacedEntry, 'seq' | 'atMs'>;

/** Where an epoch began. */
export interface EpochStart {
  readonly epoch: number;
  /** Seq of the entry that began it, when it was stored, and its hash (`rekeyHash`). */
  readonly seq: number;
  readonly atMs: number;
  readonly hash: string;
  readonly n: number;
  readonly kind: 'CREATE' | 'JOIN' | 'KICK' | 'REKEY';
  readonly author: string;
  /** base64url; undefined after a JOIN, whose key follows from the one before. */
  readonly commit: string | undefined;
  /** Whose packages count for who joined by it (R30): whoever invited it, owner and moderators. */
  readonly givers: readonly string[];
  /** Whoever invited the one who joined by it. */
  readonly inviter: string | undefined;
}

/** What reading an entry came to. */
export type EntryVerdict =
  | { readonly kind: 'counts'; readonly placed: PlacedEntry }
  /** It is there already. */
  | { readonly kind: 'repeated' }
  | { readonly kind: 'skipped'; readonly why: EntryRefusal; readonly detail: string }
  /** Two that count have one `n`: the room ends here. */
  | { readonly kind: 'fork'; readonly n: number }
  /** It comes after a fork. */
  | { readonly kind: 'stopped' };

/** Newest entry that counts. */
export interface LogHead {
  readonly n: number;
  /** base64url */
  readonly hash: string;
  readonly seq: number;
}

/** A stretch of somebody's time in a room, from a place in the stream to before another. */
interface Stretch {
  readonly fromSeq: number;
  /** Undefined: not in the room. */
  readonly role: RoomRole | undefined;
  readonly peer: string;
}

export interface RoomLog {
  readonly room: string;
  /** Judges what lies at a place of the stream; places rise. `value`: the payload, as JSON. Never throws for what is in it. */
  read(value: unknown, seq: number, atMs?: number): EntryVerdict;
  /** Whether an entry would count now, unchanged state: for whoever stores it (R24). */
  wouldRead(value: unknown): EntryVerdict;
  /** The fields of the entry that would come next, before its actor signs it. Throws `not-found` while the room has not begun. */
  draft(body: RoomEntryBody, subject?: string): Omit<RoomEntryFields, 'actor'>;
  /** Undefined before CREATE. */
  standing(): RoomStanding | undefined;
  head(): LogHead | undefined;
  /** Where the fork lies. */
  forkAt(): number | undefined;
  entries(): readonly PlacedEntry[];
  entryAt(n: number): PlacedEntry | undefined;
  epochs(): readonly EpochStart[];
  /** The epoch in force before whatever lies at that place (R8); undefined before the room, and from its closing or a fork on. */
  epochAt(seq: number): EpochStart | undefined;
  /** What the holder of a key was then. */
  roleAt(sign: string, seq: number): RoomRole | undefined;
  /** Key of the member of that name then. */
  signOf(peer: string, seq: number): string | undefined;
  /** Name that the holder of a key had in the room last. */
  peerOf(sign: string): string | undefined;
}

/** The last of those that begin before a place; they lie in the order of their places. */
function lastBefore<T>(all: readonly T[], seq: number, placeOf: (one: T) => number): T | undefined {
  let [low, high] = [0, all.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const one = all[middle];
    if (one !== undefined && placeOf(one) < seq) low = middle + 1;
    else high = middle;
  }
  return all[low - 1];
}

/** Who was what when, by key and by name. */
function createStretches() {
  const byKey = new Map<string, Stretch[]>();
  const byPeer = new Map<string, { readonly fromSeq: number; readonly sign: string | undefined }[]>();

  function push<T>(map: Map<string, T[]>, key: string, one: T): void {
    const known = map.get(key);
    if (known === undefined) map.set(key, [one]);
    else known.push(one);
  }

  return {
    /** Notes how the holder of a key stands from a place on. */
    note(sign: string, { members }: RoomStanding, fromSeq: number): void {
      const member = members.get(sign);
      const before = byKey.get(sign)?.at(-1);
      if (member?.role === before?.role) return;
      const peer = member?.peer ?? before?.peer ?? '';
      push(byKey, sign, { fromSeq, role: member?.role, peer });
      push(byPeer, peer, { fromSeq, sign: member?.sign });
    },
    roleAt(sign: string, seq: number): RoomRole | undefined {
      return lastBefore(byKey.get(sign) ?? [], seq, ({ fromSeq }) => fromSeq)?.role;
    },
    peerOf: (sign: string): string | undefined => byKey.get(sign)?.at(-1)?.peer,
    signOf(peer: string, seq: number): string | undefined {
      return lastBefore(byPeer.get(peer) ?? [], seq, ({ fromSeq }) => fromSeq)?.sign;
    },
  };
}

/** Whose packages count for who joins. */
function giversOf({ members, invited }: RoomStanding, joiner: string): readonly string[] {
  const leading = Array.from(members.values()).flatMap(({ sign, role }) => (role === 'member' ? [] : [sign]));
  const inviter = invited.get(joiner)?.by;
  const isMember = inviter !== undefined && members.has(inviter);
  return isMember && !leading.includes(inviter) ? [...leading, inviter] : leading;
}

/** Entries that a log has at most (R59): whoever reads a room has all of them in memory. */
const maxRoomEntries = 65_536;
/** What a full log still takes: it ends something, so there are no more of them than peers in the room. */
const endingTypes: ReadonlySet<RoomEntryBody['type']> = new Set(['DECLINE', 'LEAVE', 'KICK', 'CLOSE']);

/** Creates an empty log of a room. `checks` remember keys, so one serves all rooms. */
export function createRoomLog(room: string, checks: RecordChecks, maxEntries = maxRoomEntries): RoomLog {
  const entries: PlacedEntry[] = [];
  const epochs: EpochStart[] = [];
  const stretches = createStretches();
  const past = createRoomPast(entries);
  let machine: RoomStandingMachine | undefined;
  let forkSeq: number | undefined;
  let endSeq: number | undefined;

  const skipped = (why: EntryRefusal, detail: string): EntryVerdict => ({ kind: 'skipped', why, detail });

  /** The entry if form and signature are sound. */
  function verify(value: unknown): VerifiedEntry | EntryVerdict {
    let entry: RoomEntry;
    try {
      entry = parseRecord(roomEntry, value, 'room entry');
    } catch (error) {
      if (isVakError(error)) return skipped('bad-form', error.message);
      throw error;
    }
    try {
      return verifyRoomEntry(entry, checks);
    } catch (error) {
      if (isVakError(error)) return skipped('bad-signature', error.message);
      throw error;
    }
  }

  /** Why an entry is not this log's `n`-th, whoever may do what. */
  function placeFault({ entry, hash }: VerifiedEntry, n: number): EntryVerdict | undefined {
    const isCreate = entry.body.type === 'CREATE';
    if ((isCreate ? roomIdOf(hash) : entry.room) !== room) return skipped('wrong-room', 'It belongs to another room.');
    const previous = n === 0 ? noHash : entries[n - 1]?.hash;
    const follows = entry.n === n && entry.prevHash === previous && isCreate === (n === 0);
    return follows ? undefined : skipped('wrong-place', `It does not follow entry ${n - 1}.`);
  }

  /** Why an entry does not count behind those before `n`, whose state is `stateAt`: what it costs to know is asked last. */
  function refusalAt(
    verified: VerifiedEntry,
    n: number,
    stateAt: () => RoomStandingMachine | undefined,
  ): EntryVerdict | undefined {
    const { entry } = verified;
    const fault = placeFault(verified, n);
    if (fault !== undefined) return fault;
    if (n >= maxEntries && !endingTypes.has(entry.body.type))
      return skipped('full', `The log has its ${maxEntries} entries; only what ends something counts.`);
    const at = stateAt();
    const why = at?.refusalOf(entry);
    if (why !== undefined) return skipped(why, `${entry.body.type} is refused as the room stands there.`);
    const step = at !== undefined && beginsEpoch(entry.body) ? 1 : 0;
    const epoch = (at?.standing.epoch ?? 0) + step;
    return entry.epoch === epoch ? undefined : skipped('wrong-place', `Its epoch is not ${epoch}.`);
  }

  function judge(value: unknown): VerifiedEntry | EntryVerdict {
    if (forkSeq !== undefined) return { kind: 'stopped' };
    const verified = verify(value);
    if ('kind' in verified) return verified;
    const { n } = verified.entry;
    if (entries[n]?.hash === verified.hash) return { kind: 'repeated' };
    if (n < entries.length) return refusalAt(verified, n, () => past.before(n)) ?? { kind: 'fork', n };
    return refusalAt(verified, entries.length, () => machine) ?? verified;
  }

  function startOf({ entry, hash }: VerifiedEntry, place: Place): EpochStart | undefined {
    const { body, actor, n, epoch } = entry;
    if (!beginsEpoch(body)) return undefined;
    const kind = body.type as EpochStart['kind'];
    const commit = 'commit' in body ? body.commit : undefined;
    const givers = machine !== undefined && kind === 'JOIN' ? giversOf(machine.standing, actor) : [];
    const inviter = kind === 'JOIN' ? machine?.standing.invited.get(actor)?.by : undefined;
    return { ...place, epoch, hash, n, kind, author: actor, commit, givers, inviter };
  }

  function apply(verified: VerifiedEntry, place: Place): PlacedEntry {
    const { seq } = place;
    const { entry } = verified;
    const start = startOf(verified, place);
    if (machine === undefined && entry.body.type === 'CREATE') machine = beginRoom({ ...entry, body: entry.body });
    else machine?.apply(entry);
    const placed = { ...verified, ...place };
    entries.push(placed);
    if (start !== undefined) epochs.push(start);
    if (machine !== undefined) {
      for (const key of [entry.actor, entry.subject ?? entry.actor]) stretches.note(key, machine.standing, seq);
      if (machine.standing.isClosed) endSeq = seq;
    }
    return placed;
  }

  return {
    room,
    read(value, seq, atMs = 0) {
      const verdict = judge(value);
      if (!('kind' in verdict)) return { kind: 'counts', placed: apply(verdict, { seq, atMs }) };
      if (verdict.kind === 'fork') {
        forkSeq = seq;
        endSeq ??= seq;
      }
      return verdict;
    },
    wouldRead(value) {
      const verdict = judge(value);
      return 'kind' in verdict ? verdict : { kind: 'counts', placed: { ...verdict, seq: 0, atMs: 0 } };
    },
    draft(body, subject) {
      const last = entries.at(-1);
      if (last === undefined || machine === undefined) {
        throw new VakError('not-found', `room ${room}: its log is empty here; nothing can follow it`);
      }
      const epoch = machine.standing.epoch + (beginsEpoch(body) ? 1 : 0);
      const about = subject === undefined ? {} : { subject };
      return { room, n: last.entry.n + 1, epoch, prevHash: last.hash, body, ...about };
    },
    standing: () => machine?.standing,
    head() {
      const last = entries.at(-1);
      return last === undefined ? undefined : { n: last.entry.n, hash: last.hash, seq: last.seq };
    },
    forkAt: () => forkSeq,
    entries: () => entries,
    entryAt: (n) => entries[n],
    epochs: () => epochs,
    epochAt(seq) {
      if (endSeq !== undefined && seq > endSeq) return undefined;
      return lastBefore(epochs, seq, (one) => one.seq);
    },
    roleAt: stretches.roleAt,
    signOf: stretches.signOf,
    peerOf: stretches.peerOf,
  };
}
