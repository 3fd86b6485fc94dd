/**
 * One requestAnimationFrame for the whole window (architecture.md §5).
 * Law: work registered for a frame runs once in it; a hidden window runs none, which stops the feeds by itself. Where drawing takes
 * longer than a frame lasts, it gets half of the time: the other half is left to whoever types.
 */
import { type Disposable, toDisposable } from '../../shared/base/disposer.ts';

export interface FrameClock {
  /** Runs `onFrame` in each frame for which `request` was called. */
  subscribe(onFrame: () => void): Disposable;
  /** Asks for one frame. */
  request(): void;
}

/** A frame that comes so much later than they do here was held up by drawing; one of a fast display not before it would be seen. */
const lateRatio = 1.5;
const leastLateMs = 25;
/** Longest that is waited after a frame that came late, ms: whatever held the window up, it draws ten times a second. */
const maxRestMs = 100;

/** When the next frame may be drawn, told from how long the last one kept the window. */
function createPace() {
  /** The display's own interval: the shortest that was seen. */
  let intervalMs = Number.POSITIVE_INFINITY;
  let drawnAtMs: number | undefined;
  let restsUntilMs = Number.NEGATIVE_INFINITY;
  return {
    /** Takes in a frame's time; whether it may be drawn. */
    mayDraw(nowMs: number): boolean {
      if (drawnAtMs !== undefined) {
        const keptMs = nowMs - drawnAtMs;
        if (keptMs > 0) intervalMs = Math.min(intervalMs, keptMs);
        const isLate = keptMs > Math.max(leastLateMs, lateRatio * intervalMs);
        if (isLate) restsUntilMs = Math.min(drawnAtMs + 2 * keptMs, nowMs + maxRestMs);
        drawnAtMs = undefined;
      }
      return nowMs >= restsUntilMs;
    },
    drawn(nowMs: number): void {
      drawnAtMs = nowMs;
    },
  };
}

/** Creates the clock over the window's own animation frames. */
export function createFrameClock(page: Pick<Window, 'requestAnimationFrame'>): FrameClock {
  const listeners = new Set<() => void>();
  const pace = createPace();
  let isWanted = false;
  let isRequested = false;

  function requestFrame(): void {
    if (isRequested) return;
    isRequested = true;
    page.requestAnimationFrame(onFrame);
  }

  function onFrame(nowMs: number): void {
    isRequested = false;
    const mayDraw = pace.mayDraw(nowMs);
    if (!isWanted) return;
    if (mayDraw) {
      isWanted = false;
      pace.drawn(nowMs);
      for (const listener of [...listeners]) listener();
    }
    // After one that was drawn, the next tells how long it took.
    requestFrame();
  }

  return {
    subscribe(listener) {
      listeners.add(listener);
      return toDisposable(() => listeners.delete(listener));
    },
    request() {
      isWanted = true;
      requestFrame();
    },
  };
}
