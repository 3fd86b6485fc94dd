/**
 * Locks what nobody has used for a while.
 * Law: time that the machine slept counts as well: idle is what either clock says, and a late touch does not revive it.
 */
import type { Disposable } from '../../shared/base/disposer.ts';
import type { Clock } from '../ports/clock.ts';

const minuteMs = 60_000;
/** Timers stand still while the machine sleeps: no wait is longer, so that waking locks soon. */
const longestWaitMs = 30_000;

export interface IdleLock extends Disposable {
  /** Somebody is there: begins anew, or locks if it was too late already. */
  touch(): void;
  /** Locks if it is time: timers stood still while the machine slept. */
  check(): void;
}

/** What it needs. */
export interface IdleLockOptions {
  readonly clock: Clock;
  /** Minutes without a touch; 0 for never. */
  readonly idleMinutes: number;
  /** Runs once. */
  readonly onIdle: () => void;
}

/** Begins to wait. */
export function startIdleLock({ clock, idleMinutes, onIdle }: IdleLockOptions): IdleLock {
  if (idleMinutes <= 0) return { touch() {}, check() {}, dispose() {} };
  const idleMs = idleMinutes * minuteMs;
  let sinceMs = clock.monotonic();
  let sinceWallMs = clock.now();
  let timer: Disposable | undefined;
  let isOver = false;

  const restMs = (): number => idleMs - Math.max(clock.monotonic() - sinceMs, clock.now() - sinceWallMs);

  function check(): void {
    if (isOver) return;
    timer?.dispose();
    const rest = restMs();
    if (rest > 0) {
      timer = clock.setTimer(Math.min(rest, longestWaitMs), check);
      return;
    }
    isOver = true;
    onIdle();
  }

  check();
  return {
    check() {
      if (restMs() <= 0) check();
    },
    touch() {
      if (isOver) return;
      if (restMs() <= 0) {
        check();
        return;
      }
      sinceMs = clock.monotonic();
      sinceWallMs = clock.now();
    },
    dispose() {
      isOver = true;
      timer?.dispose();
    },
  };
}
