/**
 * JSON in bytes as the rows of a tree: each value one row, a long string also its parts, very many values by the thousand (E3).
 * Law: pure, iterative and lazy; only what is opened is read, and what a row shows is what stands there.
 */
import { splitText } from '../visible-text.ts';
import { decodeJsonString, passValue, signs, spaceEnd, stringEnd, textOfBytes } from './json-bytes.ts';

/** Longest string that is shown in its own row, in UTF-16 units; a longer one is cut and can be opened. */
export const inlineLength = 200;
/** Longest string that opens into its parts, in bytes; of a longer one the text view and a saved file have all. */
const maxOpenedBytes = 1_048_576;
/** UTF-16 units in a row of an opened string. */
const partLength = 120;
/** Rows that stand open at the start. */
const firstRows = 200;
/** How often the bytes are gone through to open rows at the start. */
const maxPasses = 12;
/** Most values in one row that opens; more are put together. */
const groupSize = 1_000;

interface RowBase {
  /** Of no other row. */
  readonly id: string;
  /** From 1. */
  readonly level: number;
  /** Place among its siblings from 1, and how many they are. */
  readonly position: number;
  readonly siblings: number;
}

/** A value as it is shown. `text`: of a scalar, as it stands there; of a string, decoded, its beginning if it is long. */
export interface ShownValue {
  readonly kind: 'object' | 'array' | 'string' | 'number' | 'word';
  readonly text: string;
  /** Values directly inside; of a string its length: UTF-16 units, or about that many where it was not decoded. */
  readonly count: number;
  readonly isCut: boolean;
  readonly start: number;
  readonly end: number;
}
/** A member, an item or the whole. */
export interface ValueRow extends RowBase {
  readonly kind: 'value';
  readonly name: string | undefined;
  /** The name stands earlier in the same object, too. */
  readonly isRepeated: boolean;
  readonly value: ShownValue;
  /** Undefined: there is nothing to open. */
  readonly isOpen: boolean | undefined;
}
/** Values of one container that are opened together. */
export interface GroupRow extends RowBase {
  readonly kind: 'group';
  readonly span: Span;
  readonly isOpen: boolean;
}
/** Part of an opened string. */
export interface PartRow extends RowBase {
  readonly kind: 'part';
  readonly text: string;
}
export type JsonRow = ValueRow | GroupRow | PartRow;

/** Values that lie beside each other: where the first begins, its number from 0, and how many. */
interface Span {
  readonly start: number;
  readonly first: number;
  readonly count: number;
  readonly isObject: boolean;
}

type Place = Omit<RowBase, 'id'>;

function shownString(bytes: Uint8Array, start: number, end: number): ShownValue {
  const isHuge = end - start > maxOpenedBytes;
  const part = isHuge ? firstOf(bytes, start) : decodeJsonString(bytes, start, end);
  const isCut = isHuge || part.length > inlineLength;
  const text = isCut ? `${part.slice(0, inlineLength).replace(/[\ud800-\udbff]$/, '')}…` : part;
  return { kind: 'string', text, count: isHuge ? end - start - 2 : part.length, isCut, start, end };
}

/** The beginning of a string, without an escape or a character that is not whole. */
function firstOf(bytes: Uint8Array, start: number): string {
  let at = start + 1;
  while (at - start < inlineLength * 6) at += bytes[at] === signs.backslash ? (bytes[at + 1] === 0x75 ? 6 : 2) : 1;
  while (((bytes[at] as number) & 0xc0) === 0x80) at++;
  return JSON.parse(`"${textOfBytes(bytes, start + 1, at)}"`) as string;
}

const maxScalarLength = 1_000;

function shownValue(bytes: Uint8Array, start: number): ShownValue {
  const opening = bytes[start];
  const { end, count } = passValue(bytes, start);
  if (opening === signs.quote) return shownString(bytes, start, end);
  if (opening === signs.brace) return { kind: 'object', text: '', count, isCut: false, start, end };
  if (opening === signs.bracket) return { kind: 'array', text: '', count, isCut: false, start, end };
  const isCut = end - start > maxScalarLength;
  const digits = textOfBytes(bytes, start, Math.min(end, start + maxScalarLength));
  const text = isCut ? `${digits}…` : digits;
  const kind = opening === 0x74 || opening === 0x66 || opening === 0x6e ? 'word' : 'number';
  return { kind, text, count: 0, isCut, start, end };
}

const canOpen = ({ kind, count, isCut, start, end }: ShownValue): boolean => {
  if (kind === 'string') return isCut && end - start <= maxOpenedBytes;
  return (kind === 'object' || kind === 'array') && count > 0;
};

interface Named {
  readonly name: string | undefined;
  readonly isRepeated: boolean;
}

