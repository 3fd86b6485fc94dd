import { expect, test } from 'vitest';
import { summaryOf } from '../metrics/histogram.ts';
import type { WorkEvent } from './task-attempt.ts';
import { createWorkTally } from './work-tally.ts';

const attempted = { taskId: 't', queue: 'q', attempt: 1, maxAttempts: 4 };
const refusal = { code: 'unsigned', why: 'It is not signed.' } as unknown as Extract<
  WorkEvent,
  { kind: 'refused' }
>['refusal'];

test('W10 a worker counts each delivery once, and how long what was done took', () => {
  const tally = createWorkTally();
  const events: readonly WorkEvent[] = [
    { kind: 'claimed', ...attempted },
    ...[1, 2, 3, 4].map((tookMs) => ({ kind: 'done', ...attempted, tookMs }) as const),
    { kind: 'failed', ...attempted, tookMs: 500, reason: 'no', againInMs: 1 },
    { kind: 'buried', ...attempted, tookMs: 900, reason: 'no' },
    { kind: 'returned', ...attempted },
    { kind: 'refused', seq: 1, refusal },
    { kind: 'unsettled', seq: 2, code: 'timeout', message: 'no' },
  ];
  for (const event of events) tally.note(event);
  expect(tally.counts).toEqual({ done: 4, failed: 1, buried: 1, returned: 1, refused: 1, unsettled: 1 });
  expect(summaryOf(tally.claimToDone())).toEqual({ count: 4, meanMs: 2.5, p50Ms: 2, p90Ms: 4, p99Ms: 4, maxMs: 4 });
  const none = { meanMs: null, p50Ms: null, p90Ms: null, p99Ms: null, maxMs: null };
  expect(summaryOf(createWorkTally().claimToDone())).toEqual({ count: 0, ...none });
});
