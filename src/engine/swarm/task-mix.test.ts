import { expect, test } from 'vitest';
import { checkPayload } from '../../shared/protocol/payloads.ts';
import { checkRunnable } from '../work/worker-requests.ts';
import { sampleTask } from './sample-tasks.ts';
import { approvedTask, mixedTask, roundLength } from './task-mix.ts';

const round = Array.from({ length: roundLength }, (_, index) => mixedTask(index));
const nameOf = ({ command }: { readonly command: readonly string[] }): string =>
  /# sample: (\w+)/.exec(command[2] ?? '')?.[1] ?? '';

test('task mix: a round has one poison task, first of all; some that fail each in its own way, and most succeed', () => {
  const names = round.map(nameOf);
  expect(names[0]).toBe('poison');
  expect(names.filter((name) => name === 'poison')).toHaveLength(1);
  const failing = ['poison', 'flaky', 'check', 'killed', 'flood'];
  const timedOut = round.filter(({ timeoutMs = 0 }) => timeoutMs < 10_000);
  expect(timedOut.map(nameOf)).toEqual(['watch']);
  expect(failing.filter((name) => !names.includes(name))).toEqual([]);
  const failCount = names.filter((name) => failing.includes(name)).length + timedOut.length;
  expect(failCount / roundLength).toBeLessThan(0.1);
  expect(names.filter((name) => name === 'watch').length - timedOut.length).toBe(2);
  expect(mixedTask(roundLength * 3)).toBe(mixedTask(0));
});

test('task mix: every task is one that a worker can run, and only its own asks for approval', () => {
  for (const task of [...round, approvedTask]) {
    expect(checkRunnable(task)).toEqual(task);
    expect(checkPayload('vak.work.task', task)).toEqual(task);
  }
  expect(round.filter(({ approval }) => approval !== undefined)).toEqual([]);
  expect(approvedTask.approval?.title).toBe('Report on this machine');
});

test('task mix: short ones come most often', () => {
  const long = ['hash', 'ls', 'watch', 'pack', 'primes', 'memory', 'build', 'sort', 'du'];
  const short = round.map(nameOf).filter((name) => !long.includes(name));
  expect(short.length / roundLength).toBeGreaterThan(0.5);
  expect(round.some(({ command }) => command[2] === sampleTask('hash').command[2])).toBe(true);
});
