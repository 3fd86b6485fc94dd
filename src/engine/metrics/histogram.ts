/**
 * How long things took: a histogram of bounded size, in log-linear buckets (protocol.md W10).
 * Law: counts, sum and maximum are exact, and a value is found again to within 1 % or 1 µs; a bucket ends at each whole number of three
 * digits, so that what is counted up to such a bound is exact too.
 */

/** Values in µs above the bound of the bucket before, and up to this one's. */
export interface HistogramBucket {
  /** Infinity: longer than the histogram tells apart, 11.5 days. */
  readonly toUs: number;
  readonly count: number;
}

/** A histogram as it was at a moment; those of several sources can be added up. */
export interface HistogramSnapshot {
  readonly count: number;
  readonly sumUs: number;
  /** 0 if there is no value. */
  readonly maxUs: number;
  /** Those that are not empty, in rising order. */
  readonly buckets: readonly HistogramBucket[];
}

export interface Histogram {
  /** Counts a duration, `times` times; what is below 0 counts as 0. */
  record(ms: number, times?: number): void;
  snapshot(): HistogramSnapshot;
}

/** Up to here each µs has a bucket of its own; then each decade has as many of equal width. */
const linearUs = 1_000;
const perDecade = 900;
const decades = 9;
const overflow = linearUs + decades * perDecade;

export const emptySnapshot: HistogramSnapshot = { count: 0, sumUs: 0, maxUs: 0, buckets: [] };

function indexOf(us: number): number {
  const below = Math.max(0, us - 1);
  if (below < linearUs) return below;
  let [width, end, first] = [10, linearUs * 10, linearUs];
  while (below >= end && first < overflow) {
    width *= 10;
    end *= 10;
    first += perDecade;
  }
  return first === overflow ? overflow : first + Math.floor(below / width) - 100;
}

function boundOf(index: number): number {
  if (index < linearUs) return index + 1;
  if (index === overflow) return Number.POSITIVE_INFINITY;
  const decade = Math.floor((index - linearUs) / perDecade);
  return (((index - linearUs) % perDecade) + 101) * 10 ** (decade + 1);
}

/** Creates an empty histogram; it takes its memory (73 KB) with the first value. */
export function createHistogram(): Histogram {
  let counts: Float64Array | undefined;
  let [count, sumUs, maxUs] = [0, 0, 0];
  return {
    record(ms, times = 1) {
      counts ??= new Float64Array(overflow + 1);
      const us = ms > 0 ? Math.round(ms * 1_000) : 0;
      const index = indexOf(us);
      counts[index] = (counts[index] ?? 0) + times;
      count += times;
      sumUs += us * times;
      if (us > maxUs) maxUs = us;
    },
    snapshot() {
      const buckets: HistogramBucket[] = [];
      // Nothing lies above the greatest value's.
      const end = counts === undefined ? 0 : indexOf(maxUs) + 1;
      for (let index = 0; index < end; index++) {
        const own = counts?.[index] ?? 0;
        if (own > 0) buckets.push({ toUs: boundOf(index), count: own });
      }
      return { count, sumUs, maxUs, buckets };
    },
  };
}

/** The values of both. */
export function addSnapshots(left: HistogramSnapshot, right: HistogramSnapshot): HistogramSnapshot {
  if (left.count === 0) return right;
  if (right.count === 0) return left;
  const counts = new Map(left.buckets.map(({ toUs, count }) => [toUs, count]));
  for (const { toUs, count } of right.buckets) counts.set(toUs, (counts.get(toUs) ?? 0) + count);
  return {
    count: left.count + right.count,
    sumUs: left.sumUs + right.sumUs,
    maxUs: Math.max(left.maxUs, right.maxUs),
    buckets: Array.from(counts, ([toUs, count]) => ({ toUs, count })).sort((a, b) => a.toUs - b.toUs),
  };
}

/** A bound in ms below or at which the share `q` (0 to 1) of the values lies, at most 1 % above the value itself; null: there is none. */
export function quantileMs({ count, maxUs, buckets }: HistogramSnapshot, q: number): number | null {
  let left = Math.max(1, Math.ceil(count * q));
  for (const bucket of buckets) {
    left -= bucket.count;
    if (left <= 0) return Math.min(bucket.toUs, maxUs) / 1_000;
  }
  return null;
}

/** How many values are at most `boundUs`; exact for a bound of three digits, as 250 or 2 500 000. */
export function countUpTo({ buckets }: HistogramSnapshot, boundUs: number): number {
  return buckets.reduce((sum, { toUs, count }) => (toUs <= boundUs ? sum + count : sum), 0);
}

/** A histogram in a few figures, ms; null: there is no value. */
export interface HistogramSummary {
  readonly count: number;
  readonly meanMs: number | null;
  readonly p50Ms: number | null;
  readonly p90Ms: number | null;
  readonly p99Ms: number | null;
  readonly maxMs: number | null;
}

/** Its mean and maximum, and its quantiles to within 1 %. */
export function summaryOf(snapshot: HistogramSnapshot): HistogramSummary {
  const { count, sumUs, maxUs } = snapshot;
  return {
    count,
    meanMs: count === 0 ? null : Math.round(sumUs / count) / 1_000,
    ...{ p50Ms: quantileMs(snapshot, 0.5), p90Ms: quantileMs(snapshot, 0.9), p99Ms: quantileMs(snapshot, 0.99) },
    maxMs: count === 0 ? null : maxUs / 1_000,
  };
}
