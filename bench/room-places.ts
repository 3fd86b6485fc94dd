/** Rooms for the bench: logs with many members or many entries, and a room in which much was said. */
import { createPrivateKey, createPublicKey, type KeyObject, randomBytes, verify } from 'node:crypto';
import { createNkeySigner, decodeNkey, encodeNkeySeed, type NkeySigner } from '../src/engine/identity/nkey.ts';
import { createRecordChecks } from '../src/engine/identity/signed-record.ts';
import { roomEntryMessage, signRoomCreate, signRoomEntry } from '../src/engine/rooms/room-entry.ts';
import { createRoomLog, type RoomLog } from '../src/engine/rooms/room-log.ts';
import { fromBase64Url, toBase64Url } from '../src/shared/base/base64url.ts';
import type { RoomEntry, RoomEntryBody } from '../src/shared/protocol/payload-room-log.ts';

/** A log, and what was read into it. */
export interface BenchRoom {
  readonly room: string;
  readonly log: RoomLog;
  readonly entries: readonly RoomEntry[];
  readonly owner: NkeySigner;
}

const createSigner = (): NkeySigner => createNkeySigner(encodeNkeySeed(new Uint8Array(randomBytes(32))));
const commitment = (): string => toBase64Url(new Uint8Array(randomBytes(32)));

interface Writer extends BenchRoom {
  write(by: NkeySigner, body: RoomEntryBody, about?: string): void;
}

export function openLog(owner: NkeySigner, commit = commitment()): Writer {
  const nonce = toBase64Url(new Uint8Array(16).fill(7));
  const fields = { peer: 'owner', name: 'Bench', topic: '', history: 'joined', commit } as const;
  const { room, entry } = signRoomCreate({ type: 'CREATE', nonce, ...fields }, owner);
  const log = createRoomLog(room, createRecordChecks());
  const entries: RoomEntry[] = [];
  const read = (one: RoomEntry): void => {
    const verdict = log.read(one, 10 * (entries.length + 1));
    if (verdict.kind !== 'counts') throw new Error(`the bench wrote an entry that is ${verdict.kind}`);
    entries.push(one);
  };
  read(entry);
  return { room, log, entries, owner, write: (by, body, about) => read(signRoomEntry(log.draft(body, about), by)) };
}

/** A room of so many members. */
export function roomOfMembers(count: number): BenchRoom {
  const place = openLog(createSigner());
  for (let at = 1; at < count; at++) {
    const member = createSigner();
    const peer = `peer-${at}`;
    place.write(place.owner, { type: 'INVITE', peer, role: 'member' }, member.nkey);
    place.write(member, { type: 'JOIN', peer });
  }
  return place;
}

/** A log of so many entries: members come and go, keys and topics change. */
export function roomOfEntries(count: number): BenchRoom {
  const place = openLog(createSigner());
  const members = Array.from({ length: 16 }, createSigner);
  for (let round = 0; place.entries.length < count; round++) {
    const member = members[round % members.length] ?? place.owner;
    const peer = `peer-${round % members.length}`;
    place.write(place.owner, { type: 'INVITE', peer, role: 'member' }, member.nkey);
    place.write(member, { type: 'JOIN', peer });
    place.write(member, { type: 'REKEY', commit: commitment(), cause: 'hand' });
    place.write(place.owner, { type: 'TOPIC', name: 'Bench', topic: `round ${round}` });
    place.write(member, { type: 'LEAVE' });
  }
  return place;
}

/** Replays a log as a peer does that has never seen any of its keys. */
export function replay({ room, entries }: BenchRoom): void {
  const log = createRoomLog(room, createRecordChecks());
  entries.forEach((entry, at) => {
    if (log.read(entry, 10 * (at + 1)).kind !== 'counts') throw new Error('an entry did not count');
  });
}

const publicPrefix = Buffer.from('302a300506032b6570032100', 'hex');

/** A key that verifies, by itself. */
export const publicKeyOf = (nkey: string): KeyObject =>
  createPublicKey({ key: Buffer.concat([publicPrefix, decodeNkey(nkey, 'actor')]), format: 'der', type: 'spki' });

/** The signatures of a log and nothing else: with messages and keys at hand. */
export function rawVerifications({ entries }: BenchRoom): () => void {
  const keys = new Map<string, KeyObject>();
  const keyOf = (nkey: string): KeyObject => {
    const key = keys.get(nkey) ?? publicKeyOf(nkey);
    keys.set(nkey, key);
    return key;
  };
  const signed = entries.map((entry) => ({
    ...{ key: keyOf(entry.actor), message: roomEntryMessage(entry), sig: fromBase64Url(entry.sig, 'sig') },
  }));
  return () => {
    for (const { key, message, sig } of signed) if (!verify(null, message, key, sig)) throw new Error('not signed');
  };
}

/** A key that signs, by itself. */
export const rawSigningKey = (): KeyObject =>
  createPrivateKey({
    key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), randomBytes(32)]),
    format: 'der',
    type: 'pkcs8',
  });
