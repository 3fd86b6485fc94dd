/** A timeline as rows: days apart, messages of one sender together, the line above what is unread. Pure. */
import type { RoomEventItem, RoomItem, RoomMessageItem } from '../../../shared/contract/rooms-contract.ts';
import type { Zone } from '../../ui/format.ts';

export type TimelineRow =
  | { readonly kind: 'day'; readonly key: string; readonly atMs: number }
  | { readonly kind: 'unread'; readonly key: 'unread' }
  | { readonly kind: 'event'; readonly key: string; readonly item: RoomEventItem }
  /** `isHead`: it says whose it is; the others that follow are of the same sender. */
  | { readonly kind: 'message'; readonly key: string; readonly item: RoomMessageItem; readonly isHead: boolean };

/** Messages further apart than this say anew whose they are. */
const groupGapMs = 5 * 60_000;

/** Of no other item, and its own from the first sight to the last. */
export function keyOfItem(item: RoomItem): string {
  return item.kind === 'message' ? `m:${item.messageId}` : `e:${item.seq}:${item.event}`;
}

/** `2026-11-30`, in the zone that times are shown in. */
export function dayOf(ms: number, zone: Zone): string {
  const date = new Date(ms);
  if (zone === 'utc') return date.toISOString().slice(0, 10);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

function continues(former: RoomItem | undefined, item: RoomMessageItem): boolean {
  if (former?.kind !== 'message' || former.peer !== item.peer) return false;
  const isPlain = former.unopened === null && item.unopened === null && item.replyTo === null;
  return isPlain && item.atMs - former.atMs < groupGapMs && item.epoch === former.epoch;
}

export interface RowOptions {
  readonly zone: Zone;
  /** Place of the first message that was unread when the room was opened; null: none was. */
  readonly firstUnreadSeq: number | null;
}

/** Rows from the oldest to the newest. */
export function timelineRows(items: readonly RoomItem[], { zone, firstUnreadSeq }: RowOptions): readonly TimelineRow[] {
  const rows: TimelineRow[] = [];
  let day: string | undefined;
  let isUnreadMarked = firstUnreadSeq === null;
  let former: RoomItem | undefined;
  for (const item of items) {
    const itsDay = dayOf(item.atMs, zone);
    const isNewDay = itsDay !== day;
    if (isNewDay) rows.push({ kind: 'day', key: `d:${itsDay}:${keyOfItem(item)}`, atMs: item.atMs });
    day = itsDay;
    const isUnread = !isUnreadMarked && item.seq !== null && item.seq >= (firstUnreadSeq ?? 0);
    if (isUnread) rows.push({ kind: 'unread', key: 'unread' });
    isUnreadMarked ||= isUnread;
    if (item.kind === 'event') rows.push({ kind: 'event', key: keyOfItem(item), item });
    else {
      const isHead = isNewDay || isUnread || !continues(former, item);
      rows.push({ kind: 'message', key: keyOfItem(item), item, isHead });
    }
    former = item;
  }
  return rows;
}

/** Messages of others after a place: what is new below while somebody reads further up. */
export function countAfter(items: readonly RoomItem[], seq: number): number {
  return items.filter((item) => item.kind === 'message' && !item.isOwn && (item.seq ?? 0) > seq).length;
}

/** The highest place in the stream among them; 0: none is stored. */
export function lastSeqOf(items: readonly RoomItem[]): number {
  return items.reduce((last, { seq }) => Math.max(last, seq ?? 0), 0);
}

/** What can be selected, in order. */
export function selectableKeys(rows: readonly TimelineRow[]): readonly string[] {
  return rows.flatMap((row) => (row.kind === 'message' || row.kind === 'event' ? [row.key] : []));
}
