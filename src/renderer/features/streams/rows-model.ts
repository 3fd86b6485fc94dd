/**
 * The live table's state outside React: its feed, its ring of rows, pause, place and selection (architecture.md §5).
 * Law: one version a frame at most; credits go back only after paint, and never while paused, hidden or out of view.
 */

import type { VakError } from '../../../shared/base/vak-error.ts';
import type { AppContract } from '../../../shared/contract/app-contract.ts';
import type { RowsFrame } from '../../../shared/contract/streams-contract.ts';
import type { FeedHandle, OpenFeed } from '../../bridge/client.ts';
import type { FrameClock } from '../../state/frame-clock.ts';
import { createLiveBuffer, type LiveBuffer } from '../../state/live-buffer.ts';
import { createTableScroll, type TableScroll } from './table-scroll.ts';

/** What the engine had received when the table was paused. */
export interface PauseMark {
  readonly seq: number;
  readonly receivedBytes: number;
}

export interface RowsModel {
  readonly buffer: LiveBuffer;
  readonly scroll: TableScroll;
  /** Subjects that the open feed matches; undefined before the first `open`. */
  readonly pattern: string | undefined;
  /** Rises with each `open`; rows of different epochs are never the same. */
  readonly epoch: number;
  readonly hasFrames: boolean;
  readonly error: VakError | undefined;
  readonly pausedAt: PauseMark | undefined;
  readonly selectedSeq: number | undefined;
  subscribe(listener: () => void): () => void;
  getVersion(): number;
  /** Shows other subjects, from the oldest that the engine holds. The same pattern again changes nothing. */
  open(pattern: string): void;
  /** Opens the feed again behind the last row, after an error. `oldestSeq`: the oldest that the engine holds now. */
  retry(oldestSeq: number): void;
  /** Freezes the rows at once; `now` is what the engine has received so far. */
  pause(now: PauseMark): void;
  resume(): void;
  select(seq: number | undefined): void;
  /** Whether the table is on screen: if not, nothing flows and the engine buffers. */
  setShown(isShown: boolean): void;
  /** Asks for a frame after `scroll` was changed. */
  touch(): void;
  /** Closes the feed and forgets every row. */
  dispose(): void;
}

export interface RowsModelDeps {
  readonly openFeed: OpenFeed<AppContract>;
  readonly frameClock: FrameClock;
  /** Runs once what this frame drew has been painted. */
  readonly afterPaint: (run: () => void) => void;
  readonly buffer?: LiveBuffer;
}

function lossFrame(dropped: number, scannedSeq: number): RowsFrame {
  const none = {
    seq: [],
    atMs: [],
    subjects: [],
    subjectIndex: [],
    peers: [],
    peerIndex: [],
    sizeBytes: [],
    preview: [],
  };
  return { ...none, dropped, scannedSeq };
}

/** Creates the model; it lives as long as the key store is open. */
export function createRowsModel(deps: RowsModelDeps): RowsModel {
  const buffer = deps.buffer ?? createLiveBuffer();
  const scroll = createTableScroll(buffer);
  const listeners = new Set<() => void>();
  const held: RowsFrame[] = [];
  let feed: FeedHandle | undefined;
  let pattern: string | undefined;
  let epoch = 0;
  let version = 0;
  let hasFrames = false;
  let isShown = false;
  let isDirty = false;
  let owesCredits = false;
  let error: VakError | undefined;
  let pausedAt: PauseMark | undefined;
  /** While paused, frames that reach beyond this seq are held back. */
  let holdSeq = Number.POSITIVE_INFINITY;
  let selectedSeq: number | undefined;

  function touch(): void {
    isDirty = true;
    if (isShown) deps.frameClock.request();
  }
  function take(frame: RowsFrame): void {
    buffer.append(frame);
    scroll.settle();
    hasFrames = true;
  }
  function onFrame(frame: RowsFrame): void {
    if (frame.scannedSeq > holdSeq) {
      held.push(frame);
      return;
    }
    take(frame);
    owesCredits = true;
    touch();
  }
  function start(fromSeq: number): void {
    feed?.dispose();
    held.length = 0;
    error = undefined;
    owesCredits = false;
    const opened = deps.openFeed(
      'streams.rows',
      { pattern: pattern as string, fromSeq },
      {
        onFrame: (frame) => {
          if (opened === feed) onFrame(frame);
        },
        onError: (cause) => {
          if (opened !== feed) return;
          error = cause;
          touch();
        },
      },
    );
    feed = opened;
    touch();
  }
  const frames = deps.frameClock.subscribe(() => {
    if (!isDirty || !isShown) return;
    isDirty = false;
    version++;
    for (const listener of [...listeners]) listener();
    if (!owesCredits) return;
    owesCredits = false;
    const painted = feed;
    deps.afterPaint(() => painted?.returnCredits());
  });

  return {
    buffer,
    scroll,
    get pattern() {
      return pattern;
    },
    get epoch() {
      return epoch;
    },
    get hasFrames() {
      return hasFrames;
    },
    get error() {
      return error;
    },
    get pausedAt() {
      return pausedAt;
    },
    get selectedSeq() {
      return selectedSeq;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    getVersion: () => version,
    open(next) {
      if (next === pattern) return;
      pattern = next;
      epoch++;
      hasFrames = false;
      selectedSeq = undefined;
      buffer.clear();
      scroll.reset();
      // A filter that is opened while paused is filled up to the pause.
      if (pausedAt !== undefined) holdSeq = pausedAt.seq;
      start(0);
    },
    retry(oldestSeq) {
      if (pattern === undefined) return;
      const lostCount = oldestSeq - 1 - buffer.scannedSeq;
      if (buffer.scannedSeq > 0 && lostCount > 0) take(lossFrame(lostCount, oldestSeq - 1));
      start(buffer.scannedSeq === 0 ? 0 : buffer.scannedSeq + 1);
    },
    pause(now) {
      if (pausedAt !== undefined) return;
      pausedAt = { seq: Math.max(now.seq, buffer.scannedSeq), receivedBytes: now.receivedBytes };
      holdSeq = buffer.scannedSeq;
      touch();
    },
    resume() {
      pausedAt = undefined;
      holdSeq = Number.POSITIVE_INFINITY;
      for (const frame of held.splice(0)) take(frame);
      owesCredits = true;
      touch();
    },
    select(seq) {
      selectedSeq = seq;
      if (seq !== undefined) scroll.detach();
      touch();
    },
    setShown(next) {
      isShown = next;
      if (next) touch();
    },
    touch,
    dispose() {
      frames.dispose();
      feed?.dispose();
      feed = undefined;
      held.length = 0;
      buffer.clear();
      scroll.reset();
    },
  };
}
