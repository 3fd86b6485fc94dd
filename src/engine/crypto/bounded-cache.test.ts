import { expect, it } from 'vitest';
import { createBoundedCache } from './bounded-cache.ts';

it('forgets what was used longest ago beyond its count', () => {
  const cache = createBoundedCache<number>(3);
  for (const key of ['a', 'b', 'c']) cache.set(key, 1);
  cache.get('a');
  cache.set('d', 1);
  expect(['a', 'b', 'c', 'd'].map((key) => cache.get(key))).toEqual([1, undefined, 1, 1]);
  expect(cache.size).toBe(3);
});

it('keeps to its weight too, through replacements, and holds the newest however heavy', () => {
  const cache = createBoundedCache<number>(1000, { maxWeight: 10, weightOf: (value) => value });
  for (let key = 0; key < 100; key++) cache.set(`${key}`, 1);
  expect(cache.size).toBe(10);
  cache.set('99', 5);
  expect(cache.size).toBe(6);
  expect([cache.get('93'), cache.get('94')]).toEqual([undefined, 1]);
  cache.set('99', 1);
  cache.set('heavy', 50);
  expect(cache.size).toBe(1);
  cache.set('light', 1);
  expect([cache.size, cache.get('light')]).toEqual([1, 1]);
});
