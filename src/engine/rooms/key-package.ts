/**
 * Room keys on their way to a member: sealed into a box, and signed by who sends them (protocol.md R5, R29).
 * Law: a key is taken only if room, epoch, entry, sender, recipient and commitment are the expected ones outside, and the same inside.
 */
import { timingSafeEqual } from 'node:crypto';
import { fromBase64Url, toBase64Url } from '../../shared/base/base64url.ts';
import { toHex, utf8 } from '../../shared/base/bytes.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import { labelledFields } from '../../shared/protocol/labelled-fields.ts';
import { readLabelledFields } from '../../shared/protocol/labelled-fields-reader.ts';
import type { RoomKeyPackage } from '../../shared/protocol/room-key-records.ts';
import type { Ed25519Verifier } from '../crypto/ed25519.ts';
import { runtimePrimitives } from '../crypto/runtime-primitives.ts';
import { openBox, sealBox } from '../crypto/sealed-box.ts';
import { decodeNkey, type NkeySigner } from '../identity/nkey.ts';
import { createSecret, type Secret } from '../identity/secret.ts';
import type { Randomness } from '../ports/randomness.ts';
import { commitRoomKey, roomKeyBytes } from './room-keys.ts';

/** Which key it is: of an epoch of a room, by the hash (base64url) of the entry that began it. */
export interface RoomEpoch {
  readonly room: string;
  readonly epoch: number;
  readonly rekeyHash: string;
}

export interface RoomKeySealing extends RoomEpoch {
  readonly key: Secret;
  /** `U…` of the member it is for. */
  readonly recipient: string;
  /** Its X25519 key, base64url; whether the card that names it counts is the caller's to know. */
  readonly recipientBox: string;
  /** Whether a JOIN began the epoch: the log has no commitment then, and the package carries one. */
  readonly isStep: boolean;
  /** Seconds since the epoch. */
  readonly issuedAt: number;
}

type Unsigned = Omit<RoomKeyPackage, 'sig'>;

const bytesOf = (text: string, field: string): Uint8Array => fromBase64Url(text, field);

/** The fields of `vak-room-key-v1` but K, which stands between the second and the third. */
function innerFields(record: Unsigned) {
  const { room, epoch, sender, recipient, rekeyHash, issuedAt } = record;
  return {
    before: [room, epoch],
    after: [
      decodeNkey(sender, 'sender'),
      decodeNkey(recipient, 'recipient'),
      bytesOf(rekeyHash, 'rekeyHash'),
      issuedAt,
    ],
  } as const;
}

function innerBytes(record: Unsigned, key: Uint8Array): Uint8Array {
  const { before, after } = innerFields(record);
  return labelledFields('vak-room-key-v1', [...before, key, ...after]);
}

/** `L("vak-room-package-v1", room, epoch, sender, recipient, recipientBox, rekeyHash, SHA-256(box), stepCommit)`. */
function packageInput(record: Unsigned, box: Uint8Array): Uint8Array {
  return labelledFields('vak-room-package-v1', [
    record.room,
    record.epoch,
    decodeNkey(record.sender, 'sender'),
    decodeNkey(record.recipient, 'recipient'),
    bytesOf(record.recipientBox, 'recipientBox'),
    bytesOf(record.rekeyHash, 'rekeyHash'),
    runtimePrimitives.sha256(box),
    record.stepCommit === undefined ? undefined : bytesOf(record.stepCommit, 'stepCommit'),
  ]);
}

/** Seals a key to one member and signs the package. Throws `invalid-payload` if the recipient's box key is unsound. */
export function sealRoomKey(
  sealing: RoomKeySealing,
  { signer, randomness }: { readonly signer: NkeySigner; readonly randomness: Randomness },
): RoomKeyPackage {
  const { room, epoch, rekeyHash, recipient, recipientBox, issuedAt, key, isStep } = sealing;
  const named = { v: 1 as const, room, epoch, rekeyHash, sender: signer.nkey, recipient, recipientBox, issuedAt };
  const stated = isStep ? { ...named, stepCommit: toBase64Url(commitRoomKey(key)) } : named;
  const inner = innerBytes({ ...stated, box: '' }, key.reveal());
  try {
    const box = sealBox(inner, bytesOf(recipientBox, 'recipientBox'), randomness);
    const unsigned = { ...stated, box: toBase64Url(box) };
    return { ...unsigned, sig: toBase64Url(signer.sign(packageInput(unsigned, box))) };
  } finally {
    inner.fill(0);
  }
}

/** What a reader of the log expects of a package. */
export interface ExpectedRoomKey extends RoomEpoch {
  /** Signing keys (`U…`) whose packages count for this epoch and this reader (R30). */
  readonly authors: ReadonlySet<string>;
  /** The log's commitment, base64url; undefined after a JOIN. */
  readonly commit: string | undefined;
}

/** A pair that packages may be sealed to: the one that our card names, or one that it named before. */
export interface OwnBox {
  readonly publicKey: Uint8Array;
  readonly secretKey: Secret;
}

export interface RoomKeyOpening {
  readonly expected: ExpectedRoomKey;
  /** `U…` of ourselves. */
  readonly recipient: string;
  readonly boxes: readonly OwnBox[];
  readonly verifier: Ed25519Verifier;
}

