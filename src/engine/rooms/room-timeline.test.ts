import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RoomContent } from '../../shared/protocol/room-content.ts';
import { createRoomTimeline, type RoomTimeline, type TimelineMessage } from './room-timeline.ts';

const idOf = (n: number): string => `0197a3c0-0000-7000-8000-${String(n).padStart(12, '0')}`;
const leader = 'U-LEADER';

/** A message by a peer at a place; its id is of its place. */
function said(seq: number, peer: string, content: RoomContent, more: Partial<TimelineMessage> = {}): TimelineMessage {
  const common = {
    seq,
    atMs: seq * 1000,
    messageId: idOf(seq),
    kind: content.kind,
    peer,
    sign: `U-${peer.toUpperCase()}`,
  };
  return { ...common, epoch: 0, isCounted: true, content, ...more };
}
const text = (words: string): RoomContent => ({ kind: 'text', text: words });
const edit = (target: number, words: string): RoomContent => ({ kind: 'edit', target: idOf(target), text: words });
const redact = (target: number): RoomContent => ({ kind: 'redaction', target: idOf(target), reason: 'a slip' });
const react = (target: number, emoji: string, isOff = false): RoomContent => ({
  ...{ kind: 'reaction', target: idOf(target), emoji },
  ...(isOff ? { isOff } : {}),
});

function timelineOf(messages: readonly TimelineMessage[], isWhole = true): RoomTimeline {
  const timeline = createRoomTimeline({ leads: (sign) => sign === leader, isWhole: () => isWhole });
  for (const message of messages) timeline.put(message);
  return timeline;
}
const texts = (timeline: RoomTimeline) => timeline.slice({ limit: 100 }).map((one) => one.text);

test('R11 order is the stream’s, whatever came to be known first', () => {
  const messages = [said(3, 'a', text('three')), said(1, 'a', text('one')), said(2, 'b', text('two'))];
  expect(texts(timelineOf(messages))).toEqual(['one', 'two', 'three']);
});

test('R35 the last edit of the author counts, nobody else’s, and it says when', () => {
  const timeline = timelineOf([
    said(1, 'a', text('frist')),
    said(2, 'a', edit(1, 'first')),
    said(3, 'a', edit(1, 'First')),
    said(4, 'b', edit(1, 'last')),
    said(5, 'leader', edit(1, 'mine')),
  ]);
  expect(timeline.slice({ limit: 9 })).toEqual([expect.objectContaining({ text: 'First', editedMs: 3000 })]);
});

test.each([
  ['its author', 'a', true],
  ['who leads the room', 'leader', true],
  ['anybody else', 'b', false],
])('R35 a redaction by %s: %s', (_who, peer, isGone) => {
  const timeline = timelineOf([said(1, 'a', text('secret')), said(2, 'b', react(1, '👍')), said(3, peer, redact(1))]);
  const [shown] = timeline.slice({ limit: 9 });
  expect(shown?.text).toBe(isGone ? undefined : 'secret');
  expect(shown?.redacted).toEqual(isGone ? { peer, reason: 'a slip' } : undefined);
  expect(shown?.reactions).toHaveLength(isGone ? 0 : 1);
});

test('R35 a redacted message stays so, whatever its author edits afterwards', () => {
  const timeline = timelineOf([said(1, 'a', text('secret')), said(2, 'a', redact(1)), said(3, 'a', edit(1, 'again'))]);
  expect(texts(timeline)).toEqual([undefined]);
});

test('R35 a reaction is each peer’s own, once, and taken back by it alone', () => {
  const timeline = timelineOf([
    said(1, 'a', text('ship it?')),
    said(2, 'b', react(1, '👍')),
    said(3, 'c', react(1, '👍')),
    said(4, 'b', react(1, '👍')),
    said(5, 'c', react(1, '👎')),
    said(6, 'c', react(1, '👍', true)),
    said(7, 'd', react(1, '👎', true)),
  ]);
  expect(timeline.slice({ limit: 9 })[0]?.reactions).toEqual([
    { emoji: '👍', peers: ['b'] },
    { emoji: '👎', peers: ['c'] },
  ]);
});

test('R35 a reply names what it answers, also when that is not here', () => {
  const timeline = timelineOf([
    said(1, 'a', text('q')),
    said(2, 'b', { kind: 'reply', target: idOf(1), text: 'r' }),
    said(3, 'b', { kind: 'reply', target: idOf(9), text: 's' }),
  ]);
  const [, known, unknown] = timeline.slice({ limit: 9 });
  expect(known?.replyTo?.message?.seq).toBe(1);
  expect(unknown?.replyTo).toEqual({ messageId: idOf(9), message: undefined });
});

test('R35 what is about a message that is nowhere stands by itself, and only once that is known', () => {
  expect(timelineOf([said(5, 'a', edit(1, 'x'))], false).slice({ limit: 9 })).toEqual([]);
  const whole = timelineOf([said(5, 'a', edit(1, 'x'))]);
  expect(whole.slice({ limit: 9 })).toEqual([expect.objectContaining({ text: 'x' })]);
});

