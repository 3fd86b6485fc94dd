/** A room's log as its people write it: each entry follows the last one, unless told otherwise. */
import { createRecordChecks } from '../../src/engine/identity/signed-record.ts';
import { type RoomEntryFields, signRoomCreate, signRoomEntry } from '../../src/engine/rooms/room-entry.ts';
import { createRoomLog, type EntryVerdict, type RoomLog } from '../../src/engine/rooms/room-log.ts';
import { toBase64Url } from '../../src/shared/base/base64url.ts';
import type { RoomEntry, RoomEntryBody } from '../../src/shared/protocol/payload-room-log.ts';
import { signerOf } from './identity-fixture.ts';

type CreateBody = Extract<RoomEntryBody, { type: 'CREATE' }>;

export const keyOf = (n: number): string => signerOf(n).nkey;
export const peerOf = (n: number): string => `peer-${n}`;
/** 32 bytes as a commitment. */
export const commitOf = (n: number): string => toBase64Url(new Uint8Array(32).fill(n));
const checks = createRecordChecks();

export const createBody = (fields: Partial<CreateBody> = {}): CreateBody => ({
  type: 'CREATE',
  nonce: toBase64Url(new Uint8Array(16).fill(7)),
  peer: peerOf(1),
  name: 'Night shift',
  topic: '',
  history: 'joined',
  commit: commitOf(1),
  ...fields,
});

export interface WrittenRoom {
  readonly log: RoomLog;
  readonly room: string;
  /** What was read into the log, with its places. */
  readonly stored: readonly { readonly entry: RoomEntry; readonly seq: number }[];
  /** Signs what comes next, without reading it. `changed` overrides its fields. */
  sign(by: number, body: RoomEntryBody, about?: number, changed?: Partial<RoomEntryFields>): RoomEntry;
  /** Signs and reads it. */
  write(by: number, body: RoomEntryBody, about?: number, changed?: Partial<RoomEntryFields>): EntryVerdict;
  read(entry: unknown, seq?: number): EntryVerdict;
  /** Invites a peer by the owner, and has it join. */
  admit(...peers: readonly number[]): void;
}

/** A room of peer 1's, whose places in the stream are 10, 20, 30 … */
export function writeRoom(fields: Partial<CreateBody> = {}): WrittenRoom {
  const { entry, room } = signRoomCreate(createBody(fields), signerOf(1));
  const log = createRoomLog(room, checks);
  const stored: { entry: RoomEntry; seq: number }[] = [];
  let next = 10;

  const read: WrittenRoom['read'] = (value, seq = next) => {
    next = seq + 10;
    const verdict = log.read(value, seq);
    stored.push({ entry: value as RoomEntry, seq });
    return verdict;
  };
  const sign: WrittenRoom['sign'] = (by, body, about, changed = {}) =>
    signRoomEntry({ ...log.draft(body, about === undefined ? undefined : keyOf(about)), ...changed }, signerOf(by));
  const write: WrittenRoom['write'] = (by, body, about, changed) => read(sign(by, body, about, changed));

  read(entry);
  return {
    ...{ log, room, stored, sign, write, read },
    admit(...peers) {
      for (const n of peers) {
        write(1, { type: 'INVITE', peer: peerOf(n), role: 'member' }, n);
        write(n, { type: 'JOIN', peer: peerOf(n) });
      }
    },
  };
}

/** The same stream, read once more. */
export function replay({ room, stored }: Pick<WrittenRoom, 'room' | 'stored'>): RoomLog {
  const log = createRoomLog(room, checks);
  for (const { entry, seq } of stored) log.read(entry, seq);
  return log;
}

export const invite = (n: number, role: 'member' | 'moderator' = 'member'): RoomEntryBody => ({
  type: 'INVITE',
  peer: peerOf(n),
  role,
});
export const kick = (n: number): RoomEntryBody => ({ type: 'KICK', commit: commitOf(n) });
export const rekey: RoomEntryBody = { type: 'REKEY', commit: commitOf(9), cause: 'hand' };
export const topic = (text: string): RoomEntryBody => ({ type: 'TOPIC', name: 'Night shift', topic: text });

/** A state as text, for comparing. */
export function told(log: RoomLog): unknown {
  const standing = log.standing();
  const members = [...(standing?.members.values() ?? [])];
  const invited = [...(standing?.invited.values() ?? [])];
  return {
    ...standing,
    members,
    invited,
    peers: undefined,
    head: log.head(),
    epochs: log.epochs(),
    fork: log.forkAt(),
  };
}
