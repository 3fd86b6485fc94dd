/** Which rows of a long list with rows of one height are in sight; the list scrolls natively. */
import { type RefObject, useCallback, useEffect, useState } from 'react';

/** Browsers stop laying out near 33 million px; a longer list is squeezed: one px of its scroll bar stands for more. */
const maxListPx = 30_000_000;

export interface FixedWindow {
  readonly startIndex: number;
  readonly endIndex: number;
  /** Height of all rows. */
  readonly totalPx: number;
  /** Where a row in sight is drawn, px from the top of the list. */
  readonly topOf: (index: number) => number;
  readonly reveal: (index: number) => void;
}

export interface FixedListOptions {
  readonly count: number;
  readonly rowPx: number;
  /** Height at the top that a header covers, which stays there while the rows scroll. */
  readonly coveredPx?: number;
}

interface View {
  readonly topRow: number;
  readonly rows: number;
  /** Where `topRow` is drawn. */
  readonly topPx: number;
}

/** What an element shows of `count` rows. */
function viewOf({ scrollTop, clientHeight, scrollHeight }: HTMLElement, { count, rowPx }: FixedListOptions): View {
  const rows = Math.ceil(clientHeight / rowPx) + 1;
  if (count * rowPx <= maxListPx) {
    const topRow = Math.floor(scrollTop / rowPx);
    return { topRow, rows, topPx: topRow * rowPx };
  }
  const part = Math.min(1, scrollTop / Math.max(1, scrollHeight - clientHeight));
  return { topRow: Math.floor(part * Math.max(0, count - rows + 2)), rows, topPx: scrollTop };
}

/** Windows rows of one height inside the scrolling element. */
export function useFixedWindow(container: RefObject<HTMLElement | null>, options: FixedListOptions): FixedWindow {
  const { count, rowPx, coveredPx = 0 } = options;
  const [view, setView] = useState<View>({ topRow: 0, rows: 0, topPx: 0 });
  useEffect(() => {
    const element = container.current;
    if (element === null) return;
    const measure = (): void => {
      const next = viewOf(element, { count, rowPx });
      setView((now) => (now.topRow === next.topRow && now.rows === next.rows && now.topPx === next.topPx ? now : next));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.addEventListener('scroll', measure, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', measure);
    };
  }, [container, rowPx, count]);
  const totalPx = Math.min(count * rowPx, maxListPx);
  const isSqueezed = count * rowPx > maxListPx;
  const reveal = useCallback(
    (index: number): void => {
      const element = container.current;
      if (element === null) return;
      const { topRow, rows } = viewOf(element, { count, rowPx });
      if (isSqueezed) {
        const isInSight = index >= topRow && index < topRow + rows - 2;
        const room = Math.max(1, count - rows + 2);
        if (!isInSight) element.scrollTop = (index / room) * (element.scrollHeight - element.clientHeight);
        return;
      }
      const top = index * rowPx;
      if (top < element.scrollTop) element.scrollTop = top;
      const below = top + rowPx + coveredPx - element.clientHeight;
      if (below > element.scrollTop) element.scrollTop = below;
    },
    [container, rowPx, coveredPx, count, isSqueezed],
  );
  const startIndex = Math.max(0, Math.min(view.topRow - 2, count - view.rows));
  const topOf = (index: number): number => (isSqueezed ? view.topPx + (index - view.topRow) * rowPx : index * rowPx);
  return { startIndex, endIndex: Math.min(count, view.topRow + view.rows + 2), totalPx, topOf, reveal };
}
