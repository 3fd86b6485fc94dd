import { describe, expect, it } from 'vitest';
import type { TaskAttempt, TaskReport } from '../../../shared/contract/queues-contract.ts';
import { attemptReason, lastAttempt, reportLine } from './report-words.ts';

const attempt = (number: number, more: Partial<TaskAttempt> = {}): TaskAttempt => ({
  ...{ attempt: number, workerId: `worker-${number}`, outcome: 'attempt-failed', startedMs: 0, endedMs: 5 },
  ...{ exitCode: 1, reason: 'exit code 1', errorClass: 'exit.1' },
  ...more,
});

const report = (more: Partial<TaskReport>): TaskReport => ({
  ...{ leaf: 'l', taskId: 't', queue: 'render', outcome: 'retrying', storedMs: 0, changedMs: 9 },
  ...{ attempts: [], deadLetter: null, refusal: null },
  ...more,
});

describe('W6 what is said of a task', () => {
  it('W6 the last attempt is the one with the highest number, in whatever order they were heard', () => {
    expect(lastAttempt(report({ attempts: [attempt(2), attempt(3), attempt(1)] }))?.attempt).toBe(3);
    expect(lastAttempt(report({}))).toBeUndefined();
  });

  it('W6 names who had it last and why it failed; one that is done has no reason', () => {
    expect(reportLine(report({ attempts: [attempt(1), attempt(2)] }))).toBe('worker-2 · exit code 1');
    expect(reportLine(report({ attempts: [attempt(1, { outcome: 'done', reason: 'ignored' })] }))).toBe('worker-1');
    expect(reportLine(report({}))).toBe('');
  });

  it('W4 the reason of a dead letter comes first, and nothing hides in it', () => {
    const deadLetter = { seq: 1, atMs: 9, reason: 'gave\u202E up', by: 'supervisor' };
    expect(reportLine(report({ attempts: [attempt(4)], deadLetter }))).toBe('worker-4 · gave‹U+202E› up');
  });

  it('W6b the class is told unless it only repeats the exit code', () => {
    expect(attemptReason(attempt(1))).toBe('exit code 1');
    expect(attemptReason(attempt(1, { exitCode: null, errorClass: 'timeout', reason: 'over' }))).toBe('timeout · over');
    expect(attemptReason(attempt(1, { errorClass: null, reason: null }))).toBe('');
  });
});
