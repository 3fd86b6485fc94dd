/**
 * `L(label, f1, f2 …)` of protocol.md ("Words"): the bytes under every signature, MAC and hash outside E6 and E10.
 * Law: for one label the kinds of its fields are fixed, and then no two lists of values give the same bytes.
 */
import { utf8 } from '../base/bytes.ts';
import { VakError } from '../base/vak-error.ts';

/**
 * One field: text (UTF-8 as received), bytes (hashes and keys, raw), an integer or a boolean (u64be), `undefined`
 * (absent), or a list (one field of nested fields).
 */
export type LabelledField = string | Uint8Array | number | bigint | boolean | undefined | readonly LabelledField[];

const absentLength = 0xffffffff;
const maxU64 = 0xffffffffffffffffn;
/** Deepest list in a list: far above any label's, and short of the stack's end. */
const maxDepth = 8;

/** Where the bytes are gathered; a number is written as u32be. */
interface Sink {
  readonly parts: (Uint8Array | number)[];
  size: number;
}

function refuse(path: string, why: string): never {
  throw new VakError('invalid-payload', `${path}: ${why}`, { details: { field: path } });
}

function u64(value: number | bigint, path: string): Uint8Array {
  if (typeof value === 'number' && !Number.isSafeInteger(value)) refuse(path, 'expected an integer up to 2^53−1');
  const whole = BigInt(value);
  if (whole < 0n || whole > maxU64) refuse(path, 'expected an integer from 0 to 2^64−1');
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, whole);
  return bytes;
}

/** With `u`, a surrogate that has its other half is no surrogate. */
const loneSurrogate = /\p{Surrogate}/u;

function textBytes(text: string, path: string): Uint8Array {
  if (loneSurrogate.test(text)) refuse(path, `lone surrogate in a text of ${text.length} characters`);
  return utf8(text);
}

function add(sink: Sink, part: Uint8Array | number): void {
  sink.parts.push(part);
  sink.size += typeof part === 'number' ? 4 : part.length;
}

function join(sink: Sink): Uint8Array {
  const bytes = new Uint8Array(sink.size);
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const part of sink.parts) {
    if (typeof part === 'number') view.setUint32(at, part);
    else bytes.set(part, at);
    at += typeof part === 'number' ? 4 : part.length;
  }
  return bytes;
}

/** Bytes of a field that is there. */
function contentOf(field: Exclude<LabelledField, undefined>, path: string, depth: number): Uint8Array {
  if (typeof field === 'string') return textBytes(field, path);
  if (typeof field === 'boolean') return u64(field ? 1 : 0, path);
  if (typeof field === 'number' || typeof field === 'bigint') return u64(field, path);
  if (field instanceof Uint8Array) return field;
  if (depth >= maxDepth) return refuse(path, `lists are nested deeper than ${maxDepth}`);
  const nested: Sink = { parts: [], size: 0 };
  addFields(nested, field, { path: `${path}.`, depth: depth + 1 });
  return join(nested);
}

function addFields(sink: Sink, fields: readonly LabelledField[], at: { path: string; depth: number }): void {
  for (const [index, field] of fields.entries()) {
    const path = `${at.path}${index + 1}`;
    if (field === undefined) {
      add(sink, absentLength);
      continue;
    }
    const content = contentOf(field, path, at.depth);
    if (content.length >= absentLength) refuse(path, 'longer than 2^32−2 bytes');
    add(sink, content.length);
    add(sink, content);
  }
}

/**
 * The bytes of `L(label, …fields)`: label ‖ 0x00 ‖ for each field u32be(length) ‖ bytes.
 * Throws `invalid-payload` naming label and field (`vak-card-v1 field 6`) for a lone surrogate or an integer outside u64.
 */
export function labelledFields(label: string, fields: readonly LabelledField[]): Uint8Array {
  if (!/^[a-z0-9-]{1,64}$/.test(label)) throw new TypeError('a label is 1–64 of a–z 0–9 -');
  const sink: Sink = { parts: [], size: 0 };
  add(sink, utf8(label));
  add(sink, new Uint8Array(1));
  addFields(sink, fields, { path: `${label} field `, depth: 0 });
  return join(sink);
}
