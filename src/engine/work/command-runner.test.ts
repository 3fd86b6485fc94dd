import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { isAlive, livingProcesses, pidIn } from '../../../tests/support/living-processes.ts';
import { createPlainOutlet } from '../../../tests/support/plain-outlet.ts';
import { recordSession, type SessionRecorder } from '../../../tests/support/session-recorder.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import type { TaskPayload } from '../../shared/protocol/payloads.ts';
import { startTrace } from '../../shared/protocol/trace-context.ts';
import type { Bus } from '../bus/bus.ts';
import { createMemoryBus } from '../bus/memory/memory-bus.ts';
import { createSystemClock } from '../ports/clock.ts';
import { createSilentLogger } from '../ports/logger.ts';
import { createSystemRandomness } from '../ports/randomness.ts';
import { type CommandDeps, type CommandRun, runCommand } from './command-runner.ts';
import { createProcessTable } from './process-table.ts';
import { createSessionOutput } from './session-output.ts';
import { createSessionPublisher } from './session-publisher.ts';

const clock = createSystemClock();
const logger = createSilentLogger();
const folder = mkdtempSync(join(tmpdir(), 'vak-runner-'));
const randomness = createSystemRandomness();
const span = startTrace(randomness.bytes);
const session = `runner-${process.pid}-e`;
let bus: Bus;
let heard: SessionRecorder;
let groups: number[];
let endedGroups: number[];
let whenWritable: () => Promise<void>;
let run: CommandRun | undefined;

// Where the runner makes its pipes: apart from other tests.
process.env['TMPDIR'] = folder;

beforeEach(() => {
  bus = createMemoryBus({ clock, logger });
  heard = recordSession(bus, { workspace: 'test', session });
  groups = [];
  endedGroups = [];
  whenWritable = () => bus.whenWritable();
});

