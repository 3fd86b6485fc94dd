/**
 * Which letters a retry that has begun holds, by what its operator put on record (docs/spec/triage.md D6, D7).
 * Law: pure; it holds them until it has ended or its time is over, whoever reads the records.
 */
import { createBoundedCache } from '../crypto/bounded-cache.ts';
import { begunOutcome, endOutcomes } from './campaign-audit.ts';
import { claimMs } from './letter-claims.ts';
import { letterActions, type SaidAction } from './letter-records.ts';

/** Whose retry has a letter. */
export type LetterHolder = Pick<SaidAction, 'by' | 'operationId'>;

interface LetterHolders {
  /** Tells it of a record that counts. */
  note(action: SaidAction): void;
  /** Of the records of one letter, the first operation that has it at that time, ms since the epoch; undefined: none has. */
  holderIn(records: readonly SaidAction[], nowMs: number): LetterHolder | undefined;
}

const maxEnded = 10_000;
const retryActions: ReadonlySet<string> = new Set([letterActions.retry, letterActions.edit, letterActions.retarget]);
const nameOf = ({ by, operationId }: SaidAction): string => `${by} ${operationId}`;
const isOfAll = ({ action, task }: SaidAction): boolean => task === null && retryActions.has(action);

/** Creates it, knowing nothing. */
export function createLetterHolders(): LetterHolders {
  const ended = createBoundedCache<true>(maxEnded);
  return {
    note(action) {
      if (isOfAll(action) && endOutcomes.has(action.outcome)) ended.set(nameOf(action), true);
    },
    holderIn: (records, nowMs) =>
      records.find(
        (one) =>
          isOfAll(one) &&
          one.outcome === begunOutcome &&
          nowMs - one.storedMs < claimMs &&
          ended.get(nameOf(one)) !== true,
      ),
  };
}
