import { describe, expect, it } from 'vitest';
import { roomDayMs, roomEvent, roomMessage } from '../../../../tests/support/room-states.ts';
import { countAfter, dayOf, lastSeqOf, selectableKeys, timelineRows } from './timeline-rows.ts';

const options = { zone: 'utc', firstUnreadSeq: null } as const;
const kinds = (rows: ReturnType<typeof timelineRows>): readonly string[] =>
  rows.map((row) => (row.kind === 'message' ? (row.isHead ? 'head' : 'more') : row.kind));

describe('a timeline as rows', () => {
  it('messages of one sender stand together until another speaks, time passes, or something happens', () => {
    const rows = timelineRows(
      [
        roomMessage(1),
        roomMessage(2),
        roomMessage(3, { peer: 'carol' }),
        roomMessage(4, { peer: 'carol', atMs: roomDayMs + 400_000 }),
        roomEvent(5, { atMs: roomDayMs + 401_000 }),
        roomMessage(6, { peer: 'carol', atMs: roomDayMs + 402_000 }),
      ],
      options,
    );
    expect(kinds(rows)).toEqual(['day', 'head', 'more', 'head', 'head', 'event', 'head']);
  });

  it.each([
    ['a reply', { replyTo: { messageId: 'x', peer: 'carol', line: 'a' } }],
    ['another epoch', { epoch: 3 }],
    ['one that cannot be opened', { unopened: { cause: 'no-key', text: 'why', canAskAgain: true } }],
  ] as const)('R10 %s says anew whose it is', (_what, more) => {
    expect(kinds(timelineRows([roomMessage(1), roomMessage(2, more)], options))).toEqual(['day', 'head', 'head']);
  });

  it('a day begins where the zone says', () => {
    const items = [
      roomMessage(1, { atMs: Date.UTC(2026, 10, 30, 23, 59, 59) }),
      roomMessage(2, { atMs: Date.UTC(2026, 11, 1) }),
    ];
    expect(kinds(timelineRows(items, options))).toEqual(['day', 'head', 'day', 'head']);
    expect(dayOf(Date.UTC(2026, 11, 1), 'utc')).toBe('2026-12-01');
  });

  it('the line stands once, above the first that is unread', () => {
    const rows = timelineRows([roomMessage(1), roomMessage(2), roomMessage(3)], { ...options, firstUnreadSeq: 2 });
    expect(kinds(rows)).toEqual(['day', 'head', 'unread', 'head', 'more']);
    const unstored = timelineRows([roomMessage(null)], { ...options, firstUnreadSeq: 2 });
    expect(kinds(unstored)).toEqual(['day', 'head']);
  });

  it('counts what others said after a place', () => {
    const items = [roomMessage(1), roomMessage(5), roomMessage(6, { isOwn: true }), roomEvent(7), roomMessage(null)];
    expect([countAfter(items, 1), countAfter(items, 5), lastSeqOf(items), lastSeqOf([])]).toEqual([1, 0, 7, 0]);
  });

  it('days and the line cannot be selected, and no key stands twice', () => {
    const rows = timelineRows([roomMessage(1), roomEvent(2), roomEvent(2, { event: 'rekeyed' })], {
      ...options,
      firstUnreadSeq: 1,
    });
    expect(selectableKeys(rows)).toEqual(['m:msg-1', 'e:2:joined', 'e:2:rekeyed']);
    expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
  });
});
