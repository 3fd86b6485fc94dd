/**
 * Where a live table stands: follow at the bottom, or detached at a place that does not move.
 * Law: places are px over all rows that ever came, so rows that arrive or leave never move what is being read.
 */
import type { LiveBuffer } from '../../state/live-buffer.ts';

/** Height of every row, px. */
export const rowPx = 28;

/** How much of the buffer there is to scroll over. */
export interface RowRange extends Pick<LiveBuffer, 'firstIndex' | 'endIndex' | 'messageCount'> {
  /** The newest row is none of them: the end is not what is followed. */
  readonly hasNewer?: boolean;
}

export interface TableScroll {
  readonly isFollowing: boolean;
  /** Upper edge of what is visible, px since index 0. */
  readonly topPx: number;
  readonly heightPx: number;
  /** Lowest and highest value of `topPx`. */
  readonly minPx: number;
  readonly maxPx: number;
  /** Messages that came since following was left; 0 while following. */
  readonly newCount: number;
  /** The rows at the place that was held have left the buffer: the oldest rows are shown in their stead. */
  readonly hasLostPlace: boolean;
  setHeight(px: number): void;
  /** Takes in what was appended or evicted. */
  settle(): void;
  /** A row was put in at this index: what is being read stays where it is. */
  insert(index: number): void;
  scrollBy(px: number): void;
  scrollTo(px: number): void;
  /** Moves as little as needed to show the row whole, and detaches. */
  reveal(index: number): void;
  detach(): void;
  follow(): void;
  /** Counts what has come so far as seen. */
  see(): void;
  /** Begins anew at the first row, detached. */
  startAtFirst(): void;
  /** Begins anew, following. */
  reset(): void;
}

/** Creates the scroll state over a buffer's range. */
export function createTableScroll(range: RowRange): TableScroll {
  let isFollowing = true;
  let topPx = 0;
  let heightPx = 0;
  let seenMessages = 0;
  let hasLostPlace = false;

  const minPx = (): number => range.firstIndex * rowPx;
  const maxPx = (): number => Math.max(minPx(), range.endIndex * rowPx - heightPx);

  function follow(): void {
    isFollowing = true;
    hasLostPlace = false;
    topPx = maxPx();
  }
  function see(): void {
    seenMessages = range.messageCount;
  }
  function detach(): void {
    if (!isFollowing) return;
    isFollowing = false;
    see();
  }
  function moveTo(px: number): void {
    hasLostPlace = false;
    const target = Math.round(Math.min(maxPx(), Math.max(minPx(), px)));
    if (target >= maxPx() && target >= topPx && range.hasNewer !== true) follow();
    else {
      detach();
      topPx = target;
    }
  }

  return {
    get isFollowing() {
      return isFollowing;
    },
    get topPx() {
      return topPx;
    },
    get heightPx() {
      return heightPx;
    },
    get minPx() {
      return minPx();
    },
    get maxPx() {
      return maxPx();
    },
    get newCount() {
      return isFollowing ? 0 : range.messageCount - seenMessages;
    },
    get hasLostPlace() {
      return hasLostPlace;
    },
    setHeight(px) {
      heightPx = px;
      if (isFollowing) topPx = maxPx();
      else topPx = Math.max(minPx(), Math.min(topPx, maxPx()));
    },
    settle() {
      if (isFollowing) topPx = maxPx();
      else if (topPx < minPx()) {
        topPx = minPx();
        hasLostPlace = true;
      }
    },
    insert(index) {
      if (!isFollowing && index * rowPx < topPx + rowPx) topPx += rowPx;
    },
    scrollBy(px) {
      if (px !== 0) moveTo(topPx + px);
    },
    scrollTo: moveTo,
    reveal(index) {
      detach();
      const rowTop = index * rowPx;
      const target = rowTop < topPx ? rowTop : Math.max(topPx, rowTop + rowPx - heightPx);
      topPx = Math.min(maxPx(), Math.max(minPx(), target));
    },
    detach,
    follow,
    see,
    startAtFirst() {
      isFollowing = false;
      hasLostPlace = false;
      see();
      topPx = minPx();
    },
    reset() {
      seenMessages = 0;
      follow();
    },
  };
}
