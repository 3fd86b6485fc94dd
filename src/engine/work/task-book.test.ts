import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createTaskBook,
  type SaidLetter,
  type SaidReceipt,
  type TaskBook,
  type TaskState,
  taskStates,
} from './task-book.ts';

const leafOf = (n: number): string => n.toString(16).padStart(64, '0');
const idOf = (n: number): string => `00000000-0000-7000-8000-${n.toString().padStart(12, '0')}`;

function receiptOf(n: number, fields: Partial<SaidReceipt> = {}): SaidReceipt {
  return {
    ...{ taskId: idOf(n), taskLeaf: leafOf(n), queue: 'q', workerId: 'w', attempt: 1, outcome: 'done' },
    ...{ startedAt: '2026-01-02T03:04:05Z', endedAt: '2026-01-02T03:04:06Z', outputHash: leafOf(0) },
    ...{ seq: 1, storedMs: 1_000, ...fields },
  } as SaidReceipt;
}

function letterOf(n: number, fields: Partial<SaidLetter> = {}): SaidLetter {
  return {
    ...{
      envelopeId: idOf(n),
      taskLeaf: leafOf(n),
      subject: 'vak.work.acme.q.task',
      queue: 'q',
      attempts: 4,
      history: [],
    },
    ...{ reason: 'r', errorClass: 'c', failedAt: '2026-01-02T03:04:06Z', workerId: null, envelope: 'AA==' },
    ...{ seq: 1, storedMs: 1_000, by: 'sue', ...fields },
  } as SaidLetter;
}

type Step = (book: TaskBook) => void;
const task =
  (n: number, fields = {}): Step =>
  (book) =>
    book.noteTask({ leaf: leafOf(n), queue: 'q', taskId: idOf(n), seq: n, storedMs: 500, ...fields });
const receipt =
  (n: number, fields: Partial<SaidReceipt> = {}): Step =>
  (book) =>
    book.noteReceipt(receiptOf(n, fields));
const letter =
  (n: number, fields: Partial<SaidLetter> = {}): Step =>
  (book) =>
    book.noteDeadLetter(letterOf(n, fields));
const gone =
  (n: number): Step =>
  (book) =>
    book.noteGone(leafOf(n), 2_000);
const purge =
  (...ranges: [number, number][]): Step =>
  (book) =>
    book.notePurge({ queue: 'q', ranges });
const refusal =
  (n: number, why: string | undefined): Step =>
  (book) =>
    book.noteRefusal(leafOf(n), why);
const failed = { outcome: 'attempt-failed' } as const;

function play(steps: readonly Step[], capacity = 1_000): TaskBook {
  const book = createTaskBook({ capacity, onChange: () => {} });
  for (const step of steps) step(book);
  return book;
}

