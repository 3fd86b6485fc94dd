/**
 * Room keys on their way between members: handed out, asked for, taken, withheld (protocol.md R5, docs/spec/rooms.md R28–R32).
 * Law: a key goes to who may have it by the log, sealed to the box of its card; what is taken was given by who may give it.
 */
import { toBase64Url } from '../../shared/base/base64url.ts';
import { utf8 } from '../../shared/base/bytes.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import { parseJson } from '../../shared/protocol/payloads.ts';
import {
  type RoomKeyPackage,
  roomInvite,
  roomKeyPackage,
  roomKeyRequest,
  roomKeyWithheld,
  type WithheldReason,
} from '../../shared/protocol/room-key-records.ts';
import type { Ed25519Verifier } from '../crypto/ed25519.ts';
import type { NkeySigner } from '../identity/nkey.ts';
import { parseRecord } from '../identity/signed-record.ts';
import type { Clock } from '../ports/clock.ts';
import type { Randomness } from '../ports/randomness.ts';
import { createAskerRates } from './asker-rates.ts';
import { type OwnBox, openRoomKey, sealRoomKey } from './key-package.ts';
import { giversFor, whyWithheld } from './room-key-rights.ts';
import type { RoomKeyring } from './room-keyring.ts';
import { commitRoomKey } from './room-keys.ts';
import type { EpochStart, RoomLog } from './room-log.ts';

/** Types on `vak.keys.<ws>.<peer>.package`. */
export type KeyRecordType = 'vak.keys.package' | 'vak.keys.request' | 'vak.keys.withheld' | 'vak.keys.invite';

/** The box of a peer's present card, or why nothing is sealed to it. */
export type BoxAnswer = { readonly box: string } | { readonly reason: WithheldReason };

export interface RoomKeyExchangeDeps {
  readonly signer: NkeySigner;
  /** Own boxes: of the present card, and of earlier ones. */
  readonly boxes: () => readonly OwnBox[];
  readonly keyring: RoomKeyring;
  readonly verifier: Ed25519Verifier;
  /** A room's log as read so far; undefined: the room is not known here. */
  readonly logOf: (room: string) => RoomLog | undefined;
  /** Of the member of that name, if its card names that key. */
  readonly boxOf: (peer: string, sign: string) => BoxAnswer;
  /** Publishes to a peer's subject of keys; resolves when it is on disk. */
  readonly publish: (peer: string, type: KeyRecordType, payload: Uint8Array) => Promise<void>;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly onChange: () => void;
}

/** What came on the own subject of keys, from whom by its envelope. */
export interface KeyRecord {
  readonly type: string;
  readonly payload: Uint8Array;
  readonly peer: string;
  readonly signer: string;
}

/** `later`: the log is not read that far; the same record is to be given once more then. */
export type KeyTaking = 'done' | 'later';

/** Why a key is missing here, as somebody said. */
export interface KeyRefusal {
  readonly by: string;
  readonly reason: WithheldReason;
}

export interface RoomKeyExchange {
  /** Sends the key of an epoch that this peer began to all members. */
  handOut(log: RoomLog, start: EpochStart): Promise<void>;
  /** Sends who joined by that entry its key, and those before where history is shared. */
  admit(log: RoomLog, join: EpochStart): Promise<void>;
  /** Tells an invited peer where to look. */
  invite(log: RoomLog, peer: string): Promise<void>;
  /** Asks for what an epoch's key follows from, of everybody who may give it. */
  request(log: RoomLog, epoch: number): Promise<void>;
  take(record: KeyRecord): Promise<KeyTaking>;
  /** Members who were not given the present key, and why. */
  withheldFrom(log: RoomLog): ReadonlyMap<string, WithheldReason>;
  /** Why an epoch's key is missing here, as far as somebody said. */
  refusalOf(room: string, epoch: number): KeyRefusal | undefined;
  /** Whoever sent another key for one JOIN, and is not believed (R30). */
  differing(room: string): readonly string[];
  /** Rooms that somebody has invited this peer to. */
  invitations(): readonly string[];
  /** It was looked at, and is none. */
  forgetInvitation(room: string): void;
}

/** Requests of one peer for one epoch are answered so often, ms. */
const answerEveryMs = 10_000;
/** What one peer is answered: whoever came back after long asks for many epochs at once. */
const answerLimits = { burst: 256, perSecond: 2 };
const maxRemembered = 4_096;
const maxInviters = 64;
const maxInvitationsEach = 16;

const epochKey = (room: string, { epoch, hash }: Pick<EpochStart, 'epoch' | 'hash'>): string =>
  `${room}.${epoch} ${hash}`;

/** Forgets the oldest of a map until no more are left than may be. */
function trim(map: Map<string, unknown>, max: number): void {
  for (const oldest of map.keys()) {
    if (map.size <= max) return;
    map.delete(oldest);
  }
}

function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  trim(map, maxRemembered);
}

