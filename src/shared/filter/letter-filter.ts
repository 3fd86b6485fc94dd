/**
 * What may be typed to find dead letters (docs/spec/triage.md D3, D12).
 * Law: window, command line and engine take the same words.
 */
import type { FilterField } from './typed-filter.ts';

/** D3. */
export const letterStates = ['open', 'retrying', 'resolved', 'failed-again', 'archived'] as const;
export type LetterState = (typeof letterStates)[number];

/** What letters are put together by. `cause`: the fingerprint (D1). */
export const groupings = ['cause', 'queue', 'worker', 'type'] as const;
export type Grouping = (typeof groupings)[number];

/** The fields of a filter about letters. */
export const letterFields: readonly FilterField[] = [
  { name: 'error', kind: 'text', help: 'class of the error or of its root, whole or up to a dot' },
  { name: 'queue', kind: 'text', help: 'queue of the task' },
  { name: 'worker', kind: 'text', help: 'who had it last' },
  { name: 'type', kind: 'text', help: 'type of the task' },
  { name: 'state', kind: 'choice', choices: letterStates, help: 'state of the letter' },
  { name: 'cause', kind: 'text', help: 'fingerprint, or its beginning' },
  { name: 'attempts', kind: 'number', help: 'attempts that were made' },
  { name: 'after', kind: 'time', help: 'failed at that time or later' },
  { name: 'before', kind: 'time', help: 'failed before that time' },
];

/**
 * Whether `error:` means a class: it is the whole of it, or its beginning up to a dot (`exit` and `exit.1` mean `exit.1`, which is not
 * `exit.12`); without regard to case.
 */
export function isOfClass(errorClass: string, text: string): boolean {
  const [whole, part] = [errorClass.toLowerCase(), text.toLowerCase()];
  return whole === part || whole.startsWith(part.endsWith('.') ? part : `${part}.`);
}
