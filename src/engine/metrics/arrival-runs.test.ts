import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createArrivalRuns } from './arrival-runs.ts';

/** Takes all, as [ms, count]. */
function takeAll(runs: ReturnType<typeof createArrivalRuns>, head: number, end: number): [number, number][] {
  const taken: [number, number][] = [];
  runs.take(head, end, (ms, count) => taken.push([ms, count]));
  return taken;
}

test('W10 runs of arrivals: what gave way is in none, and all is forgotten when it is taken', () => {
  const runs = createArrivalRuns();
  runs.add(0, 10, 0);
  runs.add(4, 20, 0);
  runs.add(5, 30, 2);
  expect(takeAll(runs, 2, 9)).toEqual([
    [10, 2],
    [20, 1],
    [30, 4],
  ]);
  expect(takeAll(runs, 9, 9)).toEqual([]);
  runs.add(9, 40, 9);
  expect(takeAll(runs, 11, 12)).toEqual([[40, 1]]);
});

test('W10 runs of arrivals: a bounded number is kept, the counts stay exact, no time is later than it was', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat({ max: 3 }), { minLength: 600, maxLength: 3_000 }),
      fc.nat({ max: 2_000 }),
      (sizes, room) => {
        const runs = createArrivalRuns();
        const cameMs: number[] = [];
        sizes.forEach((size, turn) => {
          if (size > 0) runs.add(cameMs.length, turn, Math.max(0, cameMs.length - room));
          for (let i = 0; i < size; i++) cameMs.push(turn);
        });
        const head = Math.max(0, cameMs.length - room);
        const taken = takeAll(runs, head, cameMs.length);
        expect(taken.length).toBeLessThanOrEqual(256);
        const told = taken.flatMap(([ms, count]) => Array.from({ length: count }, () => ms));
        expect(told).toHaveLength(cameMs.length - head);
        told.forEach((ms, at) => {
          expect(ms).toBeLessThanOrEqual(cameMs[head + at] ?? 0);
        });
      },
    ),
    { numRuns: 30 },
  );
});
