import { expect, it } from 'vitest';
import { createArrivalTurns, maxWaiting, turnMs } from './arrival-turns.ts';

/** A thread on which each message takes so long; `turn` runs what was left for the next turn. */
function setUp(costMs: number) {
  let nowMs = 0;
  let deferred: (() => void)[] = [];
  const taken: number[] = [];
  const clock = { monotonic: () => nowMs, defer: (run: () => void) => void deferred.push(run) };
  const take = createArrivalTurns<number>(clock, (one) => {
    taken.push(one);
    nowMs += costMs;
  });
  return {
    take,
    taken,
    takeMany: (count: number, from = 0) => {
      for (let one = from; one < from + count; one++) take(one);
    },
    turn() {
      const due = deferred;
      deferred = [];
      const beganMs = nowMs;
      for (const run of due) run();
      return nowMs - beganMs;
    },
    get deferredCount() {
      return deferred.length;
    },
  };
}

const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, one) => one);

it('P14 what comes at once is taken in turns of some milliseconds, in order, and all of it', () => {
  const { takeMany, taken, turn } = setUp(1);
  takeMany(100);
  expect(taken).toHaveLength(turnMs);
  const lengths = upTo(30).map(() => turn());
  expect(Math.max(...lengths)).toBe(turnMs);
  expect(taken).toEqual(upTo(100));
});

it('P14 what comes while others wait stands behind them', () => {
  const { take, takeMany, taken, turn } = setUp(1);
  takeMany(20);
  turn();
  take(20);
  for (let turns = 0; turns < 6; turns++) turn();
  expect(taken).toEqual(upTo(21));
});

it('P14 who comes alone is taken at once, and leaves nothing to do', () => {
  const run = setUp(1);
  for (let one = 0; one < 50; one++) {
    run.take(one);
    expect(run.taken).toHaveLength(one + 1);
    run.turn();
  }
  run.turn();
  expect(run.deferredCount).toBe(0);
});

it('B2 beyond the bound nothing is dropped and nobody waits longer: the oldest is taken at once', () => {
  const { takeMany, taken, turn } = setUp(1);
  const count = maxWaiting + 500;
  takeMany(count);
  expect(taken).toEqual(upTo(count - maxWaiting));
  for (let turns = 0; turns <= maxWaiting / turnMs; turns++) turn();
  expect(taken).toEqual(upTo(count));
});

it('P14 one that throws keeps none of the others from being taken', () => {
  let nowMs = 0;
  const deferred: (() => void)[] = [];
  const taken: number[] = [];
  const take = createArrivalTurns<number>(
    { monotonic: () => nowMs, defer: (run) => void deferred.push(run) },
    (one) => {
      nowMs += turnMs / 2;
      taken.push(one);
      if (one === 2) throw new Error('a bug');
    },
  );
  for (let one = 0; one < 6; one++) take(one);
  expect(() => deferred.shift()?.()).toThrow('a bug');
  while (deferred.length > 0) deferred.shift()?.();
  expect(taken).toEqual(upTo(6));
});