function valueRow(bytes: Uint8Array, start: number, spot: Named & Place): ValueRow {
  const value = shownValue(bytes, start);
  return { kind: 'value', id: `${start}`, value, isOpen: canOpen(value) ? false : undefined, ...spot };
}

/** Where the value of the member at `at` begins; of an item `at` itself. */
function valueStart(bytes: Uint8Array, at: number, isObject: boolean): number {
  if (!isObject) return at;
  const colon = spaceEnd(bytes, stringEnd(bytes, at));
  return spaceEnd(bytes, colon + 1);
}

/** How many values a row of a span stands for. */
function stepOf(count: number): number {
  let step = 1;
  while (count > step * groupSize) step *= groupSize;
  return step;
}

/** The rows of a span: its values, or groups of them. */
function spanRows(bytes: Uint8Array, span: Span, level: number): readonly JsonRow[] {
  const { isObject, count } = span;
  const step = stepOf(count);
  const siblings = Math.ceil(count / step);
  const names = new Set<string>();
  const rows: JsonRow[] = [];
  let at = span.start;
  for (let index = 0; index < count; index++) {
    const begins = valueStart(bytes, at, isObject);
    const place = { level, position: rows.length + 1, siblings };
    if (step === 1) {
      const name = isObject ? decodeJsonString(bytes, at, stringEnd(bytes, at)) : `${span.first + index}`;
      rows.push(valueRow(bytes, begins, { name, isRepeated: isObject && names.has(name), ...place }));
      names.add(name);
    } else if (index % step === 0) {
      const part = { start: at, first: span.first + index, count: Math.min(step, count - index), isObject };
      rows.push({ kind: 'group', id: `${at}+${part.count}`, span: part, isOpen: false, ...place });
    }
    const next = spaceEnd(bytes, passValue(bytes, begins).end);
    at = spaceEnd(bytes, next + 1);
  }
  return rows;
}

function childRows(bytes: Uint8Array, row: ValueRow | GroupRow): readonly JsonRow[] {
  const level = row.level + 1;
  if (row.kind === 'group') return spanRows(bytes, row.span, level);
  const { kind, start, end, count } = row.value;
  if (kind !== 'string') {
    const span = { start: spaceEnd(bytes, start + 1), first: 0, count, isObject: kind === 'object' };
    return spanRows(bytes, span, level);
  }
  const parts = splitText(decodeJsonString(bytes, start, end), partLength);
  const siblings = parts.length;
  return parts.map((text, at) => ({ kind: 'part', id: `${start}.${at}`, text, level, position: at + 1, siblings }));
}

/** Index behind the last row below `index`. */
function endOfBranch(rows: readonly JsonRow[], index: number): number {
  const level = rows[index]?.level ?? 0;
  let end = index + 1;
  while ((rows[end]?.level ?? 0) > level) end++;
  return end;
}

/** Opens a closed row, closes an open one; any other row changes nothing. */
export function toggleRow(bytes: Uint8Array, rows: readonly JsonRow[], index: number): readonly JsonRow[] {
  const row = rows[index];
  if (row === undefined || row.kind === 'part' || row.isOpen === undefined) return rows;
  const toggled = { ...row, isOpen: !row.isOpen };
  const below = row.isOpen ? [] : childRows(bytes, row);
  const end = endOfBranch(rows, index);
  return rows.slice(0, index).concat([toggled], below, rows.slice(end));
}

/** Index of the row that holds the row, or its own index at the root. */
export function parentIndex(rows: readonly JsonRow[], index: number): number {
  const level = rows[index]?.level ?? 1;
  for (let at = index - 1; at >= 0; at--) if ((rows[at]?.level ?? 1) < level) return at;
  return index;
}

/** The tree of bytes that are JSON, at its start: the root is open, and below it level by level what fits. */
export function openRows(bytes: Uint8Array): readonly JsonRow[] {
  const spot = { name: undefined, isRepeated: false, level: 1, position: 1, siblings: 1 };
  let rows = toggleRow(bytes, [valueRow(bytes, spaceEnd(bytes, 0), spot)], 0);
  // To open a value all of it is passed: what lies deep in a large one waits to be opened.
  let budget = maxPasses * bytes.length;
  const fits = (row: ValueRow, level: number): boolean =>
    row.level === level &&
    row.isOpen === false &&
    row.value.kind !== 'string' &&
    row.value.end - row.value.start <= budget &&
    rows.length + Math.ceil(row.value.count / stepOf(row.value.count)) <= firstRows;
  let openedCount = 1;
  for (let level = 2; openedCount > 0 && rows.length <= firstRows; level++) {
    openedCount = 0;
    for (let index = 0; index < rows.length; index++) {
      const row = rows[index];
      if (row?.kind !== 'value' || !fits(row, level)) continue;
      budget -= row.value.end - row.value.start;
      rows = toggleRow(bytes, rows, index);
      openedCount++;
    }
  }
  return rows;
}
