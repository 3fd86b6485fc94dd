/**
 * Group commit (protocol.md B6): what is staged in one turn, or while a commit is under way, is one batch of the journal.
 * Law: memory is what the journal holds and what is staged; of a batch that fails appends are undone, all else stays staged.
 */
import { VakError } from '../../../shared/base/vak-error.ts';
import type { Journal, JournalChange } from './journal.ts';

/** An append: it is there with its batch, or not at all. */
export interface StagedAppend {
  /** It belongs to what has happened already, and is no more undone than that. */
  readonly isKept: boolean;
  readonly changes: readonly JournalChange[];
  /** Runs when it is kept, in the order of the stream. */
  readonly onCommitted: () => void;
  /** Runs when it was not kept; may stage. */
  readonly onFailed: (error: unknown) => void;
}

/** Whose record is written once a batch, as it is then. */
export interface RecordOwner {
  changes(): readonly JournalChange[];
}

export interface JournalWriter {
  /** False: nothing outlives memory, so nobody needs to make records; staging does nothing. */
  readonly isKeeping: boolean;
  /** Why nothing can be changed, if so. */
  readOnlyReason(): string | undefined;
  /** Stages changes of what has happened in memory already: kept staged until the journal has taken them. */
  stage(changes: readonly JournalChange[]): void;
  stageAppend(append: StagedAppend): void;
  /** Asks the owner for its changes when the batch is written. */
  touch(owner: RecordOwner): void;
  /** Resolves when all that is staged now is kept. Rejects with the journal's error. */
  flushed(): Promise<void>;
  /** Throws `read-only` if the journal takes nothing. */
  checkWritable(doing: string): void;
}

interface Batch {
  /** In order; an append's changes stand where it was staged. */
  readonly items: (JournalChange | StagedAppend)[];
  readonly owners: Set<RecordOwner>;
  readonly done: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

function createBatch(): Batch {
  let settle: Pick<Batch, 'resolve' | 'reject'> | undefined;
  const done = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject };
  });
  // Nobody has to wait for a batch: who does gets the error, and it is no unhandled one.
  done.catch(() => {});
  return {
    ...{ items: [], owners: new Set(), done },
    resolve: () => settle?.resolve(),
    reject: (error) => settle?.reject(error),
  };
}

const isAppend = (item: JournalChange | StagedAppend): item is StagedAppend => 'changes' in item;
const isEmpty = (batch: Batch): boolean => batch.items.length === 0 && batch.owners.size === 0;

const changesOf = (items: Batch['items']): JournalChange[] =>
  items.flatMap((item): readonly JournalChange[] => (isAppend(item) ? item.changes : [item]));

/** The last change of each key. */
function lastOfEach(items: Batch['items']): JournalChange[] {
  const byKey = new Map<string, JournalChange>();
  for (const change of changesOf(items)) byKey.set(Buffer.from(change.key).toString('latin1'), change);
  return [...byKey.values()];
}

/** The writer of an engine that was asked to keep nothing: what has happened in memory is kept as long as anything is. */
export function createMemoryWriter(): JournalWriter {
  const kept = Promise.resolve();
  return {
    isKeeping: false,
    readOnlyReason: () => undefined,
    stage() {},
    stageAppend: ({ onCommitted }) => onCommitted(),
    touch() {},
    flushed: () => kept,
    checkWritable() {},
  };
}

/** Creates a writer. `afterCommit` runs once a batch, after its appends' `onCommitted`. */
export function createJournalWriter(journal: Journal, afterCommit: () => void): JournalWriter {
  let open = createBatch();
  let writing: Batch | undefined;
  let isScheduled = false;

  function schedule(): void {
    if (isScheduled || writing !== undefined || isEmpty(open)) return;
    isScheduled = true;
    queueMicrotask(() => {
      isScheduled = false;
      void write();
    });
  }

  /** Fails all that is under way: what was staged after the batch may rest on it. */
  function fail(failed: Batch, error: unknown): void {
    const later = open;
    open = createBatch();
    writing = undefined;
    collectOwners(later);
    const items = [...failed.items, ...later.items];
    const appends = items.filter(isAppend);
    // Appends first: their keys are new, and what came later may remove them.
    open.items.push(...appends.filter(({ isKept }) => isKept));
    open.items.push(...lastOfEach(items.filter((item) => !isAppend(item))));
    for (const item of appends.toReversed()) if (!item.isKept) item.onFailed(error);
    failed.reject(error);
    later.reject(error);
  }

  function collectOwners(batch: Batch): void {
    for (const owner of batch.owners) batch.items.push(...owner.changes());
    batch.owners.clear();
  }

  async function write(): Promise<void> {
    const batch = open;
    open = createBatch();
    writing = batch;
    try {
      collectOwners(batch);
      await journal.commit(changesOf(batch.items));
    } catch (error) {
      fail(batch, error);
      return;
    }
    writing = undefined;
    for (const item of batch.items) if (isAppend(item)) item.onCommitted();
    afterCommit();
    batch.resolve();
    schedule();
  }

  return {
    isKeeping: true,
    readOnlyReason: () => journal.readOnlyReason,
    stage(changes) {
      open.items.push(...changes);
      schedule();
    },
    stageAppend(append) {
      open.items.push(append);
      schedule();
    },
    touch(owner) {
      open.owners.add(owner);
      schedule();
    },
    flushed() {
      schedule();
      return isEmpty(open) ? (writing?.done ?? Promise.resolve()) : open.done;
    },
    checkWritable(doing) {
      const { readOnlyReason } = journal;
      if (readOnlyReason !== undefined) throw new VakError('read-only', `${doing}: ${readOnlyReason}`);
    },
  };
}
