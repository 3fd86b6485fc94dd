import { describe, expect, it } from 'vitest';
import { commandOfKey } from './connection-keys.ts';

describe('keys of the table of connections', () => {
  it('move, and stay in the table', () => {
    const goes = (key: string, index: number) => commandOfKey(key, { index, count: 3 });
    expect(goes('j', 0)).toEqual({ kind: 'focus', index: 1 });
    expect(goes('ArrowDown', 2)).toEqual({ kind: 'focus', index: 2 });
    expect(goes('k', 0)).toEqual({ kind: 'focus', index: 0 });
    expect([goes('Home', 2), goes('End', 0)]).toEqual([
      { kind: 'focus', index: 0 },
      { kind: 'focus', index: 2 },
    ]);
  });

  it('use, test, open and remove; any other is not taken', () => {
    const kinds = ['u', 't', 'Enter', 'Delete', 'x'].map((key) => commandOfKey(key, { index: 0, count: 1 })?.kind);
    expect(kinds).toEqual(['use', 'test', 'edit', 'remove', undefined]);
  });
});
