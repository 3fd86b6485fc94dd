/**
 * The queues of a workspace as they were at the last look: figures, health, how their lag went (protocol.md W9).
 * Law: they are the engine's own counts; a queue that tasks wait in is looked at, whether or not anybody has made it.
 */
import type { DurablePlane } from '../bus/durable.ts';
import type { Clock } from '../ports/clock.ts';
import { type ConsumerHealth, judgeConsumer } from './consumer-health.ts';
import { createLagHistory } from './lag-history.ts';
import { type QueueFigures, readQueueFigures } from './queue-figures.ts';
import type { QueueFlag } from './queue-flags.ts';
import type { QueueRates } from './queue-rates.ts';
import type { RefusedValue } from './state-watch.ts';
import type { TaskBook } from './task-book.ts';

/** What a look found out about a queue. */
export interface WatchedQueue {
  readonly figures: QueueFigures;
  readonly health: ConsumerHealth;
  readonly flag: QueueFlag | undefined;
  readonly lagHistory: readonly number[];
}

export interface WatchedQueues {
  /** By name. */
  all(): readonly WatchedQueue[];
  /** Queues that are left out because there are too many. */
  leftOutCount(): number;
  /** The flag of a queue that lies there now and does not count. */
  refusedFlagOf(queue: string): RefusedValue | undefined;
  /** When they were read last, ms since the epoch. */
  readAtMs(): number | null;
  /** Throws what reading throws. */
  read(): Promise<void>;
}

export interface WatchedQueuesDeps {
  readonly workspace: string;
  readonly durable: DurablePlane;
  readonly rates: Pick<QueueRates, 'of'>;
  readonly book: Pick<TaskBook, 'queues' | 'countsOf'>;
  readonly flagOf: (queue: string) => QueueFlag | undefined;
  readonly refusedFlagOf: (queue: string) => RefusedValue | undefined;
  readonly clock: Clock;
}

const maxQueues = 200;
/** Queues that a task waits in, of which it is asked whether somebody has made them. */
const maxUnmade = 250;

/** Creates it; nothing is read before `read`. */
export function createWatchedQueues(deps: WatchedQueuesDeps): WatchedQueues {
  const { workspace, durable, rates, book, flagOf, clock } = deps;
  const history = createLagHistory();
  let health = new Map<string, ConsumerHealth>();
  let figures: readonly QueueFigures[] = [];
  let leftOutCount = 0;
  let readAtMs: number | null = null;
  const onLeftOut = (count: number): void => {
    leftOutCount = count;
  };

  function isWaiting(queue: string): boolean {
    const { queued, refused, retrying } = book.countsOf(queue);
    return queued + refused + retrying > 0;
  }

  function judge(one: QueueFigures, atMs: number): ConsumerHealth {
    const isPaused = flagOf(one.queue)?.isPaused === true;
    return judgeConsumer({ ...one, isPaused, atMs }, health.get(one.queue));
  }

  return {
    all: () =>
      figures.flatMap((one) => {
        const { queue } = one;
        const own = health.get(queue);
        if (own === undefined) return [];
        return [{ figures: one, health: own, flag: flagOf(queue), lagHistory: history.of(queue) }];
      }),
    leftOutCount: () => leftOutCount,
    refusedFlagOf: deps.refusedFlagOf,
    readAtMs: () => readAtMs,
    async read() {
      const spokenOf = [...book.queues()].filter(isWaiting).slice(0, maxUnmade);
      figures = await readQueueFigures({ workspace, durable, rates, spokenOf, limit: maxQueues, onLeftOut });
      const atMs = clock.now();
      health = new Map(figures.map((one) => [one.queue, judge(one, atMs)]));
      history.note(new Map(figures.map(({ queue, lag }) => [queue, lag])), clock.monotonic());
      readAtMs = atMs;
    },
  };
}
