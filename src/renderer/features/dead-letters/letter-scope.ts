/**
 * Which letters are meant: by what was typed, by the group, by what was picked. Pure.
 * Law: whoever acts is told the same scope that the engine is asked for.
 */
import type { LetterSelection } from '../../../shared/contract/dlq-contract.ts';
import type { Grouping } from '../../../shared/filter/letter-filter.ts';

/** The group of all letters, in the list of groups; no cause, queue, worker or type is named so. */
export const allKey = '*';

export type LetterPane = 'groups' | 'letters';

/** What the window knows of what is looked at. */
export interface LetterPlace {
  readonly filter: string;
  readonly by: Grouping;
  /** {@link allKey}, a key of a group, or null: none is chosen yet. */
  readonly group: string | null;
  /** Where the cursor is among the letters. */
  readonly letter: number | null;
  /** The cursor went on to a row whose letter is not known yet. */
  readonly awaitedRow: number | null;
  readonly pane: LetterPane;
  readonly picked: ReadonlySet<number>;
  /** All that match were picked, those that are not in sight too. */
  readonly isAll: boolean;
}

export type LetterScope =
  | { readonly kind: 'picked' | 'letter'; readonly seqs: readonly number[] }
  /** `isWhole`: of all letters, whatever their group. */
  | { readonly kind: 'matching'; readonly filter: string; readonly isWhole: boolean };

const quoted = (text: string): string => (/[\s"]/.test(text) ? `"${text.replaceAll('"', '')}"` : text);

/** What is typed and the group, in the words of one filter. A group without a name cannot be told by a filter: undefined. */
export function filterOfGroup({ filter, by, group }: Pick<LetterPlace, 'filter' | 'by' | 'group'>): string | undefined {
  if (group === null || group === allKey) return filter.trim();
  if (group === '') return undefined;
  return `${filter.trim()} ${by}:${quoted(group)}`.trim();
}

/** What an action would touch; undefined: nothing is chosen. */
export function scopeOf(place: LetterPlace): LetterScope | undefined {
  const { picked, isAll, pane, letter, awaitedRow, group } = place;
  const filter = filterOfGroup(place);
  const matching = filter === undefined ? undefined : { kind: 'matching' as const, filter, isWhole: group === allKey };
  if (isAll) return matching;
  if (picked.size > 0) return { kind: 'picked', seqs: [...picked] };
  if (pane === 'letters') {
    return letter === null || awaitedRow !== null ? undefined : { kind: 'letter', seqs: [letter] };
  }
  return group === null ? undefined : matching;
}

/** Whether what is archived may be among it: letters that are named, or all that match a filter that asks for a state. */
export const looksAtArchived = (scope: LetterScope): boolean =>
  scope.kind !== 'matching' || /(^|\s)state:/i.test(scope.filter);

/** As the engine is asked for it. What is archived is found only by who asks for it (D12): a restore does. */
export function selectionOf(scope: LetterScope, action: 'retry' | 'archive' | 'restore' | 'export'): LetterSelection {
  if (scope.kind !== 'matching') return { seqs: [...scope.seqs] };
  return { filter: action === 'restore' ? `${scope.filter} state:archived`.trim() : scope.filter };
}
