/**
 * How tasks end, counted from what a book of tasks says of them (protocol.md W10).
 * Law: each task counts once as done and once as dead, each failed attempt once, in whatever order they become known.
 */
import { createHistogram, type HistogramSnapshot } from '../metrics/histogram.ts';
import type { TaskRecord } from './task-book.ts';

export interface TaskOutcomeFigures {
  /** Those with a valid `done`; of them `finishedLateCount` after their dead letter. */
  readonly doneCount: number;
  readonly finishedLateCount: number;
  /** Those with a dead letter. */
  readonly deadCount: number;
  readonly failedAttemptCount: number;
  /** Of each task that is done: from the beginning to the end of the attempt that counts, by its worker's clock. */
  readonly claimToDone: HistogramSnapshot;
}

export interface TaskOutcomes {
  /** What a book tells of each task, as its `onChange`. */
  note(record: TaskRecord): void;
  figures(): TaskOutcomeFigures;
}

interface Counted {
  isDone: boolean;
  isLate: boolean;
  isDead: boolean;
  failedCount: number;
}

/** The receipt that made a task done: the first one that was stored. */
function doneReceipt({ receipts }: TaskRecord) {
  return receipts
    .filter(({ outcome }) => outcome === 'done')
    .toSorted((a, b) => a.storedMs - b.storedMs || a.seq - b.seq)[0];
}

/** Creates it at zero; what it remembers of a task goes when the book forgets the task. */
export function createTaskOutcomes(): TaskOutcomes {
  const known = new WeakMap<TaskRecord, Counted>();
  const times = createHistogram();
  let [doneCount, finishedLateCount, deadCount, failedAttemptCount] = [0, 0, 0, 0];

  function countedOf(record: TaskRecord): Counted {
    const counted = known.get(record) ?? { isDone: false, isLate: false, isDead: false, failedCount: 0 };
    known.set(record, counted);
    return counted;
  }

  function noteDone(record: TaskRecord, counted: Counted): void {
    const receipt = doneReceipt(record);
    if (receipt === undefined) return;
    if (!counted.isDone) {
      counted.isDone = true;
      doneCount++;
      times.record(Date.parse(receipt.endedAt) - Date.parse(receipt.startedAt));
    }
    if (record.state === 'finished-late' && !counted.isLate) {
      counted.isLate = true;
      finishedLateCount++;
    }
  }

  return {
    note(record) {
      const counted = countedOf(record);
      noteDone(record, counted);
      if (record.deadLetter !== undefined && !counted.isDead) {
        counted.isDead = true;
        deadCount++;
      }
      const failed = record.receipts.filter(({ outcome }) => outcome !== 'done').length;
      failedAttemptCount += Math.max(0, failed - counted.failedCount);
      counted.failedCount = Math.max(failed, counted.failedCount);
    },
    figures: () => ({
      ...{ doneCount, finishedLateCount, deadCount, failedAttemptCount },
      claimToDone: times.snapshot(),
    }),
  };
}
