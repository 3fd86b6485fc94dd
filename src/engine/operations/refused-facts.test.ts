import { expect, test } from 'vitest';
import { type ListedRefusal, refusedFacts } from './refused-facts.ts';

const one = (kind: ListedRefusal['kind'], seq: number, more: Partial<ListedRefusal> = {}): ListedRefusal => ({
  ...{ kind, seq, atMs: seq * 10, why: `why ${seq}` },
  ...more,
});

test('W6 each sort is counted for itself, with its newest to show', () => {
  const listed = [one('receipt', 3, { from: 's3' }), one('dead-letter', 2, { from: 'w1' }), one('receipt', 1)];
  expect(refusedFacts(listed, 3)).toEqual([
    { record: 'receipt', count: 2, firstMs: 10, why: 'why 3', session: 's3', mark: { atMs: 30, seq: 3 } },
    { record: 'dead-letter', count: 1, firstMs: 20, why: 'why 2', session: null, mark: { atMs: 20, seq: 2 } },
  ]);
});

test('W8 those that the list has dropped are counted, too', () => {
  const facts = refusedFacts([one('verdict', 2), one('verdict', 1), one('request', 1)], 500);
  expect(facts.map(({ record, count }) => [record, count])).toEqual([
    ['verdict', 499],
    ['request', 1],
  ]);
  expect(refusedFacts([], 0)).toEqual([]);
});
