/** Counters of one bus (protocol.md W10). Law: they are added where the event happens, and add up exactly. */
import type { BusMetrics } from './bus.ts';
import type { SubscriptionSink } from './subscription-sink.ts';

export interface BusCounters {
  publishedCount: number;
  publishedBytes: number;
  receivedCount: number;
  receivedBytes: number;
  /** Drops that no present subscription accounts for: of ended ones, and of the way itself. */
  otherDroppedCount: number;
}

/** Counters at zero. */
export function createBusCounters(): BusCounters {
  return { publishedCount: 0, publishedBytes: 0, receivedCount: 0, receivedBytes: 0, otherDroppedCount: 0 };
}

/** The counters with those of the present subscriptions. */
export function toBusMetrics(counters: BusCounters, sinks: Iterable<SubscriptionSink>): BusMetrics {
  const subscriptions = Array.from(sinks, (sink) => sink.stats());
  return {
    publishedCount: counters.publishedCount,
    receivedCount: counters.receivedCount,
    publishedBytes: counters.publishedBytes,
    receivedBytes: counters.receivedBytes,
    droppedCount: subscriptions.reduce((sum, stats) => sum + stats.droppedCount, counters.otherDroppedCount),
    subscriptions,
  };
}
