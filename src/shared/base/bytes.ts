/**
 * Text, base64 and hex of bytes on any runtime.
 * Law: decoding is strict and total: what is not canonical is refused with a VakError, nothing is altered.
 */
import { VakError } from './vak-error.ts';

const encoder = new TextEncoder();
const lenientDecoder = new TextDecoder('utf-8', { ignoreBOM: true });
const strictDecoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const base64Alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const base64Values = new Int16Array(128).fill(-1);
for (let i = 0; i < base64Alphabet.length; i++) base64Values[base64Alphabet.charCodeAt(i)] = i;

/** UTF-8 bytes of a text. */
export function utf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Text of UTF-8 bytes for display; invalid sequences become U+FFFD. */
export function toText(bytes: Uint8Array): string {
  return lenientDecoder.decode(bytes);
}

/** Text of UTF-8 bytes, or a VakError `invalid-payload` where they are not UTF-8. */
export function toTextStrict(bytes: Uint8Array, field: string): string {
  try {
    return strictDecoder.decode(bytes);
  } catch (cause) {
    throw new VakError('invalid-payload', `${field}: not valid UTF-8 (${bytes.length} bytes)`, { cause });
  }
}

/** Standard base64 with padding (RFC 4648 §4). */
export function toBase64(bytes: Uint8Array): string {
  let out = '';
  for (let i = 0; i < bytes.length; i += 3) {
    const a = bytes[i] ?? 0;
    const b = bytes[i + 1];
    const c = bytes[i + 2];
    out += base64Alphabet[a >> 2];
    out += base64Alphabet[((a & 3) << 4) | ((b ?? 0) >> 4)];
    out += b === undefined ? '=' : base64Alphabet[((b & 15) << 2) | ((c ?? 0) >> 6)];
    out += c === undefined ? '=' : base64Alphabet[c & 63];
  }
  return out;
}

/** Bytes of canonical standard base64 (RFC 4648 §4); anything else is a VakError `invalid-payload` that names the field. */
export function fromBase64(text: string, field: string): Uint8Array {
  const fail = (why: string): never => {
    throw new VakError('invalid-payload', `${field}: ${why} (${text.length} characters of base64)`);
  };
  if (text.length % 4 !== 0) fail('length is not a multiple of 4');
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const digits = text.length - padding;
  const bytes = new Uint8Array((text.length / 4) * 3 - padding);
  let bits = 0;
  let bitCount = 0;
  let at = 0;
  for (let i = 0; i < digits; i++) {
    const value = base64Values[text.charCodeAt(i)] ?? -1;
    if (value < 0) fail(`character ${i + 1} is not allowed there`);
    bits = ((bits << 6) | value) & 0xffff;
    bitCount += 6;
    if (bitCount < 8) continue;
    bitCount -= 8;
    bytes[at++] = (bits >> bitCount) & 0xff;
  }
  if ((bits & ((1 << bitCount) - 1)) !== 0) fail('trailing bits are not zero');
  return bytes;
}

/** Lower-case hex, two digits a byte. */
export function toHex(bytes: Uint8Array): string {
  let out = '';
  for (const byte of bytes) out += byte.toString(16).padStart(2, '0');
  return out;
}
