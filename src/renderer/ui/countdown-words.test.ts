import { describe, expect, it } from 'vitest';
import { countdownWords } from './countdown-words.ts';
import { unitSpace } from './format.ts';

describe('time that is left', () => {
  it.each([
    [1, '1~s'],
    [1000, '1~s'],
    [41_001, '42~s'],
    [60_000, '1~min 00~s'],
    [249_000, '4~min 09~s'],
    [7_500_000, '2~h 05~min'],
    [273_600_000, '3~d 4~h'],
  ])('%d ms are %s', (leftMs, expected) => {
    expect(countdownWords(leftMs)).toBe(expected.replaceAll('~', unitSpace));
  });

  it('nothing is left at its end, and of what is no time', () => {
    for (const leftMs of [0, -1, Number.NaN]) expect(countdownWords(leftMs)).toBeUndefined();
  });
});
