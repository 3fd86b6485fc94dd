/**
 * Messages of a consumer that may yet prove sound: they are handed back for a while, in bounded number (protocol.md E21, W3b).
 * Law: however many come, there is room in flight for what is sound; what was not proved in time counts as refused.
 */
export interface Unproven {
  /** Whether a message that cannot be proved now may wait once more; if not it is to be refused. */
  mayWait(delivery: { readonly message: { readonly seq: number }; readonly deliveryCount: number }): boolean;
  /** It was judged: its place is free. */
  settle(seq: number): void;
}

export interface UnprovenBounds {
  /** Messages that wait at once, far fewer than the consumer has in flight at most. */
  readonly capacity: number;
  /** Deliveries of one of them at most. */
  readonly maxDeliveries: number;
}

/** Creates the waiting room of one consumer. */
export function createUnproven({ capacity, maxDeliveries }: UnprovenBounds): Unproven {
  const waiting = new Set<number>();
  return {
    mayWait({ message: { seq }, deliveryCount }) {
      if (deliveryCount >= maxDeliveries || (!waiting.has(seq) && waiting.size >= capacity)) {
        waiting.delete(seq);
        return false;
      }
      waiting.add(seq);
      return true;
    },
    settle(seq) {
      waiting.delete(seq);
    },
  };
}
