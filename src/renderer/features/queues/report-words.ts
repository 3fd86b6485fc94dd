/** What is said of a task that was worked on. Pure. */
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { TaskAttempt, TaskReport } from '../../../shared/contract/queues-contract.ts';

/** The attempt that was told last. */
export function lastAttempt({ attempts }: Pick<TaskReport, 'attempts'>): TaskAttempt | undefined {
  return attempts.reduce<TaskAttempt | undefined>(
    (last, one) => (last === undefined || one.attempt >= last.attempt ? one : last),
    undefined,
  );
}

/** Who had it last, and why it went as it went. */
export function reportLine(report: TaskReport): string {
  const attempt = lastAttempt(report);
  const reason = report.deadLetter?.reason ?? (attempt?.outcome === 'attempt-failed' ? attempt.reason : null);
  return [attempt?.workerId, reason]
    .filter((part): part is string => part !== undefined && part !== null && part !== '')
    .map(visibleText)
    .join(' · ');
}

/** Why an attempt failed: its class, unless that only repeats the exit code, and the reason. */
export function attemptReason({
  errorClass,
  exitCode,
  reason,
}: Pick<TaskAttempt, 'errorClass' | 'exitCode' | 'reason'>): string {
  const known = errorClass === `exit.${exitCode}` ? null : errorClass;
  return [known, reason]
    .filter((part): part is string => part !== null && part !== '')
    .map(visibleText)
    .join(' · ');
}
