import { expect, test } from 'vitest';
import { leastZoomPercent, mostZoomPercent, zoomAfter } from './zoom-steps.ts';

test('product.md "Everywhere": zoom goes from 50 to 200 % by steps, back to 100 %, and stays within its ends', () => {
  let percent = leastZoomPercent as number;
  const seen = [percent];
  while (percent < mostZoomPercent) {
    percent = zoomAfter(percent, 'in');
    seen.push(percent);
    expect(zoomAfter(percent, 'actual')).toBe(100);
  }
  expect(seen).toEqual([50, 67, 75, 80, 90, 100, 110, 125, 150, 175, 200]);
  expect(zoomAfter(200, 'in')).toBe(200);
  expect(seen.toReversed().map((size) => zoomAfter(size, 'out'))).toEqual([...seen.toReversed().slice(1), 50]);
  expect([zoomAfter(103, 'in'), zoomAfter(103, 'out')]).toEqual([110, 100]);
});
