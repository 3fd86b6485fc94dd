/**
 * Text, base64 and hex of bytes on any runtime.
 * Law: decoding is strict and total: what is not canonical is refused with a VakError, nothing is altered.
 */
import { VakError } from './vak-error.ts';

const encoder = new TextEncoder();
const lenientDecoder = new TextDecoder('utf-8', { ignoreBOM: true });
const strictDecoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const base64Alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const base64Codes = encoder.encode(base64Alphabet);
const base64Padding = 0x3d;
/** By UTF-16 code unit, so that no lookup is out of bounds; 128: no digit. */
const base64Values = new Uint8Array(0x10000).fill(128);
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
    throw new VakError('invalid-payload', `${field}: not valid UTF-8 (${bytes.length} bytes)`, {
      cause,
      details: { field },
    });
  }
}

/** Standard base64 with padding (RFC 4648 §4). */
export function toBase64(bytes: Uint8Array): string {
  const digits = new Uint8Array(Math.ceil(bytes.length / 3) * 4).fill(base64Padding);
  const whole = bytes.length - (bytes.length % 3);
  let to = 0;
  for (let i = 0; i < whole; i += 3) {
    const bits = ((bytes[i] as number) << 16) | ((bytes[i + 1] as number) << 8) | (bytes[i + 2] as number);
    digits[to++] = base64Codes[bits >> 18] as number;
    digits[to++] = base64Codes[(bits >> 12) & 63] as number;
    digits[to++] = base64Codes[(bits >> 6) & 63] as number;
    digits[to++] = base64Codes[bits & 63] as number;
  }
  if (whole < bytes.length) {
    const bits = ((bytes[whole] as number) << 16) | ((bytes[whole + 1] ?? 0) << 8);
    digits[to++] = base64Codes[bits >> 18] as number;
    digits[to++] = base64Codes[(bits >> 12) & 63] as number;
    if (whole + 1 < bytes.length) digits[to] = base64Codes[(bits >> 6) & 63] as number;
  }
  return lenientDecoder.decode(digits);
}

/** Throws for what is no digit of base64 or no canonical end; slow, as it is told on which character. */
function refuseBase64(text: string, digits: number, field: string): never {
  let at = 0;
  while (at < digits && (base64Values[text.charCodeAt(at)] as number) < 64) at++;
  const why =
    text.length % 4 !== 0
      ? 'length is not a multiple of 4'
      : at < digits
        ? `character ${at + 1} is not allowed there`
        : 'trailing bits are not zero';
  throw new VakError('invalid-payload', `${field}: ${why} (${text.length} characters of base64)`, {
    details: { field },
  });
}

/** The 24 bits of a last group with padding, or −1 if a digit is none or bits that count for nothing are not zero. */
function base64Tail(text: string, at: number, padding: number): number {
  const a = base64Values[text.charCodeAt(at)] as number;
  const b = base64Values[text.charCodeAt(at + 1)] as number;
  const c = padding === 1 ? (base64Values[text.charCodeAt(at + 2)] as number) : 0;
  const bits = (a << 18) | (b << 12) | (c << 6);
  return (a | b | c) < 64 && (bits & (padding === 1 ? 0xff : 0xffff)) === 0 ? bits : -1;
}

/** Bytes of canonical standard base64 (RFC 4648 §4); anything else is a VakError `invalid-payload` that names the field. */
export function fromBase64(text: string, field: string): Uint8Array {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const digits = text.length - padding;
  if (text.length % 4 !== 0) return refuseBase64(text, digits, field);
  const bytes = new Uint8Array((text.length / 4) * 3 - padding);
  const whole = padding === 0 ? text.length : text.length - 4;
  /** Every value together: what is no digit sets bit 7. */
  let seen = 0;
  let to = 0;
  for (let i = 0; i < whole; i += 4) {
    const a = base64Values[text.charCodeAt(i)] as number;
    const b = base64Values[text.charCodeAt(i + 1)] as number;
    const c = base64Values[text.charCodeAt(i + 2)] as number;
    const d = base64Values[text.charCodeAt(i + 3)] as number;
    seen |= a | b | c | d;
    bytes[to++] = (a << 2) | (b >> 4);
    bytes[to++] = (b << 4) | (c >> 2);
    bytes[to++] = (c << 6) | d;
  }
  if (padding > 0) {
    const bits = base64Tail(text, whole, padding);
    if (bits < 0) return refuseBase64(text, digits, field);
    bytes[to++] = bits >> 16;
    if (padding === 1) bytes[to] = bits >> 8;
  }
  return seen < 64 ? bytes : refuseBase64(text, digits, field);
}

/** Lower-case hex, two digits a byte. */
export function toHex(bytes: Uint8Array): string {
  let out = '';
  for (const byte of bytes) out += byte.toString(16).padStart(2, '0');
  return out;
}

/** Bytes of lower-case hex, two digits a byte; anything else is a VakError `invalid-payload` that names the field. */
export function fromHex(text: string, field: string): Uint8Array {
  if (text.length % 2 !== 0 || !/^[0-9a-f]*$/.test(text)) {
    throw new VakError('invalid-payload', `${field}: not lower-case hex (${text.length} characters)`, {
      details: { field },
    });
  }
  const bytes = new Uint8Array(text.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(text.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}
