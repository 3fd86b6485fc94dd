import { expect, test } from 'vitest';
import { createFakeClock } from '../../engine/ports/fake-clock.ts';
import { createLiveRates } from './live-rates.ts';

test('W9 rates are what was heard and what the lag says, over the last minute', () => {
  const clock = createFakeClock();
  const rates = createLiveRates(clock);
  const hear = (count: number): void => {
    for (let i = 0; i < count; i++) rates.noteTask('q');
  };
  hear(50);
  rates.noteLag('q', 10);
  expect(rates.of('q')).toBeUndefined();
  clock.advance(2_000);
  hear(8);
  rates.noteLag('q', 12);
  expect(rates.of('q')).toEqual({ inPerSec: 4, outPerSec: 3 });
  expect(rates.of('other')).toBeUndefined();
  clock.advance(59_000);
  rates.noteLag('q', 0);
  expect(rates.of('q')).toEqual({ inPerSec: 0, outPerSec: 12 / 59 });
  // More stands there than was heard: nothing goes out below zero.
  clock.advance(60_000);
  rates.noteLag('q', 60);
  expect(rates.of('q')).toEqual({ inPerSec: 0, outPerSec: 0 });
  rates.reset();
  rates.noteLag('q', 60);
  expect(rates.of('q')).toBeUndefined();
});
