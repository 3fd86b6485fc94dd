import { expect, test } from 'vitest';
import { createFakeClock } from '../ports/fake-clock.ts';
import { createRoomFinding } from './room-finding.ts';
import type { RoomPlace } from './room-place.ts';
import { createRoomTimeline, type TimelineMessage } from './room-timeline.ts';

const messageOf = (seq: number, text: string): TimelineMessage => ({
  ...{ seq, atMs: seq, messageId: `m-${seq}`, kind: 'text', peer: 'cleo', sign: 'U1', epoch: 0, isCounted: true },
  content: { kind: 'text', text },
});

/** A room of so many messages; each look at the time finds it 3 ms later, each look at a message is counted. */
function prepare(count: number, textOf = (seq: number): string => (seq === 7 ? 'the needle' : 'hay')) {
  const timeline = createRoomTimeline({ leads: () => false, isWhole: () => true });
  for (let seq = 1; seq <= count; seq++) timeline.put(messageOf(seq, textOf(seq)));
  let [ms, looked] = [0, 0];
  const turns: number[] = [];
  const counted = {
    ...timeline,
    shown(message: TimelineMessage) {
      looked++;
      return timeline.shown(message);
    },
  };
  const others: (() => void)[] = [];
  const clock = {
    ...createFakeClock(0),
    monotonic: () => (ms += 3),
    defer(run: () => void) {
      turns.push(looked);
      for (const other of others.splice(0)) other();
      setImmediate(run);
    },
  };
  const reader = { timeline: () => counted, log: () => ({ standing: () => ({ name: 'Night shift' }) }) };
  const place = { desk: { room: 'r', reader } } as unknown as RoomPlace;
  const find = createRoomFinding({ loading: { inBackground: () => {}, progress: () => undefined }, clock });
  return {
    ...{ turns, timeline, looked: () => looked },
    /** Runs between two turns. */
    between: (run: () => void) => others.push(run),
    find: (signal: AbortSignal, limit = 10) => find([place], { text: 'need', limit }, signal),
  };
}

test('R78 a search looks at a few messages a turn, and others have theirs in between; it finds what lies deepest', async () => {
  const { find, turns } = prepare(1_000);
  const found = await find(new AbortController().signal);
  expect(found).toMatchObject({ hits: [{ messageId: 'm-7', line: 'the needle' }], doneCount: 1_000, count: 1_000 });
  const steps = turns.map((at, index) => at - (turns[index - 1] ?? 0));
  expect(Math.max(...steps)).toBeLessThanOrEqual(64);
  expect(turns.length).toBeGreaterThan(10);
});

test('R78 a search that nobody waits for any more ends at its next turn', async () => {
  const { find, turns, looked, between } = prepare(1_000);
  const control = new AbortController();
  between(() => control.abort());
  await expect(find(control.signal)).rejects.toMatchObject({ code: 'aborted' });
  expect([turns.length, looked()]).toEqual([1, turns[0]]);
  const before = prepare(10);
  await expect(before.find(AbortSignal.abort())).rejects.toMatchObject({ code: 'aborted' });
  expect(before.looked()).toBe(0);
});

test('R78 messages that come or go while it searches make it neither miss one nor find one twice', async () => {
  const { find, timeline, between } = prepare(500, () => 'needles');
  between(() => {
    timeline.put(messageOf(2_000, 'a later needle'));
    timeline.keepNewest({ count: 496, weight: Number.POSITIVE_INFINITY });
  });
  const { hits } = await find(new AbortController().signal, 1_000);
  expect(hits.map(({ seq }) => seq)).toEqual(Array.from({ length: 500 }, (_, at) => 500 - at));
});
