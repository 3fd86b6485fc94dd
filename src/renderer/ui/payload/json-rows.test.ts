import { describe, expect, it } from 'vitest';
import { utf8 } from '../../../shared/base/bytes.ts';
import { inlineLength, type JsonRow, openRows, parentIndex, toggleRow as toggle } from './json-rows.ts';

/** A tree with the bytes that it is of. */
interface Tree {
  readonly bytes: Uint8Array;
  readonly rows: readonly JsonRow[];
}
function treeOf(text: string): Tree {
  const bytes = utf8(text);
  return { bytes, rows: openRows(bytes) };
}
const rowsOf = (text: string): readonly JsonRow[] => treeOf(text).rows;

/** `name=value` of each row, indented by its level. */
function drawn(rows: readonly JsonRow[]): string[] {
  return rows.map((row) => {
    const indent = ' '.repeat(row.level - 1);
    if (row.kind === 'part') return `${indent}…${row.text}`;
    if (row.kind === 'group') {
      const { first, count } = row.span;
      return `${indent}${first}…${first + count - 1} ${row.isOpen ? '-' : '+'}`;
    }
    const { value: shown, name, isOpen } = row;
    const value = shown.kind === 'string' ? `"${shown.text.slice(0, 9)}"` : shown.text || shown.kind;
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
    const { bytes, rows: open } = treeOf('{"a":[1,[2]],"b":3}');
    const toggleRow = (rows: readonly JsonRow[], index: number) => toggle(bytes, rows, index);
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
    const { bytes, rows } = treeOf(JSON.stringify({ text: value, next: 1 }));
    expect(rows).toHaveLength(3);
    const opened = toggle(bytes, rows, 1);
    const parts = opened.filter((row) => row.kind === 'part');
    expect(parts.map(({ text }) => text).join('')).toBe(value);
    expect(opened.at(-1)).toMatchObject({ kind: 'value', name: 'next' });
    expect(toggle(bytes, opened, 1)).toHaveLength(3);
  });

  it('opens no more at the start than can be read, and puts very many together by the thousand', () => {
    const { bytes, rows: many } = treeOf(JSON.stringify(Array.from({ length: 5_001 }, (_, at) => [at, 2])));
    expect(drawn(many)).toEqual([
      '=array -',
      ...[0, 1, 2, 3, 4].map((k) => ` ${k}000…${k}999 +`.replace(' 0000', ' 0').replace('0999', '999')),
      ' 5000…5000 +',
    ]);
    const opened = toggle(bytes, many, 3);
    expect([opened.length, opened[4]]).toMatchObject([1_007, { name: '2000', isOpen: false }]);
    expect(drawn(toggle(bytes, opened, 4)).slice(5, 7)).toEqual(['   0=2000', '   1=2']);
    const last = toggle(bytes, many, 6);
    expect(drawn(last).at(-1)).toBe('  5000=array +');
    const some = rowsOf(JSON.stringify([Array.from({ length: 150 }, () => 0), Array.from({ length: 150 }, () => 0)]));
    expect(some.length).toBe(153);
  });

  it('a million and a half of items open in two steps of a thousand, at the right places', () => {
    const { bytes, rows } = treeOf(`[${'7,'.repeat(1_499_999)}8]`);
    expect(drawn(rows)).toEqual(['=array -', ' 0…999999 +', ' 1000000…1499999 +']);
    const thousands = toggle(bytes, rows, 2);
    const ones = toggle(bytes, thousands, thousands.length - 1);
    expect(drawn(ones).slice(-2)).toEqual(['   1499998=7', '   1499999=8']);
  });

  it('a name that stands again is marked, however it is written', () => {
    const marks = rowsOf('{"a":1,"\\u0061":2,"b":3}').map((row) => row.kind === 'value' && row.isRepeated);
    expect(marks).toEqual([false, false, true, false]);
  });

  it('a string of more than a MiB is shown by its beginning, whatever stands where it is cut', () => {
    const [, row] = rowsOf(`["${'\\ud83d\\ude00é'.repeat(120_000)}"]`);
    expect(row).toMatchObject({ isOpen: undefined, value: { isCut: true } });
    expect(
      row?.kind === 'value' && [...row.value.text].every((sign) => sign === '😀' || sign === 'é' || sign === '…'),
    ).toBe(true);
  });

  it('no two rows have the same id, and depth ends no stack', () => {
    const depth = 3_000;
    const bytes = utf8('['.repeat(depth) + ']'.repeat(depth));
    let rows = openRows(bytes);
    for (let index = rows.length - 1; rows[index]?.kind === 'value'; index = rows.length - 1) {
      const next = toggle(bytes, rows, index);
      if (next === rows) break;
      rows = next;
    }
    expect(rows).toHaveLength(depth);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(depth);
  });
});
