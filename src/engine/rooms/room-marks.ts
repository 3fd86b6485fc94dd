/**
 * What somebody has not read in a room (product.md "Rooms", docs/spec/rooms.md R56).
 * Law: what counts is what stands for itself, counts in the room and is another's; nobody who is not in the room makes anything unread.
 */
import type { RoomTimeline, ShownMessage } from './room-timeline.ts';

/** `firstSeq`: place of the first that is unread; undefined: none is. Counts end at 1 000. */
export interface UnreadMarks {
  readonly count: number;
  readonly mentionCount: number;
  readonly firstSeq: number | undefined;
}

/** Unread messages that are counted; there may be more. */
const maxCounted = 1_000;

/** Whether a text names a peer: `@` and the name, as a whole word. */
export function mentions(text: string, peer: string): boolean {
  for (let at = text.indexOf(`@${peer}`); at >= 0; at = text.indexOf(`@${peer}`, at + 1)) {
    const [before, after] = [text.slice(Math.max(0, at - 2), at), text.slice(at + 1 + peer.length)];
    if (!/[\p{L}\p{N}_@.-]$/u.test(before) && !/^[\p{L}\p{N}_-]/u.test(after)) return true;
  }
  return false;
}

/** Whether a message speaks to a peer. */
export function isMention({ text, attachment }: Pick<ShownMessage, 'text' | 'attachment'>, peer: string): boolean {
  return mentions(text ?? attachment?.text ?? '', peer);
}

/** What is unread behind a place, of what lies in memory. `sign`: the key of whoever reads. */
export function unreadMarks(
  timeline: Pick<RoomTimeline, 'slice'>,
  { markSeq, sign, peer }: { readonly markSeq: number; readonly sign: string; readonly peer: string },
): UnreadMarks {
  const unread: ShownMessage[] = [];
  for (let afterSeq = markSeq; unread.length < maxCounted; ) {
    const page = timeline.slice({ afterSeq, limit: maxCounted });
    unread.push(
      ...page.filter((one) => one.message.isCounted && one.message.sign !== sign && one.redacted === undefined),
    );
    afterSeq = page.at(-1)?.message.seq ?? afterSeq;
    if (page.length < maxCounted) break;
  }
  const counted = unread.slice(0, maxCounted);
  return {
    count: counted.length,
    mentionCount: counted.filter((one) => isMention(one, peer)).length,
    firstSeq: counted[0]?.message.seq,
  };
}
