import { expect, test } from 'vitest';
import { createFakeClock } from '../ports/fake-clock.ts';
import { createUnproven } from './unproven.ts';

const delivery = (seq: number, deliveryCount = 1) => ({ message: { seq }, deliveryCount });

test('E21 only so many wait at once, each only so often, and a place is free when one was judged', () => {
  const unproven = createUnproven({ clock: createFakeClock(), holdMs: 1_000, capacity: 2, maxDeliveries: 3 });
  expect([1, 2, 3].map((seq) => unproven.mayWait(delivery(seq)))).toEqual([true, true, false]);
  expect(unproven.mayWait(delivery(1, 2))).toBe(true);
  expect(unproven.mayWait(delivery(3))).toBe(false);
  expect(unproven.mayWait(delivery(1, 3))).toBe(false);
  expect(unproven.mayWait(delivery(3))).toBe(true);
  unproven.settle(2);
  expect(unproven.mayWait(delivery(4))).toBe(true);
});

test('E21 a place of a message that went to another process is free after a while', () => {
  const clock = createFakeClock();
  const unproven = createUnproven({ clock, holdMs: 1_000, capacity: 1, maxDeliveries: 9 });
  expect(unproven.mayWait(delivery(1))).toBe(true);
  clock.advance(600);
  expect(unproven.mayWait(delivery(1, 2))).toBe(true);
  clock.advance(600);
  expect(unproven.mayWait(delivery(2))).toBe(false);
  clock.advance(400);
  expect(unproven.mayWait(delivery(2))).toBe(true);
});
