/** Marks a room as read up to its newest message, once that is in sight of somebody. */
import { useEffect, useRef, useState } from 'react';
import type { RoomSummary } from '../../../shared/contract/rooms-contract.ts';
import { useRoomWork } from './use-room-work.ts';

/** Whether the window has the focus and can be seen. */
function useIsWatched(): boolean {
  const read = (): boolean => document.hasFocus() && document.visibilityState === 'visible';
  const [isWatched, setIsWatched] = useState(read);
  useEffect(() => {
    const update = (): void => setIsWatched(read());
    const events = ['focus', 'blur', 'visibilitychange'] as const;
    for (const name of events) window.addEventListener(name, update);
    document.addEventListener('visibilitychange', update);
    return () => {
      for (const name of events) window.removeEventListener(name, update);
      document.removeEventListener('visibilitychange', update);
    };
  });
  return isWatched;
}

export interface ReadPlace {
  readonly summary: RoomSummary;
  readonly lastSeq: number;
  readonly isInSight: boolean;
}

export function useMarkRead({ summary, lastSeq, isInSight }: ReadPlace): void {
  const { calls } = useRoomWork();
  const isWatched = useIsWatched();
  const marked = useRef(0);
  const { room, unreadCount, mentionCount } = summary;
  const hasUnread = unreadCount > 0 || mentionCount > 0;
  useEffect(() => {
    if (!isWatched || !isInSight || !hasUnread || lastSeq <= marked.current) return;
    marked.current = lastSeq;
    calls.markRead(room, lastSeq);
  }, [calls, room, lastSeq, isInSight, isWatched, hasUnread]);
}
