/**
 * The bus behind the app, whose engine can be exchanged while everything that uses it stays (product.md "Configuration").
 * Law: subscriptions outlive the engine, in order and one batch at a time; requests under way do not; counters never go back.
 */
import { VakError } from '../../shared/base/vak-error.ts';
import { addSnapshots, emptySnapshot } from '../metrics/histogram.ts';
import type { Bus, BusMetrics, Delivery, Subscription, SubscriptionStats } from './bus.ts';
import { type Listed, listSubscriptions } from './bus-counters.ts';

export interface LiveBus extends Bus {
  /**
   * Puts another engine behind it, which it owns from then on; the old one delivers what waits, and closes, which this waits
   * for. Throws `closed`, and closes the other one then.
   */
  exchange(next: Bus): Promise<void>;
}

interface Kept extends Listed {
  readonly pattern: string;
  readonly delivery: Delivery;
  /** Of the engines that are closing, then of the present one. */
  inner: readonly Subscription[];
  past: SubscriptionStats;
  /** Of the present engine. */
  stage: Stage | undefined;
  isEnded: boolean;
}

/** Counts of several engines' subscriptions, one after the other. */
function addStats(left: SubscriptionStats, right: SubscriptionStats): SubscriptionStats {
  return {
    pattern: left.pattern,
    deliveredCount: left.deliveredCount + right.deliveredCount,
    droppedCount: left.droppedCount + right.droppedCount,
    bufferedCount: left.bufferedCount + right.bufferedCount,
    failedCount: left.failedCount + right.failedCount,
  };
}

const statsOf = ({ inner, past }: Kept): SubscriptionStats =>
  inner.reduce((sum, one) => addStats(sum, one.stats()), past);

type Totals = Omit<BusMetrics, 'subscriptions' | 'subscriptionCount'>;

function addTotals(left: Totals, right: Totals): Totals {
  return {
    publishedCount: left.publishedCount + right.publishedCount,
    receivedCount: left.receivedCount + right.receivedCount,
    publishedBytes: left.publishedBytes + right.publishedBytes,
    receivedBytes: left.receivedBytes + right.receivedBytes,
    droppedCount: left.droppedCount + right.droppedCount,
    waits: addSnapshots(left.waits, right.waits),
  };
}

const noTotals: Totals = {
  ...{ publishedCount: 0, receivedCount: 0, publishedBytes: 0, receivedBytes: 0, droppedCount: 0 },
  waits: emptySnapshot,
};

/** How an engine delivers to a subscription, and what of it is under way. */
interface Stage {
  readonly delivery: Delivery;
  /** Settles when the handler that runs, or waits to run, is done. */
  idle(): Promise<void> | undefined;
}

/** One engine's stage. What its predecessor has taken is handled before: `predecessor` settles when it hands over nothing more. */
function stageOf(entry: Kept, predecessor?: Promise<void>): Stage {
  const { delivery, stage: last } = entry;
  if (delivery.kind === 'inline') return { delivery, idle: () => undefined };
  const { onBatch } = delivery;
  let before = predecessor?.then(() => last?.idle());
  let running: Promise<void> | undefined;
  void before?.then(() => {
    before = undefined;
  });
  return {
    delivery: {
      ...delivery,
      onBatch(messages, dropped) {
        const handled =
          before === undefined
            ? onBatch(messages, dropped)
            : before.then(() => (entry.isEnded ? undefined : onBatch(messages, dropped)));
        running = handled?.catch(() => {});
        return handled;
      },
    },
    idle: () => running,
  };
}

/** Creates a live bus on its first engine, which it owns from then on. */
export function createLiveBus(first: Bus): LiveBus {
  const kept = new Set<Kept>();
  const closing = new Set<Bus>();
  let engine = first;
  let past = noTotals;
  /** Settled when no engine is closing. */
  let ending: Promise<void> = Promise.resolve();
  let isClosed = false;

  /** Subscribes everything to another engine; nothing is changed if one of them fails. */
  function moveTo(next: Bus, predecessor: Promise<void>): void {
    const moved = Array.from(kept, (entry) => {
      const stage = stageOf(entry, predecessor);
      return { entry, stage, one: next.subscribe(entry.pattern, stage.delivery) };
    });
    for (const { entry, stage, one } of moved) {
      entry.stage = stage;
      entry.inner = [...entry.inner, one];
    }
    engine = next;
  }

  /** Ends an engine; its counts are added to the past in the turn in which it is no longer asked for them. */
  async function retire(old: Bus, subscriptions: readonly { readonly entry: Kept; readonly one: Subscription }[]) {
    closing.add(old);
    try {
      await old.close();
    } finally {
      for (const { entry, one } of subscriptions) {
        if (!entry.inner.includes(one)) continue;
        entry.past = { ...addStats(entry.past, one.stats()), bufferedCount: 0 };
        entry.inner = entry.inner.filter((other) => other !== one);
      }
      past = addTotals(past, old.metrics());
      closing.delete(old);
    }
  }

  return {
    publish: (subject, data) => engine.publish(subject, data),
    subscribe(pattern, delivery) {
      const zero = { pattern, deliveredCount: 0, droppedCount: 0, bufferedCount: 0, failedCount: 0 };
      const entry: Kept = {
        ...{ pattern, delivery, inner: [], past: zero, stage: undefined, isEnded: false },
        stats: () => statsOf(entry),
        get droppedCount() {
          return statsOf(entry).droppedCount;
        },
      };
      entry.stage = stageOf(entry);
      entry.inner = [engine.subscribe(pattern, entry.stage.delivery)];
      kept.add(entry);
      return {
        stats: entry.stats,
        dispose() {
          entry.isEnded = true;
          kept.delete(entry);
          for (const one of entry.inner) one.dispose();
        },
      };
    },
    request: (subject, data, options) => engine.request(subject, data, options),
    whenWritable: () => engine.whenWritable(),
    metrics: () => ({
      ...[...closing, engine].reduce<Totals>((sum, one) => addTotals(sum, one.metrics()), past),
      subscriptionCount: kept.size,
      subscriptions: listSubscriptions(kept),
    }),
    async exchange(next) {
      const old = engine;
      const subscriptions = Array.from(kept, (entry) => ({ entry, one: entry.inner.at(-1) as Subscription }));
      const earlier = ending;
      let retired: () => void = () => {};
      const predecessor = new Promise<void>((resolve) => {
        retired = resolve;
      });
      try {
        if (isClosed) throw new VakError('closed', 'exchange: the bus is closed');
        moveTo(next, predecessor);
      } catch (error) {
        await next.close();
        throw error;
      }
      const end = Promise.all([earlier, retire(old, subscriptions)]).then(() => {});
      ending = end.catch(() => {});
      void ending.then(retired);
      await end;
    },
    async close() {
      isClosed = true;
      await Promise.all([ending, engine.close()]);
    },
  };
}
