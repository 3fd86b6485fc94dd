/**
 * The bus behind the app, whose engine can be exchanged while everything that uses it stays (product.md "Configuration").
 * Law: subscriptions outlive the engine, requests under way do not, and counters never go back.
 */
import { VakError } from '../../shared/base/vak-error.ts';
import type { Bus, BusMetrics, Delivery, Subscription, SubscriptionStats } from './bus.ts';

export interface LiveBus extends Bus {
  /** Puts another engine behind it; the old one delivers what waits, and closes. */
  exchange(next: Bus): Promise<void>;
}

interface Kept {
  readonly pattern: string;
  readonly delivery: Delivery;
  inner: Subscription;
  past: SubscriptionStats;
}

const nothing = (pattern: string): SubscriptionStats => ({
  pattern,
  deliveredCount: 0,
  droppedCount: 0,
  bufferedCount: 0,
  failedCount: 0,
});

/** Counts of an ended engine's subscription and of its successor; only the successor's wait now. */
function addStats(past: SubscriptionStats, now: SubscriptionStats): SubscriptionStats {
  return {
    pattern: now.pattern,
    deliveredCount: past.deliveredCount + now.deliveredCount,
    droppedCount: past.droppedCount + now.droppedCount,
    bufferedCount: now.bufferedCount,
    failedCount: past.failedCount + now.failedCount,
  };
}

type Totals = Omit<BusMetrics, 'subscriptions'>;

function addTotals(left: Totals, right: Totals): Totals {
  return {
    publishedCount: left.publishedCount + right.publishedCount,
    receivedCount: left.receivedCount + right.receivedCount,
    publishedBytes: left.publishedBytes + right.publishedBytes,
    receivedBytes: left.receivedBytes + right.receivedBytes,
    droppedCount: left.droppedCount + right.droppedCount,
  };
}

/** Creates a live bus on its first engine, which it owns from then on. */
export function createLiveBus(first: Bus): LiveBus {
  const kept = new Set<Kept>();
  let engine = first;
  let past: Totals = { publishedCount: 0, receivedCount: 0, publishedBytes: 0, receivedBytes: 0, droppedCount: 0 };
  let isClosed = false;

  return {
    publish: (subject, data) => engine.publish(subject, data),
    subscribe(pattern, delivery) {
      const entry: Kept = { pattern, delivery, inner: engine.subscribe(pattern, delivery), past: nothing(pattern) };
      kept.add(entry);
      return {
        stats: () => addStats(entry.past, entry.inner.stats()),
        dispose() {
          kept.delete(entry);
          entry.inner.dispose();
        },
      };
    },
    request: (subject, data, options) => engine.request(subject, data, options),
    whenWritable: () => engine.whenWritable(),
    metrics: () => ({
      ...addTotals(past, engine.metrics()),
      subscriptions: Array.from(kept, ({ past: before, inner }) => addStats(before, inner.stats())),
    }),
    async exchange(next) {
      if (isClosed) throw new VakError('closed', 'exchange: the bus is closed');
      const old = engine;
      const ended = Array.from(kept, (entry) => ({ entry, subscription: entry.inner }));
      for (const { entry } of ended) entry.inner = next.subscribe(entry.pattern, entry.delivery);
      engine = next;
      await old.close();
      for (const { entry, subscription } of ended) entry.past = addStats(entry.past, subscription.stats());
      past = addTotals(past, old.metrics());
    },
    async close() {
      isClosed = true;
      await engine.close();
    },
  };
}
