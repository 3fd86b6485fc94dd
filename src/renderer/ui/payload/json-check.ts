/**
 * Whether bytes are JSON (RFC 8259 in UTF-8), without making anything of them: 64 MiB cost no more memory than a name set (E3).
 * Law: iterative and strict; a fault names its path, line, column and byte, never a value.
 */
import { pathPart } from '../../../shared/base/json-scan.ts';
import { decodeJsonString, isBlank, isDigit, signs } from './json-bytes.ts';

/** Deeper JSON is no tree for the eye. */
const maxDepth = 4_096;
const maxPathLength = 200;

/** Where bytes stop to be JSON. */
export interface JsonFault {
  /** What is wrong there, for people. */
  readonly why: string;
  /** `payload.items.3`: what was being read. */
  readonly path: string;
  /** From 1; a column counts characters. */
  readonly line: number;
  readonly column: number;
  /** From 0. */
  readonly byte: number;
}

/** Of JSON that is read differently by different programs. */
export interface JsonOddities {
  /** Members whose name stands earlier in the same object, and the path of the first. */
  readonly repeatedNames: number;
  readonly firstRepeated: string | undefined;
  /** Numbers that a program with 64-bit floats would not give back as they stand. */
  readonly inexactNumbers: number;
}

export type JsonVerdict =
  | { readonly kind: 'json'; readonly oddities: JsonOddities }
  | { readonly kind: 'fault'; readonly fault: JsonFault };

/** An object or array that has begun. */
interface Container {
  readonly isObject: boolean;
  readonly start: number;
  count: number;
  /** The name whose value is read; in an array undefined. */
  name: string | undefined;
  /** Kept from the second name on. */
  names: Set<string> | undefined;
}

class Fault extends Error {
  /** The byte, from 0. */
  readonly at: number;
  constructor(why: string, at: number) {
    super(why);
    this.at = at;
  }
}

const fail = (why: string, at: number): never => {
  throw new Fault(why, at);
};

interface Check {
  readonly bytes: Uint8Array;
  readonly open: Container[];
  at: number;
  repeatedNames: number;
  firstRepeated: string | undefined;
  inexactNumbers: number;
}

function skipSpace(check: Check): void {
  while (isBlank(check.bytes[check.at])) check.at++;
}

function pathOf({ open }: Pick<Check, 'open'>): string {
  const parts = open.map(({ isObject, count, name }) =>
    isObject ? (name === undefined ? '' : pathPart(name)) : `${count}`,
  );
  const path = ['payload', ...parts].filter((part) => part !== '').join('.');
  return path.length <= maxPathLength ? path : `${path.slice(0, maxPathLength / 2)}…${path.slice(-maxPathLength / 2)}`;
}

