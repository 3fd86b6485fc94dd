import { expect, test } from 'vitest';
import { errorTimes, figureAt, nextTime, tasksAt } from './session-moments.ts';
import type { TaskRow } from './task-log.ts';

const task = (taskId: string, startedMs: number | null, endedMs: number | null, state: TaskRow['state']): TaskRow => ({
  ...{ taskId, startedMs, endedMs, state },
  ...{ exitCode: state === 'failed' ? 1 : undefined, signal: undefined, reason: undefined, title: taskId },
});
const rows = [
  task('c', 50, null, 'running'),
  task('b', 20, 40, 'failed'),
  task('a', null, 10, 'done'),
  task('d', 5, 15, 'failed'),
];
const seen = (atMs: number | undefined) => tasksAt(rows, atMs).map(({ taskId, state }) => `${taskId} ${state}`);

test('tasks stand as they stood at the cursor', () => {
  expect(seen(undefined)).toEqual(['c running', 'b failed', 'a done', 'd failed']);
  expect(seen(30)).toEqual(['b running', 'a done', 'd failed']);
  expect(seen(4)).toEqual([]);
  expect(tasksAt(rows, 30)[0]).toMatchObject({ exitCode: undefined, endedMs: null });
});

test('the figure at the cursor is the last one before it', () => {
  const series = { times: [1, 2, 3], cpuPercent: [1, 2, 3], rssBytes: [1, 2, 3] };
  expect([undefined, 2_500, 2_000, 10].map((atMs) => figureAt(series, atMs))).toEqual([2, 1, 1, -1]);
});

test('steps lead to the errors in both directions, and nowhere behind the last', () => {
  const errors = errorTimes(rows);
  expect(errors).toEqual([15, 40]);
  expect([0, 15, 40].map((atMs) => nextTime(errors, atMs, true))).toEqual([15, 40, undefined]);
  expect([undefined, 40, 15].map((atMs) => nextTime(errors, atMs, false))).toEqual([40, 15, undefined]);
  expect(nextTime(errors, undefined, true)).toBeUndefined();
});
