/**
 * JSON as the rows of a tree: each value one row, a long string also its parts (protocol.md E3).
 * Law: pure and iterative; a row names its node, so every digit is the one that came.
 */
import type { JsonNode } from '../../../shared/base/json-scan.ts';
import { splitText } from '../visible-text.ts';

/** Longest string that is shown in its own row, in UTF-16 units; a longer one is cut and can be opened. */
export const inlineLength = 200;
/** UTF-16 units in a row of an opened string. */
const partLength = 120;
/** Rows that stand open at the start. */
const firstRows = 200;

interface RowBase {
  /** Of no other row. */
  readonly id: string;
  /** From 1. */
  readonly level: number;
  /** Place among its siblings from 1, and how many they are. */
  readonly position: number;
  readonly siblings: number;
}
/** A member, an item or the whole. */
export interface ValueRow extends RowBase {
  readonly kind: 'value';
  readonly name: string | undefined;
  readonly node: JsonNode;
  /** Undefined: there is nothing to open. */
  readonly isOpen: boolean | undefined;
}
/** Part of an opened string. */
export interface PartRow extends RowBase {
  readonly kind: 'part';
  readonly text: string;
}
export type JsonRow = ValueRow | PartRow;

/** Rows that a node opens into; a string is split only when it is. */
function childCount(node: JsonNode): number {
  if (node.kind === 'object') return node.members.length;
  if (node.kind === 'array') return node.items.length;
  return node.kind === 'string' && node.value.length > inlineLength ? 1 : 0;
}

interface Spot {
  readonly name: string | undefined;
  readonly level: number;
  readonly position: number;
  readonly siblings: number;
}

function valueRow(node: JsonNode, spot: Spot): ValueRow {
  const isOpen = childCount(node) > 0 ? false : undefined;
  return { kind: 'value', id: `${node.start}`, node, isOpen, ...spot };
}

function childRows({ node, level }: ValueRow): readonly JsonRow[] {
  const spot = (at: number, siblings: number) => ({ level: level + 1, position: at + 1, siblings });
  switch (node.kind) {
    case 'object':
      return node.members.map(({ name, value }, at) => valueRow(value, { name, ...spot(at, node.members.length) }));
    case 'array':
      return node.items.map((item, at) => valueRow(item, { name: `${at}`, ...spot(at, node.items.length) }));
    case 'string': {
      const parts = splitText(node.value, partLength);
      return parts.map((text, at) => ({ kind: 'part', id: `${node.start}.${at}`, text, ...spot(at, parts.length) }));
    }
    default:
      return [];
  }
}

/** Index behind the last row below `index`. */
function endOfBranch(rows: readonly JsonRow[], index: number): number {
  const level = rows[index]?.level ?? 0;
  let end = index + 1;
  while ((rows[end]?.level ?? 0) > level) end++;
  return end;
}

/** Opens a closed row, closes an open one; any other row changes nothing. */
export function toggleRow(rows: readonly JsonRow[], index: number): readonly JsonRow[] {
  const row = rows[index];
  if (row?.kind !== 'value' || row.isOpen === undefined) return rows;
  const toggled: ValueRow = { ...row, isOpen: !row.isOpen };
  const below = row.isOpen ? [] : childRows(row);
  const end = endOfBranch(rows, index);
  return rows.slice(0, index).concat([toggled], below, rows.slice(end));
}

/** Index of the row that holds the row, or its own index at the root. */
export function parentIndex(rows: readonly JsonRow[], index: number): number {
  const level = rows[index]?.level ?? 1;
  for (let at = index - 1; at >= 0; at--) if ((rows[at]?.level ?? 1) < level) return at;
  return index;
}

/** The tree at its start: the root is open, and below it level by level what fits. */
export function openRows(root: JsonNode): readonly JsonRow[] {
  let rows = toggleRow([valueRow(root, { name: undefined, level: 1, position: 1, siblings: 1 })], 0);
  const fits = (row: JsonRow | undefined, level: number): boolean =>
    row?.kind === 'value' &&
    row.level === level &&
    row.isOpen === false &&
    row.node.kind !== 'string' &&
    rows.length + childCount(row.node) <= firstRows;
  let openedCount = 1;
  for (let level = 2; openedCount > 0 && rows.length <= firstRows; level++) {
    openedCount = 0;
    for (let index = 0; index < rows.length; index++) {
      if (!fits(rows[index], level)) continue;
      rows = toggleRow(rows, index);
      openedCount++;
    }
  }
  return rows;
}
