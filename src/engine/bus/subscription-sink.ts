/**
 * One subscription's end of a bus: its bound, its policy, its counts (protocol.md B2).
 * Law: accepting a message never waits and never throws; what gives way is counted.
 */
import { createRingBuffer } from '../../shared/base/ring-buffer.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { BufferedDelivery, Delivery, InlineDelivery, Message, SubscriptionStats } from './bus.ts';

export interface SubscriptionSink {
  accept(message: Message): void;
  /** Adds what gave way before it came here; the next batch reports it. */
  countDrops(count: number): void;
  stats(): SubscriptionStats;
  /** Resolves when nothing waits any more and no handler runs. */
  drain(): Promise<void>;
  /** Ends it: what waits is discarded, and counts as dropped. */
  stop(): void;
}

/** What a sink is made of. */
export interface SinkOptions {
  readonly pattern: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface Waiting {
  readonly size: number;
  /** Returns how many messages gave way. */
  push(message: Message): number;
  drain(): Message[];
  clear(): void;
}

function createOldestGivesWay(capacity: number): Waiting {
  const ring = createRingBuffer<Message>(capacity);
  return {
    get size() {
      return ring.size;
    },
    push: (message) => (ring.push(message) === undefined ? 0 : 1),
    drain: () => ring.drain(),
    clear: () => ring.clear(),
  };
}

function createLatestOfEachSubject(capacity: number): Waiting {
  const latest = new Map<string, Message>();
  return {
    get size() {
      return latest.size;
    },
    push(message) {
      const isReplacing = latest.has(message.subject);
      let gaveWay = isReplacing ? 1 : 0;
      if (!isReplacing && latest.size >= capacity) {
        for (const oldest of latest.keys()) {
          latest.delete(oldest);
          gaveWay++;
          break;
        }
      }
      latest.set(message.subject, message);
      return gaveWay;
    },
    drain() {
      const all = [...latest.values()];
      latest.clear();
      return all;
    },
    clear: () => latest.clear(),
  };
}

function createInlineSink(delivery: InlineDelivery, options: SinkOptions): SubscriptionSink {
  let deliveredCount = 0;
  let droppedCount = 0;
  let failedCount = 0;
  let isStopped = false;
  return {
    accept(message) {
      if (isStopped) return;
      deliveredCount++;
      try {
        delivery.onMessage(message);
      } catch (thrown) {
        failedCount++;
        options.logger.bug('bus.subscriber-threw', thrown);
      }
    },
    countDrops(count) {
      droppedCount += count;
    },
    stats: () => ({ pattern: options.pattern, deliveredCount, droppedCount, bufferedCount: 0, failedCount }),
    drain: () => Promise.resolve(),
    stop() {
      isStopped = true;
    },
  };
}

function createBufferedSink(delivery: BufferedDelivery, options: SinkOptions): SubscriptionSink {
  const waiting =
    delivery.kind === 'latest' ? createLatestOfEachSubject(delivery.capacity) : createOldestGivesWay(delivery.capacity);
  let deliveredCount = 0;
  let droppedCount = 0;
  let reportedDrops = 0;
  let failedCount = 0;
  let isScheduled = false;
  let isHandling = false;
  let isStopped = false;
  let idleWaiters: (() => void)[] = [];

  function settle(): void {
    isHandling = false;
    if (waiting.size > 0 && !isStopped) {
      schedule();
      return;
    }
    const waiters = idleWaiters;
    idleWaiters = [];
    for (const resolve of waiters) resolve();
  }

  function failed(thrown: unknown): void {
    failedCount++;
    options.logger.bug('bus.subscriber-threw', thrown);
  }

  function handOver(): void {
    isScheduled = false;
    if (isStopped) {
      settle();
      return;
    }
    const batch = waiting.drain();
    deliveredCount += batch.length;
    const drops = droppedCount - reportedDrops;
    reportedDrops = droppedCount;
    isHandling = true;
    try {
      const handled = delivery.onBatch(batch, drops);
      if (handled === undefined) settle();
      else void handled.catch(failed).then(settle);
    } catch (thrown) {
      failed(thrown);
      settle();
    }
  }

  function schedule(): void {
    if (isScheduled || isHandling) return;
    isScheduled = true;
    options.clock.defer(handOver);
  }

  return {
    accept(message) {
      if (isStopped) return;
      droppedCount += waiting.push(message);
      schedule();
    },
    countDrops(count) {
      droppedCount += count;
    },
    stats: () => ({
      pattern: options.pattern,
      deliveredCount,
      droppedCount,
      bufferedCount: waiting.size,
      failedCount,
    }),
    drain() {
      if (!isScheduled && !isHandling) return Promise.resolve();
      return new Promise((resolve) => idleWaiters.push(resolve));
    },
    stop() {
      isStopped = true;
      droppedCount += waiting.size;
      waiting.clear();
      if (!isHandling) settle();
    },
  };
}

/** Creates the sink for a stated policy. Throws `RangeError` if the capacity is no whole number ≥ 1. */
export function createSubscriptionSink(delivery: Delivery, options: SinkOptions): SubscriptionSink {
  if (delivery.kind === 'inline') return createInlineSink(delivery, options);
  if (!Number.isSafeInteger(delivery.capacity) || delivery.capacity < 1) {
    throw new RangeError(`subscription: capacity must be a whole number ≥ 1, got ${delivery.capacity}`);
  }
  return createBufferedSink(delivery, options);
}
