/**
 * A clock that tests move by hand (protocol.md B7).
 * Law: nothing happens until `advance` or `runDeferred` is called; equal calls give equal histories.
 */
import { type Disposable, toDisposable } from '../../shared/base/disposer.ts';
import type { Clock } from './clock.ts';

export interface FakeClock extends Clock {
  /** Moves time forward, running due timers in order of their time, and deferred work before and after each. */
  advance(ms: number): void;
  /** Runs deferred work until none is left. */
  runDeferred(): void;
  /** Timers and tickers that are set; the leak checks read it. */
  readonly timerCount: number;
}

interface FakeTimer {
  readonly order: number;
  readonly everyMs: number | undefined;
  readonly run: () => void;
  dueMs: number;
}

/** Creates a clock that stands at `startMs` (ms since the epoch). */
export function createFakeClock(startMs = Date.UTC(2026, 0, 2, 3, 4, 5)): FakeClock {
  const timers = new Set<FakeTimer>();
  let deferred: (() => void)[] = [];
  let elapsedMs = 0;
  let order = 0;

  function add(delayMs: number, everyMs: number | undefined, run: () => void): Disposable {
    const timer: FakeTimer = { order: order++, everyMs, run, dueMs: elapsedMs + Math.max(0, delayMs) };
    timers.add(timer);
    return toDisposable(() => timers.delete(timer));
  }

  function runDeferred(): void {
    while (deferred.length > 0) {
      const batch = deferred;
      deferred = [];
      for (const run of batch) run();
    }
  }

  function nextDue(untilMs: number): FakeTimer | undefined {
    let next: FakeTimer | undefined;
    for (const timer of timers) {
      if (timer.dueMs > untilMs) continue;
      if (!next || timer.dueMs < next.dueMs || (timer.dueMs === next.dueMs && timer.order < next.order)) next = timer;
    }
    return next;
  }

  return {
    now: () => startMs + elapsedMs,
    monotonic: () => elapsedMs,
    setTimer: (delayMs, run) => add(delayMs, undefined, run),
    setTicker: (intervalMs, run) => add(intervalMs, intervalMs, run),
    defer(run) {
      deferred.push(run);
    },
    advance(ms) {
      const untilMs = elapsedMs + ms;
      runDeferred();
      for (let timer = nextDue(untilMs); timer; timer = nextDue(untilMs)) {
        elapsedMs = Math.max(elapsedMs, timer.dueMs);
        if (timer.everyMs === undefined) timers.delete(timer);
        else timer.dueMs += timer.everyMs;
        timer.run();
        runDeferred();
      }
      elapsedMs = untilMs;
    },
    runDeferred,
    get timerCount() {
      return timers.size;
    },
  };
}
