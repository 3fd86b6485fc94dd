/**
 * What an operator does with dead letters that changes no task: archive, restore, read (docs/spec/triage.md D5, D10).
 * Law: it is on record, signed, by the places of the letters; nothing else is changed.
 */
import { VakError } from '../../shared/base/vak-error.ts';
import type { AuditLine } from '../../shared/contract/dlq-contract.ts';
import { maxAuditPlaces } from '../../shared/protocol/payload-audit.ts';
import type { PayloadOf } from '../../shared/protocol/payloads.ts';
import { rangesOf } from '../work/queue-purge.ts';
import type { FrozenLetters } from './letter-plans.ts';
import { letterActions } from './letter-records.ts';

type Action = PayloadOf<'vak.audit.action'>;

/** Puts an action on record; resolves when its stream has stored it. */
export type RecordAction = (action: Action) => Promise<void>;

export interface ArchiveRequest extends Pick<FrozenLetters, 'letters' | 'scope'> {
  readonly isArchived: boolean;
  readonly operationId: string;
  /** Context in use, for people. */
  readonly environment: string;
  readonly reason: string | undefined;
  /** Ends it after the part that is under way. */
  readonly signal: AbortSignal;
}

const scopeLength = 700;

/**
 * Archives or restores; gives how many. Throws `invalid-input` (there is none), `aborted`, and what recording throws; the message says how
 * many were by then.
 */
export async function archiveLetters(request: ArchiveRequest, record: RecordAction): Promise<number> {
  const { letters, scope, isArchived, operationId, environment, reason, signal } = request;
  const doing = isArchived ? 'archive' : 'restore';
  if (letters.length === 0) throw new VakError('invalid-input', `${doing}: there is no letter to ${doing}`);
  const base = {
    ...{ operationId, action: letterActions[doing], target: environment, scope: scope.slice(0, scopeLength) },
    ...(reason === undefined ? {} : { reason }),
  };
  const seqs = letters.map(({ seq }) => ({ seq })).sort((a, b) => a.seq - b.seq);
  let doneCount = 0;
  await record({ ...base, count: letters.length, outcome: 'begun' });
  for (let from = 0; from < seqs.length && !signal.aborted; from += maxAuditPlaces) {
    const part = seqs.slice(from, from + maxAuditPlaces);
    await record({ ...base, count: part.length, outcome: `${doing}d`, places: rangesOf(part) });
    doneCount += part.length;
  }
  await record({ ...base, count: doneCount, outcome: doneCount === seqs.length ? 'done' : 'stopped' });
  if (doneCount === seqs.length) return doneCount;
  throw new VakError(
    'aborted',
    `${doing}: it was stopped; ${doneCount} of ${seqs.length} letters were ${doing}d by then`,
    {
      details: { doneCount },
    },
  );
}

/** So long a reading that is on record stands for the next ones, ms. */
const readAgainMs = 10 * 60_000;

/** Whether it is on record already that the operator reads it. */
export function isReadOnRecord(audit: readonly AuditLine[], peer: string, nowMs: number): boolean {
  return audit.some(
    ({ action, by, atMs }) => action === letterActions.read && by === peer && Math.abs(nowMs - atMs) < readAgainMs,
  );
}

/** The record that an operator has opened the task of a letter. */
export function readAction(letter: { readonly seq: number; readonly queue: string }, operationId: string): Action {
  const { seq, queue } = letter;
  return {
    ...{ operationId, action: letterActions.read, target: queue, scope: `payload of dead letter ${seq}` },
    ...{ count: 1, outcome: 'done', places: [[seq, seq]] },
  };
}
