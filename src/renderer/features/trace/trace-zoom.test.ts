import { expect, test } from 'vitest';
import { barIn, moveBy, ticksIn, timesIn, wholeTrace, zoomBy } from './trace-zoom.ts';

test('what is zoomed in on stays where it is; nothing is shown beyond the trace', () => {
  const half = zoomBy(wholeTrace, 0.5, 0.25);
  expect(half).toEqual({ from: 0.125, to: 0.625 });
  expect(zoomBy(half, 0.5, 0.625)).toEqual({ from: 0.375, to: 0.625 });
  expect(zoomBy(half, 8, 0.3)).toEqual(wholeTrace);
  expect(moveBy(half, 10)).toEqual({ from: 0.5, to: 1 });
  expect(moveBy(half, -10)).toEqual({ from: 0, to: 0.5 });
  let closest = wholeTrace;
  for (let count = 0; count < 100; count++) closest = zoomBy(closest, 0.5, 1);
  expect(closest.to).toBe(1);
  expect(closest.to - closest.from).toBeCloseTo(1e-6, 12);
});

test('bars are cut at what is in sight; what lies beside it is not drawn', () => {
  const span = timesIn({ fromMs: 0, toMs: 1_000 }, { from: 0.5, to: 1 });
  expect(span).toEqual({ fromMs: 500, toMs: 1_000 });
  expect(barIn({ fromMs: 0, toMs: 750 }, span)).toEqual({ left: 0, width: 50 });
  expect(barIn({ fromMs: 750, toMs: 2_000 }, span)).toEqual({ left: 50, width: 50 });
  expect(barIn({ fromMs: 600, toMs: 600 }, span)).toEqual({ left: 20, width: 0 });
  expect(barIn({ fromMs: 0, toMs: 499 }, span)).toBeUndefined();
});

test('the scale has round steps from the beginning on', () => {
  expect(ticksIn({ fromMs: 100, toMs: 1_100 }, 100)).toEqual([0, 500, 1_000]);
  expect(ticksIn({ fromMs: 600, toMs: 700 }, 100)).toEqual([500, 550, 600]);
});
