import { expect, it } from 'vitest';
import { moveInProblems } from './problem-moves.ts';

it('look.md j, k, arrows, Home and End move in the list and stop at its ends', () => {
  expect(['j', 'ArrowDown', 'k', 'ArrowUp', 'Home', 'End'].map((key) => moveInProblems(1, 3, key))).toEqual([
    ...[2, 2, 0, 0, 0, 2],
  ]);
  expect(moveInProblems(2, 3, 'j')).toBe(2);
  expect(moveInProblems(0, 3, 'k')).toBe(0);
  expect(moveInProblems(0, 3, 'x')).toBeUndefined();
  expect(moveInProblems(-1, 0, 'j')).toBeUndefined();
});
