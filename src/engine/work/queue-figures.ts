/**
 * The figures of a workspace's queues (protocol.md W9).
 * Law: they are the engine's own counts; nothing is claimed and no consumer is made to get them.
 */
import { isVakError } from '../../shared/base/vak-error.ts';
import type { ConsumerState, DurablePlane } from '../bus/durable.ts';
import type { QueueRates } from './queue-rates.ts';
import { type QueuePlace, queueOfConsumer, taskSubject, workStreamOf } from './work-queue.ts';

/** What the engine counts. */
export interface QueueCounts {
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
  /** Workers that wait for a task now. */
  readonly waitingCount: number;
  /** Deliveries of a task at most. */
  readonly maxDeliver: number;
}

export interface QueueFigures extends QueueCounts {
  /** Tasks a second, over the last minute. */
  readonly inPerSec: number;
  readonly outPerSec: number;
  /** At these rates; null: never. */
  readonly drainMs: number | null;
}

export interface QueueFiguresDeps {
  readonly workspace: string;
  readonly durable: DurablePlane;
  readonly rates: QueueRates;
}

/** How long until a lag is worked off; null: it does not get smaller. */
export function drainMsOf(lag: number, inPerSec: number, outPerSec: number): number | null {
  if (lag === 0) return 0;
  return outPerSec > inPerSec ? Math.round((lag * 1_000) / (outPerSec - inPerSec)) : null;
}

/** What the engine counts of a queue whose consumer is in that state, and its oldest task. Throws what asking throws. */
export async function countsOf(
  { workspace, queue }: QueuePlace,
  { spec, pendingCount, inFlightCount, redeliveredCount, waitingCount }: ConsumerState,
  durable: DurablePlane,
): Promise<QueueCounts> {
  const work = durable.stream(workStreamOf(workspace));
  const page = await work.read({ subject: taskSubject({ workspace, queue }), limit: 1 });
  return {
    ...{ queue, pendingCount, inFlightCount, redeliveredCount, lag: pendingCount + inFlightCount, waitingCount },
    ...{ oldestMs: page.messages[0]?.storedMs ?? null, maxDeliver: spec.maxDeliver },
  };
}

/** The figures of every queue now, by name. Throws what asking throws; a workspace whose streams were not made has no queues. */
export async function readQueueFigures(deps: QueueFiguresDeps): Promise<readonly QueueFigures[]> {
  const { workspace, durable, rates } = deps;
  const work = durable.stream(workStreamOf(workspace));

  async function figuresOf(queue: string, state: ConsumerState): Promise<QueueFigures> {
    const counts = await countsOf({ workspace, queue }, state, durable);
    const { inPerSec, outPerSec } = rates.of(queue);
    return { ...counts, inPerSec, outPerSec, drainMs: drainMsOf(counts.lag, inPerSec, outPerSec) };
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
