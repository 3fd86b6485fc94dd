import { expect, test } from 'vitest';
import { createClockSkews } from './clock-skew.ts';

test('T4 a clock is taken for ahead by what was stored before it was written, and for behind by what was begun before it was there', () => {
  const skews = createClockSkews();
  skews.notAfter('ahead', 10_000, 7_000);
  skews.notAfter('ahead', 20_000, 18_000);
  skews.notAfter('behind', 1_000, 9_000);
  skews.notBefore('behind', 2_000, 5_000);
  skews.notAfter('slow', 1_000, 90_000);
  skews.notAfter('right', 5_000, 4_951);
  expect(skews.all()).toEqual([
    { peer: 'ahead', offsetMs: -3_000, isContradictory: false },
    { peer: 'behind', offsetMs: 3_000, isContradictory: false },
  ]);
  expect(['ahead', 'slow', 'right', 'nobody', null].map(skews.offsetMs)).toEqual([-3_000, 0, 0, 0, 0]);
});

test('T4 who cannot have said the truth is told, and is not moved beyond what was stored', () => {
  const skews = createClockSkews();
  skews.notAfter('liar', 1_000, 1_100);
  skews.notBefore('liar', 1_000, 9_000);
  expect(skews.all()).toEqual([{ peer: 'liar', offsetMs: 100, isContradictory: true }]);
});
