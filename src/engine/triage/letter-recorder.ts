/**
 * Puts what an operator does about dead letters on record (docs/spec/triage.md D5).
 * Law: on the engine that was in use when it began, and on no other.
 */
import { VakError } from '../../shared/base/vak-error.ts';
import { startTrace } from '../../shared/protocol/trace-context.ts';
import { type OperatorPublishing, publishAsOperator } from '../outbox/publish-stored.ts';
import type { Clock } from '../ports/clock.ts';
import type { Randomness } from '../ports/randomness.ts';
import type { ActingOperator } from '../work/operator-right.ts';
import { draftAction } from '../work/purge-records.ts';
import type { RecordAction } from './letter-acts.ts';

export interface LetterRecorderDeps {
  readonly workspace: string;
  /** The engine in use; undefined: there is none. */
  readonly destination: () => string | undefined;
  readonly outbox: OperatorPublishing['outbox'];
  readonly clock: Clock;
  readonly randomness: Randomness;
}

/** Creates it; for each act it gives what records it. That throws `conflict` once another engine is in use, and what publishing throws. */
export function createLetterRecorder({ workspace, destination, outbox, clock, randomness }: LetterRecorderDeps) {
  return ({ peer }: Pick<ActingOperator, 'peer'>): RecordAction => {
    const there = destination();
    return async (action) => {
      if (destination() !== there) {
        throw new VakError(
          'conflict',
          `${action.action}: the connection was changed meanwhile; look at the letters again`,
        );
      }
      const draft = draftAction(action, { workspace, peer, trace: startTrace(randomness.bytes) });
      // What is begun is put on record to its end: only the parts of an operation can be stopped.
      await publishAsOperator(draft, { outbox, clock, signal: new AbortController().signal });
    };
  };
}
