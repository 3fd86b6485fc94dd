import { describe, expect, it } from 'vitest';
import { createLagHistory, sampleMs, trendOf } from './lag-history.ts';

const lags = (q: number, p?: number): Map<string, number> =>
  new Map([['q', q], ...(p === undefined ? [] : [['p', p] as const])]);

describe('samples', () => {
  it('W9 one is taken each two seconds, and no more are kept than five minutes have', () => {
    const history = createLagHistory();
    for (let ms = 0; ms <= 10_000; ms += 500) history.note(lags(ms), ms);
    expect(history.of('q')).toEqual([0, 2_000, 4_000, 6_000, 8_000, 10_000]);
    for (let i = 1; i <= 200; i++) history.note(lags(i), 10_000 + i * sampleMs);
    expect(history.of('q')).toHaveLength(150);
    expect(history.of('q').at(-1)).toBe(200);
    expect(history.of('q')[0]).toBe(51);
  });

  it('W9 while nobody looked the last figure stands; after a long time of that all of it is old', () => {
    const history = createLagHistory();
    history.note(lags(5), 0);
    history.note(lags(9), 6_100);
    expect(history.of('q')).toEqual([5, 5, 5, 9]);
    history.note(lags(1), 8_000);
    expect(history.of('q')).toEqual([5, 5, 5, 9, 1]);
    history.note(lags(2), 3_600_000);
    expect(history.of('q')).toEqual([...Array.from({ length: 149 }, () => 1), 2]);
  });

  it('W9 all queues have as many; one that comes had nothing before, one that goes is forgotten', () => {
    const history = createLagHistory();
    history.note(lags(1), 0);
    history.note(lags(2, 7), sampleMs);
    expect([history.of('q'), history.of('p')]).toEqual([
      [1, 2],
      [0, 7],
    ]);
    history.note(lags(3), 2 * sampleMs);
    expect(history.of('p')).toEqual([]);
    history.note(lags(3, 1), 3 * sampleMs);
    expect(history.of('p')).toEqual([0, 0, 0, 1]);
  });
});

const ramp = (from: number, step: number): number[] => Array.from({ length: 150 }, (_, i) => from + step * i);

it.each<[string, readonly number[]]>([
  ['steady', []],
  ['steady', [3]],
  ['steady', [0, 100]],
  ['steady', ramp(1_000, 0.1)],
  ['steady', [...ramp(0, 10).slice(0, 75), ...Array.from({ length: 75 }, () => 740)]],
  ['rising', ramp(0, 1)],
  ['falling', ramp(150, -1)],
  ['rising', [0, 0, 0, 0, 0, 0, 4, 8]],
  ['steady', [0, 0, 0, 0, 0, 0, 0, 0, 8, 8, 8, 0]],
])('W9 the trend is told over the last half: %s', (trend, history) => {
  expect(trendOf(history)).toBe(trend);
});
