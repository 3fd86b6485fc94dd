/**
 * Strings and numbers of JSON (RFC 8259), read from a place in a text; json-scan.ts puts them together.
 * Law: strict; a number's digits and a string's characters are what stands there.
 */

/** A place in a text. */
export interface JsonCursor {
  readonly text: string;
  readonly isSurrogateRefused: boolean;
  /** Throws a VakError that names the path and `at`. */
  readonly fail: (why: string) => never;
  at: number;
}

/** With `u`, a surrogate that has its other half is none. */
const loneSurrogate = /\p{Surrogate}/u;
const quote = 0x22;
const backslash = 0x5c;

/** Moves past blanks. */
export function skipSpace(cursor: JsonCursor): void {
  const { text } = cursor;
  let at = cursor.at;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) break;
  }
  cursor.at = at;
}

/** Length of the escape at `cursor.at`. */
function escapeLength(cursor: JsonCursor): number {
  const kind = cursor.text[cursor.at + 1];
  if (kind === 'u') {
    if (/^[0-9a-fA-F]{4}$/.test(cursor.text.slice(cursor.at + 2, cursor.at + 6))) return 6;
  } else if (kind !== undefined && '"\\/bfnrt'.includes(kind)) {
    return 2;
  }
  return cursor.fail('an escape that JSON has not');
}

function refuseCharacter(cursor: JsonCursor, at: number): never {
  cursor.at = Math.min(at, cursor.text.length);
  return cursor.fail(at >= cursor.text.length ? 'the string does not end' : 'a control character in a string');
}

/** Reads the string that begins at `cursor.at`. */
export function readString(cursor: JsonCursor): string {
  const { text } = cursor;
  const start = cursor.at;
  let hasEscape = false;
  /** All characters' bits: a surrogate has those of 0xd800. */
  let seen = 0;
  let at = start + 1;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code === quote) break;
    if (code === backslash) {
      hasEscape = true;
      cursor.at = at;
      at += escapeLength(cursor);
      continue;
    }
    // Past the end the code is NaN.
    if (!(code >= 0x20)) refuseCharacter(cursor, at);
    seen |= code;
    at++;
  }
  // What was checked above cannot fail here, and this is the fastest way to resolve escapes.
  const value = hasEscape ? (JSON.parse(text.slice(start, at + 1)) as string) : text.slice(start + 1, at);
  if (cursor.isSurrogateRefused && (hasEscape || (seen & 0xd800) === 0xd800) && loneSurrogate.test(value)) {
    cursor.at = start;
    cursor.fail('a lone surrogate in the string');
  }
  cursor.at = at + 1;
  return value;
}

/** Whether a UTF-16 code unit is 0–9; NaN, past the end of a text, is none. */
export function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Index after the digits from `from` on; there must be one. */
function afterDigits(cursor: JsonCursor, from: number): number {
  let at = from;
  while (isDigit(cursor.text.charCodeAt(at))) at++;
  if (at > from) return at;
  cursor.at = Math.min(at, cursor.text.length);
  return cursor.fail('a digit is missing');
}

/** Reads the number that begins at `cursor.at`; its digits as they stand. */
export function readNumber(cursor: JsonCursor): string {
  const { text } = cursor;
  const start = cursor.at;
  const first = text[start] === '-' ? start + 1 : start;
  let at = afterDigits(cursor, first);
  if (text[first] === '0' && at > first + 1) cursor.fail('a number with a leading zero');
  if (text[at] === '.') at = afterDigits(cursor, at + 1);
  if (text[at] === 'e' || text[at] === 'E') {
    const isSigned = text[at + 1] === '+' || text[at + 1] === '-';
    at = afterDigits(cursor, at + (isSigned ? 2 : 1));
  }
  cursor.at = at;
  return text.slice(start, at);
}
