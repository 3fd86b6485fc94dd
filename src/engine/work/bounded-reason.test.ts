import { expect, test } from 'vitest';
import { boundedReason, boundedStack } from './bounded-reason.ts';

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

test('W4 a stack of any length fits 8 KiB of UTF-8', () => {
  expect(boundedStack('x'.repeat(8192))).toBe('x'.repeat(8192));
  expect(boundedStack('é'.repeat(4097))).toBe(`${'é'.repeat(4094)}…`);
});
