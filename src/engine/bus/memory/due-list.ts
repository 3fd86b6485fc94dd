/**
 * What is due, in order of time, then of number.
 * Law: the last in order is added, and the first removed, at once; else it costs the logarithm of the count and a move.
 */
import { lowerBound } from './seq-list.ts';

export interface Due {
  readonly seq: number;
  readonly dueMs: number;
}

export interface DueList<T extends Due> {
  size(): number;
  /** Adds one that is not there; while it is, its time stays. */
  add(due: T): void;
  /** Removes it if it is there. */
  delete(due: T): void;
  first(): T | undefined;
}

/** Passed places at the front that are not worth a copy. */
const slack = 256;

const isBefore = (a: Due, b: Due): boolean => a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.seq < b.seq);

/** Creates an empty list. */
export function createDueList<T extends Due>(): DueList<T> {
  /** In order from `head` on. */
  let order: T[] = [];
  let head = 0;

  function indexOf(due: T): number {
    return head + lowerBound(order.length - head, (index) => !isBefore(order[head + index] as T, due));
  }

  function removeFirst(): void {
    head++;
    if (head === order.length) order = [];
    else if (head > slack && head * 2 > order.length) order = order.slice(head);
    else return;
    head = 0;
  }

  return {
    size: () => order.length - head,
    add(due) {
      const last = order.at(-1);
      if (last === undefined || isBefore(last, due)) order.push(due);
      else order.splice(indexOf(due), 0, due);
    },
    delete(due) {
      if (order[head] === due) {
        removeFirst();
        return;
      }
      const at = indexOf(due);
      if (order[at] === due) order.splice(at, 1);
    },
    first: () => order[head],
  };
}
