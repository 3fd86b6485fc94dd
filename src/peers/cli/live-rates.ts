/** How fast tasks come into queues and get out of them, from what is heard and counted without any key (protocol.md W9). */
import type { QueueRate } from '../../engine/work/queue-rates.ts';

export interface LiveRates {
  /** A task was heard on its way into the queue. */
  noteTask(queue: string): void;
  /** Its lag now. */
  noteLag(queue: string, lag: number): void;
  /** Over the last minute; undefined before there are two looks. */
  of(queue: string): QueueRate | undefined;
  /** What was heard is not all: begins anew. */
  reset(): void;
}

const windowMs = 60_000;

interface Look {
  readonly atMs: number;
  readonly inCount: number;
  readonly lag: number;
}

/** Creates the rates. What went out is what came in, less what the lag has grown by. */
export function createLiveRates({ monotonic }: { monotonic(): number }): LiveRates {
  const inCounts = new Map<string, number>();
  const looks = new Map<string, Look[]>();

  return {
    noteTask(queue) {
      inCounts.set(queue, (inCounts.get(queue) ?? 0) + 1);
    },
    noteLag(queue, lag) {
      const own = looks.get(queue) ?? [];
      looks.set(queue, own);
      const atMs = monotonic();
      own.push({ atMs, inCount: inCounts.get(queue) ?? 0, lag });
      while ((own[0]?.atMs ?? atMs) < atMs - windowMs) own.shift();
    },
    of(queue) {
      const own = looks.get(queue) ?? [];
      const [first, last] = [own[0], own.at(-1)];
      if (first === undefined || last === undefined || last.atMs <= first.atMs) return undefined;
      const seconds = (last.atMs - first.atMs) / 1_000;
      const inCount = last.inCount - first.inCount;
      const outCount = Math.max(0, inCount - (last.lag - first.lag));
      return { inPerSec: inCount / seconds, outPerSec: outCount / seconds };
    },
    reset() {
      looks.clear();
    },
  };
}
