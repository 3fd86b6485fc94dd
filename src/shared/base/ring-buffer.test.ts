import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRingBuffer } from './ring-buffer.ts';

describe('ring buffer', () => {
  it('B2 behaves as a list that forgets its oldest beyond the capacity', () => {
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.constant('push') },
      { weight: 2, arbitrary: fc.constant('shift') },
      { weight: 1, arbitrary: fc.constantFrom('drain', 'clear') },
    );
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.array(step, { maxLength: 200 }), (capacity, steps) => {
        const ring = createRingBuffer<number>(capacity);
        let model: number[] = [];
        steps.forEach((name, value) => {
          if (name === 'push') {
            model.push(value);
            expect(ring.push(value)).toBe(model.length > capacity ? model.shift() : undefined);
          } else if (name === 'shift') expect(ring.shift()).toBe(model.shift());
          else if (name === 'drain') {
            expect(ring.drain()).toEqual(model);
            model = [];
          } else {
            ring.clear();
            model = [];
          }
          expect(ring.size).toBe(model.length);
          expect(Array.from({ length: ring.size + 1 }, (_, index) => ring.at(index))).toEqual([...model, undefined]);
        });
      }),
    );
  });

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('refuses the capacity %s', (capacity) => {
    expect(() => createRingBuffer(capacity)).toThrowError(RangeError);
  });
});
