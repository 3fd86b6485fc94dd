import { expect, it } from 'vitest';
import { createQueueWorkers } from './queue-workers.ts';
import type { SaidReceipt, TaskRecord } from './task-book.ts';

type Told = Pick<TaskRecord, 'leaf' | 'queue' | 'receipts'>;
const receipt = (workerId: string, storedMs: number, outcome = 'done'): SaidReceipt =>
  ({ workerId, outcome, storedMs, seq: storedMs }) as SaidReceipt;

it('W6 each receipt counts once for its worker, however often its task is told of', () => {
  const workers = createQueueWorkers();
  const task = { leaf: 'a', queue: 'q', receipts: [receipt('w1', 1, 'attempt-failed')] };
  workers.note(task);
  workers.note(task);
  task.receipts = [...task.receipts, receipt('w2', 2)];
  workers.note(task);
  expect(workers.of('q')).toEqual([
    { peer: 'w2', doneCount: 1, failedCount: 0, lastMs: 2 },
    { peer: 'w1', doneCount: 0, failedCount: 1, lastMs: 1 },
  ]);
  expect(workers.of('other')).toEqual([]);
});

it('W6 what does not count any more is taken back, and what turns out to be of another queue moves there', () => {
  const workers = createQueueWorkers();
  const [first, second] = [receipt('w1', 1), receipt('w1', 2)];
  const task: { -readonly [K in keyof Told]: Told[K] } = { leaf: 'a', queue: 'q', receipts: [first, second] };
  workers.note(task);
  task.receipts = [first];
  workers.note(task);
  expect(workers.of('q')).toMatchObject([{ doneCount: 1 }]);
  task.queue = 'p';
  workers.note(task);
  expect([workers.of('q'), workers.of('p')]).toMatchObject([[], [{ peer: 'w1', doneCount: 1 }]]);
});

it('W6 of a queue at most 64 are remembered, those that were heard last', () => {
  const workers = createQueueWorkers();
  for (let i = 1; i <= 100; i++) workers.note({ leaf: `${i}`, queue: 'q', receipts: [receipt(`w${i}`, i)] });
  const heard = workers.of('q').map(({ peer }) => peer);
  expect(heard).toHaveLength(64);
  expect([heard[0], heard.at(-1)]).toEqual(['w100', 'w37']);
});
