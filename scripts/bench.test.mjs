import { describe, expect, it } from 'vitest';
import { parseBenchArgs } from '../bench/bench-args.ts';
import { figuresOf, measureGroup, medianOf, p95Of } from '../bench/rounds.ts';
import { short, tableOf } from '../bench/table.ts';
import { createArrivals } from '../bench/timed-work.ts';
import { needsWindow } from './bench.mjs';

/** A side that measures the given values, one after the other; the first is the round that does not count. */
function fakeSide(values, { unit = 'messages/s', order = [], name = '' } = {}) {
  let at = 0;
  return {
    unit,
    measure: async () => {
      order.push(name);
      return values[at++];
    },
  };
}

const settle = async () => {};
const close = async () => {};

function groupOf(ours, peer, target) {
  return {
    plan: 'P9',
    sides: { ours: fakeSide(ours), peer: fakeSide(peer) },
    comparisons: [{ title: 'work', ours: 'ours', peer: 'peer', ...(target && { target }) }],
    close,
  };
}

describe('statistics', () => {
  it('the median is the middle, of an even number the mean of the middle two', () => {
    expect(medianOf([9, 1, 5])).toBe(5);
    expect(medianOf([4, 1, 3, 2])).toBe(2.5);
    expect(() => medianOf([])).toThrow(RangeError);
  });

  it('the p95 is the value that 95 of 100 do not exceed', () => {
    const values = Array.from({ length: 100 }, (_, at) => 100 - at);
    expect(p95Of(values)).toBe(95);
    expect(p95Of([7])).toBe(7);
    expect(() => p95Of([])).toThrow(RangeError);
  });

  it('the spread is the whole range over the median', () => {
    expect(figuresOf([2, 4, 3])).toEqual({ median: 3, least: 2, most: 4, spread: 2 / 3 });
  });
});

describe('rounds', () => {
  it('the ratio is the median of the ratios of each round, not the ratio of medians; the first round does not count', async () => {
    const group = groupOf([1e9, 10, 20, 30, 40, 50], [1, 10, 10, 100, 20, 10], { atLeast: 2 });
    const [row] = await measureGroup(group, { rounds: 5, settle });
    expect(row.ratios).toEqual([1, 2, 0.3, 2, 5]);
    expect(row.ratio).toEqual({ median: 2, least: 0.3, most: 5, spread: 2.35 });
    expect(row).toMatchObject({ isMet: true, isNoisy: true, ours: { median: 30 }, peer: { median: 10 } });
  });

  it('sides are interleaved, and each round begins with another one', async () => {
    const order = [];
    const side = (name) => fakeSide([1, 1, 1, 1, 1, 1], { order, name });
    const sides = { a: side('a'), b: side('b'), c: side('c') };
    await measureGroup({ plan: 'P9', sides, comparisons: [], close }, { rounds: 5, settle });
    expect(order.join('')).toBe('abcbcacababcbcacab');
  });

  it('garbage of others is collected before each measurement', async () => {
    let settled = 0;
    const count = async () => void settled++;
    await measureGroup(groupOf(Array(6).fill(1), Array(6).fill(1)), { rounds: 5, settle: count });
    expect(settled).toBe(12);
  });

  it.each([
    [{ atLeast: 0.5 }, true],
    [{ atLeast: 0.51 }, false],
    [{ atMost: 0.5 }, true],
    [{ atMost: 0.49 }, false],
    [undefined, undefined],
  ])('a ratio of 0.5 against %j: met is %s', async (target, isMet) => {
    const [row] = await measureGroup(groupOf(Array(6).fill(1), Array(6).fill(2), target), { rounds: 5, settle });
    expect(row.isMet).toBe(isMet);
    expect(row.isNoisy).toBe(false);
  });

  it('a spread of 30 % is not noisy, more is', async () => {
    const peer = Array(6).fill(100);
    const [steady] = await measureGroup(groupOf([1, 85, 100, 100, 100, 115], peer), { rounds: 5, settle });
    const [noisy] = await measureGroup(groupOf([1, 84, 100, 100, 100, 115], peer), { rounds: 5, settle });
    expect([steady.isNoisy, noisy.isNoisy]).toEqual([false, true]);
  });

  it('fewer than five rounds, a figure that is none, and sides that cannot be compared are refused', async () => {
    await expect(measureGroup(groupOf([1], [1]), { rounds: 4, settle })).rejects.toThrow('at least 5');
    await expect(measureGroup(groupOf([1, 0], [1, 1]), { rounds: 5, settle })).rejects.toThrow('no figure');
    const group = groupOf(Array(6).fill(1), []);
    const sides = { ...group.sides, peer: fakeSide(Array(6).fill(1), { unit: 'ms' }) };
    await expect(measureGroup({ ...group, sides }, { rounds: 5, settle })).rejects.toThrow('cannot be compared');
  });
});

describe('table', () => {
  it('tells figures, range, target and verdict, marks noise, and names what was not measured', async () => {
    const group = groupOf([1, 90e3, 110e3, 100e3, 150e3, 100e3], Array(6).fill(1e3), { atLeast: 200 });
    const rows = await measureGroup(group, { rounds: 5, settle });
    const text = tableOf(rows, [{ plan: 'P3', title: 'worker', target: { atLeast: 1 }, reason: 'no redis-server' }]);
    const [heading, line, missing] = text.split('\n');
    expect(heading).toMatch(/^ +work +ours +peer +unit +ratio/);
    expect(line).toMatch(/^P9 +work +100 k +1\.00 k +messages\/s +100 × +90\.0 – 150 +60 % +≥ 200 × +MISSED, noisy$/);
    expect(missing).toBe('P3  worker (≥ 1 ×): not measured: no redis-server');
  });

  it('three figures count', () => {
    expect([0.0213, 1.234, 12.34, 999, 4321, 1.07e6].map(short)).toEqual([
      ...['0.0213', '1.23', '12.3', '999', '4.32 k', '1.07 M'],
    ]);
  });
});

describe('arguments', () => {
  it('names plans, in their order, and how many rounds', () => {
    expect(parseBenchArgs([])).toEqual({ wanted: ['P1', 'P2', 'P3', 'P4', 'P12', 'P14'], rounds: 5, isGate: false });
    const args = ['p3', 'P1', '--rounds=9', '--gate'];
    expect(parseBenchArgs(args)).toEqual({ wanted: ['P1', 'P3'], rounds: 9, isGate: true });
    expect(parseBenchArgs(['P14', 'p1']).wanted).toEqual(['P1', 'P14']);
    expect(() => parseBenchArgs(['P7'])).toThrow('P1, P2, P3, P4, P12, P14');
    expect(() => parseBenchArgs(['--rounds=4'])).toThrow('at least 5');
  });
});

it('only P14 opens a window: by its name, or as one of all', () => {
  expect([[], ['--gate'], ['p14'], ['P1', 'P14']].map(needsWindow)).toEqual([true, true, true, true]);
  expect([['P1'], ['P1', 'P4', '--rounds=9']].map(needsWindow)).toEqual([false, false]);
});

it('who waits for arrivals is woken by the last one, also when all came before', async () => {
  const arrivals = createArrivals('messages');
  let isWoken = false;
  const waiting = arrivals.next(3).then(() => {
    isWoken = true;
  });
  arrivals.count(2);
  await Promise.resolve();
  expect(isWoken).toBe(false);
  arrivals.count();
  await waiting;
  arrivals.count(2);
  await arrivals.next(2);
});