/** Why a package does not count. Those up to `bad-signature` prove nothing about anybody; the others are its sender's own doing. */
export type RoomKeyFault =
  | 'wrong-room'
  | 'wrong-recipient'
  | 'wrong-epoch'
  | 'wrong-entry'
  | 'not-an-author'
  /** It carries a commitment where the log has one, or none after a JOIN. */
  | 'misplaced-commitment'
  | 'bad-signature'
  /** It is sealed to a box key that is not ours, or no more. */
  | 'unknown-box'
  | 'does-not-open'
  /** What is in the box is no room key. */
  | 'bad-inner'
  /** Inside and outside differ in `field`. */
  | 'disagrees'
  | 'wrong-commitment';

/** `commit` of a step: what the package's signer says of K', base64url. */
export type OpenedRoomKey =
  | { readonly kind: 'opened'; readonly key: Secret; readonly commit: string; readonly issuedAt: number }
  | { readonly kind: 'refused'; readonly fault: RoomKeyFault; readonly field?: string };

const refused = (fault: RoomKeyFault, field?: string): OpenedRoomKey =>
  field === undefined ? { kind: 'refused', fault } : { kind: 'refused', fault, field };

/** The first thing that is not as expected outside, from what is cheap to see to what is not. */
function findOuterFault(record: RoomKeyPackage, { expected, recipient, verifier }: RoomKeyOpening) {
  if (record.room !== expected.room) return 'wrong-room';
  if (record.recipient !== recipient) return 'wrong-recipient';
  if (record.epoch !== expected.epoch) return 'wrong-epoch';
  if (record.rekeyHash !== expected.rekeyHash) return 'wrong-entry';
  if (!expected.authors.has(record.sender)) return 'not-an-author';
  if ((record.stepCommit === undefined) === (expected.commit === undefined)) return 'misplaced-commitment';
  return isSigned(record, verifier) ? undefined : 'bad-signature';
}

/** Never throws for what came: a key that is unsound has signed nothing. */
function isSigned(record: RoomKeyPackage, verifier: Ed25519Verifier): boolean {
  try {
    return verifier.verify(
      {
        publicKey: decodeNkey(record.sender, 'sender'),
        message: packageInput(record, bytesOf(record.box, 'box')),
        signature: bytesOf(record.sig, 'sig'),
      },
      'sender',
    );
  } catch (error) {
    if (isVakError(error, 'invalid-payload')) return false;
    throw error;
  }
}

/** What the box holds; undefined if it does not open or its ephemeral key is unsound. */
function openWith(record: RoomKeyPackage, { publicKey, secretKey }: OwnBox): Uint8Array | undefined {
  try {
    return openBox(bytesOf(record.box, 'box'), { publicKey, secretKey: secretKey.reveal() });
  } catch (error) {
    if (isVakError(error, 'invalid-payload')) return undefined;
    throw error;
  }
}

function isSame(left: Uint8Array | undefined, right: Uint8Array | undefined): boolean {
  return left !== undefined && right !== undefined && toHex(left) === toHex(right);
}

const innerNames = ['room', 'epoch', 'key', 'sender', 'recipient', 'rekeyHash', 'issuedAt'] as const;

/** Reads what was in the box, and compares each field with the one outside. */
function readInner(record: RoomKeyPackage, inner: Uint8Array): OpenedRoomKey | Secret {
  const found = readLabelledFields(inner, 'vak-room-key-v1', innerNames.length);
  const key = found?.[2];
  if (found === undefined || key?.length !== roomKeyBytes) return refused('bad-inner');
  const { before, after } = innerFields(record);
  const outer = readLabelledFields(
    labelledFields('outer', [...before, undefined, ...after]),
    'outer',
    innerNames.length,
  );
  const differing = innerNames.find((name, index) => name !== 'key' && !isSame(found[index], outer?.[index]));
  return differing === undefined ? createSecret(Uint8Array.from(key)) : refused('disagrees', differing);
}

/**
 * Opens a package that was decoded by its schema. What does not count is told by a fault; of a key that was refused nothing is kept.
 * Throws `locked` if a box of ours was erased.
 */
export function openRoomKey(record: RoomKeyPackage, opening: RoomKeyOpening): OpenedRoomKey {
  const outer = findOuterFault(record, opening);
  if (outer !== undefined) return refused(outer);
  const recipientBox = bytesOf(record.recipientBox, 'recipientBox');
  const box = opening.boxes.find(({ publicKey }) => toHex(publicKey) === toHex(recipientBox));
  if (box === undefined) return refused('unknown-box');
  const inner = openWith(record, box);
  if (inner === undefined) return refused('does-not-open');
  try {
    return judgeInner(record, inner, opening.expected);
  } finally {
    inner.fill(0);
  }
}

function judgeInner(record: RoomKeyPackage, inner: Uint8Array, expected: ExpectedRoomKey): OpenedRoomKey {
  const key = readInner(record, inner);
  if ('kind' in key) return key;
  const commit = toBase64Url(commitRoomKey(key));
  const stated = expected.commit ?? record.stepCommit ?? '';
  if (timingSafeEqual(runtimePrimitives.sha256(utf8(commit)), runtimePrimitives.sha256(utf8(stated)))) {
    return { kind: 'opened', key, commit, issuedAt: record.issuedAt };
  }
  key.dispose();
  return refused('wrong-commitment');
}
