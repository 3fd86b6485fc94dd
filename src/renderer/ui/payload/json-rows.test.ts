import { describe, expect, it } from 'vitest';
import { scanJson } from '../../../shared/base/json-scan.ts';
import { inlineLength, type JsonRow, openRows, parentIndex, toggleRow } from './json-rows.ts';

const rowsOf = (text: string): readonly JsonRow[] => openRows(scanJson(text, { field: '', duplicates: 'keep' }));

/** `name=value` of each row, indented by its level. */
function drawn(rows: readonly JsonRow[]): string[] {
  return rows.map((row) => {
    const indent = ' '.repeat(row.level - 1);
    if (row.kind === 'part') return `${indent}…${row.text}`;
    const { node, name, isOpen } = row;
    const value =
      node.kind === 'number' ? node.text : node.kind === 'string' ? `"${node.value.slice(0, 9)}"` : node.kind;
    return `${indent}${name ?? ''}=${value}${isOpen === undefined ? '' : isOpen ? ' -' : ' +'}`;
  });
}

describe('JSON as rows', () => {
  it('E3 keeps every digit of every number, whatever its size', () => {
    const rows = rowsOf('{"frames":9007199254740993,"big":18446744073709551615,"e":1E+02,"z":-0,"f":0.10}');
    expect(drawn(rows)).toEqual([
      '=object -',
      ' frames=9007199254740993',
      ' big=18446744073709551615',
      ' e=1E+02',
      ' z=-0',
      ' f=0.10',
    ]);
  });

  it('shows members and items in their order, a name that stands twice too, and empty ones as leaves', () => {
    expect(drawn(rowsOf('{"a":[1,{"b":null}],"a":{},"c":[]}'))).toEqual([
      '=object -',
      ' a=array -',
      '  0=1',
      '  1=object -',
      '   b=null',
      ' a=object',
      ' c=array',
    ]);
  });

  it('closes a branch with all that is below it, and opens one level', () => {
    const open = rowsOf('{"a":[1,[2]],"b":3}');
    const closed = toggleRow(open, 1);
    expect(drawn(closed)).toEqual(['=object -', ' a=array +', ' b=3']);
    expect(drawn(toggleRow(closed, 1))).toEqual(['=object -', ' a=array -', '  0=1', '  1=array +', ' b=3']);
    expect(toggleRow(closed, 2)).toBe(closed);
    expect(toggleRow(closed, 99)).toBe(closed);
  });

  it('says where a row stands among its siblings, and which row holds it', () => {
    const rows = rowsOf('{"a":[1,[2]],"b":3}');
    expect(rows.map(({ position, siblings }) => `${position}/${siblings}`)).toEqual([
      '1/1',
      '1/2',
      '1/2',
      '2/2',
      '1/1',
      '2/2',
    ]);
    expect(rows.map((_, index) => parentIndex(rows, index))).toEqual([0, 0, 1, 1, 3, 0]);
  });

  it('a long string is one row until it is opened, and then all of it', () => {
    const value = `${'é'.repeat(inlineLength)}𝄞 end`;
    const rows = rowsOf(JSON.stringify({ text: value, next: 1 }));
    expect(rows).toHaveLength(3);
    const opened = toggleRow(rows, 1);
    const parts = opened.filter((row) => row.kind === 'part');
    expect(parts.map(({ text }) => text).join('')).toBe(value);
    expect(opened.at(-1)).toMatchObject({ kind: 'value', name: 'next' });
    expect(toggleRow(opened, 1)).toHaveLength(3);
  });

  it('opens no more at the start than can be read, but always the root', () => {
    const many = rowsOf(JSON.stringify(Array.from({ length: 5_000 }, () => [1, 2])));
    expect([many.length, many[1]]).toMatchObject([5_001, { isOpen: false }]);
    const some = rowsOf(JSON.stringify([Array.from({ length: 150 }, () => 0), Array.from({ length: 150 }, () => 0)]));
    expect(some.length).toBe(153);
  });

  it('no two rows have the same id, and depth ends no stack', () => {
    const depth = 3_000;
    let rows = openRows(scanJson('['.repeat(depth) + ']'.repeat(depth), { field: '', maxDepth: depth }));
    for (let index = rows.length - 1; rows[index]?.kind === 'value'; index = rows.length - 1) {
      const next = toggleRow(rows, index);
      if (next === rows) break;
      rows = next;
    }
    expect(rows).toHaveLength(depth);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(depth);
  });
});
