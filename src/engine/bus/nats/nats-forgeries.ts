/**
 * Notices answers that somebody else than the server gave to what was published (protocol.md A23).
 * Law: it never decides what was stored, only tells that it is in doubt; what it remembers has a bound.
 */
import { VakError } from '../../../shared/base/vak-error.ts';
import type { Clock } from '../../ports/clock.ts';

/** What was answered, and to which question. */
interface Answered {
  readonly subject: string;
  readonly data: Uint8Array;
}

export interface ForgeryWatch {
  /** An answer came that cannot be one. */
  found(subject: string): void;
  /** The answer that counts. */
  answered(token: string, answer: Answered): void;
  /** Something came for a question that waits no more. */
  late(token: string, message: Pick<Answered, 'data'>): void;
}

/** Answers that are remembered, and how often is told. */
const maxRemembered = 512;
const toldEveryMs = 1_000;

/** Creates it. `onForged` is told at most once a second. */
export function createForgeryWatch({
  clock,
  onForged,
}: {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly onForged: ((error: VakError) => void) | undefined;
}): ForgeryWatch {
  const remembered = new Map<string, Answered>();
  let toldMs = Number.NEGATIVE_INFINITY;

  function tell(message: string): void {
    const now = clock.monotonic();
    if (now - toldMs < toldEveryMs) return;
    toldMs = now;
    onForged?.(new VakError('corrupt', message));
  }
  return {
    found: (subject) =>
      tell(`${subject}: an answer came that no stream gave, and was not believed; look who may hear this subject`),
    answered(token, answer) {
      const oldest = remembered.keys().next().value;
      if (remembered.size >= maxRemembered && oldest !== undefined) remembered.delete(oldest);
      remembered.set(token, answer);
    },
    late(token, { data }) {
      const first = remembered.get(token);
      if (first === undefined || Buffer.compare(first.data, data) === 0) return;
      const advice = 'look whether it is stored, and who may hear this subject';
      tell(`${first.subject}: two different answers came to one message, so one was forged: ${advice}`);
    },
  };
}
