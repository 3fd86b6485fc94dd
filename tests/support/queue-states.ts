/** Queues as a page is told of them. */
import type { QueueState } from '../../src/shared/contract/queues-contract.ts';

/** A queue that is empty and has never been claimed from, unless told otherwise. */
export function queueState(queue: string, more: Partial<QueueState> = {}): QueueState {
  return {
    queue,
    ...{ pendingCount: 0, inFlightCount: 0, redeliveredCount: 0, lag: 0, oldestMs: null },
    ...{ inPerSec: 0, outPerSec: 0, drainMs: null, maxDeliver: 4, waitingCount: 0, lastClaimMs: null },
    ...{
      health: 'idle',
      healthSinceMs: 0,
      paused: null,
      refusedFlag: null,
      lagHistory: [],
      trend: 'steady',
      workers: [],
    },
    outcomes: { queued: 0, refused: 0, retrying: 0, done: 0, dead: 0, 'finished-late': 0, lost: 0, purged: 0 },
    ...more,
  };
}
