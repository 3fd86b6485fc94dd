/**
 * How the journal's keys and values lie in LevelDB (format 1).
 * Law: a value carries the sum of its key and itself, so damage that LevelDB does not notice is noticed when it is read.
 */
import { crc32c } from './crc32c.ts';
import { decodeU64, encodeU64 } from './journal-keys.ts';
import { createVarintReader } from './level-varint.ts';

const own = 0;
const users = 1;
const sumBytes = 4;

/** The format that is written. */
export const levelFormat = 1;
/** Holds the format's number. */
export const formatKey = Uint8Array.of(own, 0);
/** Holds the number of the newest write; the first change of every write sets it. */
export const writeNumberKey = Uint8Array.of(own, 1);

/** A change as LevelDB takes it. */
export type LevelChange =
  | { readonly type: 'put'; readonly key: Uint8Array; readonly value: Uint8Array }
  | { readonly type: 'del'; readonly key: Uint8Array };

/** A key of the port as it is stored. */
export function storedKey(key: Uint8Array): Uint8Array {
  const stored = new Uint8Array(1 + key.length);
  stored[0] = users;
  stored.set(key, 1);
  return stored;
}

/** The key of the port in a stored one: the same bytes, for LevelDB gives each reader its own. */
export function portKey(stored: Uint8Array): Uint8Array {
  return new Uint8Array(stored.buffer, stored.byteOffset + 1, stored.length - 1);
}

/** A change of a stored key; the value is copied. */
export function putChange(stored: Uint8Array, value: Uint8Array): LevelChange {
  const bytes = new Uint8Array(value.length + sumBytes);
  bytes.set(value);
  new DataView(bytes.buffer).setUint32(value.length, crc32c(value, crc32c(stored)));
  return { type: 'put', key: stored, value: bytes };
}

/** The value under a stored key, of the same bytes; undefined if it is damaged. */
export function readValue(stored: Uint8Array, bytes: Uint8Array): Uint8Array | undefined {
  const length = bytes.length - sumBytes;
  if (length < 0) return undefined;
  const sum = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(length);
  const value = new Uint8Array(bytes.buffer, bytes.byteOffset, length);
  return sum === crc32c(value, crc32c(stored)) ? value : undefined;
}

/** The change that numbers a write. */
export function numberChange(writeNumber: number): LevelChange {
  return putChange(writeNumberKey, encodeU64(writeNumber));
}

const batchHeaderBytes = 12;
const putTag = 1;

/** The number of the write that a record of LevelDB's log is; undefined if it is none of the journal's. */
export function writeNumberOf(payload: Uint8Array): number | undefined {
  const reader = createVarintReader(payload.subarray(batchHeaderBytes));
  const [tag] = reader.take(1) ?? [];
  const [key, bytes] = [reader.bytes(), reader.bytes()];
  if (tag !== putTag || key === undefined || bytes === undefined || Buffer.compare(key, writeNumberKey) !== 0)
    return undefined;
  const value = readValue(key, bytes);
  return value && decodeU64(value);
}
