import { expect, test } from 'vitest';
import { isMention, mentions, unreadMarks } from './room-marks.ts';
import { createRoomTimeline, type TimelineMessage } from './room-timeline.ts';

const message = (seq: number, sign: string, text: string, fields: Partial<TimelineMessage> = {}): TimelineMessage => ({
  ...{ seq, atMs: seq, messageId: `id-${seq}`, kind: 'text', peer: sign, sign, epoch: 0, isCounted: true },
  content: { kind: 'text', text },
  ...fields,
});

test.each([
  ['@ben', true],
  ['hello @ben, come', true],
  ['(@ben)', true],
  ['@ben.', true],
  ['@Ben', false],
  ['@benny', false],
  ['@ben-2', false],
  ['@ben_', false],
  ['mail@ben', false],
  ['@@ben', false],
  ['ben', false],
  ['é@ben', false],
  ['@benny and @ben', true],
])('R56 %j mentions ben: %s', (text, is) => {
  expect(mentions(text, 'ben')).toBe(is);
  expect(isMention({ text, attachment: undefined }, 'ben')).toBe(is);
});

test('R56 unread is what counts, stands for itself, is another’s and not redacted, behind the mark', () => {
  const timeline = createRoomTimeline({ leads: () => false, isWhole: () => true });
  const { content: _content, ...locked } = message(8, 'cleo', '');
  const all: TimelineMessage[] = [
    message(1, 'cleo', 'read'),
    message(3, 'ben', 'own @ben'),
    message(4, 'cleo', 'first @ben'),
    message(5, 'cleo', 'edited', {
      content: { kind: 'edit', target: 'id-4', text: 'first of all @ben' },
      kind: 'edit',
    }),
    message(6, 'dan', 'refused @ben', { isCounted: false, notOpened: { cause: 'replayed', detail: '' } }),
    message(7, 'cleo', 'gone @ben'),
    { ...locked, notOpened: { cause: 'no-key', detail: '' } },
    message(9, 'cleo', '', { content: { kind: 'redaction', target: 'id-7' }, kind: 'redaction' }),
  ];
  for (const one of all) timeline.put(one);
  const of = (markSeq: number) => unreadMarks(timeline, { markSeq, sign: 'ben', peer: 'ben' });
  expect(of(1)).toEqual({ count: 2, mentionCount: 1, firstSeq: 4 });
  expect(of(4)).toEqual({ count: 1, mentionCount: 0, firstSeq: 8 });
  expect(of(9)).toEqual({ count: 0, mentionCount: 0, firstSeq: undefined });
});

test('R56 counts end at 1 000', () => {
  const timeline = createRoomTimeline({ leads: () => false, isWhole: () => true });
  for (let seq = 1; seq <= 1_500; seq++) timeline.put(message(seq, seq % 4 === 0 ? 'ben' : 'cleo', 'x'));
  expect(unreadMarks(timeline, { markSeq: 0, sign: 'ben', peer: 'ben' })).toMatchObject({ count: 1_000, firstSeq: 1 });
});
