import { expect, test } from 'vitest';
import { isMuted, muteStateOf, withPart } from './mute-rules.ts';

const none = { desktop: true, mutedKinds: null, mutedQueues: null, mutedUntil: null };
const nowMs = Date.parse('2026-11-30T12:00:00Z');

test('product.md kinds and queues are muted by name', () => {
  const state = muteStateOf({ ...none, mutedKinds: 'lag, approval', mutedQueues: 'builds' }, nowMs);
  expect(state).toEqual({ kinds: ['lag', 'approval'], queues: ['builds'], untilMs: null });
  expect(isMuted(state, 'lag', 'render')).toBe(true);
  expect(isMuted(state, 'lost', 'builds')).toBe(true);
  expect(isMuted(state, 'lost', 'render')).toBe(false);
  expect(isMuted(state, 'denied', null)).toBe(false);
});

test('product.md a time for all that is over mutes nothing any more', () => {
  const until = (mutedUntil: string) => muteStateOf({ ...none, mutedUntil }, nowMs).untilMs;
  expect(until('2026-11-30T13:00:00Z')).toBe(nowMs + 3_600_000);
  expect(until('2026-11-30T12:00:00Z')).toBeNull();
});

test('product.md a part is in a list once, or not at all', () => {
  expect(withPart(['a', 'b'], 'a', true)).toEqual(['b', 'a']);
  expect(withPart(['a', 'b'], 'a', false)).toEqual(['b']);
  expect(withPart([], 'a', false)).toEqual([]);
});
