/** Counters of one bus (protocol.md W10). Law: they are added where the event happens, and add up exactly. */
import { createHistogram, type Histogram } from '../metrics/histogram.ts';
import { createTurnTime, type TurnTime } from '../metrics/turn-time.ts';
import type { Clock } from '../ports/clock.ts';
import { type BusMetrics, maxListedSubscriptions, type SubscriptionStats } from './bus.ts';
import type { DurablePlane } from './durable.ts';

export interface BusCounters {
  publishedCount: number;
  publishedBytes: number;
  receivedCount: number;
  receivedBytes: number;
  /** Of all subscriptions, ended ones too, and of the way itself. */
  droppedCount: number;
  /** How long what was buffered waited for its handler. */
  readonly waits: Histogram;
  /** When what comes now came, for `waits`. */
  readonly turn: TurnTime;
}

/** What has counts of its own to be listed. */
export interface Listed {
  readonly droppedCount: number;
  stats(): SubscriptionStats;
}

/** Counters at zero. */
export function createBusCounters(clock: Clock): BusCounters {
  return {
    ...{ publishedCount: 0, publishedBytes: 0, receivedCount: 0, receivedBytes: 0, droppedCount: 0 },
    waits: createHistogram(),
    turn: createTurnTime(clock),
  };
}

/** Counts a message that was published here. */
export function countPublished(counters: BusCounters, sizeBytes: number): void {
  counters.publishedCount++;
  counters.publishedBytes += sizeBytes;
}

/** Counts as published what a plane has stored; what was stored before is no other message. */
export function countAppends(durable: DurablePlane, counters: BusCounters): DurablePlane {
  return {
    ...durable,
    async append(subject, data, options) {
      const appended = await durable.append(subject, data, options);
      if (!appended.isDuplicate) countPublished(counters, data.length);
      return appended;
    },
  };
}

/** All of them in their order, or if there are too many those with the most drops first. */
export function listSubscriptions(all: ReadonlySet<Listed>): readonly SubscriptionStats[] {
  if (all.size <= maxListedSubscriptions) return Array.from(all, (one) => one.stats());
  const dropping: Listed[] = [];
  const others: Listed[] = [];
  for (const one of all) {
    if (one.droppedCount > 0) dropping.push(one);
    else if (others.length < maxListedSubscriptions) others.push(one);
  }
  dropping.sort((a, b) => b.droppedCount - a.droppedCount);
  return [...dropping, ...others].slice(0, maxListedSubscriptions).map((one) => one.stats());
}

/** The counters with those of the present subscriptions. */
export function toBusMetrics(counters: BusCounters, subscriptions: ReadonlySet<Listed>): BusMetrics {
  const { publishedCount, receivedCount, publishedBytes, receivedBytes, droppedCount, waits } = counters;
  return {
    ...{ publishedCount, receivedCount, publishedBytes, receivedBytes, droppedCount },
    waits: waits.snapshot(),
    subscriptionCount: subscriptions.size,
    subscriptions: listSubscriptions(subscriptions),
  };
}
