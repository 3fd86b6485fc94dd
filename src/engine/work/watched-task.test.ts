import { expect, test } from 'vitest';
import { VakError } from '../../shared/base/vak-error.ts';
import type { SaidReceipt } from './task-book.ts';
import { createWatchedTaskBook } from './watched-task.ts';

const id = '0197a3c0-0000-7000-8000-000000000001';
const [leaf, queue] = ['a'.repeat(64), 'q'];
const create = (seq?: number) =>
  createWatchedTaskBook({ id, leaf, queue, seq }, (count) => new VakError('conflict', `${count}`));
const failed: SaidReceipt = {
  ...{ taskId: id, taskLeaf: leaf, queue, workerId: 'wilma', attempt: 1, outcome: 'attempt-failed', outputHash: '' },
  ...{ startedAt: '2026-01-02T03:04:05Z', endedAt: '2026-01-02T03:04:06Z', seq: 1, storedMs: 1 },
};

test('W7 a task that only its failed attempts tell of is lost when its stream was read twice without it', () => {
  const { book, record, noteAllRead } = create();
  noteAllRead(1_000);
  expect(record()).toBeUndefined();
  book.noteReceipt(failed);
  // It may have been stored after the stream was read, and before the receipts were.
  noteAllRead(2_000);
  expect(record()?.state).toBe('retrying');
  noteAllRead(3_000);
  expect(record()).toMatchObject({ state: 'lost', goneMs: 3_000, place: undefined });
  book.noteTask({ leaf, queue, taskId: id, seq: 7, storedMs: 5 });
  noteAllRead(4_000);
  expect(record()?.state).toBe('retrying');
});

test('W7 of a task whose place was told is known that it stood there', () => {
  const { book, record } = create(7);
  expect([...book.open()]).toMatchObject([{ leaf, place: { seq: 7 }, state: 'queued' }]);
  book.noteGone(leaf, 1_000);
  expect(record()?.state).toBe('lost');
  book.notePurge({ queue, ranges: [[5, 9]] });
  expect(record()?.state).toBe('purged');
});
