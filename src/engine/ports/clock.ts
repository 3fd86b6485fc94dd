/**
 * Time as the engine sees it (protocol.md B7).
 * Law: no engine code reads time or sets a timer but through this port.
 */
import { type Disposable, toDisposable } from '../../shared/base/disposer.ts';

export interface Clock {
  /** Wall-clock time, ms since the epoch. */
  now(): number;
  /** Monotonic time in ms, for durations. */
  monotonic(): number;
  /** Runs once after `delayMs`. */
  setTimer(delayMs: number, run: () => void): Disposable;
  /** Runs every `intervalMs`. */
  setTicker(intervalMs: number, run: () => void): Disposable;
  /** Runs after the current turn, in order of the calls. */
  defer(run: () => void): void;
}

/** The machine's own clock. Its timers do not keep a process alive. */
export function createSystemClock(): Clock {
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    setTimer(delayMs, run) {
      const timer = setTimeout(run, delayMs);
      timer.unref();
      return toDisposable(() => clearTimeout(timer));
    },
    setTicker(intervalMs, run) {
      const timer = setInterval(run, intervalMs);
      timer.unref();
      return toDisposable(() => clearInterval(timer));
    },
    defer(run) {
      setImmediate(run);
    },
  };
}
