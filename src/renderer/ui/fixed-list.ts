/** Which rows of a long list with rows of one height are in sight; the list scrolls natively. */
import { type RefObject, useCallback, useEffect, useState } from 'react';

/** Browsers stop laying out near 33 million px; longer lists show their beginning. */
const maxListPx = 30_000_000;

export interface FixedWindow {
  readonly startIndex: number;
  readonly endIndex: number;
  /** Height of all rows. */
  readonly totalPx: number;
  readonly reveal: (index: number) => void;
}

export interface FixedListOptions {
  readonly count: number;
  readonly rowPx: number;
  /** Height at the top that a header covers, which stays there while the rows scroll. */
  readonly coveredPx?: number;
}

/** Windows rows of one height inside the scrolling element. */
export function useFixedWindow(container: RefObject<HTMLElement | null>, options: FixedListOptions): FixedWindow {
  const { count, rowPx, coveredPx = 0 } = options;
  const [view, setView] = useState({ topRow: 0, rows: 0 });
  useEffect(() => {
    const element = container.current;
    if (element === null) return;
    const measure = (): void => {
      const next = { topRow: Math.floor(element.scrollTop / rowPx), rows: Math.ceil(element.clientHeight / rowPx) + 1 };
      setView((now) => (now.topRow === next.topRow && now.rows === next.rows ? now : next));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.addEventListener('scroll', measure, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', measure);
    };
  }, [container, rowPx]);
  const reveal = useCallback(
    (index: number): void => {
      const element = container.current;
      if (element === null) return;
      const top = index * rowPx;
      if (top < element.scrollTop) element.scrollTop = top;
      const below = top + rowPx + coveredPx - element.clientHeight;
      if (below > element.scrollTop) element.scrollTop = below;
    },
    [container, rowPx, coveredPx],
  );
  const shown = Math.min(count, Math.floor(maxListPx / rowPx));
  const startIndex = Math.max(0, Math.min(view.topRow - 2, shown - view.rows));
  return { startIndex, endIndex: Math.min(shown, view.topRow + view.rows + 2), totalPx: shown * rowPx, reveal };
}
