/**
 * The tasks that somebody waits for, and what is said of each (protocol.md W6, W7).
 * Law: what is said of any other task is not kept; who waits is told once, and their number is bounded.
 */
import { VakError } from '../../shared/base/vak-error.ts';
import type { Deferred } from '../wait.ts';
import type { TaskBook, TaskRecord } from './task-book.ts';
import { createWatchedTaskBook, isSettled, type WatchedTask, type WatchedTaskBook } from './watched-task.ts';
import type { FollowedBook } from './work-follower.ts';

/** Where reading begins: of each stream the seq of what was not there yet. */
export type DeskMark = ReadonlyMap<string, number>;

/** Somebody who waits. */
export interface AwaitedTask {
  readonly task: WatchedTask;
  /** Where reading begins for it; undefined: that is being found out. */
  mark: DeskMark | undefined;
  /** What is known by now. Throws `conflict` if several are said to be it. */
  record(): TaskRecord | undefined;
  /** The task stands in its queue, as who submitted it was told. */
  note(place: { readonly leaf: string; readonly queue: string; readonly seq: number; readonly storedMs: number }): void;
}

export interface AwaitedTasks {
  /** Hands on what is said to whoever waits for it. */
  readonly book: FollowedBook;
  /** Throws `limit-exceeded`. */
  add(task: WatchedTask, ending: Pick<Deferred<TaskRecord>, 'resolve' | 'reject'>): AwaitedTask;
  remove(one: AwaitedTask): void;
  has(id: string | undefined): boolean;
  count(): number;
  all(): Iterable<AwaitedTask>;
  /** Tells those whose tasks have ended. */
  tell(): void;
  /** Tells all that it cannot be told. */
  fail(error: unknown): void;
}

const maxWaiting = 10_000;

interface Entry extends AwaitedTask {
  readonly own: WatchedTaskBook;
  readonly ending: Pick<Deferred<TaskRecord>, 'resolve' | 'reject'>;
}

/** Creates an empty room. */
export function createAwaitedTasks(): AwaitedTasks {
  const entries = new Map<string, Set<Entry>>();
  /** Of leaves that were seen in a queue. */
  const idOf = new Map<string, string>();
  let count = 0;

  function* booksOf(id: string | null | undefined): Iterable<TaskBook> {
    for (const { own } of (id && entries.get(id)) || []) yield own.book;
  }

  function* all(): Iterable<Entry> {
    for (const of of entries.values()) yield* of;
  }

  const book: FollowedBook = {
    noteTask(task) {
      for (const own of booksOf(task.taskId)) {
        idOf.set(task.leaf, task.taskId ?? '');
        own.noteTask(task);
      }
    },
    noteReceipt(receipt) {
      for (const own of booksOf(receipt.taskId)) own.noteReceipt(receipt);
    },
    noteDeadLetter(letter) {
      for (const own of booksOf(letter.envelopeId)) own.noteDeadLetter(letter);
    },
    noteGone(leaf, atMs) {
      for (const own of booksOf(idOf.get(leaf))) own.noteGone(leaf, atMs);
    },
    notePurge(purge) {
      for (const { own, task } of all()) if ((task.queue ?? purge.queue) === purge.queue) own.book.notePurge(purge);
    },
    *open() {
      for (const { own } of all()) yield* own.book.open();
    },
  };

  function ambiguousOf({ id }: WatchedTask): (count: number) => VakError {
    return (of) =>
      new VakError('conflict', `task ${id}: it is said of ${of} tasks; give what submitting it gave, its leaf with it`);
  }

  function tellOne({ own, ending }: Entry): void {
    try {
      const record = own.record();
      if (record !== undefined && isSettled(record.state)) ending.resolve(record);
    } catch (error) {
      ending.reject(error);
    }
  }

  return {
    book,
    add(task, ending) {
      if (count >= maxWaiting) {
        const message = `tasks: ${count} are waited for, at most ${maxWaiting} may be; wait for them first`;
        throw new VakError('limit-exceeded', message, { retryable: true });
      }
      const own = createWatchedTaskBook(task, ambiguousOf(task));
      const note: Entry['note'] = (place) => {
        idOf.set(place.leaf, task.id);
        own.book.noteTask({ ...place, taskId: task.id });
      };
      const entry: Entry = { task, mark: undefined, own, ending, record: own.record, note };
      const others = entries.get(task.id) ?? new Set();
      entries.set(task.id, others.add(entry));
      count++;
      return entry;
    },
    remove(one) {
      const others = entries.get(one.task.id);
      if (others?.delete(one as Entry) !== true) return;
      count--;
      if (others.size > 0) return;
      entries.delete(one.task.id);
      for (const { leaf } of (one as Entry).own.book.all()) idOf.delete(leaf);
    },
    has: (id) => id !== undefined && entries.has(id),
    count: () => count,
    all,
    tell() {
      for (const entry of all()) tellOne(entry);
    },
    fail(error) {
      for (const { ending } of all()) ending.reject(error);
    },
  };
}