/** Whom somebody has invited this peer to, by who said so: one that names rooms without end takes no other's place. */
function createInvitations() {
  const bySigner = new Map<string, Set<string>>();
  return {
    add(room: string, by: string): void {
      const rooms = bySigner.get(by) ?? new Set<string>();
      rooms.delete(room);
      rooms.add(room);
      for (const oldest of rooms) if (rooms.size > maxInvitationsEach) rooms.delete(oldest);
      bySigner.delete(by);
      bySigner.set(by, rooms);
      trim(bySigner, maxInviters);
    },
    forget(room: string): void {
      for (const rooms of bySigner.values()) rooms.delete(room);
    },
    all: (): readonly string[] => [...new Set([...bySigner.values()].flatMap((rooms) => [...rooms]))],
  };
}

/** Whether a request is passed over: it was answered just now, or its sender asks without end. */
function createAnswerPace(clock: Clock): (key: string, sign: string) => boolean {
  const answeredMs = new Map<string, number>();
  const rates = createAskerRates(clock, answerLimits);
  return (key, sign) => {
    const before = answeredMs.get(key);
    const nowMs = clock.monotonic();
    if (before !== undefined && nowMs - before < answerEveryMs) return true;
    try {
      rates.take(sign, 1);
    } catch (error) {
      if (isVakError(error, 'limit-exceeded')) return true;
      throw error;
    }
    remember(answeredMs, key, nowMs);
    return false;
  };
}

const epochOf = (log: RoomLog, { epoch, hash: rekeyHash }: EpochStart) => ({ room: log.room, epoch, rekeyHash });

/** Gives keys to members, or says why not. */
function createGiving({ signer, keyring, boxOf, publish, clock, randomness, onChange }: RoomKeyExchangeDeps) {
  /** By epoch and member's name. */
  const withheld = new Map<string, WithheldReason>();

  const send = (peer: string, type: KeyRecordType, record: object): Promise<void> =>
    publish(peer, type, utf8(JSON.stringify(record)));

  async function withhold(
    log: RoomLog,
    start: EpochStart,
    { peer, reason }: { peer: string; reason: WithheldReason },
  ): Promise<void> {
    remember(withheld, `${epochKey(log.room, start)} ${peer}`, reason);
    onChange();
    // Whose key is in doubt is told nothing: nothing goes to it at all.
    if (reason !== 'blocked') await send(peer, 'vak.keys.withheld', { v: 1, ...epochOf(log, start), reason });
  }

  /** Gives a key to a member, or says why not. */
  async function give(
    log: RoomLog,
    start: EpochStart,
    to: { readonly peer: string; readonly sign: string },
  ): Promise<void> {
    const { peer, sign: recipient } = to;
    const key = keyring.keyOf(log, start.epoch);
    if (key === undefined) return await withhold(log, start, { peer, reason: 'do-not-have' });
    const answer = boxOf(peer, recipient);
    if ('reason' in answer) return await withhold(log, start, { peer, reason: answer.reason });
    const issuedAt = Math.floor(clock.now() / 1000);
    const sealing = {
      ...epochOf(log, start),
      key,
      recipient,
      recipientBox: answer.box,
      isStep: start.kind === 'JOIN',
      issuedAt,
    };
    const record = sealRoomKey(sealing, { signer, randomness });
    withheld.delete(`${epochKey(log.room, start)} ${peer}`);
    await send(peer, 'vak.keys.package', record);
  }

  return { send, give, withhold, withheld };
}

