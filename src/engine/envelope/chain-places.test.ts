import { expect, test } from 'vitest';
import { createChainPlaces } from './chain-places.ts';

const leafOf = (n: number): string => n.toString(16).padStart(64, '0');

test('E11 the lowest place is forgotten first, and does not come back', () => {
  const places = createChainPlaces(2);
  for (const seq of [7, 5, 6]) places.see(seq, leafOf(seq));
  expect([5, 6, 7].map(places.isKnown)).toEqual([false, true, true]);
  for (const seq of [5, 4]) places.see(seq, leafOf(seq));
  expect([5, 6, 7].map(places.isKnown)).toEqual([false, true, true]);
});

test('E11 rivals at one place are remembered up to four', () => {
  const places = createChainPlaces(2);
  for (let rival = 0; rival < 9; rival++) places.see(1, leafOf(rival));
  expect(Array.from({ length: 9 }, (_, rival) => places.has(1, leafOf(rival))).filter(Boolean)).toHaveLength(4);
});

test('E11 a claim does not stand against what is known', () => {
  const places = createChainPlaces(4);
  places.claim(-1, leafOf(1));
  places.claim(1, leafOf(1));
  places.claim(1, leafOf(2));
  expect([places.has(1, leafOf(1)), places.has(1, leafOf(2)), places.isKnown(-1)]).toEqual([true, false, false]);
});
