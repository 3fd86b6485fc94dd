/**
 * The fabric behind the app, whose engine can be exchanged while everything that uses it stays (product.md "Configuration").
 * Law: subscriptions and watches outlive the engine, durable calls go to the present one, and nothing of a former one is left.
 */
import type { Disposable } from '../../shared/base/disposer.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import type { Bus } from '../bus/bus.ts';
import type { Fabric } from '../bus/fabric.ts';
import { createLiveBus } from '../bus/live-bus.ts';
import type { Logger } from '../ports/logger.ts';
import { createLiveDurable } from './live-durable.ts';
import { createLiveStatus, type Outage } from './live-status.ts';
import { createLiveWatches } from './live-watches.ts';

/** `closed` is final only after `close`: an engine that gave up can be exchanged. */
export interface LiveFabric extends Fabric {
  /**
   * Puts another engine behind it, which it owns from then on; resolves when the old one has delivered what waited, and is closed.
   * Throws `closed`, and what the other one refuses; it is closed then, and nothing has changed.
   */
  exchange(next: Fabric): Promise<void>;
  /** Losses of the connection, oldest first, at most 100. */
  outages(): readonly Outage[];
  /** Called when an outage begins, and with the same `fromMs` when it is over. */
  onOutage(listener: (outage: Outage) => void): Disposable;
}

/** An engine, and whether the live bus has let go of it. */
interface Owned {
  readonly fabric: Fabric;
  readonly bus: Bus;
  isReleased(): boolean;
}

function own(fabric: Fabric): Owned {
  const { bus } = fabric;
  let isReleased = false;
  return {
    fabric,
    bus: {
      publish: (subject, data) => bus.publish(subject, data),
      subscribe: (pattern, delivery) => bus.subscribe(pattern, delivery),
      request: (subject, data, options) => bus.request(subject, data, options),
      whenWritable: () => bus.whenWritable(),
      metrics: () => bus.metrics(),
      close() {
        isReleased = true;
        return bus.close();
      },
    },
    isReleased: () => isReleased,
  };
}

/** Closes a fabric after something that ends, whatever became of that. */
async function closeAfter(before: Promise<void>, fabric: Fabric): Promise<void> {
  try {
    await before;
  } finally {
    await fabric.close();
  }
}

/** Creates it on its first engine, which it owns from then on. */
export function createLiveFabric(first: Fabric, { logger }: { readonly logger: Logger }): LiveFabric {
  let present = own(first);
  const bus = createLiveBus(present.bus);
  const watches = createLiveWatches(
    () => present.fabric.durable,
    (thrown) => logger.bug('connection.watch', thrown),
  );
  const durable = createLiveDurable(() => present.fabric.durable, watches);
  const status = createLiveStatus(first, logger);
  const endings = new Set<Promise<void>>();
  let closing: Promise<void> | undefined;

  function noteEnd(ending: Promise<void>): Promise<void> {
    const settled = ending.then(
      () => {},
      () => {},
    );
    endings.add(settled);
    void settled.then(() => endings.delete(settled));
    return ending;
  }

  async function close(): Promise<void> {
    watches.dispose();
    try {
      await bus.close();
      await Promise.all(endings);
    } finally {
      await present.fabric.close().finally(status.end);
    }
  }

  return {
    bus,
    durable,
    status: status.status,
    onStatus: status.onStatus,
    outages: status.outages,
    onOutage: status.onOutage,
    facts: () => present.fabric.facts(),
    ping: () => present.fabric.ping(),
    async exchange(next) {
      if (closing !== undefined) {
        await next.close();
        throw new VakError('closed', 'exchange: the fabric is closed');
      }
      const old = present;
      const incoming = own(next);
      // It moves within this call, or not at all.
      const moved = bus.exchange(incoming.bus);
      if (!old.isReleased()) return await closeAfter(moved, next);
      present = incoming;
      const ending = noteEnd(closeAfter(moved, old.fabric));
      watches.move();
      status.follow(next);
      await ending;
    },
    close() {
      closing ??= close();
      return closing;
    },
  };
}
