/**
 * How the lag of each queue went (product.md "Queues").
 * Law: samples lie at even distances; of a time during which nobody looked the last figure stands.
 */

/** Time between two samples, ms. */
export const sampleMs = 2_000;
const sampleCount = 150;

export type LagTrend = 'rising' | 'falling' | 'steady';

export interface LagHistory {
  /** Takes the figures of all queues if a sample is due; queues that are not among them are forgotten. */
  note(lags: ReadonlyMap<string, number>, nowMs: number): void;
  /** Oldest first; all queues have the same number of samples. */
  of(queue: string): readonly number[];
}

/**
 * Over the last half: whether its later part lies above or below its earlier part by more than a twentieth, and by more than one task, and
 * the latest figure does so too: a queue that has just been emptied does not rise.
 */
export function trendOf(history: readonly number[]): LagTrend {
  const half = history.slice(Math.floor(history.length / 2));
  const middle = Math.floor(half.length / 2);
  if (middle === 0) return 'steady';
  const mean = (part: readonly number[]): number => part.reduce((sum, one) => sum + one, 0) / part.length;
  const [earlier, later] = [mean(half.slice(0, middle)), mean(half.slice(middle))];
  const least = Math.max(1, Math.max(earlier, later) / 20);
  const latest = half.at(-1) ?? 0;
  if (later - earlier > least && latest - earlier > least) return 'rising';
  return earlier - later > least && earlier - latest > least ? 'falling' : 'steady';
}

/** Creates an empty history; times are of a clock that only goes forward. */
export function createLagHistory(): LagHistory {
  let samples = new Map<string, readonly number[]>();
  let length = 0;
  let lastMs: number | undefined;

  /** How many samples are due. */
  function dueCount(nowMs: number): number {
    if (lastMs === undefined) return 1;
    return Math.min(sampleCount, Math.floor((nowMs - lastMs) / sampleMs));
  }

  return {
    note(lags, nowMs) {
      const due = dueCount(nowMs);
      if (due < 1) return;
      lastMs = lastMs === undefined || due === sampleCount ? nowMs : lastMs + due * sampleMs;
      const next = new Map<string, readonly number[]>();
      for (const [queue, lag] of lags) {
        const before = samples.get(queue) ?? Array.from({ length }, () => 0);
        const held = Array.from({ length: due - 1 }, () => before.at(-1) ?? 0);
        next.set(queue, [...before, ...held, lag].slice(-sampleCount));
      }
      samples = next;
      length = Math.min(sampleCount, length + due);
    },
    of: (queue) => samples.get(queue) ?? [],
  };
}
