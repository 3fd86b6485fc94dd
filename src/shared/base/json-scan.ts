/**
 * A strict reader of JSON (RFC 8259) that loses nothing (protocol.md E3): digits stay text, every value knows its place.
 * Law: iterative, so no depth of input ends the stack; whatever is no JSON is a VakError that names the path.
 */
import { isDigit, type JsonCursor, readNumber, readString, skipSpace } from './json-tokens.ts';
import { VakError } from './vak-error.ts';
import { visibleText } from './visible-text.ts';

/** Offsets of a value in the text: `text.slice(start, end)` is the value as it stands there. */
interface Place {
  readonly start: number;
  readonly end: number;
}

/** A member of an object; the name is decoded. */
export interface JsonNodeMember {
  readonly name: string;
  readonly value: JsonNode;
}

/** A JSON value. `number.text`: its digits as they stand. */
export type JsonNode = Place &
  (
    | { readonly kind: 'object'; readonly members: readonly JsonNodeMember[] }
    | { readonly kind: 'array'; readonly items: readonly JsonNode[] }
    | { readonly kind: 'string'; readonly value: string }
    | { readonly kind: 'number'; readonly text: string }
    | { readonly kind: 'boolean'; readonly value: boolean }
    | { readonly kind: 'null' }
  );

export interface JsonScanOptions {
  /** How errors call the text: the first part of their path. May be empty. */
  readonly field: string;
  /** Deepest nesting that is read; 128 if not given. */
  readonly maxDepth?: number;
  /** A name twice in one object: `refuse` (the default), or keep both in order. */
  readonly duplicates?: 'refuse' | 'keep';
  /** A `\ud800` without its other half, which no UTF-8 can hold: `keep` (the default, RFC 8259 allows it) or `refuse`. */
  readonly loneSurrogates?: 'refuse' | 'keep';
}

/** An object or array that has begun. */
interface Container {
  readonly start: number;
  /** Undefined: an array. */
  readonly members: JsonNodeMember[] | undefined;
  readonly items: JsonNode[];
  /** Name of the member whose value is being read; undefined while a name is being read, and in an array. */
  name: string | undefined;
  /** Kept from the second name on. */
  names: Set<string> | undefined;
}

interface Scan extends JsonCursor {
  readonly field: string;
  readonly maxDepth: number;
  readonly isEachNameOnce: boolean;
  /** From the outermost on. */
  readonly open: Container[];
}

const defaultMaxDepth = 128;
const quote = 0x22;
const maxPathLength = 200;
const literals = [
  ['true', true],
  ['false', false],
  ['null', null],
] as const;

/** A member's name as part of a path: bounded, without characters that hide or reorder text. */
export function pathPart(name: string): string {
  return /^[A-Za-z0-9_-]{1,40}$/.test(name) ? name : visibleText(JSON.stringify(name.slice(0, 40)));
}

function pathOf(scan: Scan): string {
  const parts = scan.open.map(({ members, items, name }) => {
    if (members === undefined) return `${items.length}`;
    return name === undefined ? '' : pathPart(name);
  });
  const path = [scan.field, ...parts].filter((part) => part !== '').join('.');
  if (path === '') return 'JSON';
  return path.length <= maxPathLength ? path : `${path.slice(0, maxPathLength / 2)}…${path.slice(-maxPathLength / 2)}`;
}

function fail(scan: Scan, why: string): never {
  const path = pathOf(scan);
  const { length } = scan.text;
  const where =
    scan.at < length ? `at character ${scan.at + 1} of ${length}` : `at its end, after ${length} characters`;
  throw new VakError('invalid-payload', `${path}: ${why} ${where}`, {
    details: { field: path },
  });
}

