/**
 * The gate that every program passes before it opens anything (architecture.md §8).
 * Law: a runtime that fails one known answer opens nothing, and the failure names which.
 */
import { VakError } from '../../shared/base/vak-error.ts';
import type { SelfTestResult } from './self-test.ts';

/** Throws `self-test-failed` with the names of the failed checks. */
export function requireSelfTest(result: SelfTestResult): void {
  if (result.ok) return;
  const which = result.failed.join(', ');
  throw new VakError(
    'self-test-failed',
    `the cryptography of this runtime fails its self-test (${which}); nothing was opened`,
  );
}
