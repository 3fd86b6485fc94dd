/**
 * When the coordinator puts tasks into its queue, and how many: in bursts, so that the lag is seen to rise and to fall (W9).
 * Law: never more than three tasks a worker stand in the queue, whatever waits there already; without workers there are none.
 */
import type { Clock } from '../ports/clock.ts';

/** Tasks a worker that stand in the queue at most. */
const tasksPerWorker = 3;
/** So long nothing waits before the next burst, ms: the queue is seen empty. */
const restMs = 1_500;
/** The same while most workers are still at something: a long task holds nobody else up. */
const longRestMs = 6_000;

/** The queue as it is now. */
export interface QueueLook {
  /** Not delivered yet, those that are on their way into the queue among them. */
  readonly pendingCount: number;
  readonly inFlightCount: number;
  readonly workerCount: number;
}

export interface BurstPace {
  /** How many tasks are due now. */
  due(look: QueueLook): number;
}

/** Creates it; the first burst is due at the first look. */
export function createBurstPace(clock: Pick<Clock, 'monotonic'>): BurstPace {
  let isFirst = true;
  /** Since when nothing waits. */
  let emptyMs: number | undefined;
  return {
    due({ pendingCount, inFlightCount, workerCount }) {
      if (workerCount === 0) return 0;
      if (pendingCount > 0) {
        emptyMs = undefined;
        return 0;
      }
      const nowMs = clock.monotonic();
      emptyMs ??= nowMs;
      const neededMs = inFlightCount > workerCount / 2 ? longRestMs : restMs;
      if (!isFirst && nowMs - emptyMs < neededMs) return 0;
      isFirst = false;
      emptyMs = undefined;
      return Math.max(0, tasksPerWorker * workerCount - inFlightCount);
    },
  };
}