test('R36 whoever takes another’s id takes nothing of it over', () => {
  const timeline = timelineOf([
    said(1, 'a', text('mine')),
    said(2, 'b', text('not yours'), { messageId: idOf(1) }),
    said(3, 'b', edit(1, 'changed')),
    said(4, 'b', redact(1)),
  ]);
  expect(texts(timeline)).toEqual(['mine', 'not yours']);
  expect(timeline.byId(idOf(1))?.peer).toBe('a');
});

test('R36 what counts under an id is meant by it, not what was refused before', () => {
  const refused = said(1, 'a', text('x'), { isCounted: false, notOpened: { cause: 'wrong-epoch', detail: '' } });
  const sealedAgain = said(2, 'a', text('said'), { messageId: idOf(1) });
  const timeline = timelineOf([refused, sealedAgain, said(3, 'a', edit(1, 'said so'))]);
  expect(timeline.byId(idOf(1))?.seq).toBe(2);
  expect(texts(timeline).at(-1)).toBe('said so');
});

test('R10 a message whose key comes takes its own place, and what was said about it is there', () => {
  const { content: _content, ...locked } = said(1, 'a', text(''), { notOpened: { cause: 'no-key', detail: 'ask a' } });
  const timeline = timelineOf([locked, said(2, 'b', react(1, '👍'))]);
  expect(timeline.slice({ limit: 9 })[0]).toEqual(
    expect.objectContaining({ text: undefined, message: expect.objectContaining({ notOpened: locked.notOpened }) }),
  );
  const before = timeline.version();
  timeline.put(said(1, 'a', text('open')));
  expect(timeline.version()).toBeGreaterThan(before);
  expect(timeline.slice({ limit: 9 })).toEqual([expect.objectContaining({ text: 'open' })]);
  expect(timeline.slice({ limit: 9 })[0]?.reactions).toHaveLength(1);
});

test('R11 pages follow one another in both directions, and miss nothing', () => {
  const timeline = timelineOf(Array.from({ length: 25 }, (_, index) => said(10 * (index + 1), 'a', text(`m${index}`))));
  const seqs = (range: { beforeSeq?: number; afterSeq?: number }) =>
    timeline.slice({ ...range, limit: 10 }).map(({ message }) => message.seq);
  expect(seqs({})).toEqual([160, 170, 180, 190, 200, 210, 220, 230, 240, 250]);
  expect(seqs({ beforeSeq: 160 })[0]).toBe(60);
  expect(seqs({ beforeSeq: 60 })).toEqual([10, 20, 30, 40, 50]);
  expect(seqs({ afterSeq: 0 })).toEqual([10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
  expect(seqs({ afterSeq: 245 })).toEqual([250]);
});

test('R11 the oldest give way, and what was said about them goes too', () => {
  const timeline = timelineOf([said(1, 'a', text('x')), said(2, 'a', edit(1, 'y')), said(3, 'a', text('z'))]);
  expect(timeline.keepNewest({ count: 1, weight: 1e6 }).map(({ seq }) => seq)).toEqual([1, 2]);
  expect(timeline.at(1)).toBeUndefined();
  timeline.put(said(1, 'a', text('x')));
  expect(texts(timeline)).toEqual(['x', 'z']);
});

test('R11 the same messages give the same timeline in any order of their coming', () => {
  const one = fc.record({
    peer: fc.constantFrom('a', 'b', 'leader'),
    what: fc.integer({ min: 0, max: 4 }),
    target: fc.integer({ min: 1, max: 12 }),
  });
  fc.assert(
    fc.property(fc.array(one, { minLength: 1, maxLength: 12 }), fc.func(fc.integer()), (list, by) => {
      const messages = list.map(({ peer, what, target }, index) => {
        const contents = [
          text(`t${index}`),
          edit(target, `e${index}`),
          redact(target),
          react(target, '👍'),
          react(target, '👍', true),
        ];
        return said(index + 1, peer, contents[what] ?? text(''));
      });
      const shuffled = [...messages].sort((left, right) => by(left.seq) - by(right.seq));
      const all = (timeline: RoomTimeline) => timeline.slice({ limit: 100 });
      expect(all(timelineOf(shuffled))).toEqual(all(timelineOf(messages)));
    }),
  );
});

test('R66 a member has 20 reactions on a message at once, and another one only after it took one back', () => {
  const emoji = (n: number): string => String.fromCodePoint(0x1f600 + n);
  const flood = Array.from({ length: 30 }, (_, n) => said(2 + n, 'b', react(1, emoji(n))));
  const timeline = timelineOf([said(1, 'a', text('hello')), ...flood]);
  const kinds = (): readonly string[] | undefined =>
    timeline.slice({ limit: 1 })[0]?.reactions.map(({ emoji: one }) => one);
  expect(kinds()).toEqual(Array.from({ length: 20 }, (_, n) => emoji(n)));
  timeline.put(said(50, 'b', react(1, emoji(3), true)));
  timeline.put(said(51, 'b', react(1, emoji(25))));
  timeline.put(said(52, 'c', react(1, emoji(26))));
  expect(kinds()).not.toContain(emoji(3));
  expect(kinds()).toEqual(expect.arrayContaining([emoji(25), emoji(26)]));
  expect(kinds()).toHaveLength(21);
});
