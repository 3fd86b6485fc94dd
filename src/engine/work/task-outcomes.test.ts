import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTaskBook, type TaskBook } from './task-book.ts';
import { createTaskOutcomes } from './task-outcomes.ts';

const queue = 'q';
const hash = 'a'.repeat(64);
const leafOf = (task: number): string => String(task).padStart(64, '0');
const second = (at: number): string => new Date(1_000_000 + at * 1_000).toISOString();

/** Something that is said of a task, at a moment of its own. */
type Word = (book: TaskBook) => void;

const receipt =
  (task: number, seq: number, more: { outcome: 'done' | 'attempt-failed'; tookS?: number; queue?: string }): Word =>
  (book) =>
    book.noteReceipt({
      ...{ taskId: `t${task}`, taskLeaf: leafOf(task), queue: more.queue ?? queue, workerId: 'w', attempt: seq },
      ...{ outcome: more.outcome, startedAt: second(0), endedAt: second(more.tookS ?? 1), outputHash: hash },
      ...{ seq, storedMs: seq },
    });
const letter =
  (task: number, seq: number): Word =>
  (book) =>
    book.noteDeadLetter({
      ...{ envelopeId: `t${task}`, taskLeaf: leafOf(task), queue, attempts: 1, reason: 'no', workerId: 'w' },
      ...{ seq, storedMs: seq },
    } as unknown as Parameters<TaskBook['noteDeadLetter']>[0]);
const task =
  (number: number, seq: number): Word =>
  (book) =>
    book.noteTask({ leaf: leafOf(number), queue, taskId: `t${number}`, seq, storedMs: seq });

/** Done at once; done after two failures, and again; dead; done after its dead letter; failed so far; spoken of falsely. */
const words: readonly Word[] = [
  ...[task(1, 1), receipt(1, 101, { outcome: 'done', tookS: 2 })],
  ...[task(2, 2), receipt(2, 102, { outcome: 'attempt-failed' }), receipt(2, 103, { outcome: 'attempt-failed' })],
  ...[receipt(2, 104, { outcome: 'done', tookS: 7 }), receipt(2, 105, { outcome: 'done', tookS: 500 })],
  ...[task(3, 3), receipt(3, 106, { outcome: 'attempt-failed' }), letter(3, 107), letter(3, 108)],
  ...[task(4, 4), letter(4, 109), receipt(4, 110, { outcome: 'done', tookS: 1 })],
  ...[task(5, 5), receipt(5, 111, { outcome: 'attempt-failed' })],
  ...[task(6, 6), receipt(6, 112, { outcome: 'done', queue: 'other' })],
];

function figuresOf(said: readonly Word[]) {
  const outcomes = createTaskOutcomes();
  const book = createTaskBook({ capacity: 100, onChange: outcomes.note });
  for (const say of said) say(book);
  return outcomes.figures();
}

test('W10 each task counts once as done and once as dead, each failed attempt once', () => {
  expect(figuresOf(words)).toMatchObject({
    ...{ doneCount: 3, finishedLateCount: 1, deadCount: 2, failedAttemptCount: 4 },
    claimToDone: { count: 3, sumUs: 10_000_000, maxUs: 7_000_000 },
  });
});

test('W10 what is said twice counts once', () => {
  expect(figuresOf([...words, ...words])).toEqual(figuresOf(words));
});

test('W10 the order changes no count of what nobody contradicts', () => {
  const agreed = words.slice(0, 16).filter((_, at) => at !== 6);
  fc.assert(
    fc.property(fc.shuffledSubarray(agreed, { minLength: agreed.length }), (shuffled) => {
      expect(figuresOf(shuffled)).toEqual(figuresOf(agreed));
    }),
  );
});
