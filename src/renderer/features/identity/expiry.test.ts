import { expect, it } from 'vitest';
import { describeExpiry } from './expiry.ts';

const nowMs = Date.UTC(2026, 10, 29, 14, 3, 7);
const dayMs = 24 * 3600 * 1000;

it.each([
  [30 * dayMs, 'plain', 'in 30 d'],
  [6 * dayMs, 'wait', 'in 6 d'],
  [0, 'bad', 'ended now'],
  [-2 * dayMs, 'bad', 'ended 2 d ago'],
] as const)('an end %d ms off is %s: %s', (offMs, tone, words) => {
  const expiry = describeExpiry(nowMs + offMs, nowMs, 'utc');
  expect(expiry.tone).toBe(tone);
  expect(expiry.relative.replaceAll('\u00a0', ' ')).toBe(words);
});

it('prints the time without fraction, and its zone apart', () => {
  expect(describeExpiry(nowMs, nowMs - 1, 'utc')).toMatchObject({ at: '2026-11-29 14:03:07', zone: 'UTC' });
});
