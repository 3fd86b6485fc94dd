/**
 * Entries of a room's log: the bytes under hash and signature, and who signed (protocol.md R1, docs/spec/rooms.md R15, R16).
 * Law: an entry is named by the hash of what was signed, never by the bytes that carried it.
 */
import { createHash } from 'node:crypto';
import { fromBase64Url, toBase64Url } from '../../shared/base/base64url.ts';
import { type LabelledField, labelledFields } from '../../shared/protocol/labelled-fields.ts';
import { type RoomEntry, type RoomEntryBody, roomEntry } from '../../shared/protocol/payload-room-log.ts';
import { decodeNkey, type NkeySigner } from '../identity/nkey.ts';
import { checkRecordSignature, parseRecord, type RecordChecks } from '../identity/signed-record.ts';

/** What is signed. */
export type RoomEntryFields = Omit<RoomEntry, 'v' | 'sig'>;

const hashBytes = 32;
/** What CREATE has before it. */
export const noHash = toBase64Url(new Uint8Array(hashBytes));

const raw = (text: string, field: string): Uint8Array => fromBase64Url(text, `room entry ${field}`);

/** The fields behind each type, in their order (R16): of one type they are always of the same kinds. */
function bodyFields(body: RoomEntryBody): readonly LabelledField[] {
  switch (body.type) {
    case 'CREATE':
      return [raw(body.nonce, 'nonce'), body.peer, body.name, body.topic, body.history, raw(body.commit, 'commit')];
    case 'INVITE':
      return [body.peer, body.role];
    case 'JOIN':
      return [body.peer];
    case 'KICK':
      return [body.commit === undefined ? undefined : raw(body.commit, 'commit'), body.reason];
    case 'ROLE':
      return [body.role];
    case 'REKEY':
      return [raw(body.commit, 'commit'), body.cause];
    case 'TOPIC':
      return [body.name, body.topic];
    case 'DECLINE':
    case 'LEAVE':
    case 'CLOSE':
      return [];
  }
}

/** The bytes under the signature. Throws `invalid-payload` for a key that is none. */
export function roomEntryMessage({ room, n, epoch, prevHash, actor, subject, body }: RoomEntryFields): Uint8Array {
  return labelledFields('vak-room-log-v1', [
    1,
    room,
    n,
    epoch,
    raw(prevHash, 'prevHash'),
    decodeNkey(actor, 'room entry actor'),
    subject === undefined ? undefined : decodeNkey(subject, 'room entry subject'),
    [body.type, ...bodyFields(body)],
  ]);
}

/** SHA-256 of a signed message, base64url: the entry's name. */
export function roomEntryHash(message: Uint8Array): string {
  return createHash('sha256').update(message).digest('base64url');
}

const base32 = 'abcdefghijklmnopqrstuvwxyz234567';
const roomIdLength = 26;

/** The id of the room that an entry of this hash begins: the first 26 characters of its lower-case base32 (RFC 4648 §6). */
export function roomIdOf(createHashText: string): string {
  const bits = Array.from(raw(createHashText, 'hash'), (byte) => byte.toString(2).padStart(8, '0')).join('');
  return Array.from(
    { length: roomIdLength },
    (_, index) => base32[Number.parseInt(bits.slice(5 * index, 5 * index + 5), 2)],
  ).join('');
}

/** Signs an entry. Throws `invalid-payload` that names the field, `locked`. */
export function signRoomEntry(fields: Omit<RoomEntryFields, 'actor'>, signer: NkeySigner): RoomEntry {
  const whole = { v: 1, ...fields, actor: signer.nkey };
  const sig = toBase64Url(signer.sign(roomEntryMessage({ ...fields, actor: signer.nkey })));
  return parseRecord(roomEntry, { ...whole, sig }, 'room entry');
}

/** A room's first entry, and the id that follows from it. `body.nonce` is what makes it another room each time. */
export function signRoomCreate(
  body: Extract<RoomEntryBody, { readonly type: 'CREATE' }>,
  signer: NkeySigner,
): { readonly room: string; readonly entry: RoomEntry } {
  const entry = signRoomEntry({ room: '', n: 0, epoch: 0, prevHash: noHash, body }, signer);
  return { entry, room: roomIdOf(roomEntryHash(roomEntryMessage(entry))) };
}

/** An entry whose signature is its actor's, with its hash. */
export interface VerifiedEntry {
  readonly entry: RoomEntry;
  readonly hash: string;
}

/** Throws `invalid-payload` (`details.field` is `signature`, or the key that is unsound) unless its actor signed it. */
export function verifyRoomEntry(entry: RoomEntry, { verifier, keys }: RecordChecks): VerifiedEntry {
  const message = roomEntryMessage(entry);
  checkRecordSignature({ what: 'room entry', nkey: entry.actor, message, signature: entry.sig }, verifier);
  if (entry.subject !== undefined) keys.checkEd25519(decodeNkey(entry.subject, 'room entry subject'), 'subject');
  return { entry, hash: roomEntryHash(message) };
}
