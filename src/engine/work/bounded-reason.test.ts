import { expect, test } from 'vitest';
import { boundedReason } from './bounded-reason.ts';

test.each([
  ['short', 'short'],
  ['x'.repeat(1024), 'x'.repeat(1024)],
  ['x'.repeat(1025), `${'x'.repeat(1021)}…`],
  ['é'.repeat(600), `${'é'.repeat(510)}…`],
  ['😀'.repeat(300), `${'😀'.repeat(255)}…`],
])('W4 a reason of any length fits 1 KiB of UTF-8', (text, bounded) => {
  expect(boundedReason(text)).toBe(bounded);
  expect(Buffer.byteLength(boundedReason(text))).toBeLessThanOrEqual(1024);
});
