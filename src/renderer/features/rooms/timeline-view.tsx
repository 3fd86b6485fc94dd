/** The timeline of a room: only a part of it exists, keys move through it, and nothing moves under whoever reads. */
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus; its rows and cells are active descendants (WAI-ARIA grid).
import { ArrowDown, ArrowUp } from 'lucide-react';
import { type KeyboardEvent, type RefObject, useId, useMemo, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { RoomItem, RoomSummary } from '../../../shared/contract/rooms-contract.ts';
import { Button } from '../../ui/button.tsx';
import { describeError } from '../../ui/describe-error.ts';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { formatCount } from '../../ui/format.ts';
import { moveInList } from '../../ui/list-moves.ts';
import { useMainListFocus, useMainListKeys } from '../../ui/use-list-keys.ts';
import { useSnapshot, useViewState } from '../../workbench.tsx';
import { EventRow } from './event-row.tsx';
import { MessageRow } from './message-row.tsx';
import { lineOf, peersWords, readersOf, roomTitle } from './room-words.ts';
import type { TimelineContext } from './timeline-context.ts';
import { countAfter, dayOf, lastSeqOf, selectableKeys, type TimelineRow, timelineRows } from './timeline-rows.ts';
import type { Timeline } from './timeline-store.ts';
import { useMarkRead } from './use-mark-read.ts';
import { useRoomWork, useRoomWorkState } from './use-room-work.ts';
import { useTimelineScroll } from './use-timeline-scroll.ts';

const mainList = { group: 'Rooms', noun: 'message' } as const;

interface RowContentProps {
  readonly row: TimelineRow;
  readonly isActive: boolean;
  readonly context: TimelineContext;
  readonly readBy: string;
}

function dayWords(ms: number, zone: 'utc' | 'local'): string {
  const date = new Intl.DateTimeFormat('en-GB', {
    ...{ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' },
    ...(zone === 'utc' ? { timeZone: 'UTC' } : {}),
  });
  return `${dayOf(ms, zone) === dayOf(Date.now(), zone) ? 'Today, ' : ''}${date.format(ms)}`;
}

function RowContent({ row, isActive, context, readBy }: RowContentProps) {
  const zone = useViewState((state) => state.timeZone);
  switch (row.kind) {
    case 'day':
      return (
        <div role="gridcell" className="day-mark dim">
          <span>{dayWords(row.atMs, zone)}</span>
        </div>
      );
    case 'unread':
      return (
        <div role="gridcell" className="unread-mark">
          <span>New</span>
        </div>
      );
    case 'event':
      return <EventRow item={row.item} />;
    case 'message':
      return <MessageRow item={row.item} isHead={row.isHead} {...{ isActive, context, readBy }} />;
  }
}

/** The last own message that is stored, and who has read up to it. */
function useReadBy(
  room: string,
  rows: readonly TimelineRow[],
): { readonly key: string; readonly words: string } | undefined {
  const state = useSnapshot('rooms.state');
  const last = rows.findLast((row) => row.kind === 'message' && row.item.isOwn && row.item.seq !== null);
  if (last?.kind !== 'message' || last.item.seq === null) return undefined;
  return { key: last.key, words: peersWords(readersOf(state, { room, seq: last.item.seq }), 6) };
}

interface KeysOptions {
  readonly timeline: Timeline;
  readonly rows: readonly TimelineRow[];
  readonly listRef: RefObject<HTMLElement | null>;
  readonly reveal: (key: string) => void;
}

/** Keys of the timeline: through what is held, and on to what is not. What was selected by a key is brought into sight. */
function useTimelineKeys({ timeline, rows, listRef, reveal }: KeysOptions) {
  const work = useRoomWork();
  const selectedKey = useRoomWorkState((state) => state.selectedKey);
  const keys = useMemo(() => selectableKeys(rows), [rows]);
  const press = (key: string): void => {
    const { hasNewer } = timeline.store.getState();
    if (key === 'End' && hasNewer) void timeline.toEnd();
    // From nowhere, up leads to the newest.
    const from = selectedKey ?? ((key === 'k' || key === 'ArrowUp') && keys.length > 0 ? '' : undefined);
    const next = from === '' ? keys.length - 1 : moveInList({ keys, selectedKey: from, pageRows: 8 }, key);
    const found = next === undefined ? undefined : keys[next];
    if (found === undefined) return;
    work.set({ selectedKey: found });
    reveal(found);
  };
  useMainListKeys(mainList, (key) => {
    press(key);
    listRef.current?.focus({ preventScroll: true });
  });
  return (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'PageDown' || event.key === 'PageUp') {
      event.preventDefault();
      press(event.key);
    } else if (event.key === 'Escape') {
      event.preventDefault();
      // One level at a time: what is selected, then the line above what was unread.
      if (selectedKey === undefined) timeline.forgetUnread();
      else work.set({ selectedKey: undefined });
    }
  };
}

function keyUnder(target: EventTarget): string | undefined {
  return (target instanceof Element && target.closest('[data-key]')?.getAttribute('data-key')) || undefined;
}

interface PillsProps {
  readonly timeline: Timeline;
  readonly summary: RoomSummary;
  readonly isAtEnd: boolean;
  readonly seenSeq: number;
}

/** What is out of sight and wants to be seen. */
function Pills({ timeline, summary, isAtEnd, seenSeq }: PillsProps) {
  const { items, hasNewer, firstUnreadSeq } = useStore(timeline.store);
  const firstHeld = items.find(({ seq }) => seq !== null)?.seq ?? null;
  const newCount = hasNewer ? Math.max(summary.unreadCount, countAfter(items, seenSeq)) : countAfter(items, seenSeq);
  const isUnreadAbove = firstUnreadSeq !== null && firstHeld !== null && (firstHeld >= firstUnreadSeq || isAtEnd);
  return (
    <>
      {isUnreadAbove && (
        <div className="timeline-pill timeline-pill-top">
          <Button icon={ArrowUp} keys="u" onClick={() => void timeline.toUnread()} data-testid="jump-unread">
            First unread
          </Button>
        </div>
      )}
      {!isAtEnd && (
        <div className="timeline-pill timeline-pill-bottom">
          <Button icon={ArrowDown} keys="Shift+G" onClick={() => void timeline.toEnd()} data-testid="jump-newest">
            {newCount > 0 ? `${formatCount(newCount)} new below` : 'Newest'}
          </Button>
        </div>
      )}
    </>
  );
}

export interface TimelineViewProps {
  readonly summary: RoomSummary;
  readonly timeline: Timeline;
  readonly context: TimelineContext;
  readonly listRef: RefObject<HTMLDivElement | null>;
}

/** The highest place that was in sight while the end was. */
function useSeenSeq(isAtEnd: boolean, lastSeq: number): number {
  const seen = useRef(0);
  if (isAtEnd) seen.current = lastSeq;
  return seen.current;
}

interface RowsProps extends Pick<TimelineViewProps, 'timeline' | 'context'> {
  readonly id: string;
  readonly rows: readonly TimelineRow[];
  readonly hovered: string | undefined;
}

/** What stands in place of the rows: that they are read, or why they were not. */
function ReadingNote({ timeline }: Pick<TimelineViewProps, 'timeline'>) {
  const { version, error } = useStore(timeline.store);
  if (error !== undefined)
    return (
      <div className="rooms-note">
        <ErrorNotice report={describeError('Read the messages', error)}>
          <Button onClick={() => void timeline.toEnd()}>Try again</Button>
        </ErrorNotice>
      </div>
    );
  return version < 0 ? <p className="rooms-note dim late">Reading the messages…</p> : null;
}

function Rows({ id, rows, timeline, context, hovered }: RowsProps) {
  const selectedKey = useRoomWorkState((state) => state.selectedKey);
  const readBy = useReadBy(context.room, rows);
  return (
    <div className="timeline-rows" role="presentation">
      <ReadingNote timeline={timeline} />
      {rows.map((row, at) => (
        <div
          key={row.key}
          id={`${id}-${at}`}
          role="row"
          className={`timeline-row${row.kind === 'message' && row.isHead ? ' timeline-row-head' : ''}`}
          data-key={row.key}
          aria-selected={row.key === selectedKey}
        >
          <RowContent
            row={row}
            isActive={row.key === selectedKey || row.key === hovered}
            context={context}
            readBy={row.key === readBy?.key ? readBy.words : ''}
          />
        </div>
      ))}
    </div>
  );
}

/** Says what others write to those who do not see it come. */
function Announcer({ items }: { readonly items: readonly RoomItem[] }) {
  const opened = useRef(items.length === 0 ? undefined : lastSeqOf(items));
  const last = items.findLast((item) => item.kind === 'message' && !item.isOwn && item.seq !== null);
  // What was there as the room was opened is no news.
  if (opened.current === undefined && items.length > 0) opened.current = lastSeqOf(items);
  const isNews = last?.kind === 'message' && (last.seq ?? 0) > (opened.current ?? Number.POSITIVE_INFINITY);
  return (
    <p className="visually-hidden" aria-live="polite">
      {isNews ? `${visibleText(last.peer)}: ${lineOf(last)}` : ''}
    </p>
  );
}

export function TimelineView({ summary, timeline, context, listRef }: TimelineViewProps) {
  const id = useId();
  const work = useRoomWork();
  const zone = useViewState((state) => state.timeZone);
  const { items, firstUnreadSeq, isLoading, version } = useStore(timeline.store);
  const selectedKey = useRoomWorkState((state) => state.selectedKey);
  const [hovered, setHovered] = useState<string | undefined>();
  const rows = useMemo(() => timelineRows(items, { zone, firstUnreadSeq }), [items, zone, firstUnreadSeq]);
  const scroll = useTimelineScroll(listRef, timeline, rows);
  const onKeyDown = useTimelineKeys({ timeline, rows, listRef, reveal: scroll.reveal });
  const lastSeq = lastSeqOf(items);
  const seenSeq = useSeenSeq(scroll.isAtEnd, lastSeq);
  useMarkRead({ summary, lastSeq, isInSight: scroll.isAtEnd && version >= 0 });
  useMainListFocus(listRef, true);
  const active = rows.findIndex(({ key }) => key === selectedKey);
  return (
    <div className="timeline-frame">
      <div
        ref={listRef}
        className="timeline"
        role="grid"
        tabIndex={0}
        aria-label={`Messages of ${roomTitle(summary)}, oldest first`}
        aria-busy={isLoading !== undefined}
        aria-activedescendant={active < 0 ? undefined : `${id}-${active}`}
        data-list-home
        data-testid="timeline"
        onScroll={scroll.onScroll}
        onKeyDown={onKeyDown}
        onPointerOver={(event) => setHovered(keyUnder(event.target))}
        onPointerLeave={() => setHovered(undefined)}
        onClickCapture={(event) => {
          const grows = event.target instanceof Element && event.target.closest('[data-grows]') !== null;
          const key = grows ? keyUnder(event.target) : undefined;
          if (key !== undefined) scroll.letGo(key);
        }}
        onPointerDown={(event) => {
          const key = keyUnder(event.target);
          if (event.button === 0 && key !== undefined && /^[me]:/.test(key)) work.set({ selectedKey: key });
        }}
      >
        <Rows {...{ id, rows, timeline, context, hovered }} />
      </div>
      <Pills {...{ timeline, summary, seenSeq }} isAtEnd={scroll.isAtEnd} />
      <Announcer items={items} />
    </div>
  );
}
