import { expect, test } from 'vitest';
import { createFakeClock } from '../../engine/ports/fake-clock.ts';
import { createLiveRates } from './live-rates.ts';

function setUp() {
  const clock = createFakeClock();
  const rates = createLiveRates(clock);
  const hear = (count: number): void => {
    for (let i = 0; i < count; i++) rates.noteTask('q');
  };
  const note = (lag: number, deliveredCount: number, inFlightCount = 0): void =>
    rates.noteCounts('q', { lag, inFlightCount, deliveredCount });
  return { clock, rates, hear, note };
}

test('W9 rates are what was heard and what the lag says, over the last minute', () => {
  const { clock, rates, hear, note } = setUp();
  hear(50);
  note(10, 40);
  expect(rates.of('q')).toBeUndefined();
  clock.advance(2_000);
  hear(8);
  note(12, 46);
  expect(rates.of('q')).toEqual({ inPerSec: 4, outPerSec: 3 });
  expect(rates.of('other')).toBeUndefined();
  clock.advance(59_000);
  note(0, 58);
  expect(rates.of('q')).toEqual({ inPerSec: 0, outPerSec: 12 / 59 });
  // More stands there than was heard: nothing goes out below zero.
  clock.advance(60_000);
  note(60, 58);
  expect(rates.of('q')).toEqual({ inPerSec: 0, outPerSec: 0 });
  rates.reset();
  note(60, 58);
  expect(rates.of('q')).toBeUndefined();
});

test('W9 what was purged was not worked off, also while workers are at it', () => {
  const { clock, rates, note } = setUp();
  note(1_000, 40, 4);
  clock.advance(10_000);
  note(0, 40, 4);
  expect(rates.of('q')).toEqual({ inPerSec: 0, outPerSec: 0 });
  clock.advance(10_000);
  note(0, 60, 4);
  expect(rates.of('q')).toEqual({ inPerSec: 0, outPerSec: 1 });
  // The engine has forgotten its counts: there is nothing to compare with.
  note(0, 3, 0);
  expect(rates.of('q')).toBeUndefined();
});