describe('what became of a task', () => {
  it.each<[TaskState, string, Step[]]>([
    ['queued', 'it stands in its queue', [task(1)]],
    ['retrying', 'an attempt failed', [task(1), receipt(1, failed)]],
    ['done', 'a receipt says so', [task(1), receipt(1)]],
    ['done', 'it was gone before its receipt was known', [task(1), gone(1), receipt(1)]],
    ['dead', 'it has a dead letter', [task(1), receipt(1, failed), letter(1), gone(1)]],
    ['finished-late', 'it was done after its dead letter', [task(1), letter(1), receipt(1, { storedMs: 1_001 })]],
    ['done', 'a dead letter came after it was done', [task(1), letter(1, { storedMs: 1_001 }), receipt(1)]],
    ['lost', 'it is gone and nobody says why', [task(1), gone(1)]],
    ['lost', 'it is gone, and a failure is all that is known', [task(1), receipt(1, failed), gone(1)]],
    ['queued', 'it is there after all', [task(1), gone(1), task(1)]],
    ['refused', 'no worker will run it', [task(1, { refusal: 'It is forged.' })]],
    ['queued', 'that turned out otherwise', [task(1, { refusal: 'It is forged.' }), refusal(1, undefined)]],
    ['refused', 'its grant is gone', [task(1), refusal(1, 'Nobody is known.')]],
    ['dead', 'a worker has ended it', [task(1, { refusal: 'It is forged.' }), letter(1), gone(1)]],
    ['purged', 'an operator took it out of its queue', [task(1), purge([1, 1]), gone(1)]],
    ['purged', 'that is known later', [task(1), gone(1), purge([1, 3], [7, 9])]],
    ['queued', 'an operator was about to, and it still stands', [task(1), purge([1, 1])]],
    ['done', 'it was worked on when it was purged', [task(1), purge([1, 1]), gone(1), receipt(1)]],
    ['lost', 'the purge took others', [task(1), gone(1), purge([2, 9])]],
    ['lost', 'the purge was of another queue', [task(1, { queue: 'p' }), gone(1), purge([1, 1])]],
    ['lost', 'a receipt is for another task', [task(1), gone(1), receipt(1, { taskId: idOf(2) })]],
    ['lost', 'a dead letter is of another queue', [task(1), gone(1), letter(1, { queue: 'other' })]],
  ])('W7 %s: %s', (state, _, steps) => {
    const book = play(steps);
    expect(book.get(leafOf(1))?.state).toBe(state);
    expect(book.counts()).toEqual(Object.fromEntries(taskStates.map((one) => [one, one === state ? 1 : 0])));
  });

  it('W6 the first valid done wins, and attempts stand in their order', () => {
    const book = play([
      receipt(1, { seq: 9, attempt: 3, storedMs: 3_000 }),
      receipt(1, { seq: 7, attempt: 2, storedMs: 2_000, ...failed }),
      receipt(1, { seq: 5, attempt: 1, storedMs: 1_000, ...failed }),
    ]);
    expect(book.get(leafOf(1))?.receipts.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
  });

  it('W6 however many failures are said of a task, it stays done', () => {
    const many = Array.from({ length: 600 }, (_, i) => receipt(1, { seq: i + 10, storedMs: 2_000 + i, ...failed }));
    const book = play([task(1), receipt(1), ...many]);
    expect(book.get(leafOf(1))?.state).toBe('done');
    expect(book.get(leafOf(1))?.receipts.length).toBeLessThanOrEqual(256);
  });
});

it('W7 the order in which things become known changes nothing, and the counts add up', () => {
  const said = [
    ...[1, 2, 3, 4].map((n) => task(n)),
    receipt(1, { seq: 1, storedMs: 1_000, ...failed }),
    receipt(1, { seq: 2, storedMs: 1_500, attempt: 2 }),
    receipt(2, { seq: 3, storedMs: 1_100, taskId: idOf(9) }),
    receipt(2, { seq: 4, storedMs: 1_200, queue: 'other' }),
    receipt(3, { seq: 5, storedMs: 1_900 }),
    receipt(5, { seq: 6, storedMs: 1_300 }),
    receipt(5, { seq: 7, storedMs: 1_400, taskId: idOf(8) }),
    letter(3, { seq: 1, storedMs: 1_800 }),
    letter(4, { seq: 2, storedMs: 1_800 }),
    letter(4, { seq: 3, storedMs: 1_700, queue: 'other' }),
    purge([20, 30]),
  ];
  const ends = [gone(1), gone(2), gone(3), gone(4)];
  const inOrder = play([...said, ...ends]);
  const facts = (book: TaskBook) =>
    [...book.all()]
      .map(({ leaf, queue, taskId, state, receipts, deadLetter }) => ({
        ...{ leaf, queue, taskId, state, receipts: receipts.map(({ seq }) => seq), letter: deadLetter?.seq },
      }))
      .toSorted((a, b) => a.leaf.localeCompare(b.leaf));
  expect(facts(inOrder).map(({ state }) => state)).toEqual(['done', 'lost', 'finished-late', 'dead', 'done']);
  fc.assert(
    fc.property(fc.shuffledSubarray(said, { minLength: said.length, maxLength: said.length }), (shuffled) => {
      const book = play([...shuffled, ...ends]);
      expect(facts(book)).toEqual(facts(inOrder));
      expect(book.counts()).toEqual(inOrder.counts());
      expect(Object.values(book.counts()).reduce((sum, count) => sum + count, 0)).toBe(facts(book).length);
    }),
  );
});

it('W7 a full book forgets settled tasks first, and what is lost last', () => {
  const book = play(
    [task(1), gone(1), task(2), receipt(2), ...[3, 4, 5].flatMap((n) => [task(n), receipt(n, { seq: n })])],
    3,
  );
  expect([...book.all()].map(({ leaf }) => leaf)).toEqual([1, 4, 5].map(leafOf));
  expect(book.counts()).toMatchObject({ lost: 1, done: 2 });
});

it('W7 every change is told, with what it was before', () => {
  const told: [string, string | undefined][] = [];
  const book = createTaskBook({ capacity: 9, onChange: ({ state }, before) => told.push([state, before]) });
  for (const step of [task(1), receipt(1, { seq: 1, ...failed }), receipt(1, { seq: 2 })]) step(book);
  expect(told).toEqual([
    ['queued', undefined],
    ['retrying', 'queued'],
    ['done', 'retrying'],
  ]);
});

it('W7h a task that stands at a second place, or was done before it was stored, was stored again', () => {
  const repeatsAfter = (...steps: Step[]): readonly number[] => {
    const book = createTaskBook({ capacity: 9, onChange: () => {} });
    for (const step of steps) step(book);
    return book.get(leafOf(3))?.repeats.map(({ seq }) => seq) ?? [];
  };
  const [first, second] = [task(3), task(3, { seq: 8, storedMs: 900 })];
  expect(repeatsAfter(first, first, receipt(3))).toEqual([]);
  expect(repeatsAfter(first, gone(3), second)).toEqual([8]);
  expect(repeatsAfter(second, first)).toEqual([8]);
  const done = receipt(3, { storedMs: 700 });
  expect(repeatsAfter(second, done)).toEqual([8]);
  expect(repeatsAfter(done, second)).toEqual([8]);
  expect(repeatsAfter(second, receipt(3, { storedMs: 700, outcome: 'attempt-failed' }))).toEqual([]);
});
