import { describe, expect, it } from 'vitest';
import { findByName, type Search, searchOn } from './type-ahead.ts';

function typed(keys: string, { gapMs = 100, bound = '' } = {}): Search | undefined {
  let search: Search | undefined;
  [...keys].forEach((key, at) => {
    search = searchOn({ search, key, nowMs: at * gapMs, isBound: bound.includes(key) });
  });
  return search;
}

describe('type-ahead', () => {
  it('gathers letters that follow each other, and begins anew after a pause', () => {
    expect(typed('ren')?.text).toBe('ren');
    expect(typed('ren', { gapMs: 1_000 })?.text).toBe('n');
  });

  it('a key that does something begins no search, and belongs to one that goes on', () => {
    expect(typed('p', { bound: 'pe' })).toBeUndefined();
    expect(typed('rpe', { bound: 'pe' })?.text).toBe('rpe');
    expect(typed('Pe', { bound: 'pe' })?.text).toBe('pe');
    expect(searchOn({ search: undefined, key: 'Enter', nowMs: 0, isBound: false })).toBeUndefined();
    expect(searchOn({ search: undefined, key: ' ', nowMs: 0, isBound: false })).toBeUndefined();
  });

  it('finds the row whose name begins so, from the selected one on and around the end', () => {
    const names = ['encode', 'Render', 'report', 'rest'];
    const from = (selected: number, text: string) => findByName(names, selected, { text });
    expect([from(-1, 'r'), from(1, 'r'), from(3, 'r'), from(1, 'rep'), from(3, 'en')]).toEqual([1, 2, 1, 2, 0]);
    // The row that is meant already stays selected while its name is typed on.
    expect([from(1, 're'), from(2, 're'), from(0, 'x'), from(0, 'rx')]).toEqual([1, 2, undefined, undefined]);
    expect([from(1, 'rr'), from(2, 'rrr')]).toEqual([2, 3]);
    expect(findByName([], -1, { text: 'a' })).toBeUndefined();
  });
});
