/**
 * Which letters a filter means, and what they are put together by (docs/spec/triage.md D1, D4, D12).
 * Law: pure; the same book and the same words give the same answer, and what has a fault matches nothing.
 */
import { type Grouping, isOfClass, type LetterState, letterFields } from '../../shared/filter/letter-filter.ts';
import { type FilterTerm, type ReadFilter, readFilter } from '../../shared/filter/typed-filter.ts';
import type { LetterEntry } from './letter-book.ts';

/** What of a letter a filter asks for. */
export interface SearchedLetter
  extends Pick<
    LetterEntry,
    'reason' | 'errorClass' | 'taskId' | 'queue' | 'workerId' | 'type' | 'attempts' | 'failedMs'
  > {
  readonly cause: Pick<LetterEntry['cause'], 'id' | 'rootType' | 'shape'> & {
    readonly frames: readonly { readonly call: string; readonly file: string }[];
  };
}

export type StateOf<L = LetterEntry> = (letter: L) => LetterState;

type Matcher<L> = (letter: L) => boolean;

const has = (text: string | null, part: string): boolean => text?.toLowerCase().includes(part) === true;

function wordMatcher(text: string): Matcher<SearchedLetter> {
  const part = text.toLowerCase();
  return ({ reason, errorClass, taskId, queue, workerId, type, cause }) =>
    [reason, errorClass, taskId, queue, workerId, type, cause.rootType, cause.shape].some((one) => has(one, part)) ||
    cause.id.startsWith(part) ||
    cause.frames.some(({ call, file }) => has(call, part) || has(file, part));
}

const compare = {
  ':': (a: number, b: number) => a === b,
  '>': (a: number, b: number) => a > b,
  '<': (a: number, b: number) => a < b,
};

function fieldMatcher<L extends SearchedLetter>(
  term: FilterTerm & { readonly kind: 'field' },
  stateOf: StateOf<L>,
): Matcher<L> {
  const { field, text, operator, value = 0 } = term;
  const part = text.toLowerCase();
  switch (field) {
    case 'error':
      return ({ errorClass, cause }) => isOfClass(errorClass, text) || isOfClass(cause.rootType, text);
    case 'queue':
      return ({ queue }) => queue.toLowerCase() === part;
    case 'worker':
      return ({ workerId }) => workerId?.toLowerCase() === part;
    case 'type':
      return ({ type }) => has(type, part);
    case 'state':
      return (letter) => stateOf(letter) === text;
    case 'cause':
      return ({ cause }) => cause.id.startsWith(part);
    case 'attempts':
      return ({ attempts }) => compare[operator](attempts, value);
    case 'after':
      return ({ failedMs }) => failedMs >= value;
    case 'before':
      return ({ failedMs }) => failedMs < value;
    default:
      throw new TypeError(`letter filter: no field ${field}`);
  }
}

/** Letters that match, in the order given. What is archived shows only to who asks for it, unless `showsArchived`. */
export function matchingLetters<L extends SearchedLetter>(
  letters: readonly L[],
  { terms, faults }: ReadFilter,
  { stateOf, showsArchived = false }: { readonly stateOf: StateOf<L>; readonly showsArchived?: boolean },
): readonly L[] {
  if (faults.length > 0) return [];
  const matchers = terms.map((term): Matcher<L> => {
    const matches: Matcher<L> = term.kind === 'word' ? wordMatcher(term.text) : fieldMatcher(term, stateOf);
    return term.isNot ? (letter) => !matches(letter) : matches;
  });
  const asksForState = terms.some((term) => term.kind === 'field' && term.field === 'state');
  if (!(asksForState || showsArchived)) matchers.push((letter) => stateOf(letter) !== 'archived');
  return letters.filter((letter) => matchers.every((matches) => matches(letter)));
}

/** Reads a filter about letters. */
export function readLetterFilter(text: string, nowMs: number): ReadFilter {
  return readFilter(text, letterFields, nowMs);
}

/** Letters that belong together. */
export interface LetterGrouped {
  /** Fingerprint, or the name; empty: there is none. */
  readonly key: string;
  /** In the order given; at least one. */
  readonly letters: readonly [LetterEntry, ...LetterEntry[]];
  readonly counts: Readonly<Record<LetterState, number>>;
  readonly firstMs: number;
  readonly lastMs: number;
  /** Letters by their failing in equal parts of the time that was asked for, oldest first. */
  readonly history: readonly number[];
}

const keyOf: Readonly<Record<Grouping, (letter: LetterEntry) => string>> = {
  cause: ({ cause }) => cause.id,
  queue: ({ queue }) => queue,
  worker: ({ workerId }) => workerId ?? '',
  type: ({ type }) => type ?? '',
};

function countStates(letters: readonly LetterEntry[], stateOf: StateOf): Record<LetterState, number> {
  const counts = { open: 0, retrying: 0, resolved: 0, 'failed-again': 0, archived: 0 };
  for (const letter of letters) counts[stateOf(letter)]++;
  return counts;
}

/** Parts that a history has. */
export const historyParts = 24;

function historyOf(letters: readonly LetterEntry[], { fromMs, toMs }: TimeRange): number[] {
  const parts = new Array<number>(historyParts).fill(0);
  const partMs = Math.max(1, (toMs - fromMs) / historyParts);
  for (const { failedMs } of letters) {
    const part = Math.min(historyParts - 1, Math.max(0, Math.floor((failedMs - fromMs) / partMs)));
    parts[part] = (parts[part] ?? 0) + 1;
  }
  return parts;
}

/** Ms since the epoch. */
export interface TimeRange {
  readonly fromMs: number;
  readonly toMs: number;
}

/** From the first to the last failing. */
export function rangeOf(letters: readonly LetterEntry[], nowMs: number): TimeRange {
  let fromMs = nowMs;
  for (const { failedMs } of letters) fromMs = Math.min(fromMs, failedMs);
  return { fromMs, toMs: nowMs };
}

/** Groups, those with the most open letters first, then the latest. */
export function groupLetters(
  letters: readonly LetterEntry[],
  by: Grouping,
  { stateOf, range }: { readonly stateOf: StateOf; readonly range: TimeRange },
): readonly LetterGrouped[] {
  const found = new Map<string, [LetterEntry, ...LetterEntry[]]>();
  for (const letter of letters) {
    const key = keyOf[by](letter);
    const group = found.get(key);
    if (group === undefined) found.set(key, [letter]);
    else group.push(letter);
  }
  const groups = [...found].map(([key, own]): LetterGrouped => {
    const times = own.map(({ failedMs }) => failedMs);
    return {
      ...{ key, letters: own, counts: countStates(own, stateOf), history: historyOf(own, range) },
      firstMs: times.reduce((a, b) => Math.min(a, b)),
      lastMs: times.reduce((a, b) => Math.max(a, b)),
    };
  });
  return groups.sort((a, b) => b.counts.open - a.counts.open || b.lastMs - a.lastMs || (a.key < b.key ? -1 : 1));
}
