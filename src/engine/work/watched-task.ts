/**
 * What is said of one task, told from everything else (protocol.md W6, W7).
 * Law: it takes what names the task, and nothing else: so it never gives way to others; where several are said to be it, nobody is
 * believed.
 */
import type { VakError } from '../../shared/base/vak-error.ts';
import { createTaskBook, isStanding, type TaskBook, type TaskRecord, type TaskState } from './task-book.ts';

export interface WatchedTask {
  readonly id: string;
  /** Of its envelope; undefined: whichever has the id, as for the queue. */
  readonly leaf: string | undefined;
  readonly queue: string | undefined;
  /** Its place in the stream of tasks, for who was told it; then leaf and queue are given too. */
  readonly seq?: number | undefined;
}

export interface WatchedTaskBook {
  readonly book: TaskBook;
  /** The one that stood in its queue, else the only one that anybody speaks of. Throws what it was told to if there are several. */
  record(): TaskRecord | undefined;
  /**
   * Everything that lies in the stream of tasks has been read: what is spoken of, has no end and was not seen there at two times in a row
   * is gone from it. `atMs`: ms since the epoch.
   */
  noteAllRead(atMs: number): void;
}

/** Tasks of one id: more only if somebody forges. */
const capacity = 64;

/** Whether nothing more is to be waited for. */
export function isSettled(state: TaskState): boolean {
  return !isStanding(state);
}

const uuid7 = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** Clocks may differ by so much, ms. */
const clockSkewMs = 3_600_000;

/** When an id was made by its maker's clock, ms since the epoch: one of version 7 begins with that. Undefined: it does not say. */
function madeAtMs(id: string): number | undefined {
  const [, high = '', low = ''] = uuid7.exec(id) ?? [];
  return high === '' ? undefined : Number.parseInt(high + low, 16);
}

/** When a task of this id may have been stored first, ms since the epoch. */
export function earliestMs(id: string, nowMs: number): number {
  const atMs = madeAtMs(id);
  return atMs === undefined ? 0 : Math.max(0, Math.min(atMs, nowMs) - clockSkewMs);
}

/** Creates the book of one task. `ambiguous`: what is thrown while so many are said to be it, and none of them was seen. */
export function createWatchedTaskBook(
  { id, leaf, queue, seq }: WatchedTask,
  ambiguous: (count: number) => VakError,
): WatchedTaskBook {
  const book = createTaskBook({ capacity, onChange: () => {} });
  /** Leaf and queue of each that is spoken of. */
  const spoken = new Set<string>();
  const isIt = (named: string | null, own: { readonly taskLeaf: string; readonly queue: string }): boolean => {
    const isSame = named === id && (leaf ?? own.taskLeaf) === own.taskLeaf && (queue ?? own.queue) === own.queue;
    if (isSame) spoken.add(`${own.taskLeaf} ${own.queue}`);
    return isSame;
  };
  const own: TaskBook = {
    ...book,
    noteTask(task) {
      if (isIt(task.taskId, { ...task, taskLeaf: task.leaf })) book.noteTask(task);
    },
    noteReceipt(receipt) {
      if (isIt(receipt.taskId, receipt)) book.noteReceipt(receipt);
    },
    noteDeadLetter(letter) {
      if (isIt(letter.envelopeId, letter)) book.noteDeadLetter(letter);
    },
  };
  const unseen = new Set<string>();
  const isUnseen = ({ place, state }: TaskRecord): boolean => place === undefined && isStanding(state);
  // As it was told when it was stored: where it stands no more it is gone.
  if (leaf !== undefined && queue !== undefined && seq !== undefined) {
    own.noteTask({ leaf, queue, taskId: id, seq, storedMs: madeAtMs(id) ?? 0 });
  }
  return {
    noteAllRead(atMs) {
      for (const one of [...book.all()].filter(isUnseen)) {
        if (unseen.has(one.leaf)) book.noteGone(one.leaf, atMs);
        unseen.add(one.leaf);
      }
    },
    book: own,
    record() {
      const all = [...book.all()];
      const seen = all.filter(({ place }) => place !== undefined);
      if (seen.length === 1 || spoken.size < 2) return seen[0] ?? all[0];
      throw ambiguous(spoken.size);
    },
  };
}
