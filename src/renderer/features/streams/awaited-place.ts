/** A place that the table is to show: now, or as soon as it comes. Law: only the last that was asked for moves the table. */
import type { LiveBuffer } from '../../state/live-buffer.ts';
import type { TableScroll } from './table-scroll.ts';

export interface AwaitedPlace {
  /** Shows a message. */
  showSeq(seq: number): void;
  /** Shows the newest place where rows are missing, and goes on to newer ones until that ends; false: none is held. */
  showGap(kind: 'dropped' | 'outage'): boolean;
  /** Takes in what was appended; once all that was held is replayed, no newer gap is awaited. */
  settle(isReplayed: boolean): void;
  forget(): void;
}

/** Creates it over a table's rows. */
export function createAwaitedPlace(buffer: LiveBuffer, scroll: Pick<TableScroll, 'reveal'>): AwaitedPlace {
  let seq: number | undefined;
  let gap: 'dropped' | 'outage' | undefined;

  function revealGap(): boolean {
    for (let index = buffer.endIndex - 1; index >= buffer.firstIndex; index--) {
      if (buffer.rowAt(index)?.kind !== gap) continue;
      scroll.reveal(index);
      return true;
    }
    return false;
  }
  function settle(isReplayed: boolean): void {
    if (gap !== undefined) revealGap();
    if (isReplayed) gap = undefined;
    if (seq === undefined) return;
    const index = buffer.findSeq(seq);
    if (index >= 0) scroll.reveal(index);
    if (index >= 0 || buffer.scannedSeq >= seq) seq = undefined;
  }
  function forget(): void {
    seq = gap = undefined;
  }

  return {
    showSeq(wanted) {
      forget();
      seq = wanted;
      settle(false);
    },
    showGap(kind) {
      forget();
      gap = kind;
      return revealGap();
    },
    settle,
    forget,
  };
}
