/**
 * The figures of a workspace's queues (protocol.md W9).
 * Law: they are the engine's own counts; nothing is claimed and no consumer is made to get them.
 */
import { isVakError } from '../../shared/base/vak-error.ts';
import type { ConsumerState, DurablePlane } from '../bus/durable.ts';
import type { QueueRates } from './queue-rates.ts';
import { type QueuePlace, queueConsumer, queueOfConsumer, taskSubject, workStreamOf } from './work-queue.ts';

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
  /** A claim is held for so long without a word of its worker, ms. */
  readonly ackWaitMs: number;
  /** As the engine's {@link ConsumerState} tells them. */
  readonly deliveredCount: number;
  readonly lastActiveMs: number | null;
  readonly lastEndedMs: number | null;
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
  /** Without it the rates are 0. */
  readonly rates?: Pick<QueueRates, 'of'>;
  /** Queues that are spoken of: where nobody has made a consumer yet, what stands there waits all the same. */
  readonly spokenOf?: Iterable<string>;
  /** Queues that are looked at at most, the first by name; all are, unless told. */
  readonly limit?: number;
  /** Told how many queues are beyond the limit. */
  readonly onLeftOut?: (count: number) => void;
}

interface Found {
  readonly queue: string;
  readonly state: ConsumerState;
}

/** A queue without a consumer, as the one that whoever comes first makes would see it (W1b). */
function unmade(place: QueuePlace, pendingCount: number): ConsumerState {
  const nothing = { inFlightCount: 0, redeliveredCount: 0, waitingCount: 0, deliveredCount: 0, deliveredSeq: 0 };
  return { ...nothing, spec: queueConsumer(place), pendingCount, lastActiveMs: null, lastEndedMs: null };
}

/** Queues that are asked about at once. */
const width = 16;

function* chunks<T>(all: readonly T[], size: number): Iterable<readonly T[]> {
  for (let at = 0; at < all.length; at += size) yield all.slice(at, at + size);
}

const noRate = { inPerSec: 0, outPerSec: 0 };

/** How long until a lag is worked off; null: it does not get smaller. */
export function drainMsOf(lag: number, inPerSec: number, outPerSec: number): number | null {
  if (lag === 0) return 0;
  return outPerSec > inPerSec ? Math.round((lag * 1_000) / (outPerSec - inPerSec)) : null;
}

async function oldestMsOf(place: QueuePlace, durable: DurablePlane): Promise<number | null> {
  const page = await durable.stream(workStreamOf(place.workspace)).read({ subject: taskSubject(place), limit: 1 });
  return page.messages[0]?.storedMs ?? null;
}

function toCounts(queue: string, state: ConsumerState, oldestMs: number | null): QueueCounts {
  const { spec, pendingCount, inFlightCount, redeliveredCount, waitingCount } = state;
  const { deliveredCount, lastActiveMs, lastEndedMs } = state;
  return {
    ...{
      queue,
      pendingCount,
      inFlightCount,
      redeliveredCount,
      lag: pendingCount + inFlightCount,
      oldestMs,
      waitingCount,
    },
    ...{ maxDeliver: spec.maxDeliver, ackWaitMs: spec.ackWaitMs, deliveredCount, lastActiveMs, lastEndedMs },
  };
}

/** What the engine counts of a queue whose consumer is in that state, and its oldest task. Throws what asking throws. */
export async function countsOf(place: QueuePlace, state: ConsumerState, durable: DurablePlane): Promise<QueueCounts> {
  return toCounts(place.queue, state, await oldestMsOf(place, durable));
}

/** The figures of every queue now, by name. Throws what asking throws; a workspace whose streams were not made has no queues. */
export async function readQueueFigures(deps: QueueFiguresDeps): Promise<readonly QueueFigures[]> {
  const { workspace, durable, rates, spokenOf = [], limit = Number.POSITIVE_INFINITY, onLeftOut = () => {} } = deps;
  const work = durable.stream(workStreamOf(workspace));

  async function figuresOf({ queue, state }: Found, isEmpty: boolean): Promise<QueueFigures> {
    const place = { workspace, queue };
    const counts = toCounts(queue, state, isEmpty ? null : await oldestMsOf(place, durable));
    const { inPerSec, outPerSec } = rates?.of(queue) ?? noRate;
    return { ...counts, inPerSec, outPerSec, drainMs: drainMsOf(counts.lag, inPerSec, outPerSec) };
  }

  try {
    const queues = (await work.consumers()).flatMap((state): Found[] => {
      const queue = queueOfConsumer(state.spec.name);
      return queue === undefined ? [] : [{ queue, state }];
    });
    const isMade = new Set(queues.map(({ queue }) => queue));
    for (const queue of spokenOf) {
      if (isMade.has(queue)) continue;
      const pendingCount = await work.count(taskSubject({ workspace, queue }));
      if (pendingCount > 0) queues.push({ queue, state: unmade({ workspace, queue }, pendingCount) });
    }
    queues.sort((a, b) => a.queue.localeCompare(b.queue));
    onLeftOut(Math.max(0, queues.length - limit));
    const isEmpty = (await work.state()).messageCount === 0;
    const figures: QueueFigures[] = [];
    for (const some of chunks(queues.slice(0, limit), width)) {
      figures.push(...(await Promise.all(some.map((one) => figuresOf(one, isEmpty)))));
    }
    return figures;
  } catch (error) {
    if (isVakError(error, 'not-found')) return [];
    throw error;
  }
}
