import { expect, test } from 'vitest';
import { createTokenLog, maxTokens, maxTokenText } from './token-log.ts';

const said = (log: ReturnType<typeof createTokenLog>, atMs?: number) =>
  log.read(atMs).blocks.map(({ channel, text, missingCount }) => `${channel}${missingCount || ''}: ${text}`);

test('tokens become text, what was thought apart from what was answered', () => {
  const log = createTokenLog();
  log.add({ channel: 'thinking', index: 0, text: 'Let me ' }, 100);
  log.add({ channel: 'thinking', index: 1, text: 'see.' }, 150);
  log.add({ channel: 'assistant', index: 0, text: 'It is ' }, 400);
  log.add({ channel: 'assistant', index: 1, text: '42.' }, 500);
  expect(said(log)).toEqual(['thinking: Let me see.', 'assistant: It is 42.']);
  expect(log.read(undefined).timing).toEqual({
    count: 4,
    last: { atMs: 500, text: '42.', waitMs: 100 },
    perSecond: 7.5,
    longestWaitMs: 250,
  });
});

test('up to a time it is what had been said then', () => {
  const log = createTokenLog();
  for (const [index, text] of ['a', 'b', 'c'].entries()) log.add({ channel: 'assistant', index, text }, index * 10);
  expect([said(log, -1), said(log, 10), said(log, 99)]).toEqual([[], ['assistant: ab'], ['assistant: abc']]);
  expect(log.read(10).timing).toMatchObject({ count: 2, last: { text: 'b', waitMs: 10 } });
  expect(log.read(-1).timing).toEqual({ count: 0, last: undefined, perSecond: undefined, longestWaitMs: 0 });
});

test('tokens that never came are named where they are missing, one that comes twice is shown once', () => {
  const log = createTokenLog();
  for (const index of [7, 8, 8, 12, 9]) log.add({ channel: 'assistant', index, text: `${index} ` }, index);
  expect(said(log)).toEqual(['assistant: 7 8 ', 'assistant3: 12 ']);
  log.add({ channel: 'assistant', index: 0, text: 'anew' }, 20);
  expect(said(log).at(-1)).toBe('assistant3: 12 anew');
});

test('what is kept is bounded in text and in tokens, and what gave way is counted', () => {
  const long = createTokenLog();
  for (let index = 0; index < 300; index++) long.add({ channel: 'assistant', index, text: 'x'.repeat(4_096) }, index);
  const { blocks, forgottenLength } = long.read(undefined);
  const kept = blocks.reduce((sum, { text }) => sum + text.length, 0);
  expect(kept).toBeLessThanOrEqual(maxTokenText);
  expect(kept + forgottenLength).toBe(300 * 4_096);
  const many = createTokenLog();
  for (let index = 0; index < maxTokens + 5_000; index++) many.add({ channel: 'assistant', index, text: 'y' }, index);
  expect(many.count).toBeLessThanOrEqual(maxTokens);
  expect(many.read(undefined).forgottenLength).toBe(maxTokens + 5_000 - many.count);
});
