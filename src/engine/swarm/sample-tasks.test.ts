import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkRunnable } from '../work/worker-requests.ts';
import { sampleNames, sampleTask } from './sample-tasks.ts';
import { approvedTask, mixedTask, roundLength } from './task-mix.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'vak-samples-'));
  // Notes how long it was to sleep, and does not.
  writeFileSync(join(folder, 'sleep'), '#!/bin/sh\necho "$1" >> "$SLEEPS"\n', { mode: 0o755 });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Ran {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** How long it meant to sleep. */
  readonly seconds: number;
}

function runToEnd(command: readonly string[], number: number): Promise<Ran> {
  const sleeps = join(folder, `sleeps-${number}`);
  writeFileSync(sleeps, '');
  const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}`, SLEEPS: sleeps };
  const [file = '', ...args] = command;
  const child = spawn(file, args, { cwd: '/', env, stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (data) => {
    stdout += String(data);
  });
  child.stderr.on('data', (data) => {
    stderr += String(data);
  });
  return new Promise((resolve) =>
    child.on('close', (exitCode) => {
      const slept = readFileSync(sleeps, 'utf8').split('\n').slice(0, -1).map(Number);
      resolve({ exitCode, stdout, stderr, seconds: slept.reduce((sum, one) => sum + one, 0) });
    }),
  );
}

test('sample tasks: all run here, in colour, at a pace to read; one of them fails with exit code 3 and says why', async () => {
  expect(sampleNames.length).toBeGreaterThanOrEqual(8);
  const all = await Promise.all(
    sampleNames.map((name, number) => runToEnd(checkRunnable(sampleTask(name)).command, number)),
  );
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

test('task mix: its own scripts run here, and each ends in the way that it is there for', async () => {
  const round = Array.from({ length: roundLength }, (_, index) => mixedTask(index));
  const scripts = new Set([...round, approvedTask].map(({ command }) => command[2] ?? ''));
  const samples = new Set(sampleNames.map((name) => sampleTask(name).command[2]));
  const own = [...scripts].filter((script) => !samples.has(script));
  const all = await Promise.all(own.map((script, number) => runToEnd(['sh', '-c', script], 100 + number)));
  const ends = new Map(own.map((script, at) => [/# sample: (\w+)/.exec(script)?.[1], all[at]]));
  expect(ends.get('poison')).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('no such file') });
  expect([0, 75]).toContain(ends.get('flaky')?.exitCode);
  expect(ends.get('killed')).toMatchObject({ exitCode: null, stderr: expect.stringContaining('killing itself') });
  expect(ends.get('flood')?.stdout.length).toBeGreaterThan(32 * 1024);
  for (const name of ['load', 'count', 'disk', 'kernel', 'words', 'report'])
    expect([name, ends.get(name)]).toMatchObject([name, { exitCode: 0, stderr: '' }]);
}, 60_000);
