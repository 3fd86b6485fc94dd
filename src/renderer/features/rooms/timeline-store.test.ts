import { describe, expect, it, vi } from 'vitest';
import { roomId, roomMessage } from '../../../../tests/support/room-states.ts';
import type { RoomItem, RoomPage } from '../../../shared/contract/rooms-contract.ts';
import { createTimeline, maxItems } from './timeline-store.ts';

interface Asked {
  readonly limit: number;
  readonly beforeSeq?: number | undefined;
  readonly afterSeq?: number | undefined;
  readonly around?: string | undefined;
}

/** An engine that has so many messages; seqs from 1. */
function setUp(count: number, firstUnreadSeq: number | null = null) {
  const room = { items: Array.from({ length: count }, (_, at): RoomItem => roomMessage(at + 1)), version: 1 };
  const answer = ({ limit, beforeSeq, afterSeq, around }: Asked): RoomPage => {
    const { items, version } = room;
    let from = Math.max(0, items.length - limit);
    if (beforeSeq !== undefined) from = Math.max(0, beforeSeq - 1 - limit);
    if (afterSeq !== undefined) from = afterSeq;
    if (around !== undefined) from = Math.max(0, Number(around.slice(4)) - limit / 2);
    const to = beforeSeq === undefined ? from + limit : beforeSeq - 1;
    return { version, items: items.slice(from, to), hasOlder: from > 0, hasNewer: to < items.length };
  };
  const page = vi.fn(async (asked: Asked) => answer(asked));
  const timeline = createTimeline({ room: roomId, page, firstUnreadSeq });
  const seqs = () => timeline.store.getState().items.map(({ seq }) => seq);
  const span = () => [seqs()[0], seqs().at(-1)];
  const add = (): number => {
    room.items.push(roomMessage(room.items.length + 1));
    return ++room.version;
  };
  return { room, page, timeline, span, add, state: timeline.store.getState };
}

describe('the timeline of a room', () => {
  it('begins at its end and goes back page by page, held within its bound', async () => {
    const { timeline, span, state } = setUp(1_000);
    await timeline.toEnd();
    expect([span(), state().goal]).toEqual([[941, 1_000], { kind: 'end' }]);
    for (let times = 0; times < 5; times++) await timeline.older();
    expect([span(), state().items.length, state().hasNewer]).toEqual([[641, 840], maxItems, true]);
    await timeline.newer();
    expect([span(), state().hasNewer, state().hasOlder]).toEqual([[701, 900], true, true]);
  });

  it('follows what comes while the end is in sight', async () => {
    const { timeline, span, add } = setUp(100);
    await timeline.toEnd();
    await timeline.refresh(add());
    expect(span()).toEqual([42, 101]);
  });

  it('keeps what is looked at while newer ones come', async () => {
    const { timeline, span, add, state } = setUp(100);
    await timeline.toEnd();
    timeline.setFollowing(false);
    await timeline.refresh(add());
    expect([span(), state().hasNewer]).toEqual([[41, 101], false]);
    for (let times = 0; times < 300; times++) add();
    await timeline.refresh(400);
    expect([span()[0], state().hasNewer]).toEqual([41, true]);
    await timeline.toEnd();
    expect(span()[1]).toBe(401);
  });

  it('asks for a version once, also if the answer is older than what was told', async () => {
    const { timeline, page, room } = setUp(10);
    await timeline.toEnd();
    room.version = 3;
    await timeline.refresh(7);
    await timeline.refresh(7);
    expect(page).toHaveBeenCalledTimes(2);
  });

  it('a version that comes while a page is read is read after it', async () => {
    const { timeline, page, add, span } = setUp(10);
    const first = timeline.toEnd();
    const second = timeline.refresh(add());
    await Promise.all([first, second]);
    expect([page.mock.calls.length, span()]).toEqual([2, [1, 11]]);
    const later = timeline.refresh(add());
    await Promise.all([later, timeline.refresh(add())]);
    expect(span()).toEqual([1, 13]);
  });

  it('an answer to a question that was put aside is dropped', async () => {
    const { timeline, page, span } = setUp(500);
    await timeline.toEnd();
    let answer: (page: RoomPage) => void = () => {};
    page.mockImplementationOnce(() => new Promise<RoomPage>((resolve) => (answer = resolve)));
    const older = timeline.older();
    await timeline.toMessage('msg-100');
    answer({ version: 1, items: [roomMessage(440)], hasOlder: true, hasNewer: true });
    await older;
    expect(span()).toEqual([71, 130]);
  });

  it('jumps to the first unread, with what was said before it', async () => {
    const { timeline, span, state, page } = setUp(500, 200);
    await timeline.toEnd();
    await timeline.toUnread();
    expect([span(), state().goal]).toEqual([[170, 259], { kind: 'row', key: 'unread' }]);
    const asked = page.mock.calls.length;
    timeline.arrive();
    await timeline.toUnread();
    expect([page.mock.calls.length, state().goal?.kind]).toEqual([asked, 'row']);
  });

  it('jumps to a message that is held without asking, and says when one is not there', async () => {
    const { timeline, page, state } = setUp(50);
    await timeline.toEnd();
    await timeline.toMessage('msg-20');
    expect([page.mock.calls.length, state().goal]).toEqual([1, { kind: 'row', key: 'm:msg-20' }]);
    page.mockResolvedValueOnce({ version: 1, items: [], hasOlder: false, hasNewer: false });
    await timeline.toMessage('gone');
    expect(state().error).toMatchObject({ code: 'not-found' });
    expect(state().items).toHaveLength(50);
  });

  it('a failure keeps what is held, and the next question takes it away', async () => {
    const { timeline, page, state } = setUp(100);
    await timeline.toEnd();
    page.mockRejectedValueOnce(new Error('no'));
    await timeline.older();
    expect([state().items.length, state().isLoading]).toEqual([60, undefined]);
    expect(state().error).toMatchObject({ message: 'no' });
    await timeline.older();
    expect([state().items.length, state().error]).toEqual([100, undefined]);
  });

  it('messages that are not stored stand once, at the end', async () => {
    const { timeline, page, state } = setUp(100);
    await timeline.toEnd();
    const waiting = roomMessage(null);
    page.mockResolvedValueOnce({ version: 2, items: [roomMessage(100), waiting], hasOlder: true, hasNewer: false });
    await timeline.refresh(2);
    await timeline.older();
    expect(state().items.filter(({ seq }) => seq === null)).toEqual([waiting]);
    expect(state().items.at(-1)).toBe(waiting);
  });
});
