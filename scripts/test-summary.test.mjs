import { describe, expect, it } from 'vitest';
import {
  addCounts,
  countPlaywright,
  countVitest,
  finalCode,
  interruptedLine,
  noTests,
  summaryLine,
} from './test-summary.mjs';

describe('counts', () => {
  it('reads a vitest report; a file that could not be loaded counts as a failure', () => {
    const report = {
      numPassedTests: 5,
      numFailedTests: 1,
      numPendingTests: 2,
      numTodoTests: 1,
      testResults: [
        { status: 'failed', assertionResults: [{}] },
        { status: 'failed', assertionResults: [] },
        { status: 'passed', assertionResults: [{}] },
      ],
    };
    expect(countVitest(report)).toEqual({ passed: 5, failed: 2, skipped: 3 });
  });

  it('reads a Playwright report; a flaky test and an error outside tests count as failures', () => {
    const report = { stats: { expected: 7, unexpected: 1, flaky: 1, skipped: 2 }, errors: [{}] };
    expect(countPlaywright(report)).toEqual({ passed: 7, failed: 3, skipped: 2 });
  });

  it('counts nothing where there is no report', () => {
    expect(countVitest(undefined)).toEqual(noTests);
    expect(countPlaywright(undefined)).toEqual(noTests);
  });

  it('adds up', () => {
    const sum = addCounts({ passed: 1, failed: 2, skipped: 3 }, { passed: 10, failed: 20, skipped: 30 });
    expect(sum).toEqual({ passed: 11, failed: 22, skipped: 33 });
  });
});

describe('summaryLine', () => {
  it('names the skipped only when there are some', () => {
    expect(summaryLine({ passed: 12, failed: 0, skipped: 0 })).toBe('Tests: 12 passed, 0 failed');
    expect(summaryLine({ passed: 1, failed: 2, skipped: 3 })).toBe('Tests: 1 passed, 2 failed, 3 skipped');
  });
});

describe('finalCode', () => {
  it("is the failed step's code, and never 0 when no test ran or one failed", () => {
    expect(finalCode(0, { passed: 3, failed: 0 })).toBe(0);
    expect(finalCode(2, { passed: 3, failed: 0 })).toBe(2);
    expect(finalCode(0, { passed: 3, failed: 1 })).toBe(1);
    expect(finalCode(0, { passed: 0, failed: 0 })).toBe(1);
  });
});

describe('interruptedLine', () => {
  it('says what ended the run, and counts only the steps that ended', () => {
    expect(interruptedLine('SIGINT', noTests)).toBe('Tests: interrupted by SIGINT, not counted to the end');
    expect(interruptedLine('SIGTERM', { passed: 3, failed: 0, skipped: 0 })).toBe(
      'Tests: interrupted by SIGTERM, not counted to the end; the steps before it: Tests: 3 passed, 0 failed',
    );
  });
});
