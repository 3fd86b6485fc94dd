/**
 * Takes in what arrives in turns that stay short: thousands that come at once leave room for whoever else needs the thread.
 * Law: order is kept and nothing is lost. Few wait; beyond their bound the oldest is taken in at once, which slows whoever sends and
 * keeps memory as it is.
 */
import { createRingBuffer } from '../../shared/base/ring-buffer.ts';
import type { Clock } from '../ports/clock.ts';

/** How long a turn may last, ms. An operator's keys go through the same thread: so long a key may wait. */
export const turnMs = 4;
/** Most that wait for a later turn. */
export const maxWaiting = 1024;

/** Gives what takes one now if there is time, else in a later turn. */
export function createArrivalTurns<T>(
  clock: Pick<Clock, 'monotonic' | 'defer'>,
  takeIn: (arrived: T) => void,
): (arrived: T) => void {
  const waiting = createRingBuffer<{ readonly arrived: T }>(maxWaiting);
  let endsMs: number | undefined;

  /** Whether the present turn has time left; the first who asks begins one. */
  function hasTime(): boolean {
    const nowMs = clock.monotonic();
    if (endsMs === undefined) {
      endsMs = nowMs + turnMs;
      clock.defer(takeWaiting);
    }
    return nowMs < endsMs;
  }

  function takeWaiting(): void {
    endsMs = undefined;
    while (waiting.size > 0 && hasTime()) takeIn((waiting.shift() as { arrived: T }).arrived);
  }

  return (arrived) => {
    if (waiting.size === 0 && hasTime()) {
      takeIn(arrived);
      return;
    }
    const oldest = waiting.push({ arrived });
    if (oldest !== undefined) takeIn(oldest.arrived);
  };
}
