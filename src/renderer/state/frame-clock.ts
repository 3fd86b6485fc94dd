/**
 * One requestAnimationFrame for the whole window (architecture.md §5).
 * Law: work registered for a frame runs once in it; a hidden window runs none, which stops the feeds by itself.
 */
import { type Disposable, toDisposable } from '../../shared/base/disposer.ts';

export interface FrameClock {
  /** Runs `onFrame` in each frame for which `request` was called. */
  subscribe(onFrame: () => void): Disposable;
  /** Asks for one frame. */
  request(): void;
}

/** Creates the clock over the window's own animation frames. */
export function createFrameClock(page: Pick<Window, 'requestAnimationFrame'>): FrameClock {
  const listeners = new Set<() => void>();
  let isRequested = false;
  return {
    subscribe(onFrame) {
      listeners.add(onFrame);
      return toDisposable(() => listeners.delete(onFrame));
    },
    request() {
      if (isRequested) return;
      isRequested = true;
      page.requestAnimationFrame(() => {
        isRequested = false;
        for (const onFrame of [...listeners]) onFrame();
      });
    },
  };
}
