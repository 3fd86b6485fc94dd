import { expect, test } from 'vitest';
import { createFakeClock } from '../ports/fake-clock.ts';
import { createBurstPace } from './burst-pace.ts';

const look = (pendingCount: number, inFlightCount: number, workerCount = 4) => ({
  ...{ pendingCount, inFlightCount, workerCount },
});

test('W9 the first burst is due at once, the next when nothing has waited for a while', () => {
  const clock = createFakeClock();
  const pace = createBurstPace(clock);
  expect(pace.due(look(0, 0))).toBe(12);
  expect(pace.due(look(8, 4))).toBe(0);
  expect(pace.due(look(0, 2))).toBe(0);
  clock.advance(1_499);
  expect(pace.due(look(0, 1))).toBe(0);
  clock.advance(1);
  expect(pace.due(look(0, 1))).toBe(11);
  expect(pace.due(look(0, 1))).toBe(0);
});

test('W9 tasks that wait begin the rest anew; long ones that hold most workers are waited for a little longer', () => {
  const clock = createFakeClock();
  const pace = createBurstPace(clock);
  pace.due(look(0, 0));
  expect(pace.due(look(0, 3))).toBe(0);
  clock.advance(5_999);
  expect(pace.due(look(0, 3))).toBe(0);
  expect(pace.due(look(1, 3))).toBe(0);
  clock.advance(5_999);
  expect(pace.due(look(0, 3))).toBe(0);
  clock.advance(6_000);
  expect(pace.due(look(0, 3))).toBe(9);
});

test('W9 without workers nothing is due, and never more than three a worker', () => {
  const clock = createFakeClock();
  const pace = createBurstPace(clock);
  expect(pace.due(look(0, 0, 0))).toBe(0);
  expect(pace.due(look(0, 40))).toBe(0);
  clock.advance(60_000);
  expect(pace.due(look(0, 40))).toBe(0);
  clock.advance(60_000);
  expect(pace.due(look(0, 0, 1))).toBe(3);
});
