/**
 * Answers about the letters that are known: groups, pages, what an action may touch (docs/spec/triage.md D3, D4, D6, D12).
 * Law: it only reads; the same question about the same letters is worked out once.
 */
import { VakError } from '../../shared/base/vak-error.ts';
import type { LetterAnswer, LetterGroup, LetterRow, LetterSelection } from '../../shared/contract/dlq-contract.ts';
import { type Grouping, type LetterState, letterStates } from '../../shared/filter/letter-filter.ts';
import type { EnvelopeOpener } from '../envelope/open-envelope.ts';
import type { Clock } from '../ports/clock.ts';
import type { SaidValue } from '../work/state-watch.ts';
import { type GroupWord, groupStateOf } from './group-states.ts';
import type { LetterEntry } from './letter-book.ts';
import type { LetterPlanRequest, PlannedAction } from './letter-plans.ts';
import { groupLetters, matchingLetters, rangeOf, readLetterFilter } from './letter-query.ts';
import type { KnownLetters } from './letter-report.ts';
import { type LetterLook, letterGroup, letterRow } from './letter-rows.ts';

/** What is known of letters, and what was said of their groups. */
export interface AnsweringLetters extends KnownLetters {
  saidOf(fingerprint: string): SaidValue<GroupWord> | undefined;
  version(): number;
}

export interface LetterAnswersDeps {
  /** Undefined: nothing was read yet. */
  readonly letters: () => AnsweringLetters | undefined;
  readonly opener: Pick<EnvelopeOpener, 'whyClosed'>;
  readonly clock: Clock;
}

export interface LetterTotals {
  readonly counts: Readonly<Record<LetterState, number>>;
  readonly groupCount: number;
  readonly openGroupCount: number;
}

export interface LetterAnswers {
  readonly look: LetterLook;
  groups(asked: {
    readonly filter: string;
    readonly by: Grouping;
    readonly limit: number;
  }): LetterAnswer & { readonly groups: readonly LetterGroup[]; readonly leftOutCount: number };
  page(asked: {
    readonly filter: string;
    readonly fromIndex: number;
    readonly limit: number;
  }): LetterAnswer & { readonly rows: readonly LetterRow[] };
  /** What a plan is made of. Throws `invalid-input` for a filter with a fault. */
  select(selection: LetterSelection): Omit<LetterPlanRequest, 'action'>;
  /** Why an action may not touch a letter; undefined: it may. */
  whyLeftOut(letter: LetterEntry, action: PlannedAction): string | undefined;
  totals(): LetterTotals;
}

interface Matching extends LetterAnswer {
  readonly letters: readonly LetterEntry[];
}

/** A filter may name a time by how long ago it was: so long one answer is good, ms. */
const answerMs = 1_000;

const notRetried: Readonly<Record<LetterState, string | undefined>> = {
  open: undefined,
  retrying: 'a retry of it is under way',
  resolved: 'it is resolved',
  'failed-again': 'its retry has failed, and is a letter of its own: retry that one',
  archived: 'it is archived: restore it first',
};
const notArchived: Readonly<Record<LetterState, string | undefined>> = {
  ...{ open: undefined, resolved: undefined, 'failed-again': undefined },
  ...{ retrying: 'a retry of it is under way', archived: 'it is archived already' },
};

/** What is remembered of the last question. */
function createMemo<T>() {
  let last: { readonly key: string; readonly value: T } | undefined;
  return (key: string, make: () => T): T => {
    if (last?.key !== key) last = { key, value: make() };
    return last.value;
  };
}

