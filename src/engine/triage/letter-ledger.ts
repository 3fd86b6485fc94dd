/**
 * What has become of dead letters: retried, archived, finished late (docs/spec/triage.md D3, D5).
 * Law: worked out from signed records alone; the order in which they become known changes nothing.
 *
 * Pure: it is told of what counts, and reads nothing but the book of letters.
 */
import { visibleText } from '../../shared/base/visible-text.ts';
import type { AuditLine, LetterRetry, RetryOutcome } from '../../shared/contract/dlq-contract.ts';
import type { LetterState } from '../../shared/filter/letter-filter.ts';
import { createBoundedCache } from '../crypto/bounded-cache.ts';
import type { LetterBook, LetterEntry } from './letter-book.ts';
import { createLetterHolders, type LetterHolder } from './letter-holders.ts';
import { letterActions, type RetriedTask, type SaidAction } from './letter-records.ts';

/** What a receipt that counts says of a task. */
export interface SaidOutcome extends RetriedTask {
  readonly taskLeaf: string;
  readonly isDone: boolean;
}

export interface LetterLedger {
  /** The same place again changes nothing. */
  noteAction(action: SaidAction): void;
  noteOutcome(outcome: SaidOutcome): void;
  stateOf(letter: LetterEntry): LetterState;
  /** Of the letter at that place, newest first. */
  retriesOf(seq: number): readonly LetterRetry[];
  /** Newest first. */
  auditOf(seq: number): readonly AuditLine[];
  /** The retry that has begun, and has the letter at that time, ms since the epoch; undefined: none has. */
  holderOf(seq: number, nowMs: number): LetterHolder | undefined;
  /** The operation that has archived the letter at that place; undefined: it is not archived. */
  archivedBy(seq: number): string | undefined;
  /** Whether it is the task of a retry. */
  isRetry(taskId: string): boolean;
  /** Rises with each change. */
  version(): number;
}

export interface LetterLedgerDeps {
  readonly book: Pick<LetterBook, 'get' | 'ofLeaf'>;
  /** Told of the task of each retry that becomes known. */
  readonly onRetry?: (task: RetriedTask) => void;
}

/** Records that are remembered at letters altogether; those of the letters that were spoken of first give way. */
const maxHeld = 400_000;
/** Of one letter, its newest. */
const maxPerLetter = 256;

/** How much a recorded outcome says; of two the higher counts, and of equals the later. */
const ranks: Readonly<Record<RetryOutcome, number>> = {
  ...{ requested: 0, cancelled: 1, refused: 1, unanswered: 1, published: 2, claimed: 3 },
  ...{ lost: 4, 'failed-same': 5, 'failed-new': 5, done: 6 },
};
const isOutcome = (text: string): text is RetryOutcome => Object.hasOwn(ranks, text);
const retryActions: ReadonlySet<string> = new Set([letterActions.retry, letterActions.edit, letterActions.retarget]);
const archiveActions: ReadonlySet<string> = new Set([letterActions.archive, letterActions.restore]);

/** A retry as its records tell it. */
interface Told extends RetriedTask {
  readonly first: SaidAction;
  readonly best: SaidAction;
  readonly outcome: RetryOutcome;
}

const nameOf = ({ queue, taskId }: RetriedTask): string => `${queue} ${taskId}`;
const keyOf = (task: RetriedTask): string => `${task.taskLeaf} ${nameOf(task)}`;

function toldBy(records: readonly SaidAction[]): Told[] {
  const byTask = new Map<string, Told>();
  for (const record of records) {
    const { task, outcome } = record;
    if (task === null || !retryActions.has(record.action) || !isOutcome(outcome)) continue;
    const known = byTask.get(nameOf(task));
    const isBetter = known === undefined || ranks[outcome] >= ranks[known.outcome];
    const best = isBetter ? { best: record, outcome } : { best: known.best, outcome: known.outcome };
    const taskLeaf = task.taskLeaf ?? known?.taskLeaf ?? null;
    byTask.set(nameOf(task), { ...task, taskLeaf, first: known?.first ?? record, ...best });
  }
  return [...byTask.values()];
}

/** Operations whose cancelling is remembered. */
const maxCancels = 1_000;

/** Records by the letters that they name, in the order of their places. */
function createHeldRecords() {
  const held = new Map<number, SaidAction[]>();
  let count = 0;

  function makeRoom(): void {
    const oldest = held.keys().next();
    if (count <= maxHeld || oldest.done === true) return;
    count -= held.get(oldest.value)?.length ?? 0;
    held.delete(oldest.value);
  }

  return {
    of: (seq: number): readonly SaidAction[] => held.get(seq) ?? [],
    add(seq: number, record: SaidAction): void {
      const own = held.get(seq) ?? [];
      held.set(seq, own);
      if (own.some((one) => one.seq === record.seq)) return;
      own.push(record);
      count++;
      if ((own.at(-2)?.seq ?? 0) > record.seq) own.sort((a, b) => a.seq - b.seq);
      if (own.length > maxPerLetter) {
        own.shift();
        count--;
      }
      makeRoom();
    },
  };
}