afterEach(async () => {
  run?.stop('cancelled', 0);
  await run?.done;
  expect(await livingProcesses(session, groups)).toEqual([]);
  expect(endedGroups).toEqual(groups);
  await bus.close();
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function start(command: readonly string[], task: Partial<TaskPayload> = {}): CommandRun {
  const outlet = createPlainOutlet({ ...bus, whenWritable: () => whenWritable() }, session);
  const publisher = createSessionPublisher({ outlet, randomness, workspace: 'test', session });
  const deps: CommandDeps = {
    ...{ clock, logger, publisher, session, cwd: folder },
    table: createProcessTable(),
    output: createSessionOutput({ clock, publisher, span: startTrace(randomness.bytes) }),
    groups: { started: (group) => groups.push(group), ended: (group) => endedGroups.push(group) },
    environment: { ...process.env, VAK_SECRET: 'canary', NODE_OPTIONS: '--no-warnings' },
  };
  run = runCommand(deps, { taskId: 'task-1', task: { command: [...command], ...task }, span });
  return run;
}

const sh = (script: string, task: Partial<TaskPayload> = {}): CommandRun => start(['sh', '-c', script], task);

test('command runner: a command is claimed, its output comes before done, its exit code is told', async () => {
  const outcome = await sh('echo one; echo two >&2; printf three').done;
  expect(outcome).toEqual({ state: 'done', detail: { reason: 'exit code 0', exitCode: 0 } });
  expect(heard.text('stdout')).toBe('one\nthree');
  expect(heard.text('stderr')).toBe('two\n');
  expect(heard.order[0]).toBe('claimed');
  expect(heard.order.at(-1)).toBe('done');
  expect(heard.statuses[0]).toMatchObject({ taskId: 'task-1', attempt: 1 });
});

test('E4 all that is told of a command is in its trace, each event in a span of its own', async () => {
  await sh('echo one; echo two >&2; sleep 0.7').done;
  expect(heard.order).toEqual(expect.arrayContaining(['claimed', 'terminal', 'done']));
  expect(heard.telemetry.length).toBeGreaterThan(0);
  const traces = heard.envelopes.map(({ traceparent }) => (traceparent ?? '').split('-'));
  expect(new Set(traces.map(([, traceId]) => traceId))).toEqual(new Set([span.traceId]));
  const spans = traces.map(([, , spanId]) => spanId);
  expect(new Set([...spans, span.spanId]).size).toBe(spans.length + 1);
});

test('command runner: a script may open its output again by name', async () => {
  const outcome = await sh('echo one > /dev/stdout; echo two > /dev/stderr; echo three | tee /dev/stderr').done;
  expect(outcome.state).toBe('done');
  expect(heard.text('stdout')).toBe('one\nthree\n');
  expect(heard.text('stderr')).toBe('two\nthree\n');
});

test('command runner: a hundred commands leave no open file and no file behind', async () => {
  const openFiles = (): number => readdirSync('/proc/self/fd').length;
  await sh('true').done;
  const before = openFiles();
  for (let i = 0; i < 50; i++) {
    await sh('echo x').done;
    await start(['vak-no-such-command']).done;
  }
  await expect.poll(openFiles).toBeLessThanOrEqual(before);
  expect(readdirSync(folder).filter((name) => name.startsWith('vak-pipes-'))).toEqual([]);
});

test('command runner: exit codes and deaths by signal are failures with their cause', async () => {
  expect((await sh('exit 3').done).detail).toEqual({ reason: 'exit code 3', exitCode: 3 });
  expect((await sh('kill -9 $$').done).detail).toEqual({ reason: 'ended by SIGKILL', signal: 'SIGKILL' });
});

test('I3 the command sees no variable of the app, but its marker, colours and own ones', async () => {
  await sh('env', { env: { OWN: 'mine' } }).done;
  const lines = heard.text('stdout').split('\n');
  expect(lines).toEqual(
    expect.arrayContaining([`VAK_SESSION=${session}`, 'FORCE_COLOR=1', 'TERM=xterm-256color', 'OWN=mine']),
  );
  expect(lines.filter((line) => /^(VAK_(?!SESSION=)|ELECTRON_|NODE_OPTIONS|NODE_CHANNEL)/.test(line))).toEqual([]);
});

test.each([
  ['a missing command', ['vak-no-such-command'], /command not found: vak-no-such-command/],
  ['a missing path', ['/nowhere/tool'], /command not found: \/nowhere\/tool/],
  ['a folder as a command', ['/tmp'], /not executable: \/tmp/],
  ['a command line that is too long', ['true', 'x'.repeat(128 * 1024)], /command line too long/],
])('command runner: %s fails with clear words and starts nothing', async (_what, command, words) => {
  const outcome = await start(command).done;
  expect(outcome.state).toBe('failed');
  expect(outcome.detail.reason).toMatch(words);
  expect(outcome.detail.exitCode).toBeUndefined();
  expect(groups).toEqual([]);
  expect(heard.order).toEqual(['claimed', 'failed']);
});

test('command runner: a file without the right to execute, and a folder that is not there, are told apart', async () => {
  const script = join(folder, 'script.sh');
  writeFileSync(script, '#!/bin/sh\n', { mode: 0o644 });
  expect((await start([script]).done).detail.reason).toMatch(/not executable: .*chmod \+x/);
  expect((await sh('true', { cwd: join(folder, 'missing') }).done).detail.reason).toMatch(/folder not found/);
  expect((await sh('true', { cwd: script }).done).detail.reason).toMatch(/not a folder/);
});

test('command runner: a timeout ends the command and says so', async () => {
  const outcome = await sh('echo begun; sleep 60', { timeoutMs: 300 }).done;
  expect(outcome.state).toBe('failed');
  expect(outcome.detail.reason).toBe('timed out after 300 ms and was ended');
  expect(heard.text('stdout')).toBe('begun\n');
});

test('command runner: the output limit is exact, over both streams, and ends the command', async () => {
  const outcome = await sh('yes | head -c 600; while :; do echo more >&2; done', { outputLimitBytes: 1000 }).done;
  expect(outcome.state).toBe('failed');
  expect(outcome.detail.reason).toMatch(/output limit of 1000 bytes reached/);
  expect(heard.streams.stdout.sizeBytes + heard.streams.stderr.sizeBytes).toBe(1000);
});

test('command runner: output of exactly the limit is no failure', async () => {
  expect((await sh('yes | head -c 1000', { outputLimitBytes: 1000 }).done).state).toBe('done');
});

test('command runner: a cancelled command is asked first and keeps what it says while it goes', async () => {
  const current = sh('trap "echo bye; exit 7" TERM; echo up; while :; do sleep 0.1; done');
  await expect.poll(() => heard.text('stdout')).toContain('up');
  current.stop('cancelled');
  expect((await current.done).detail).toEqual({ reason: 'cancelled', cause: 'cancelled', exitCode: 7 });
  expect(heard.text('stdout')).toBe('up\nbye\n');
});

test('command runner: one that ignores SIGTERM is killed after the grace', async () => {
  const current = sh('trap "" TERM; echo up; while :; do sleep 1; done');
  await expect.poll(() => heard.text('stdout')).toContain('up');
  current.stop('cancelled', 200);
  expect((await current.done).detail).toEqual({ reason: 'cancelled', cause: 'cancelled', signal: 'SIGKILL' });
});

test('command runner: a grandchild that left the group and its parent is ended too', async () => {
  const file = join(folder, 'escaped.pid');
  const current = sh(`(setsid sh -c 'trap "" TERM; echo $$ > ${file}; exec sleep 300' &) ; sleep 300`);
  await expect.poll(() => pidIn(file)).toBeDefined();
  const pid = pidIn(file) as number;
  expect(await isAlive(pid)).toBe(true);
  current.stop('cancelled', 200);
  await current.done;
  expect(await isAlive(pid)).toBe(false);
});

test('command runner: a grandchild that keeps the pipe open does not hold the task for ever, and is told', async () => {
  const outcome = await sh('sleep 300 & echo started').done;
  expect(outcome).toEqual({
    state: 'done',
    detail: { reason: 'exit code 0; 1 process that it left behind was ended', exitCode: 0 },
  });
  expect(heard.text('stdout')).toBe('started\n');
});

test('B2 a bus that takes nothing stops the reading; what was printed then still comes whole', async () => {
  let open: () => void = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  whenWritable = () => gate;
  const current = sh('head -c 3000000 /dev/zero');
  await expect.poll(() => heard.streams.stdout.sizeBytes).toBeGreaterThan(0);
  // Longer than the command may hold its pipes after its end: a slow bus must not count as that.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(heard.streams.stdout.sizeBytes).toBeLessThan(500_000);
  open();
  expect((await current.done).state).toBe('done');
  expect(heard.streams.stdout).toMatchObject({ sizeBytes: 3_000_000, misplacedCount: 0 });
});

test('B2 a command that is over long before the bus takes the rest of its output loses nothing of it', async () => {
  let open: () => void = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  whenWritable = () => gate;
  const current = sh('head -c 100000 /dev/zero');
  await expect.poll(() => livingProcesses(session), { timeout: 15_000 }).toEqual([]);
  // Beyond all limits for pipes that somebody else holds open: they count only while the bus lets us read.
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  expect(heard.final()).toBeUndefined();
  open();
  expect((await current.done).state).toBe('done');
  expect(heard.streams.stdout.sizeBytes).toBe(100_000);
});

test('command runner: when the bus is closed the command is not blocked by its own output', async () => {
  whenWritable = () => Promise.reject(new VakError('closed', 'gone'));
  expect((await sh('head -c 3000000 /dev/zero').done).state).toBe('done');
});

test('command runner: telemetry tells of the whole tree about twice a second', async () => {
  const current = sh('sleep 300 & sleep 300 & wait');
  await expect.poll(() => heard.telemetry.length, { timeout: 10_000 }).toBeGreaterThanOrEqual(3);
  expect(heard.telemetry.at(-1)).toMatchObject({ pid: groups[0], processes: 3 });
  expect(heard.telemetry.at(-1)?.rssBytes).toBeGreaterThan(500_000);
  current.stop('cancelled');
  await current.done;
  const count = heard.telemetry.length;
  await new Promise((resolve) => setTimeout(resolve, 700));
  expect(heard.telemetry.length).toBe(count);
});
