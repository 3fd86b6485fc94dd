/**
 * A bus for one of several who use it (protocol.md B1).
 * Law: closing it ends what was subscribed through it, when what came so far is handed over, and nothing of the bus itself.
 */
import type { Clock } from '../ports/clock.ts';
import type { Bus, Subscription } from './bus.ts';

/** Lends a bus. */
export function lendBus(bus: Bus, clock: Pick<Clock, 'defer'>): Bus {
  const open = new Set<Subscription>();
  return {
    publish: (subject, data) => bus.publish(subject, data),
    subscribe(pattern, delivery) {
      const subscription = bus.subscribe(pattern, delivery);
      open.add(subscription);
      return {
        stats: () => subscription.stats(),
        dispose() {
          open.delete(subscription);
          subscription.dispose();
        },
      };
    },
    request: (subject, data, options) => bus.request(subject, data, options),
    whenWritable: () => bus.whenWritable(),
    metrics: () => bus.metrics(),
    async close() {
      // What waits in a buffer is handed over in the next turn.
      await new Promise<void>((resolve) => clock.defer(resolve));
      for (const subscription of open) subscription.dispose();
      open.clear();
    },
  };
}
