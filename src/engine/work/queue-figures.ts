/**
 * The figures of a workspace's queues (protocol.md W9).
 * Law: they are the engine's own counts; nothing is claimed and no consumer is made to get them.
 */
import { isVakError } from '../../shared/base/vak-error.ts';
import type { ConsumerState, DurablePlane } from '../bus/durable.ts';
import type { QueueRates } from './queue-rates.ts';
import { queueOfConsumer, taskSubject, workStreamOf } from './work-queue.ts';

export interface QueueFigures {
  readonly queue: string;
  /** Not delivered yet. */
  readonly pendingCount: number;
  /** Claimed, or waiting for their next attempt. */
  readonly inFlightCount: number;
  readonly redeliveredCount: number;
  /** Pending and in flight. */
  readonly lag: number;
  /** When the oldest task that stands in the queue was stored, ms since the epoch; null: none does. */
  readonly oldestMs: number | null;
  /** Tasks a second, over the last minute. */
  readonly inPerSec: number;
  readonly outPerSec: number;
  /** At these rates; null: never. */
  readonly drainMs: number | null;
  /** Workers that wait for a task now. */
  readonly waitingCount: number;
  /** Deliveries of a task at most. */
  readonly maxDeliver: number;
  /** A claim is held for so long without a word of its worker, ms. */
  readonly ackWaitMs: number;
  /** As the engine's {@link ConsumerState} tells them. */
  readonly deliveredCount: number;
  readonly lastActiveMs: number | null;
  readonly lastEndedMs: number | null;
}

export interface QueueFiguresDeps {
  readonly workspace: string;
  readonly durable: DurablePlane;
  /** Without it the rates are 0. */
  readonly rates?: Pick<QueueRates, 'of'>;
}

const noRate = { inPerSec: 0, outPerSec: 0 };

/** How long until a lag is worked off; null: it does not get smaller. */
export function drainMsOf(lag: number, inPerSec: number, outPerSec: number): number | null {
  if (lag === 0) return 0;
  return outPerSec > inPerSec ? Math.round((lag * 1_000) / (outPerSec - inPerSec)) : null;
}

/** The figures of every queue now, by name. Throws what asking throws; a workspace whose streams were not made has no queues. */
export async function readQueueFigures(deps: QueueFiguresDeps): Promise<readonly QueueFigures[]> {
  const { workspace, durable, rates } = deps;
  const work = durable.stream(workStreamOf(workspace));

  async function figuresOf(queue: string, state: ConsumerState): Promise<QueueFigures> {
    const { spec, pendingCount, inFlightCount, redeliveredCount, waitingCount } = state;
    const { deliveredCount, lastActiveMs, lastEndedMs } = state;
    const page = await work.read({ subject: taskSubject({ workspace, queue }), limit: 1 });
    const lag = pendingCount + inFlightCount;
    const { inPerSec, outPerSec } = rates?.of(queue) ?? noRate;
    return {
      ...{ queue, pendingCount, inFlightCount, redeliveredCount, lag, waitingCount, inPerSec, outPerSec },
      ...{ oldestMs: page.messages[0]?.storedMs ?? null, maxDeliver: spec.maxDeliver },
      ...{ ackWaitMs: spec.ackWaitMs, deliveredCount, lastActiveMs, lastEndedMs },
      drainMs: drainMsOf(lag, inPerSec, outPerSec),
    };
  }

  try {
    const figures: QueueFigures[] = [];
    for (const state of await work.consumers()) {
      const queue = queueOfConsumer(state.spec.name);
      if (queue !== undefined) figures.push(await figuresOf(queue, state));
    }
    return figures.sort((a, b) => a.queue.localeCompare(b.queue));
  } catch (error) {
    if (isVakError(error, 'not-found')) return [];
    throw error;
  }
}
