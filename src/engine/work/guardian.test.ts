import { type ChildProcess, spawn } from 'node:child_process';
import { afterEach, expect, test } from 'vitest';
import { isAlive, livingProcesses } from '../../../tests/support/living-processes.ts';
import { createSilentLogger } from '../ports/logger.ts';
import { sessionMarker } from './command-environment.ts';
import { createGuardian, type Guardian } from './guardian.ts';

const session = `guarded-${process.pid}-e`;
const started: ChildProcess[] = [];
let guardian: Guardian | undefined;

/** A command in a group of its own; without the marker only its group tells whose it is. */
function startGroup(script: string, isMarked = false): number {
  const env = isMarked ? { ...process.env, VAK_SESSION: session } : process.env;
  const child = spawn('/bin/sh', ['-c', script], { detached: true, stdio: 'ignore', env });
  started.push(child);
  return child.pid as number;
}

function guard(): Guardian {
  guardian = createGuardian({ logger: createSilentLogger(), marker: sessionMarker(session) });
  return guardian;
}

afterEach(async () => {
  guardian?.dispose();
  for (const { pid } of started.splice(0)) {
    try {
      process.kill(-(pid as number), 'SIGKILL');
    } catch {
      // Gone, as most tests want it.
    }
  }
  const pid = guardian?.pid;
  if (pid) await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false);
});

test('guardian: when the pipe closes, listed groups are ended, struck-off ones are left alone', async () => {
  const listed = startGroup('sleep 300');
  const over = startGroup('sleep 300');
  const current = guard();
  current.add(listed);
  current.add(over);
  current.remove(over);
  current.dispose();
  await expect.poll(() => isAlive(listed), { timeout: 10_000 }).toBe(false);
  await expect.poll(() => isAlive(current.pid as number), { timeout: 10_000 }).toBe(false);
  expect(await isAlive(over)).toBe(true);
});

test('guardian: a group that ignores SIGTERM is killed, and so is a marked process that left the group', async () => {
  const listed = startGroup('trap "" TERM; setsid sh -c "trap \'\' TERM; sleep 300; :" & sleep 300; :', true);
  await expect.poll(async () => (await livingProcesses(session)).length, { timeout: 10_000 }).toBeGreaterThanOrEqual(4);
  const current = guard();
  current.add(listed);
  current.dispose();
  await expect.poll(() => livingProcesses(session, [listed]), { timeout: 15_000 }).toEqual([]);
});

test("guardian: a terminal's signals to our group, and SIGTERM, do not reach it", async () => {
  const current = guard();
  const pid = current.pid as number;
  const listed = startGroup('sleep 300');
  current.add(listed);
  // It has set its traps when it has read its first line: then it waits in the next read.
  await new Promise((resolve) => setTimeout(resolve, 300));
  for (const signal of ['SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGTERM', 'SIGTSTP'] as const) process.kill(pid, signal);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await isAlive(pid)).toBe(true);
  current.dispose();
  await expect.poll(() => isAlive(listed), { timeout: 10_000 }).toBe(false);
});

test('guardian: one that is killed is replaced and knows the groups', async () => {
  const current = guard();
  const first = current.pid as number;
  const listed = startGroup('sleep 300');
  current.add(listed);
  process.kill(first, 'SIGKILL');
  await expect.poll(() => current.pid !== first && current.pid !== null).toBe(true);
  current.dispose();
  await expect.poll(() => isAlive(listed), { timeout: 10_000 }).toBe(false);
});

test('guardian: with nothing listed it goes at once', async () => {
  const current = guard();
  const pid = current.pid as number;
  current.dispose();
  await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false);
});
