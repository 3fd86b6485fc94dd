import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { addSnapshots, countUpTo, createHistogram, emptySnapshot, quantileMs } from './histogram.ts';

/** Whole µs, over all that the histogram tells apart and beyond. */
const durations = fc.array(
  fc.oneof(
    fc.nat(2_000),
    fc.nat(1_000_000),
    fc.double({ min: 0, max: 12.5, noNaN: true }).map((e) => Math.round(10 ** e)),
  ),
  { minLength: 1, maxLength: 300 },
);

function histogramOf(all: readonly number[]) {
  const histogram = createHistogram();
  for (const us of all) histogram.record(us / 1_000);
  return histogram.snapshot();
}

/** As the definition says it: the value of that rank. */
function exactQuantile(all: readonly number[], q: number): number {
  return all.toSorted((a, b) => a - b)[Math.max(1, Math.ceil(all.length * q)) - 1] ?? 0;
}

test('W10 a histogram: counts, sum and maximum are exact, each value is in the bucket that it fits', () => {
  fc.assert(
    fc.property(durations, (all) => {
      const { count, sumUs, maxUs, buckets } = histogramOf(all);
      expect([count, sumUs, maxUs]).toEqual([all.length, all.reduce((sum, us) => sum + us, 0), Math.max(...all)]);
      buckets.forEach(({ toUs, count: own }, at) => {
        const fromUs = buckets[at - 1]?.toUs ?? -1;
        expect(toUs).toBeGreaterThan(fromUs);
        expect(all.filter((us) => us > fromUs && us <= toUs)).toHaveLength(own);
      });
    }),
  );
});

test('W10 a histogram: a quantile is never below the value, and at most 1 % or 1 µs above it', () => {
  fc.assert(
    fc.property(durations, fc.double({ min: 0, max: 1, noNaN: true }), (all, q) => {
      const exact = exactQuantile(all, q);
      const found = (quantileMs(histogramOf(all), q) ?? Number.NaN) * 1_000;
      expect(found).toBeGreaterThanOrEqual(exact - 1e-3);
      if (exact <= 10 ** 12) expect(found).toBeLessThanOrEqual(Math.max(exact * 1.01, exact + 1) + 1e-3);
    }),
  );
});

test('W10 a histogram: what is counted up to a bound of three digits is exact', () => {
  fc.assert(
    fc.property(durations, fc.nat({ max: 998 }), fc.nat({ max: 9 }), (all, digits, zeros) => {
      const boundUs = (digits + 1) * 10 ** zeros;
      expect(countUpTo(histogramOf(all), boundUs)).toBe(all.filter((us) => us <= boundUs).length);
    }),
  );
});

test('W10 histograms of two sources add up to that of all their values', () => {
  fc.assert(
    fc.property(durations, durations, (left, right) => {
      expect(addSnapshots(histogramOf(left), histogramOf(right))).toEqual(histogramOf([...left, ...right]));
      expect(addSnapshots(histogramOf(left), emptySnapshot)).toEqual(histogramOf(left));
      expect(addSnapshots(emptySnapshot, histogramOf(left))).toEqual(histogramOf(left));
    }),
  );
});

it('W10 a histogram: the limits', () => {
  const histogram = createHistogram();
  expect([histogram.snapshot(), quantileMs(histogram.snapshot(), 0.5)]).toEqual([emptySnapshot, null]);
  for (const ms of [-5, 0, Number.NaN, 0.0004]) histogram.record(ms);
  expect(histogram.snapshot()).toEqual({ count: 4, sumUs: 0, maxUs: 0, buckets: [{ toUs: 1, count: 4 }] });
  histogram.record(2.5, 6);
  expect(histogram.snapshot()).toMatchObject({ count: 10, sumUs: 15_000, maxUs: 2_500 });
  histogram.record(Number.MAX_SAFE_INTEGER / 1_000);
  expect(histogram.snapshot().buckets.at(-1)).toEqual({ toUs: Number.POSITIVE_INFINITY, count: 1 });
  expect(quantileMs(histogram.snapshot(), 1)).toBe(Number.MAX_SAFE_INTEGER / 1_000);
});
