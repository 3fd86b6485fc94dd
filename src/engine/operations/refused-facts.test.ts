import { expect, test } from 'vitest';
import { type ListedRefusal, refusedFacts } from './refused-facts.ts';

const one = (kind: ListedRefusal['kind'], seq: number, more: Partial<ListedRefusal> = {}): ListedRefusal => ({
  ...{ kind, seq, atMs: seq * 10, why: `why ${seq}` },
  ...more,
});

test('W6 each sort is counted for itself, with its newest to show', () => {
  const stream = 'VAK_RECEIPTS_ws';
  const receipts = [one('receipt', 1, { stream, from: 's1' }), one('receipt', 3, { stream, from: 's3' })] as const;
  const listed = [receipts[0], one('dead-letter', 2, { stream: 'VAK_DLQ_ws', from: 'w1' }), receipts[1]];
  const places = [
    { stream, seq: 3, atMs: 30, from: 's3', why: 'why 3' },
    { stream, seq: 1, atMs: 10, from: 's1', why: 'why 1' },
  ];
  const letter = { stream: 'VAK_DLQ_ws', seq: 2, atMs: 20, from: 'w1', why: 'why 2' };
  expect(refusedFacts(listed, 3)).toEqual([
    {
      record: 'receipt',
      count: 2,
      firstMs: 10,
      why: 'why 3',
      session: 's3',
      mark: { atMs: 30, seq: 3 },
      records: places,
    },
    {
      record: 'dead-letter',
      count: 1,
      firstMs: 20,
      why: 'why 2',
      session: null,
      mark: { atMs: 20, seq: 2 },
      records: [letter],
    },
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
