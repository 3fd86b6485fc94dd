/**
 * Numbers in the order of when they are due, then of themselves.
 * Law: one place a number; finding costs the logarithm of the count, and the count is what a consumer has in flight.
 */
import { lowerBound } from './seq-list.ts';

interface Due {
  readonly seq: number;
  readonly dueMs: number;
}

export interface DueList {
  readonly size: number;
  /** Adds it, or moves it. */
  set(seq: number, dueMs: number): void;
  delete(seq: number): void;
  first(): Due | undefined;
}

/** Creates an empty list. */
export function createDueList(): DueList {
  const order: Due[] = [];
  const dueBySeq = new Map<number, number>();

  const indexOf = (seq: number, dueMs: number): number =>
    lowerBound(order.length, (index) => {
      const other = order[index] as Due;
      return other.dueMs > dueMs || (other.dueMs === dueMs && other.seq >= seq);
    });

  function remove(seq: number): void {
    const dueMs = dueBySeq.get(seq);
    if (dueMs === undefined) return;
    dueBySeq.delete(seq);
    order.splice(indexOf(seq, dueMs), 1);
  }

  return {
    get size() {
      return order.length;
    },
    set(seq, dueMs) {
      remove(seq);
      dueBySeq.set(seq, dueMs);
      order.splice(indexOf(seq, dueMs), 0, { seq, dueMs });
    },
    delete: remove,
    first: () => order[0],
  };
}
