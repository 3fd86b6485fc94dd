/** What a table of messages shows, whoever keeps it: rows, place and selection. Its rows are heard live, or lie in a stream. */
import type { VakError } from '../../../shared/base/vak-error.ts';
import type { LiveBuffer } from '../../state/live-buffer.ts';
import type { JumpPlace, JumpRange } from './jump-place.ts';
import type { TableScroll } from './table-scroll.ts';

/** What the engine had received when the table was paused. */
export interface PauseMark {
  readonly seq: number;
  readonly receivedBytes: number;
}

export interface TableModel {
  readonly buffer: LiveBuffer;
  readonly scroll: TableScroll;
  /** Whether its rows are heard live, or lie in a stream. */
  readonly kind: 'live' | 'stored';
  /** Rises with each opening; rows of different epochs are never the same. */
  readonly epoch: number;
  readonly error: VakError | undefined;
  /** The newest row is not among those that are held. */
  readonly hasNewer?: boolean;
  readonly pausedAt: PauseMark | undefined;
  readonly selectedSeq: number | undefined;
  subscribe(listener: () => void): () => void;
  getVersion(): number;
  /** Goes on after an error. `oldestSeq`: of those heard live the oldest that the engine holds now. */
  retry(oldestSeq: number): void;
  /** Freezes the rows at once; `now` is what the engine has received so far. */
  pause(now: PauseMark): void;
  resume(): void;
  select(seq: number | undefined): void;
  /** Selects a message and brings its row into view, at once or as soon as it comes. */
  show(seq: number): void;
  /** Which places it can go to; undefined: it has no row. */
  range(): JumpRange;
  /**
   * Goes to the first row at a place or behind it and selects it; gives its seq, undefined: there is none. Rejects with why it could not be
   * read.
   */
  jump(at: JumpPlace): Promise<number | undefined>;
  /** Goes to the oldest row that there is; absent: that is the oldest one held. */
  readonly toFirst?: () => void;
  /** Goes to the newest row and stays there. */
  follow(): void;
  /** Takes in what was found out of a message's trust. */
  learn(seq: number, marks: number): void;
  /** Whether the table is on screen: if not, nothing flows and the engine buffers. */
  setShown(isShown: boolean): void;
  /** Asks for a frame after `scroll` was changed. */
  touch(): void;
  /** Closes the feed and forgets every row. */
  dispose(): void;
}
