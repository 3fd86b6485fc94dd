/**
 * A feed whose frames are paid for when they are on screen (architecture.md §5): one version an animation frame, then the credits.
 * Law: credits go back only after paint, and never while hidden; frames of a feed that was replaced are ignored.
 */
import type { VakError } from '../../shared/base/vak-error.ts';
import type { FeedHandle, FeedHandlers } from '../bridge/client.ts';
import type { FrameClock } from './frame-clock.ts';

/** When a model's changes are drawn. */
export interface PaintDeps {
  readonly frameClock: FrameClock;
  /** Runs once what this frame drew has been painted. */
  readonly afterPaint: (run: () => void) => void;
}

export interface PaintedFeed<Frame> {
  readonly error: VakError | undefined;
  subscribe(listener: () => void): () => void;
  getVersion(): number;
  /** Opens a feed in place of the present one. */
  start(open: (handlers: FeedHandlers<Frame>) => FeedHandle): void;
  /** Ends the present feed; what it owes is forgotten. */
  stop(): void;
  /** Something to draw: asks for a frame. */
  touch(): void;
  /** What has come so far may be paid for after the next paint. */
  owe(): void;
  /** Whether it is on screen: if not, nothing is drawn or paid, and the engine buffers. */
  setShown(isShown: boolean): void;
  dispose(): void;
}

/** What it is made of. */
export interface PaintedFeedOptions<Frame> extends PaintDeps {
  readonly isShown: boolean;
  readonly onFrame: (frame: Frame) => void;
  /** Whether the credits may go back with this frame. */
  readonly isTaken: () => boolean;
}

/** Creates it without a feed; `start` opens the first. */
export function createPaintedFeed<Frame>(options: PaintedFeedOptions<Frame>): PaintedFeed<Frame> {
  const { frameClock, afterPaint, onFrame, isTaken } = options;
  const listeners = new Set<() => void>();
  let { isShown } = options;
  let feed: FeedHandle | undefined;
  let error: VakError | undefined;
  let version = 0;
  let isDirty = false;
  let owesCredits = false;

  function touch(): void {
    isDirty = true;
    if (isShown) frameClock.request();
  }

  const frames = frameClock.subscribe(() => {
    if (!isDirty || !isShown) return;
    isDirty = false;
    version++;
    for (const listener of [...listeners]) listener();
    if (!owesCredits || !isTaken()) return;
    owesCredits = false;
    const painted = feed;
    afterPaint(() => painted?.returnCredits());
  });

  function stop(): void {
    feed?.dispose();
    feed = undefined;
    error = undefined;
    owesCredits = false;
  }

  return {
    get error() {
      return error;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    getVersion: () => version,
    start(open) {
      stop();
      const opened: FeedHandle = open({
        onFrame: (frame) => {
          if (opened === feed) onFrame(frame);
        },
        onError: (cause) => {
          if (opened !== feed) return;
          error = cause;
          touch();
        },
      });
      feed = opened;
      touch();
    },
    stop,
    touch,
    owe() {
      owesCredits = true;
      touch();
    },
    setShown(next) {
      isShown = next;
      if (next) touch();
    },
    dispose() {
      frames.dispose();
      stop();
    },
  };
}
