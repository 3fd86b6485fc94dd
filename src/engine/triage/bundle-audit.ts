/**
 * What operators put on record about the letters of a bundle (docs/spec/triage.md D5, D11).
 * Law: only what counts, a bounded part of the stream from the first of the letters on.
 */
import { isVakError } from '../../shared/base/vak-error.ts';
import type { DurablePlane, StoredMessage } from '../bus/durable.ts';
import type { StoredJudge } from '../envelope/stored-judge.ts';
import { auditStreamOf, auditSubject } from '../work/purge-records.ts';
import { readLetterAction, type SaidAction } from './letter-records.ts';

export interface BundleAuditDeps {
  readonly workspace: string;
  readonly durable: DurablePlane;
  readonly judge: StoredJudge;
  /** Lets others run, and throws if it is to end. */
  readonly rest: () => Promise<void>;
}

export interface AuditRecord {
  readonly action: SaidAction;
  readonly message: StoredMessage;
}

const maxRead = 100_000;
const pageLimit = 64;

/** Records that name one of the places, or belong to an operation that does. Throws what reading and resting throw. */
export async function* findAudit(
  places: ReadonlySet<number>,
  fromMs: number,
  { workspace, durable, judge, rest }: BundleAuditDeps,
): AsyncGenerator<AuditRecord> {
  const operations = new Set<string>();
  const held = new Map<string, AuditRecord[]>();
  const isAbout = ({ places: ranges }: SaidAction): boolean =>
    ranges.some(([from, to]) => {
      for (let seq = from; seq <= to; seq++) if (places.has(seq)) return true;
      return false;
    });

  /** The record that begins an operation may name no letters: it waits for one that does. */
  function* taken(record: AuditRecord): Generator<AuditRecord> {
    const { operationId, places: named } = record.action;
    if (named.length > 0 ? isAbout(record.action) : operations.has(operationId)) {
      operations.add(operationId);
      yield* held.get(operationId) ?? [];
      held.delete(operationId);
      yield record;
    } else if (named.length === 0) held.set(operationId, [...(held.get(operationId) ?? []), record]);
  }

  let next: { fromSeq: number } | { fromMs: number } | undefined = { fromMs };
  try {
    const stream = durable.stream(auditStreamOf(workspace));
    for (let count = 0; next !== undefined && count < maxRead; ) {
      const { messages, nextSeq } = await stream.read({ ...next, subject: auditSubject(workspace), limit: pageLimit });
      for (const message of messages) {
        const reading = readLetterAction(message, judge);
        if (reading.kind === 'action') yield* taken({ action: reading.action, message });
      }
      count += messages.length;
      next = nextSeq === undefined ? undefined : { fromSeq: nextSeq };
      await rest();
    }
  } catch (error) {
    // A stream that was not made yet has nothing.
    if (!isVakError(error, 'not-found')) throw error;
  }
}
