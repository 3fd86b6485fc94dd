// The counts of a test run, read from the JSON reports of vitest and Playwright, and the summary line made of them.

export const noTests = Object.freeze({ passed: 0, failed: 0, skipped: 0 });

/** Counts of a vitest JSON report. A file that failed before its tests could run counts as one failed test. */
export function countVitest(report) {
  const brokenFiles = (report?.testResults ?? []).filter(
    (file) => file.status === 'failed' && file.assertionResults.length === 0,
  );
  return {
    passed: report?.numPassedTests ?? 0,
    failed: (report?.numFailedTests ?? 0) + brokenFiles.length,
    skipped: (report?.numPendingTests ?? 0) + (report?.numTodoTests ?? 0),
  };
}

/** Counts of a Playwright JSON report. A flaky test failed; an error outside any test counts as one failed test. */
export function countPlaywright(report) {
  const { expected = 0, unexpected = 0, flaky = 0, skipped = 0 } = report?.stats ?? {};
  return { passed: expected, failed: unexpected + flaky + (report?.errors?.length ?? 0), skipped };
}

export function addCounts(left, right) {
  return {
    passed: left.passed + right.passed,
    failed: left.failed + right.failed,
    skipped: left.skipped + right.skipped,
  };
}

/** The line that ends `npm test`. */
export function summaryLine({ passed, failed, skipped }) {
  return `Tests: ${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/** The line that ends an interrupted `npm test`: the step that was under way left no counts. */
export function interruptedLine(signal, counts) {
  const before = counts.passed + counts.failed > 0 ? `; the steps before it: ${summaryLine(counts)}` : '';
  return `Tests: interrupted by ${signal}, not counted to the end${before}`;
}

/** The exit code of the whole run: that of the first failed step; 1 when nothing failed but no test ran either. */
export function finalCode(stepCode, { passed, failed }) {
  if (stepCode !== 0) return stepCode;
  return failed > 0 || passed + failed === 0 ? 1 : 0;
}
