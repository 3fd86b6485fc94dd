import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createStandingCondition, type Moment, type Reading } from './standing-condition.ts';

const at = (ms: number): Moment => ({ nowMs: 1_000_000 + ms, monotonicMs: ms });
const create = () => createStandingCondition(() => ({ beginMs: 5_000, endMs: 10_000 }));

/** One reading a second. */
function play(readings: readonly Reading[], condition = create(), fromMs = 0) {
  readings.forEach((reading, index) => {
    condition.note(reading, at(fromMs + index * 1_000));
  });
  return condition;
}
const times = (count: number, reading: Reading): Reading[] => new Array<Reading>(count).fill(reading);

test('W9 a condition stands after it was over for 5 s, and is told since it was over', () => {
  expect(play(times(5, 'over')).sinceMs()).toBeUndefined();
  expect(play(times(6, 'over')).sinceMs()).toBe(1_000_000);
});

test('W9 what drops to its limit now and then does not stand', () => {
  const flapping = Array.from({ length: 60 }, (_, index): Reading => (index % 5 === 4 ? 'between' : 'over'));
  expect(play(flapping).sinceMs()).toBeUndefined();
});

test('W9 it ends only after 10 s well below; what comes between begins that anew', () => {
  const standing = () => play(times(6, 'over'));
  expect(play(times(10, 'calm'), standing(), 6_000).sinceMs()).toBeDefined();
  expect(play(times(11, 'calm'), standing(), 6_000).sinceMs()).toBeUndefined();
  const broken: Reading[] = [...times(9, 'calm'), 'between', ...times(9, 'calm')];
  expect(play(broken, standing(), 6_000).sinceMs()).toBeDefined();
  expect(play(times(60, 'between'), standing(), 6_000).sinceMs()).toBeDefined();
});

test('W9 a time in which nothing could be read proves nothing, and changes nothing', () => {
  const condition = play(times(4, 'over'));
  condition.interrupt();
  condition.note('over', at(60_000));
  expect(condition.sinceMs()).toBeUndefined();
  const standing = play(times(6, 'over'));
  standing.note('calm', at(7_000));
  standing.interrupt();
  standing.note('calm', at(60_000));
  expect(standing.sinceMs()).toBe(1_000_000);
});

test('W9 whoever knows better since when is believed', () => {
  const condition = create();
  condition.note('over', at(20_000), 1_000_000 + 12_000);
  expect(condition.sinceMs()).toBe(1_012_000);
});

test('W9 whatever the readings, it changes at most once in five seconds', () => {
  const reading = fc.constantFrom<Reading>('over', 'between', 'calm');
  fc.assert(
    fc.property(fc.array(reading, { maxLength: 200 }), (readings) => {
      const condition = create();
      let changedAt = Number.NEGATIVE_INFINITY;
      let stood = false;
      readings.forEach((one, second) => {
        condition.note(one, at(second * 1_000));
        const stands = condition.sinceMs() !== undefined;
        if (stands === stood) return;
        expect(second - changedAt).toBeGreaterThanOrEqual(5);
        expect(one).toBe(stands ? 'over' : 'calm');
        changedAt = second;
        stood = stands;
      });
    }),
  );
});
