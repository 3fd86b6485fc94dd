/**
 * Keeps how far an element is scrolled, over a restart.
 * Law: it is put back once a start, when there is enough to scroll; whoever scrolls, presses or types before that has chosen another place.
 */
import { type RefObject, useEffect } from 'react';
import { useWorkbench, type Workbench } from '../workbench.tsx';

/** So long after the last movement it is kept, ms. */
const settledMs = 200;
const choices = ['wheel', 'pointerdown', 'keydown'] as const;

/** Names whose place was put back, or given up, in this window. */
const taken = new WeakMap<object, Set<string>>();

/** What was kept before the start; nothing, once it was taken: another content has another place. */
function takeKept(view: Workbench['view'], name: string): number {
  const names = taken.get(view) ?? new Set();
  taken.set(view, names);
  if (names.has(name)) return 0;
  names.add(name);
  return view.getState().scrollsPx[name] ?? 0;
}

/** `name`: of no other element. */
export function useKeptScroll(place: RefObject<HTMLElement | null>, name: string): void {
  const { view } = useWorkbench();
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const wantedPx = takeKept(view, name);
    let isOver = wantedPx === 0;
    const observer = new ResizeObserver(() => putBack());
    const giveUp = (): void => {
      isOver = true;
      observer.disconnect();
    };
    const putBack = (): void => {
      if (isOver) return;
      element.scrollTop = wantedPx;
      if (Math.abs(element.scrollTop - wantedPx) < 1) giveUp();
    };
    for (const child of [element, ...element.children]) observer.observe(child);
    putBack();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const keep = (): void => {
      if (!isOver) return;
      clearTimeout(timer);
      timer = setTimeout(() => {
        const { scrollsPx } = view.getState();
        const top = Math.round(element.scrollTop);
        if ((scrollsPx[name] ?? 0) !== top) view.setState({ scrollsPx: { ...scrollsPx, [name]: top } });
      }, settledMs);
    };
    element.addEventListener('scroll', keep, { passive: true });
    for (const choice of choices) element.addEventListener(choice, giveUp, { passive: true });
    return () => {
      clearTimeout(timer);
      observer.disconnect();
      element.removeEventListener('scroll', keep);
      for (const choice of choices) element.removeEventListener(choice, giveUp);
    };
  }, [place, name, view]);
}