const simpleEscapes = new Set([...'"\\/bfnrt'].map((sign) => sign.charCodeAt(0)));
const isHex = (byte: number | undefined): boolean =>
  isDigit(byte) || (byte !== undefined && (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66);

/** Place behind the escape at `at`. */
function endOfEscape(bytes: Uint8Array, at: number): number {
  const kind = bytes[at + 1];
  if (kind !== undefined && simpleEscapes.has(kind)) return at + 2;
  const isCode = kind === 0x75 && [2, 3, 4, 5].every((offset) => isHex(bytes[at + offset]));
  return isCode ? at + 6 : fail('an escape that JSON has not', at);
}

/** Moves behind the string that begins here; gives where it began. */
function passString(check: Check): number {
  const { bytes, at: start } = check;
  let at = start + 1;
  for (;;) {
    const byte = bytes[at];
    if (byte === undefined) fail('the string does not end', at);
    else if (byte === signs.quote) break;
    else if (byte === signs.backslash) at = endOfEscape(bytes, at);
    else if (byte < 0x20) fail('a control character in a string', at);
    else at++;
  }
  check.at = at + 1;
  return start;
}

function passDigits(check: Check): void {
  if (!isDigit(check.bytes[check.at])) fail('a digit is missing', check.at);
  while (isDigit(check.bytes[check.at])) check.at++;
}

/** Longest number that is compared with what a float makes of it. */
const maxComparedLength = 400;

/** `12300` of `1.23e4` as digits and exponent, so that two ways to write one number are the same. */
function canonical(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const short = digits.replace(/0+$/, '');
  if (short === '') return `${sign}0`;
  return `${sign}${short}e${Number(exponent) - fraction.length + digits.length - short.length}`;
}

/** Whether a 64-bit float gives back the number as it was written, whatever the notation. */
function isExactAsFloat(text: string): boolean {
  if (text.length <= 15 && /^-?\d+$/.test(text)) return true;
  if (text.length > maxComparedLength) return false;
  const value = Number(text);
  if (!Number.isFinite(value)) return false;
  return canonical(Object.is(value, -0) ? '-0' : String(value)) === canonical(text);
}

function passNumber(check: Check): void {
  const { bytes, at: start } = check;
  if (bytes[check.at] === signs.minus) check.at++;
  if (bytes[check.at] === signs.zero) check.at++;
  else passDigits(check);
  if (isDigit(bytes[check.at])) fail('a number with a leading zero', start);
  if (bytes[check.at] === signs.point) {
    check.at++;
    passDigits(check);
  }
  if (bytes[check.at] === 0x65 || bytes[check.at] === 0x45) {
    check.at++;
    if (bytes[check.at] === signs.minus || bytes[check.at] === signs.plus) check.at++;
    passDigits(check);
  }
  const text = String.fromCharCode(...bytes.subarray(start, Math.min(check.at, start + maxComparedLength + 1)));
  if (!isExactAsFloat(text)) check.inexactNumbers++;
}

const words = ['true', 'false', 'null'].map((word) => Uint8Array.from(word, (sign) => sign.charCodeAt(0)));

function passScalar(check: Check): void {
  const { bytes, at } = check;
  const byte = bytes[at];
  if (byte === signs.quote) passString(check);
  else if (isDigit(byte) || byte === signs.minus) passNumber(check);
  else {
    const word = words.find((each) => each.every((sign, offset) => bytes[at + offset] === sign));
    if (word === undefined) fail(byte === undefined ? 'the text ends too early' : 'a value is missing', at);
    else check.at += word.length;
  }
}

/** A name that stands twice is counted, and the first one is named. */
function noteName(check: Check, container: Container, name: string): void {
  if (container.count === 0 && container.names === undefined) {
    container.names = new Set([name]);
    return;
  }
  if (container.names?.has(name)) {
    check.repeatedNames++;
    check.firstRepeated ??= pathOf(check);
  } else container.names?.add(name);
}

function passName(check: Check, container: Container): void {
  container.name = undefined;
  if (check.bytes[check.at] !== signs.quote) fail('a name in quotes is missing', check.at);
  const start = passString(check);
  container.name = decodeJsonString(check.bytes, start, check.at);
  noteName(check, container, container.name);
  skipSpace(check);
  if (check.bytes[check.at] !== signs.colon) fail('a ":" is missing', check.at);
  check.at++;
  skipSpace(check);
}

/** Passes a scalar or an empty container; false: a container has begun, and its first value comes next. */
function beginValue(check: Check): boolean {
  const opening = check.bytes[check.at];
  if (opening !== signs.brace && opening !== signs.bracket) {
    passScalar(check);
    return true;
  }
  if (check.open.length >= maxDepth) fail(`nested deeper than ${maxDepth}`, check.at);
  const isObject = opening === signs.brace;
  const container: Container = { isObject, start: check.at++, count: 0, name: undefined, names: undefined };
  check.open.push(container);
  skipSpace(check);
  if (check.bytes[check.at] === (isObject ? signs.braceEnd : signs.bracketEnd)) {
    check.at++;
    check.open.pop();
    return true;
  }
  if (isObject) passName(check, container);
  return false;
}

/** Behind a value; true: its container ends here, too. */
function endValue(check: Check, container: Container): boolean {
  const { isObject } = container;
  container.count++;
  skipSpace(check);
  const next = check.bytes[check.at];
  if (next === (isObject ? signs.braceEnd : signs.bracketEnd)) {
    check.at++;
    check.open.pop();
    return true;
  }
  if (next !== signs.comma) fail(`a "," or "${isObject ? '}' : ']'}" is missing`, check.at);
  check.at++;
  skipSpace(check);
  if (isObject) passName(check, container);
  return false;
}

function passAll(check: Check): void {
  skipSpace(check);
  for (;;) {
    let isWhole = beginValue(check);
    while (isWhole) {
      const container = check.open.at(-1);
      if (container === undefined) {
        skipSpace(check);
        if (check.at < check.bytes.length) fail('something follows the value', check.at);
        return;
      }
      isWhole = endValue(check, container);
    }
  }
}

/** Line and column of a byte, both from 1; a column counts characters. */
function placeOf(bytes: Uint8Array, byte: number): Pick<JsonFault, 'line' | 'column' | 'byte'> {
  let line = 1;
  let column = 1;
  for (let at = 0; at < byte && at < bytes.length; at++) {
    const value = bytes[at] as number;
    if (value === 0x0a) {
      line++;
      column = 1;
    } else if ((value & 0xc0) !== 0x80) column++;
  }
  return { line, column, byte };
}

/** Reads bytes that are UTF-8 (`utf8Fault`) and says whether they are one JSON value, and what is odd about it. */
export function checkJson(bytes: Uint8Array): JsonVerdict {
  const check: Check = { bytes, open: [], at: 0, repeatedNames: 0, firstRepeated: undefined, inexactNumbers: 0 };
  try {
    passAll(check);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { kind: 'fault', fault: { why: error.message, path: pathOf(check), ...placeOf(bytes, error.at) } };
  }
  const { repeatedNames, firstRepeated, inexactNumbers } = check;
  return { kind: 'json', oddities: { repeatedNames, firstRepeated, inexactNumbers } };
}
