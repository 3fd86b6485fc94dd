import { expect, it } from 'vitest';
import { createRefusalList } from './refusal-list.ts';

const one = (seq: number) => ({ seq, atMs: seq * 1_000, why: `${seq}` });

it('W6 each thing is told once, newest first, and taken back if it counts after all', () => {
  const list = createRefusalList(10);
  for (const seq of [3, 1, 2, 1]) list.add(`r ${seq}`, one(seq));
  expect(list.newest().map(({ seq }) => seq)).toEqual([3, 2, 1]);
  list.takeBack('r 2');
  list.takeBack('r 9');
  expect(list.newest().map(({ seq }) => seq)).toEqual([3, 1]);
  expect(list.count()).toBe(2);
});

it('W6 those that were told longest ago give way, and stay counted', () => {
  const list = createRefusalList(3);
  for (let seq = 1; seq <= 10; seq++) list.add(`${seq}`, one(seq));
  expect(list.newest().map(({ seq }) => seq)).toEqual([10, 9, 8]);
  expect(list.count()).toBe(10);
});
