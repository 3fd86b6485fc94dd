import { expect, test } from 'vitest';
import type { TraceReport } from '../../../shared/contract/trace-contract.ts';
import { limitsOf, skewWords } from './trace-words.ts';

test('T4 a clock is said to be off by at least so much', () => {
  expect(skewWords({ peer: 'w', offsetMs: -3_000, isContradictory: false })).toMatch(
    /^the clock of w is ahead by at least 3/,
  );
  expect(skewWords({ peer: 'w', offsetMs: 0, isContradictory: true })).toMatch(/contradicts/);
});

test('T1 whatever was not looked at is said', () => {
  const searches = [
    { stream: 'WORK', readCount: 9, isWhole: true, problem: null },
    { stream: 'DLQ', readCount: 20_000, isWhole: false, problem: null },
    { stream: 'AUDIT', readCount: 0, isWhole: false, problem: 'not there' },
  ];
  const report = { searches, isHeardWhole: false, heardCount: 5, leftOutCount: 3 } as unknown as TraceReport;
  expect(limitsOf(report).map((one) => one.replace(/\s/g, ' '))).toEqual([
    'Only the newest 20 000 messages of DLQ were looked at.',
    'AUDIT was not read: not there.',
    'Only the newest 5 messages that were heard were looked at.',
    '3 more messages of the trace are not shown.',
  ]);
});
