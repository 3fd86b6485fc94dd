import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holdOrder, keepPlace, moveInList, neighbourOf } from './list-moves.ts';

const keys = ['a', 'b', 'c', 'd', 'e'];

describe('moving the selection', () => {
  it.each([
    ['j', 'b', 2],
    ['ArrowDown', 'e', 4],
    ['k', 'b', 0],
    ['ArrowUp', 'a', 0],
    ['PageDown', 'a', 3],
    ['PageUp', 'e', 1],
    ['Home', 'c', 0],
    ['End', undefined, 4],
    ['j', undefined, 0],
    ['j', 'gone', 0],
    ['x', 'a', undefined],
  ])('%s from %s leads to place %s', (key, selectedKey, place) => {
    expect(moveInList({ keys, selectedKey, pageRows: 3 }, key)).toBe(place);
  });

  it('no key leads anywhere in an empty list', () => {
    expect(moveInList({ keys: [], selectedKey: undefined, pageRows: 3 }, 'Home')).toBeUndefined();
  });
});

describe('keeping the place', () => {
  const rowPx = 28;

  it('rows that come above move the list by their height, part of a row included', () => {
    expect(keepPlace({ former: keys, next: ['x', 'y', ...keys], scrollTop: 33, rowPx })).toBe(89);
  });

  it('rows that go above move it back; the first row that is left counts', () => {
    expect(keepPlace({ former: keys, next: ['d', 'e'], scrollTop: 56, rowPx })).toBe(0);
    expect(keepPlace({ former: keys, next: ['a', 'b', 'd', 'e'], scrollTop: 56, rowPx })).toBe(28);
  });

  it('without a row that is left it stays', () => {
    expect(keepPlace({ former: keys, next: ['x'], scrollTop: 56, rowPx })).toBe(56);
  });
});

describe('who follows a row that went', () => {
  it('is the next one, else the one before, else the first of what is there', () => {
    expect(neighbourOf(keys, ['a', 'd', 'e'], 'b')).toBe('d');
    expect(neighbourOf(keys, ['a', 'b'], 'e')).toBe('b');
    expect(neighbourOf(keys, ['x'], 'e')).toBe('x');
    expect(neighbourOf(keys, [], 'e')).toBeUndefined();
    expect(neighbourOf([], ['x'], 'e')).toBe('x');
  });
});

describe('holding the order', () => {
  const row = (key: string, value: number) => ({ key, value });
  const keyOf = ({ key }: { readonly key: string }): string => key;

  it('rows change in place, what came is apart, what went stays as it was', () => {
    const former = [row('b', 1), row('a', 1), row('c', 1)];
    const next = [row('a', 2), row('d', 2), row('b', 2)];
    expect(holdOrder(former, next, keyOf)).toEqual({
      kept: [row('b', 2), row('a', 2), row('c', 1)],
      added: [row('d', 2)],
    });
  });

  it('no row is lost and none is shown twice', () => {
    const rows = fc.uniqueArray(fc.string({ maxLength: 2 })).map((all) => all.map((key) => row(key, 0)));
    fc.assert(
      fc.property(rows, rows, (former, next) => {
        const { kept, added } = holdOrder(former, next, keyOf);
        expect(kept.map(keyOf)).toEqual(former.map(keyOf));
        expect(new Set([...kept, ...added].map(keyOf))).toEqual(new Set([...former, ...next].map(keyOf)));
        expect(kept.length + added.length).toBe(new Set([...former, ...next].map(keyOf)).size);
      }),
    );
  });
});
