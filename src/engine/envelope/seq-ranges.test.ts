import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSeqRanges } from './seq-ranges.ts';

const always = (): boolean => true;

test('E11 numbers put in, in any order and any number of times, are counted exactly once', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(60), { maxLength: 80 }), fc.nat(60), fc.nat(20), (seqs, from, length) => {
      const ranges = createSeqRanges(always);
      const held = new Set(seqs);
      for (const seq of seqs) expect(ranges.add(seq)).toBe(true);
      const wanted = Array.from({ length: length + 1 }, (_, n) => from + n);
      expect(ranges.countWithin(from, from + length)).toBe(wanted.filter((seq) => held.has(seq)).length);
      expect(ranges.covers(from, from + length)).toBe(wanted.every((seq) => held.has(seq)));
      expect(ranges.size()).toBe([...held].filter((seq) => !held.has(seq - 1)).length);
    }),
    { numRuns: 500 },
  );
});

test('E11 ranges of many blocks are found again and joined, whatever their order', () => {
  const ranges = createSeqRanges(always);
  const seqs = Array.from({ length: 20_000 }, (_, n) => (n * 7919) % 20_000);
  for (const seq of seqs) if (seq % 2 === 0) ranges.add(seq);
  expect([ranges.size(), ranges.countWithin(0, 20_000)]).toEqual([10_000, 10_000]);
  for (const seq of seqs)
    if (seq % 2 === 0) expect([ranges.covers(seq, seq), ranges.covers(seq, seq + 1)]).toEqual([true, false]);
  for (const seq of seqs) if (seq % 2 === 1) ranges.add(seq);
  expect([ranges.size(), ranges.countWithin(0, 20_000), ranges.covers(0, 19_999)]).toEqual([1, 20_000, true]);
});

test('E11 without room only what touches a range, or is in one, goes in', () => {
  const ranges = createSeqRanges((size) => size < 2);
  const last = Number.MAX_SAFE_INTEGER;
  expect([5, last, 7, 5, 6, 4, last - 1, 9].map((seq) => ranges.add(seq))).toEqual([
    true,
    true,
    false,
    true,
    true,
    true,
    true,
    false,
  ]);
  expect([ranges.size(), ranges.countWithin(0, last)]).toEqual([2, 5]);
});
