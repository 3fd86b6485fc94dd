/** Names that the filter may be completed with: those that are in sight. Pure. */
import type { LetterGroup } from '../../../shared/contract/dlq-contract.ts';
import type { KnownNames } from '../../ui/filter-completions.ts';
import type { LetterSlot } from './letter-pages.ts';

/** Rows that are looked through. */
const maxRows = 400;

export function knownNames(groups: readonly LetterGroup[], slots: readonly LetterSlot[]): KnownNames {
  const rows = slots.slice(0, maxRows).flatMap(({ row }) => row ?? []);
  const names = (of: readonly (string | null)[]): readonly string[] =>
    [...new Set(of.filter((one) => one !== null && one !== ''))].sort() as string[];
  return {
    error: names([...groups.map(({ errorClass }) => errorClass), ...rows.map(({ errorClass }) => errorClass)]),
    queue: names([...groups.flatMap(({ queues }) => queues), ...rows.map(({ queue }) => queue)]),
    worker: names(rows.map(({ workerId }) => workerId)),
    type: names(rows.map(({ type }) => type)),
    cause: names(rows.map(({ fingerprint }) => fingerprint)),
  };
}