function readScalar(scan: Scan): JsonNode {
  const { text, at: start } = scan;
  const code = text.charCodeAt(start);
  if (code === quote) {
    const value = readString(scan);
    return { kind: 'string', start, end: scan.at, value };
  }
  if (isDigit(code) || code === 0x2d) return { kind: 'number', start, text: readNumber(scan), end: scan.at };
  for (const [word, value] of literals) {
    if (!text.startsWith(word, start)) continue;
    scan.at = start + word.length;
    return value === null ? { kind: 'null', start, end: scan.at } : { kind: 'boolean', start, end: scan.at, value };
  }
  return fail(scan, start >= text.length ? 'the text ends too early' : 'a value is missing');
}

/** Reads a member's name and its colon. */
function readName(scan: Scan, container: Container): void {
  container.name = undefined;
  if (scan.text.charCodeAt(scan.at) !== quote) fail(scan, 'a name in quotes is missing');
  const name = readString(scan);
  container.name = name;
  if (scan.isEachNameOnce) noteName(scan, container, name);
  skipSpace(scan);
  if (scan.text[scan.at] !== ':') fail(scan, 'a ":" is missing');
  scan.at++;
  skipSpace(scan);
}

function noteName(scan: Scan, container: Container, name: string): void {
  const { members = [] } = container;
  if (members.length === 0) return;
  container.names ??= new Set(members.map((member) => member.name));
  if (container.names.has(name)) fail(scan, 'the name stands twice');
  container.names.add(name);
}

function nodeOf(scan: Scan, container: Container): JsonNode {
  scan.at++;
  scan.open.pop();
  const { start, members, items } = container;
  return members === undefined
    ? { kind: 'array', start, end: scan.at, items }
    : { kind: 'object', start, end: scan.at, members };
}

/** Reads a scalar or an empty container; undefined: a container has begun, and its first value comes next. */
function beginValue(scan: Scan): JsonNode | undefined {
  const opening = scan.text[scan.at];
  if (opening !== '{' && opening !== '[') return readScalar(scan);
  if (scan.open.length >= scan.maxDepth) fail(scan, `nested deeper than ${scan.maxDepth}`);
  const isObject = opening === '{';
  const container = {
    start: scan.at,
    members: isObject ? [] : undefined,
    items: [],
    name: undefined,
    names: undefined,
  };
  scan.open.push(container);
  scan.at++;
  skipSpace(scan);
  if (scan.text[scan.at] === (isObject ? '}' : ']')) return nodeOf(scan, container);
  if (isObject) readName(scan, container);
  return undefined;
}

/** Puts a value into its container; the container, if it ends here, else undefined, and another value comes next. */
function endValue(scan: Scan, container: Container, value: JsonNode): JsonNode | undefined {
  if (container.members === undefined) container.items.push(value);
  else container.members.push({ name: container.name ?? '', value });
  skipSpace(scan);
  const isObject = container.members !== undefined;
  const next = scan.text[scan.at];
  if (next === (isObject ? '}' : ']')) return nodeOf(scan, container);
  if (next !== ',') fail(scan, isObject ? 'a "," or "}" is missing' : 'a "," or "]" is missing');
  scan.at++;
  skipSpace(scan);
  if (isObject) readName(scan, container);
  return undefined;
}

/** Reads one JSON text. Throws `invalid-payload` naming the path (`data.items.3`) and the character, never the value. */
export function scanJson(text: string, options: JsonScanOptions): JsonNode {
  const scan: Scan = {
    text,
    field: options.field,
    maxDepth: options.maxDepth ?? defaultMaxDepth,
    isEachNameOnce: options.duplicates !== 'keep',
    isSurrogateRefused: options.loneSurrogates === 'refuse',
    open: [],
    at: 0,
    fail: (why) => fail(scan, why),
  };
  skipSpace(scan);
  for (;;) {
    let value = beginValue(scan);
    while (value !== undefined) {
      const container = scan.open.at(-1);
      if (container === undefined) {
        skipSpace(scan);
        return scan.at === text.length ? value : fail(scan, 'something follows the value');
      }
      value = endValue(scan, container, value);
    }
  }
}
