/**
 * The time, read once a turn (protocol.md W10): for what happens too often to look at the clock each time.
 * Law: it is never later than the clock's, and earlier by one turn at most.
 */
import type { Clock } from '../ports/clock.ts';

/** Creates a reading of `clock.monotonic`. */
export function createTurnTime(clock: Clock): () => number {
  let nowMs = 0;
  let isKnown = false;
  const forget = (): void => {
    isKnown = false;
  };
  return () => {
    if (isKnown) return nowMs;
    isKnown = true;
    nowMs = clock.monotonic();
    clock.defer(forget);
    return nowMs;
  };
}
