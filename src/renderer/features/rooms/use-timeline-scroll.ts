/**
 * Where a timeline is scrolled to: the end is followed, else what is looked at stays where it is while rows come, go and grow.
 * Law: nothing moves under whoever reads; only a goal that was asked for scrolls.
 */
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { anchorAmong, isAtEnd, type RowBox } from './timeline-anchor.ts';
import type { TimelineRow } from './timeline-rows.ts';
import type { Timeline } from './timeline-store.ts';

/** So close to an end of what is held, more is read. */
const readAheadPx = 600;

export interface TimelineScroll {
  /** Whether the newest message is in sight. */
  readonly isAtEnd: boolean;
  readonly onScroll: () => void;
  /** A row is about to grow under whoever reads it: its beginning stays, though the end was followed. */
  readonly letGo: (key: string) => void;
  /** Brings a row into sight if it is not. */
  readonly reveal: (key: string) => void;
}

function boxesOf(list: HTMLElement): readonly RowBox[] {
  return [...list.querySelectorAll<HTMLElement>('[data-key]')].map((row) => ({
    key: row.dataset['key'] ?? '',
    topPx: row.offsetTop,
    heightPx: row.offsetHeight,
  }));
}

const rowOf = (list: HTMLElement, key: string): HTMLElement | null =>
  list.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`);

/** Hook of the scrolling element whose rows have `data-key`. */
export function useTimelineScroll(
  listRef: RefObject<HTMLElement | null>,
  timeline: Timeline,
  rows: readonly TimelineRow[],
): TimelineScroll {
  const [atEnd, setAtEnd] = useState(true);
  const goal = useStore(timeline.store, (state) => state.goal);
  const isEnding = useRef(true);
  const anchor = useRef<ReturnType<typeof anchorAmong>>(undefined);

  const note = useCallback((): void => {
    const list = listRef.current;
    if (list === null) return;
    const { hasNewer, hasOlder } = timeline.store.getState();
    const isNow = !hasNewer && isAtEnd(list);
    isEnding.current = isNow;
    anchor.current = anchorAmong(boxesOf(list), list.scrollTop);
    setAtEnd(isNow);
    timeline.setFollowing(isNow);
    if (hasOlder && list.scrollTop < readAheadPx) void timeline.older();
    if (hasNewer && list.scrollHeight - list.scrollTop - list.clientHeight < readAheadPx) void timeline.newer();
  }, [listRef, timeline]);

  /** Puts back what moved. */
  const hold = useCallback((): void => {
    const list = listRef.current;
    if (list === null) return;
    if (isEnding.current) list.scrollTop = list.scrollHeight;
    else if (anchor.current !== undefined) {
      const row = rowOf(list, anchor.current.key);
      if (row !== null) list.scrollTop = row.offsetTop - anchor.current.offsetPx;
    }
  }, [listRef]);

  useLayoutEffect(() => {
    const list = listRef.current;
    if (list === null || rows.length === 0) return;
    if (goal === undefined) hold();
    else if (goal.kind === 'end') list.scrollTop = list.scrollHeight;
    else rowOf(list, goal.key)?.scrollIntoView({ block: goal.key === 'unread' ? 'start' : 'center' });
    if (goal !== undefined) timeline.arrive();
    note();
  }, [listRef, rows, goal, timeline, hold, note]);

  useEffect(() => {
    const list = listRef.current;
    const content = list?.firstElementChild;
    if (list === null || content == null) return;
    const observer = new ResizeObserver(() => {
      hold();
      note();
    });
    observer.observe(list);
    observer.observe(content);
    return () => observer.disconnect();
  }, [listRef, hold, note]);

  const reveal = useCallback(
    (key: string): void => {
      if (listRef.current !== null) rowOf(listRef.current, key)?.scrollIntoView({ block: 'nearest' });
    },
    [listRef],
  );
  const letGo = useCallback(
    (key: string): void => {
      const list = listRef.current;
      const row = list === null ? null : rowOf(list, key);
      if (list === null || row === null) return;
      anchor.current = { key, offsetPx: row.offsetTop - list.scrollTop };
      isEnding.current = false;
    },
    [listRef],
  );
  return { isAtEnd: atEnd, onScroll: note, letGo, reveal };
}