function* placesOf({ places }: SaidAction): Generator<number> {
  for (const [from, to] of places) for (let seq = from; seq <= to; seq++) yield seq;
}

function lineOf({ storedMs: atMs, by, operationId, action, outcome, reason }: SaidAction): AuditLine {
  return {
    ...{ atMs, by, operationId, action: visibleText(action), outcome: visibleText(outcome) },
    reason: reason === null ? null : visibleText(reason),
  };
}

/** Creates it, knowing nothing. */
export function createLetterLedger({ book, onRetry = () => {} }: LetterLedgerDeps): LetterLedger {
  const records = createHeldRecords();
  const outcomes = new Map<string, { isDone: boolean }>();
  const retried = new Set<string>();
  const holders = createLetterHolders();
  const cancels = createBoundedCache<SaidAction>(maxCancels);
  let version = 0;

  /** How it ended by its own dead letter; undefined: it has none. */
  function failureOf(told: Told, seq: number): Pick<LetterRetry, 'outcome' | 'fingerprint'> | undefined {
    const ends = told.taskLeaf === null ? [] : book.ofLeaf(told.taskLeaf);
    const end = ends.find(({ queue, taskId }) => queue === told.queue && taskId === told.taskId);
    if (end === undefined) return undefined;
    const isSame = end.cause.id === book.get(seq)?.cause.id;
    return { outcome: isSame ? 'failed-same' : 'failed-new', fingerprint: end.cause.id };
  }

  function endOf(told: Told, seq: number): Pick<LetterRetry, 'outcome' | 'fingerprint'> {
    const said = outcomes.get(keyOf(told));
    const { outcome, best } = told;
    if (said?.isDone === true || outcome === 'done') return { outcome: 'done', fingerprint: null };
    const failure = failureOf(told, seq);
    if (failure !== undefined) return failure;
    if (ranks[outcome] < ranks.claimed && said !== undefined) return { outcome: 'claimed', fingerprint: null };
    return { outcome, fingerprint: best.fingerprint };
  }

  function retriesOf(seq: number): LetterRetry[] {
    return toldBy(records.of(seq))
      .toSorted((a, b) => b.first.seq - a.first.seq)
      .map((told) => {
        const { first, taskId, queue } = told;
        const isEdited = first.action === letterActions.edit;
        const { operationId, by, storedMs: atMs } = first;
        return { operationId, by, atMs, taskId, queue, isEdited, ...endOf(told, seq) };
      });
  }

  /** What the last retry that came to anything says. */
  function stateByRetries(seq: number): LetterState {
    if (records.of(seq).length === 0) return 'open';
    const ends = retriesOf(seq).map(({ outcome }) => outcome);
    if (ends.includes('done')) return 'resolved';
    const last = ends.find((outcome) => ranks[outcome] >= ranks.published && outcome !== 'lost');
    if (last === undefined) return 'open';
    return last === 'published' || last === 'claimed' ? 'retrying' : 'failed-again';
  }

  /** The later word counts; the record that begins the operation names no letters. */
  function archivedBy(seq: number): string | undefined {
    const last = records.of(seq).findLast(({ action }) => archiveActions.has(action));
    return last?.action === letterActions.archive ? last.operationId : undefined;
  }

  function isFinishedLate({ taskLeaf, queue, taskId }: LetterEntry): boolean {
    return taskId !== null && outcomes.get(keyOf({ taskLeaf, queue, taskId }))?.isDone === true;
  }

  function noteTask({ action, task }: SaidAction): void {
    if (task === null || !retryActions.has(action) || retried.has(task.taskId)) return;
    retried.add(task.taskId);
    onRetry(task);
  }

  /** A cancel names no letters: it is of those that its operation names. */
  function auditOf(seq: number): AuditLine[] {
    const own = records.of(seq);
    const operations = [...new Set(own.map(({ operationId }) => operationId))];
    const more = operations.flatMap((operationId) => cancels.get(operationId) ?? []);
    return [...own, ...more].sort((a, b) => b.seq - a.seq).map(lineOf);
  }

  return {
    noteAction(action) {
      for (const seq of placesOf(action)) records.add(seq, action);
      holders.note(action);
      const { operationId } = action;
      if (action.action === letterActions.cancel && cancels.get(operationId) === undefined) {
        cancels.set(operationId, action);
      }
      noteTask(action);
      version++;
    },
    noteOutcome({ isDone, ...task }) {
      const known = outcomes.get(keyOf(task));
      if (known !== undefined && (known.isDone || !isDone)) return;
      outcomes.set(keyOf(task), { isDone });
      version++;
    },
    stateOf(letter) {
      if (archivedBy(letter.seq) !== undefined) return 'archived';
      return isFinishedLate(letter) ? 'resolved' : stateByRetries(letter.seq);
    },
    retriesOf,
    auditOf,
    archivedBy,
    holderOf: (seq, nowMs) => holders.holderIn(records.of(seq), nowMs),
    isRetry: (taskId) => retried.has(taskId),
    version: () => version,
  };
}
