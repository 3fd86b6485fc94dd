/**
 * Keys of the journal whose order as bytes is the order of what they mean (protocol.md B6).
 * Law: a text ends with 0x00 and holds none, a number is u64be, so of equal shapes no two keys are equal and none begins another.
 */
import { toText, utf8 } from '../../../shared/base/bytes.ts';
import { VakError } from '../../../shared/base/vak-error.ts';
import type { JournalRange } from './journal.ts';

/** A text without U+0000 (ordered by its UTF-8), or a whole number 0 … 2^53−1. */
export type JournalKeyPart = string | number;

const terminator = 0;

function encodeText(text: string): Uint8Array {
  if (text.includes('\0')) throw new Error('a text in a journal key holds U+0000');
  // A lone surrogate would become U+FFFD: two texts, one key.
  if (/\p{Cs}/u.test(text)) throw new Error('a text in a journal key is not well-formed');
  return utf8(`${text}\0`);
}

/** The eight bytes of a number, the highest first. A value that is no whole number 0 … 2^53−1 is a bug of the caller. */
export function encodeU64(value: number): Uint8Array {
  if (!Number.isSafeInteger(value) || value < 0) throw new Error('a number in a journal key is no whole number ≥ 0');
  const bytes = new Uint8Array(8);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, Math.floor(value / 0x1_0000_0000));
  view.setUint32(4, value % 0x1_0000_0000);
  return bytes;
}

/** The number at `offset`; throws `corrupt` if the eight bytes are not there or hold more than 2^53−1. */
export function decodeU64(bytes: Uint8Array, offset = 0): number {
  if (offset + 8 > bytes.length) throw refuseKey(`ends within a number (${bytes.length} bytes)`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const value = view.getUint32(offset) * 0x1_0000_0000 + view.getUint32(offset + 4);
  if (!Number.isSafeInteger(value)) throw refuseKey('holds a number above 2^53−1');
  return value;
}

function refuseKey(why: string): VakError {
  return new VakError('corrupt', `a journal key ${why}`, { details: { field: 'key' } });
}

/** Puts parts together. The first part of every key is a text: which kind of thing it is. */
export function journalKey(kind: string, ...parts: readonly JournalKeyPart[]): Uint8Array {
  const encoded = [kind, ...parts].map((part) => (typeof part === 'number' ? encodeU64(part) : encodeText(part)));
  const key = new Uint8Array(encoded.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of encoded) {
    key.set(part, at);
    at += part.length;
  }
  return key;
}

/** What the parts of a key are. */
export type JournalKeyShape = readonly ('text' | 'number')[];
/** The parts of a key of that shape. */
export type JournalKeyParts<S extends JournalKeyShape> = {
  readonly [I in keyof S]: S[I] extends 'text' ? string : number;
};

/** Takes a key apart, its kind included; throws `corrupt` if it has not that shape. */
export function readJournalKey<const S extends JournalKeyShape>(key: Uint8Array, shape: S): JournalKeyParts<S> {
  let at = 0;
  const parts = shape.map((kind): JournalKeyPart => {
    if (kind === 'number') {
      at += 8;
      return decodeU64(key, at - 8);
    }
    const end = key.indexOf(terminator, at);
    if (end < 0) throw refuseKey(`has a text without an end (${key.length} bytes)`);
    const text = toText(key.subarray(at, end));
    at = end + 1;
    return text;
  });
  if (at !== key.length) throw refuseKey(`is longer than its parts (${key.length} bytes)`);
  // The shape says of each part what it is, and each was read so.
  return parts as unknown as JournalKeyParts<S>;
}

/** Every key that begins with these parts. */
export function prefixRange(kind: string, ...parts: readonly JournalKeyPart[]): JournalRange {
  const from = journalKey(kind, ...parts);
  const to = from.slice();
  // A key begins with UTF-8, which has no 0xff: there is always a byte that can be raised.
  let last = to.length - 1;
  while (to[last] === 0xff) last--;
  to[last] = (to[last] as number) + 1;
  return { from, to: to.subarray(0, last + 1) };
}

/** Keys that go on, after what begins `prefix`, with a number `from` … `to` (excluded; undefined: no bound). */
export function numberRange(prefix: JournalRange, from: number, to?: number): JournalRange {
  return { from: join(prefix.from, from), to: to === undefined ? prefix.to : join(prefix.from, to) };
}

function join(prefix: Uint8Array, value: number): Uint8Array {
  const key = new Uint8Array(prefix.length + 8);
  key.set(prefix);
  key.set(encodeU64(value), prefix.length);
  return key;
}

/** Every key of a journal whose keys were made by {@link journalKey}: none begins with 0xff. */
export const everyKey: JournalRange = { from: new Uint8Array(0), to: Uint8Array.of(0xff) };
