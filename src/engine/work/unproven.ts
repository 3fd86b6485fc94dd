/**
 * Messages of a consumer that may yet prove sound: they are handed back for a while, in bounded number (protocol.md E21, W3b).
 * Law: however many come, there is room in flight for what is sound; what was not proved in time counts as refused.
 */
import type { Clock } from '../ports/clock.ts';

export interface Unproven {
  /** Whether a message that cannot be proved now may wait once more; if not it is to be refused. */
  mayWait(delivery: { readonly message: { readonly seq: number }; readonly deliveryCount: number }): boolean;
  /** It was judged: its place is free. */
  settle(seq: number): void;
}

export interface UnprovenBounds {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** How long a place is kept, ms: a message that was handed back may come to another process next, and then never here again. */
  readonly holdMs: number;
  /** Messages that wait at once, far fewer than the consumer has in flight at most. */
  readonly capacity: number;
  /** Deliveries of one of them at most. */
  readonly maxDeliveries: number;
}

/** Creates the waiting room of one consumer. */
export function createUnproven({ clock, holdMs, capacity, maxDeliveries }: UnprovenBounds): Unproven {
  /** When the place of each is given up, by `clock.monotonic`; the oldest first. */
  const waiting = new Map<number, number>();

  function giveUpOld(): void {
    const nowMs = clock.monotonic();
    for (const [seq, untilMs] of waiting) {
      if (untilMs > nowMs) return;
      waiting.delete(seq);
    }
  }

  return {
    mayWait({ message: { seq }, deliveryCount }) {
      giveUpOld();
      if (deliveryCount >= maxDeliveries || (!waiting.has(seq) && waiting.size >= capacity)) {
        waiting.delete(seq);
        return false;
      }
      waiting.delete(seq);
      waiting.set(seq, clock.monotonic() + holdMs);
      return true;
    },
    settle(seq) {
      waiting.delete(seq);
    },
  };
}