/** Creates it. */
export function createLetterAnswers({ letters, opener, clock }: LetterAnswersDeps): LetterAnswers {
  const [matchings, totals] = [createMemo<Matching>(), createMemo<LetterTotals>()];
  /** Letters of another engine may have the same version. */
  const known = new WeakMap<AnsweringLetters, number>();
  let knownCount = 0;

  function nameOf(now: AnsweringLetters | undefined): string {
    if (now === undefined) return 'none';
    if (!known.has(now)) known.set(now, ++knownCount);
    return `${known.get(now)} ${now.version()}`;
  }

  const stateOf = (letter: LetterEntry): LetterState => letters()?.ledger.stateOf(letter) ?? 'open';

  function closedWhy({ taskId, key }: LetterEntry): string | null {
    const why = key === null ? undefined : opener.whyClosed(key.keyId, key.peer)?.why;
    return why ?? (taskId === null ? 'Its task is no envelope, so that nobody can open it.' : null);
  }

  /** A retry that has begun goes on to publish it, and nothing of that shows at the letter before. */
  function heldWhy({ seq }: LetterEntry, state: LetterState): string | undefined {
    const holder = state === 'open' ? letters()?.ledger.holderOf(seq, clock.now()) : undefined;
    if (holder === undefined) return undefined;
    return `${holder.by} retries it, operation ${holder.operationId}: wait for its end, or cancel it`;
  }

  function match(filter: string): Matching {
    const now = letters();
    const nowMs = clock.now();
    return matchings(`${nameOf(now)} ${Math.floor(nowMs / answerMs)} ${filter}`, () => {
      const read = readLetterFilter(filter, nowMs);
      const all = now?.book.all() ?? [];
      const found = matchingLetters(all, read, { stateOf });
      const counts = { matchingCount: found.length, allCount: all.length };
      return { letters: found, version: now?.version() ?? 0, ...counts, faults: read.faults };
    });
  }

  function countAll(now: AnsweringLetters | undefined): LetterTotals {
    const counts = Object.fromEntries(letterStates.map((state) => [state, 0])) as Record<LetterState, number>;
    const [causes, open] = [new Set<string>(), new Set<string>()];
    for (const letter of now?.book.all() ?? []) {
      const state = stateOf(letter);
      counts[state]++;
      causes.add(letter.cause.id);
      if (state === 'open') open.add(letter.cause.id);
    }
    const isOpen = (id: string): boolean => groupStateOf(now?.saidOf(id), now?.book.newestOf(id) ?? 0) === 'open';
    return { counts, groupCount: causes.size, openGroupCount: [...open].filter(isOpen).length };
  }

  function selectSeqs(seqs: readonly number[]): Omit<LetterPlanRequest, 'action' | 'cutoffSeq' | 'allCount'> {
    const wanted = [...new Set(seqs)].sort((a, b) => b - a);
    const found = wanted.flatMap((seq) => letters()?.book.get(seq) ?? []);
    const scope = `${wanted.length === 1 ? 'dead letter' : 'dead letters'} ${wanted.toReversed().join(', ')}`;
    return { letters: found, unknownCount: wanted.length - found.length, scope };
  }

  function selectFilter(filter: string): ReturnType<typeof selectSeqs> {
    const { letters: found, faults } = match(filter);
    const [fault] = faults;
    if (fault !== undefined) throw new VakError('invalid-input', `filter: ${fault.message}`);
    return { letters: found, unknownCount: 0, scope: filter.trim() === '' ? 'all dead letters' : filter.trim() };
  }

  function selectArchived(operationId: string): ReturnType<typeof selectSeqs> {
    const now = letters();
    const found = now?.book.all().filter(({ seq }) => now.ledger.archivedBy(seq) === operationId) ?? [];
    return { letters: found, unknownCount: 0, scope: `what operation ${operationId} archived` };
  }

  function choose(selection: LetterSelection): ReturnType<typeof selectSeqs> {
    if ('seqs' in selection) return selectSeqs(selection.seqs);
    return 'archivedBy' in selection ? selectArchived(selection.archivedBy) : selectFilter(selection.filter);
  }

  return {
    look: { stateOf, closedWhy },
    groups({ filter, by, limit }) {
      const { letters: found, ...answer } = match(filter);
      const now = letters();
      const range = rangeOf(found, clock.now());
      const groups = groupLetters(found, by, { stateOf, range });
      const look = { by, book: now?.book ?? { newestOf: () => 0 }, saidOf: (id: string) => now?.saidOf(id) };
      return {
        ...answer,
        groups: groups.slice(0, limit).map((one) => letterGroup(one, look)),
        leftOutCount: Math.max(0, groups.length - limit),
      };
    },
    page({ filter, fromIndex, limit }) {
      const { letters: found, ...answer } = match(filter);
      return {
        ...answer,
        rows: found.slice(fromIndex, fromIndex + limit).map((one) => letterRow(one, { stateOf, closedWhy })),
      };
    },
    select(selection) {
      const book = letters()?.book;
      return { ...choose(selection), cutoffSeq: book?.newestSeq() ?? 0, allCount: book?.size() ?? 0 };
    },
    whyLeftOut(letter, action) {
      const state = stateOf(letter);
      if (action === 'retry') return notRetried[state] ?? closedWhy(letter) ?? undefined;
      if (action === 'archive') return notArchived[state] ?? heldWhy(letter, state);
      if (action === 'restore' && state !== 'archived') return 'it is not archived';
      return undefined;
    },
    totals: () => totals(nameOf(letters()), () => countAll(letters())),
  };
}
