import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { checkRunnable } from '../work/worker-requests.ts';
import { sampleTask, sampleTasks } from './sample-tasks.ts';

interface Ran {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly seconds: number;
}

function runToEnd(command: readonly string[]): Promise<Ran> {
  const startedMs = performance.now();
  const [file = '', ...args] = command;
  const child = spawn(file, args, { cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (data) => {
    stdout += String(data);
  });
  child.stderr.on('data', (data) => {
    stderr += String(data);
  });
  return new Promise((resolve) =>
    child.on('close', (exitCode) =>
      resolve({ exitCode, stdout, stderr, seconds: (performance.now() - startedMs) / 1000 }),
    ),
  );
}

test('sample tasks: all run here, in colour, at a pace to read; one of them fails with exit code 3 and says why', async () => {
  expect(sampleTasks.length).toBeGreaterThanOrEqual(8);
  const all = await Promise.all(sampleTasks.map((task) => runToEnd(checkRunnable(task).command)));
  expect(all.map(({ exitCode }) => exitCode).sort()).toEqual([...new Array(all.length - 1).fill(0), 3]);
  for (const { exitCode, stdout, stderr, seconds } of all) {
    expect(stdout).toContain('\u001b[');
    const lines = (stdout + stderr).split('\n').length;
    expect(lines).toBeGreaterThan(4);
    expect(lines / seconds).toBeLessThan(20);
    if (exitCode === 3) expect(stderr).toContain('no such file');
    else expect(stderr.replace(/.*warning.*\n/, '')).toBe('');
  }
  expect(Math.max(...all.map(({ seconds }) => seconds))).toBeGreaterThan(19);
}, 120_000);

test('sample tasks: the rota goes round for ever', () => {
  expect(sampleTask(sampleTasks.length * 7 + 2)).toBe(sampleTasks[2]);
});
