import { beforeEach, expect, test } from 'vitest';
import { createFakeClock, type FakeClock } from '../ports/fake-clock.ts';
import { createChannelHeadStore, headEveryMs } from './channel-head-store.ts';
import type { WorkerFrame } from './worker-frames.ts';

const source = 'vak://test/worker-1/worker-1-b-e';
const resumes = { source: 'vak://test/worker-1/worker-1-a-e', seq: 9, leaf: 'f'.repeat(64) };
const headAt = (seq: number) => ({ source, seq, leaf: String(seq % 10).repeat(64) });
let clock: FakeClock;
let posted: WorkerFrame[];
let store: ReturnType<typeof createChannelHeadStore>;

beforeEach(() => {
  clock = createFakeClock();
  posted = [];
  store = createChannelHeadStore({ post: (frame) => posted.push(frame), clock, resumes });
});

test('E12 the previous head is the one that main said, of the ephemeral kind alone', () => {
  expect(store.previous('worker-1', 'e')).toEqual(resumes);
  expect(store.previous('worker-1', 'd')).toBeUndefined();
  const first = createChannelHeadStore({ post: () => {}, clock, resumes: undefined });
  expect(first.previous('worker-1', 'e')).toBeUndefined();
});

test('E12 main is told at most once a second, and then of the latest', () => {
  for (let seq = 0; seq < 100; seq++) {
    store.keep('worker-1', 'e', headAt(seq));
    clock.advance(headEveryMs / 20);
  }
  expect(posted).toEqual([19, 39, 59, 79, 99].map((seq) => ({ kind: 'head', ...headAt(seq) })));
  clock.advance(10 * headEveryMs);
  expect(posted).toHaveLength(5);
  expect(clock.timerCount).toBe(0);
});

test('E12 at the end main is told at once what it does not know, and of that once', () => {
  store.keep('worker-1', 'e', headAt(3));
  store.keep('worker-1', 'q', headAt(4));
  store.dispose();
  store.dispose();
  expect(posted).toEqual([{ kind: 'head', ...headAt(3) }]);
  expect(clock.timerCount).toBe(0);
});
