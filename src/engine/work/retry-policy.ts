/**
 * When a failed task comes again (protocol.md W2).
 * Law: 1 s × 2^n from the first failure on, 60 s at most, ± 25 % so that what failed together does not come back together.
 */
import type { Randomness } from '../ports/randomness.ts';

/** Tries after the first one, unless a queue or a task says otherwise. */
export const defaultMaxRetries = 3;

const fromMs = 1_000;
const capMs = 60_000;

/** How long a task rests after its failed attempt of this number (from 1), whole ms. */
export function retryDelayMs(attempt: number, randomness: Randomness): number {
  const whole = Math.min(capMs, fromMs * 2 ** Math.min(attempt - 1, 16));
  return Math.round(whole * (0.75 + (randomness.bytes(1)[0] ?? 0) / 510));
}
