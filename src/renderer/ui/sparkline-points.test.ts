import { describe, expect, it } from 'vitest';
import { sparklinePoints } from './sparkline-points.ts';

const box = { width: 100, height: 20 };

describe('a small line', () => {
  it('goes from left to right, 0 at the bottom, the largest at the top', () => {
    expect(sparklinePoints([0, 5, 10], box)).toBe('0,20 50,10 100,0');
  });

  it('zeros lie on the ground, and one figure is no line', () => {
    expect(sparklinePoints([0, 0], box)).toBe('0,20 100,20');
    expect(sparklinePoints([7], box)).toBe('');
    expect(sparklinePoints([], box)).toBe('');
  });
});
