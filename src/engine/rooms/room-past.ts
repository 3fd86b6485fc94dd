/**
 * How a room stood before one of its former entries (docs/spec/rooms.md R21): whether a late entry is a fork only that state says.
 * Law: whoever names former entries without end costs a part of the log each time, not all of it; what is kept for that is bounded.
 */

import type { VerifiedEntry } from './room-entry.ts';
import { beginRoom, type RoomStandingMachine } from './room-standing.ts';

/** States that are kept, and how many entries lie between two of them at least. */
const maxKept = 16;
const leastSpacing = 64;

export interface RoomPast {
  /** The state before entry `n`; nobody may apply anything to it. Undefined: before CREATE. */
  before(n: number): RoomStandingMachine | undefined;
}

/** Creates it over the entries that count, which only grow. */
export function createRoomPast(entries: readonly Pick<VerifiedEntry, 'entry'>[]): RoomPast {
  const kept = new Map<number, RoomStandingMachine>();
  let spacing = leastSpacing;

  function keep(n: number, state: RoomStandingMachine): void {
    if (n % spacing !== 0 || kept.has(n)) return;
    kept.set(n, state.copy());
    if (kept.size <= maxKept) return;
    spacing *= 2;
    for (const at of kept.keys()) if (at % spacing !== 0) kept.delete(at);
  }

  /** The nearest place that is kept, not after `n`. */
  function nearest(n: number): number {
    for (let at = n - (n % spacing); at > 0; at -= spacing) if (kept.has(at)) return at;
    return 0;
  }

  return {
    before(n) {
      const from = nearest(n);
      let state = kept.get(from)?.copy();
      for (let at = from; at < n; at++) {
        const entry = entries[at]?.entry;
        if (entry === undefined) break;
        if (state !== undefined) state.apply(entry);
        else if (entry.body.type === 'CREATE') state = beginRoom({ ...entry, body: entry.body });
        if (state !== undefined) keep(at + 1, state);
      }
      return state;
    },
  };
}
