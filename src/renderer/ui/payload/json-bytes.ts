/**
 * JSON as it lies in bytes: signs, strings, and the way from one value to the next (E3).
 * Law: all but `utf8Fault` and the string decoder take for granted that the bytes are JSON (json-check.ts).
 */

export const signs = {
  ...{ quote: 0x22, backslash: 0x5c, minus: 0x2d, plus: 0x2b, point: 0x2e, zero: 0x30, colon: 0x3a, comma: 0x2c },
  ...{ brace: 0x7b, braceEnd: 0x7d, bracket: 0x5b, bracketEnd: 0x5d },
} as const;

export const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x39;
export const isBlank = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** The text of bytes that are UTF-8. */
export const textOfBytes = (bytes: Uint8Array, start: number, end: number): string =>
  decoder.decode(bytes.subarray(start, end));

/** What the string between its quotes at `start` and before `end` says; a lone surrogate stays one. */
export function decodeJsonString(bytes: Uint8Array, start: number, end: number): string {
  const inner = textOfBytes(bytes, start + 1, end - 1);
  return inner.includes('\\') ? (JSON.parse(`"${inner}"`) as string) : inner;
}

/** Place behind the string that begins at `start`. */
export function stringEnd(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== signs.quote) at += bytes[at] === signs.backslash ? 2 : 1;
  return at + 1;
}

export function spaceEnd(bytes: Uint8Array, start: number): number {
  let at = start;
  while (isBlank(bytes[at])) at++;
  return at;
}

function scalarEnd(bytes: Uint8Array, start: number): number {
  let at = start;
  for (; at < bytes.length; at++) {
    const byte = bytes[at];
    if (isBlank(byte) || byte === signs.comma || byte === signs.braceEnd || byte === signs.bracketEnd) break;
  }
  return at;
}

const isOpening = (byte: number | undefined): boolean => byte === signs.brace || byte === signs.bracket;
const isClosing = (byte: number | undefined): boolean => byte === signs.braceEnd || byte === signs.bracketEnd;

interface Passed {
  readonly end: number;
  /** Values directly inside. */
  readonly count: number;
}

function passContainer(bytes: Uint8Array, start: number): Passed {
  let count = isClosing(bytes[spaceEnd(bytes, start + 1)]) ? 0 : 1;
  let depth = 0;
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === signs.quote) at = stringEnd(bytes, at) - 1;
    else if (isOpening(byte)) depth++;
    else if (byte === signs.comma && depth === 1) count++;
    else if (isClosing(byte) && --depth === 0) return { end: at + 1, count };
  }
  return { end: bytes.length, count };
}

/** Place behind the value that begins at `start`, and how many values lie directly in it. */
export function passValue(bytes: Uint8Array, start: number): Passed {
  const opening = bytes[start];
  if (opening === signs.quote) return { end: stringEnd(bytes, start), count: 0 };
  return isOpening(opening) ? passContainer(bytes, start) : { end: scalarEnd(bytes, start), count: 0 };
}

/** Most bytes that are decoded at once while UTF-8 is checked. */
const checkedBytes = 65_536;

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** Start of the character that holds the byte at `at`, as far as UTF-8 goes. */
function characterStart(bytes: Uint8Array, at: number): number {
  let start = at;
  while (start > 0 && at - start < 3 && ((bytes[start] as number) & 0xc0) === 0x80) start--;
  return start;
}

/** The first byte that is no UTF-8, from 0; undefined: all are. */
export function utf8Fault(bytes: Uint8Array): number | undefined {
  for (let at = 0; at < bytes.length; ) {
    const limit = at + checkedBytes;
    const end = limit >= bytes.length ? bytes.length : Math.max(at + 1, characterStart(bytes, limit));
    if (!isUtf8(bytes.subarray(at, end))) return faultIn(bytes, at, end);
    at = end;
  }
  return undefined;
}

/** The first character between two places that is not whole: each of those before it is. */
function faultIn(bytes: Uint8Array, start: number, end: number): number {
  let good = start;
  let bad = end;
  while (bad - good > 4) {
    const middle = characterStart(bytes, (good + bad) >> 1);
    if (middle <= good) break;
    if (isUtf8(bytes.subarray(good, middle))) good = middle;
    else bad = middle;
  }
  for (let at = good; at < end; ) {
    const length = [1, 2, 3, 4].find((size) => at + size <= end && isUtf8(bytes.subarray(at, at + size)));
    if (length === undefined) return at;
    at += length;
  }
  return good;
}