/** Creates the exchange of one peer. */
export function createRoomKeyExchange(deps: RoomKeyExchangeDeps): RoomKeyExchange {
  const { boxes, keyring, verifier, logOf, clock, onChange } = deps;
  const self = deps.signer.nkey;
  const { send, give, withhold, withheld } = createGiving(deps);
  const refusals = new Map<string, KeyRefusal>();
  /** By room. */
  const differing = new Map<string, Set<string>>();
  const isTooMuch = createAnswerPace(clock);
  const invitations = createInvitations();

  async function handOut(log: RoomLog, start: EpochStart): Promise<void> {
    // Who came later is a member by now, and has no right to this one (R6).
    const others = [...(log.standing()?.members.values() ?? [])].filter(
      ({ sign }) => sign !== self && whyWithheld(log, start, sign) === undefined,
    );
    for (const member of others) await give(log, start, member);
  }

  async function admit(log: RoomLog, join: EpochStart): Promise<void> {
    const peer = log.peerOf(join.author);
    if (peer === undefined || !join.givers.includes(self) || whyWithheld(log, join, join.author) !== undefined) return;
    const to = { peer, sign: join.author };
    await give(log, join, to);
    if (log.standing()?.history !== 'shared') return;
    // The others follow from these by steps.
    for (const start of log.epochs().slice(0, join.epoch)) {
      if (start.kind !== 'JOIN') await give(log, start, to);
    }
  }

  async function request(log: RoomLog, epoch: number): Promise<void> {
    const base = keyring.baseOf(log, epoch);
    if (base === undefined) return;
    for (const sign of giversFor(log, base, self)) {
      const peer = log.peerOf(sign);
      if (sign !== self && peer !== undefined) await send(peer, 'vak.keys.request', { v: 1, ...epochOf(log, base) });
    }
  }

  /** The epoch that a record is about. `later`: the log may know it soon; undefined: it never will. */
  function startOf(record: { readonly room: string; readonly epoch: number; readonly rekeyHash: string }) {
    const log = logOf(record.room);
    const start = log?.epochs()[record.epoch];
    if (log === undefined || start === undefined) return 'later';
    return start.hash === record.rekeyHash ? { log, start } : undefined;
  }

  async function takePackage(record: RoomKeyPackage): Promise<KeyTaking> {
    const found = startOf(record);
    if (found === 'later') return 'later';
    if (found === undefined) return 'done';
    const own = boxes();
    // The key store is locked: it opens later.
    if (own.length === 0) return 'later';
    const { log, start } = found;
    const { epoch, commit } = start;
    const authors = new Set(giversFor(log, start, self));
    const expected = { ...epochOf(log, start), authors, commit };
    const opened = openRoomKey(record, { expected, recipient: self, boxes: own, verifier });
    if (opened.kind === 'refused') return 'done';
    const known = keyring.keyOf(log, epoch);
    if (known === undefined) await keyring.keep({ room: log.room, epoch, commit }, opened.key);
    else if (toBase64Url(commitRoomKey(known)) !== opened.commit) noteDiffering(log.room, record.sender);
    opened.key.dispose();
    refusals.delete(epochKey(log.room, start));
    onChange();
    return 'done';
  }

  function noteDiffering(room: string, sender: string): void {
    differing.set(room, (differing.get(room) ?? new Set()).add(sender));
  }

  /** A key goes to whom the log names, not to whoever calls itself so; who never was in is not even answered. One whose JOIN is on its way asks again. */
  function isFromMember(room: string, { peer, sign }: { readonly peer: string; readonly sign: string }): boolean {
    return logOf(room)?.peerOf(sign) === peer;
  }

  async function answer(payload: Uint8Array, { peer, signer: sign }: KeyRecord): Promise<KeyTaking> {
    const record = parseRecord(roomKeyRequest, parseJson(payload, 'vak.keys.request'), 'request');
    const found = isFromMember(record.room, { peer, sign }) ? startOf(record) : undefined;
    if (found === 'later') return 'later';
    if (found === undefined || isTooMuch(`${epochKey(record.room, found.start)} ${sign}`, sign)) return 'done';
    const { log, start } = found;
    const reason = whyWithheld(log, start, sign);
    if (reason !== undefined) await withhold(log, start, { peer, reason });
    else if (giversFor(log, start, sign).includes(self)) await give(log, start, { peer, sign });
    return 'done';
  }

  function note(payload: Uint8Array, { peer: by, signer: sign }: KeyRecord): KeyTaking {
    const record = parseRecord(roomKeyWithheld, parseJson(payload, 'vak.keys.withheld'), 'withheld');
    const found = logOf(record.room) && startOf(record);
    if (found === 'later') return 'later';
    if (found === undefined || !giversFor(found.log, found.start, self).includes(sign)) return 'done';
    remember(refusals, epochKey(record.room, found.start), { by, reason: record.reason });
    onChange();
    return 'done';
  }

  async function takeSound(record: KeyRecord): Promise<KeyTaking> {
    const { type, payload } = record;
    if (type === 'vak.keys.package')
      return await takePackage(parseRecord(roomKeyPackage, parseJson(payload, type), 'package'));
    if (type === 'vak.keys.request') return await answer(payload, record);
    if (type === 'vak.keys.withheld') return note(payload, record);
    if (type !== 'vak.keys.invite') return 'done';
    const { room } = parseRecord(roomInvite, parseJson(payload, type), 'invite');
    invitations.add(room, record.signer);
    onChange();
    return 'done';
  }

  return {
    handOut,
    admit,
    async invite(log, peer) {
      await send(peer, 'vak.keys.invite', { v: 1, room: log.room, n: log.head()?.n ?? 0 });
    },
    request,
    async take(record) {
      try {
        return await takeSound(record);
      } catch (error) {
        // What has no such form is nobody's record.
        if (isVakError(error, 'invalid-payload')) return 'done';
        throw error;
      }
    },
    withheldFrom(log) {
      const start = log.epochs().at(-1);
      const members = [...(log.standing()?.members.values() ?? [])];
      const reasons = members.flatMap(({ peer }): [string, WithheldReason][] => {
        const reason = start && withheld.get(`${epochKey(log.room, start)} ${peer}`);
        return reason === undefined ? [] : [[peer, reason]];
      });
      return new Map(reasons);
    },
    refusalOf(room, epoch) {
      const start = logOf(room)?.epochs()[epoch];
      return start && refusals.get(epochKey(room, start));
    },
    differing: (room) => [...(differing.get(room) ?? [])],
    invitations: invitations.all,
    forgetInvitation: invitations.forget,
  };
}
