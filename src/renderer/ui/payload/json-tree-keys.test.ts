import { describe, expect, it } from 'vitest';
import { utf8 } from '../../../shared/base/bytes.ts';
import { openRows } from './json-rows.ts';
import { stepInTree } from './json-tree-keys.ts';

/** A walk over `{"a":[1,{"b":2}],"c":3}`; gives the active row and how many rows there are after each key. */
function walk(...keys: string[]): string[] {
  const bytes = utf8('{"a":[1,{"b":2}],"c":3}');
  let place = { bytes, rows: openRows(bytes), active: 0, pageRows: 3 };
  return keys.map((key) => {
    const step = stepInTree(place, key);
    if (step === undefined) return 'not its key';
    place = { ...place, ...step };
    return `${place.active}/${place.rows.length}`;
  });
}

describe('keys in a tree of JSON', () => {
  it('moves by row, by page and to the ends, and never beyond them', () => {
    expect(walk('ArrowUp', 'ArrowDown', 'j', 'k', 'PageDown', 'PageDown', 'j', 'Home', 'End', 'PageUp')).toEqual([
      '0/6',
      '1/6',
      '2/6',
      '1/6',
      '4/6',
      '5/6',
      '5/6',
      '0/6',
      '5/6',
      '2/6',
    ]);
  });

  it('→ opens and then goes in, ← closes and then goes out', () => {
    expect(walk('ArrowRight', 'ArrowLeft', 'ArrowLeft', 'ArrowRight', 'ArrowRight', 'ArrowRight')).toEqual([
      '1/6',
      '1/3',
      '0/3',
      '1/3',
      '1/5',
      '2/5',
    ]);
    expect(walk('End', 'ArrowRight', 'ArrowLeft', 'ArrowLeft', 'ArrowLeft')).toEqual([
      '5/6',
      '5/6',
      '0/6',
      '0/1',
      '0/1',
    ]);
  });

  it('Enter and Space open and close; other keys are not its own', () => {
    expect(walk('j', 'Enter', ' ', 'End', 'Enter', 'x', 'Escape')).toEqual([
      '1/6',
      '1/3',
      '1/5',
      '4/5',
      '4/5',
      'not its key',
      'not its key',
    ]);
  });
});
