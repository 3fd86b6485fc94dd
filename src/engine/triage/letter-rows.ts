/**
 * Letters and groups as lists show them (docs/spec/triage.md D1, D3, D4).
 * Law: pure; every text in it was made visible.
 */
import type { LetterGroup, LetterRow } from '../../shared/contract/dlq-contract.ts';
import type { Grouping } from '../../shared/filter/letter-filter.ts';
import type { SaidValue } from '../work/state-watch.ts';
import { type GroupWord, groupStateOf } from './group-states.ts';
import type { LetterBook, LetterEntry } from './letter-book.ts';
import type { LetterGrouped, StateOf } from './letter-query.ts';

/** How a letter is looked at. */
export interface LetterLook {
  readonly stateOf: StateOf;
  /** Why its task cannot be opened; null: nothing is known to speak against it. */
  readonly closedWhy: (letter: LetterEntry) => string | null;
}

/** A letter in a list. */
export function letterRow(letter: LetterEntry, { stateOf, closedWhy }: LetterLook): LetterRow {
  const { seq, storedMs, failedMs, queue, taskId, type, workerId, errorClass, reason, attempts, isSealed } = letter;
  return {
    ...{ seq, storedMs, failedMs, queue, taskId, type, workerId, errorClass, reason, attempts, isSealed },
    ...{ state: stateOf(letter), fingerprint: letter.cause.id, closedWhy: closedWhy(letter) },
  };
}

const sum = (parts: readonly number[]): number => parts.reduce((a, b) => a + b, 0);
/** So many more letters, and so many times as many, in the last quarter of the time than in the one before. */
const trendStep = 3;
const trendShare = 1.5;

/** How it goes on lately. */
export function trendOf(history: readonly number[]): LetterGroup['trend'] {
  const quarter = Math.floor(history.length / 4);
  const [before, after] = [sum(history.slice(-2 * quarter, -quarter)), sum(history.slice(-quarter))];
  if (after >= before + trendStep && after >= before * trendShare) return 'rising';
  if (before >= after + trendStep && before >= after * trendShare) return 'falling';
  return 'steady';
}

const maxQueues = 8;

function queuesOf(letters: readonly LetterEntry[]): Pick<LetterGroup, 'queues' | 'moreQueuesCount'> {
  const counts = new Map<string, number>();
  for (const { queue } of letters) counts.set(queue, (counts.get(queue) ?? 0) + 1);
  const names = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([queue]) => queue);
  return { queues: names.slice(0, maxQueues), moreQueuesCount: Math.max(0, names.length - maxQueues) };
}

function wordsOf(letters: readonly LetterEntry[], newestSeq: number, said: SaidValue<GroupWord> | undefined) {
  const { assignee = null, note = null, uptoSeq = 0 } = said?.value ?? {};
  return {
    ...{ state: groupStateOf(said, newestSeq), assignee, note, newestSeq },
    said: said === undefined ? null : { by: said.by, atMs: said.atMs },
    newCount: said === undefined ? 0 : letters.filter(({ seq }) => seq > uptoSeq).length,
  };
}

export interface GroupLook {
  readonly by: Grouping;
  readonly book: Pick<LetterBook, 'newestOf'>;
  readonly saidOf: (fingerprint: string) => SaidValue<GroupWord> | undefined;
}

/** A group in a list. Of other groupings than by cause nobody says anything. */
export function letterGroup(grouped: LetterGrouped, { by, book, saidOf }: GroupLook): LetterGroup {
  const { key, letters, counts, firstMs, lastMs, history } = grouped;
  const [{ cause, errorClass }] = letters;
  const isCause = by === 'cause';
  const newest = isCause ? book.newestOf(key) : letters.reduce((most, { seq }) => Math.max(most, seq), 0);
  return {
    ...{ key, counts, totalCount: letters.length, firstMs, lastMs, history, trend: trendOf(history) },
    title: isCause ? cause.shape : key,
    errorClass: isCause ? errorClass : null,
    rootType: isCause && cause.rootType !== '' ? cause.rootType : null,
    frames: isCause ? cause.frames : [],
    ...queuesOf(letters),
    ...wordsOf(letters, newest, isCause ? saidOf(key) : undefined),
  };
}
