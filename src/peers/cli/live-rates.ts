/** How fast tasks come into queues and get out of them, from what is heard and counted without any key (protocol.md W9). */
import type { QueueFigures } from '../../engine/work/queue-figures.ts';
import type { QueueRate } from '../../engine/work/queue-rates.ts';

export interface LiveRates {
  /** A task was heard on its way into the queue. */
  noteTask(queue: string): void;
  /** What the engine counts of it now. */
  noteCounts(queue: string, counts: QueueMoves): void;
  /** Over the last minute; undefined before there are two looks. */
  of(queue: string): QueueRate | undefined;
  /** What was heard is not all: begins anew. */
  reset(): void;
}

/** Counts that say how many tasks have left: those that stand there, those of them that are claimed, and deliveries so far. */
type QueueMoves = Pick<QueueFigures, 'lag' | 'inFlightCount' | 'deliveredCount'>;

const windowMs = 60_000;

interface Look extends QueueMoves {
  readonly atMs: number;
  readonly inCount: number;
}

/** What was worked off between two looks: what came in, less what the lag has grown by; but what was delivered to nobody was purged. */
function outCountOf(first: Look, last: Look): number {
  const left = last.inCount - first.inCount - (last.lag - first.lag);
  const handed = last.deliveredCount - first.deliveredCount - (last.inFlightCount - first.inFlightCount);
  return Math.max(0, Math.min(left, handed));
}

/** Creates the rates. */
export function createLiveRates({ monotonic }: { monotonic(): number }): LiveRates {
  const inCounts = new Map<string, number>();
  const looks = new Map<string, Look[]>();

  return {
    noteTask(queue) {
      inCounts.set(queue, (inCounts.get(queue) ?? 0) + 1);
    },
    noteCounts(queue, { lag, inFlightCount, deliveredCount }) {
      const own = looks.get(queue) ?? [];
      looks.set(queue, own);
      const atMs = monotonic();
      // An engine that forgot its counts tells of another consumer.
      if (deliveredCount < (own.at(-1)?.deliveredCount ?? 0)) own.length = 0;
      own.push({ atMs, inCount: inCounts.get(queue) ?? 0, lag, inFlightCount, deliveredCount });
      while ((own[0]?.atMs ?? atMs) < atMs - windowMs) own.shift();
    },
    of(queue) {
      const own = looks.get(queue) ?? [];
      const [first, last] = [own[0], own.at(-1)];
      if (first === undefined || last === undefined || last.atMs <= first.atMs) return undefined;
      const seconds = (last.atMs - first.atMs) / 1_000;
      const inCount = last.inCount - first.inCount;
      return { inPerSec: inCount / seconds, outPerSec: outCountOf(first, last) / seconds };
    },
    reset() {
      looks.clear();
    },
  };
}
