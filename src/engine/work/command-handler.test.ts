import { createHash } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { livingProcesses } from '../../../tests/support/living-processes.ts';
import { createPlainOutlet } from '../../../tests/support/plain-outlet.ts';
import { recordSession, type SessionRecorder } from '../../../tests/support/session-recorder.ts';
import { labelledFields } from '../../shared/protocol/labelled-fields.ts';
import { startTrace } from '../../shared/protocol/trace-context.ts';
import type { Bus } from '../bus/bus.ts';
import { createMemoryBus } from '../bus/memory/memory-bus.ts';
import { createSystemClock } from '../ports/clock.ts';
import { createSilentLogger } from '../ports/logger.ts';
import { createSystemRandomness } from '../ports/randomness.ts';
import type { ApprovalAnswer, ApprovalQuestion } from './approval-gate.ts';
import {
  type CommandHandler,
  type CommandHandlerDeps,
  createCommandHandler,
  type TaskWatch,
} from './command-handler.ts';
import { createProcessTable } from './process-table.ts';
import { noOutputHash, type Task, type TaskAttempt } from './task-attempt.ts';
import { createWorkerSession, type WorkerSession } from './worker-session.ts';

const clock = createSystemClock();
const logger = createSilentLogger();
const randomness = createSystemRandomness();
const sessionId = `h1-${process.pid}-e`;
let bus: Bus;
let heard: SessionRecorder;
let session: WorkerSession;
let questions: ApprovalQuestion[];
let answer: ApprovalAnswer;
let abort: AbortController;

beforeEach(() => {
  bus = createMemoryBus({ clock, logger });
  heard = recordSession(bus, { workspace: 'test', session: sessionId });
  session = createWorkerSession({
    ...{ outlet: createPlainOutlet(bus, sessionId), clock, randomness, logger, table: createProcessTable() },
    ...{ workspace: 'test', peer: 'h1', session: sessionId },
    ...{ groups: { started: () => {}, ended: () => {} }, environment: process.env, cwd: '/' },
  });
  questions = [];
  answer = { kind: 'approved', by: 'olga', reason: undefined };
  abort = new AbortController();
});

afterEach(async () => {
  await session.stop({ reason: 'over', cause: 'worker-stopping', finishWithinMs: 0, graceMs: 200 });
  await bus.close();
  expect(await livingProcesses(sessionId)).toEqual([]);
});

function create(more: Partial<CommandHandlerDeps> = {}): CommandHandler {
  return createCommandHandler({
    ...{ sessions: [session], approvalMs: 60_000, mustAsk: () => false, exec: undefined },
    approvals: {
      async ask(question) {
        questions.push(question);
        return answer;
      },
    },
    ...more,
  });
}

function handle(task: Task, more: Partial<CommandHandlerDeps> = {}, attempt: Partial<TaskAttempt> = {}) {
  return handleBy(create(more), task, attempt);
}

function handleBy(handler: CommandHandler, task: Task, attempt: Partial<TaskAttempt> = {}) {
  return handler.handle({
    ...{ taskId: 't1', taskLeaf: 'a'.repeat(64), queue: 'q', attempt: 2, maxAttempts: 4, task },
    ...{ trace: startTrace(randomness.bytes), signal: abort.signal, ...attempt },
  });
}

const sh = (script: string): Task => ({ command: ['sh', '-c', script] });
const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

test('W6 what a command came to is told with its exit code, its class, and the hash of all its output', async () => {
  const result = await handle(sh('echo out; echo err >&2; echo more'));
  const whole = labelledFields('vak-output-v1', [sha256('out\nmore\n'), sha256('err\n')]);
  const outputHash = createHash('sha256').update(whole).digest('hex');
  expect(result).toEqual({ kind: 'done', reason: 'exit code 0', exitCode: 0, outputHash, session: sessionId });
  expect(heard.statuses.find(({ state }) => state === 'claimed')).toMatchObject({ taskId: 't1', attempt: 2 });
});

test.each([
  [sh('exit 3'), { kind: 'failed', errorClass: 'exit.3', exitCode: 3, isFinal: false }],
  [sh('kill -9 $$'), { kind: 'failed', errorClass: 'signal.SIGKILL', isFinal: false }],
  [
    { ...sh('sleep 30'), timeoutMs: 100 },
    { kind: 'failed', errorClass: 'timeout', isFinal: false },
  ],
  [
    { ...sh('yes'), outputLimitBytes: 10 },
    { kind: 'failed', errorClass: 'output-limit', isFinal: false },
  ],
  [{ command: ['/no/such/program'] }, { kind: 'failed', errorClass: 'not-started', isFinal: false }],
  [{ command: ['a\0b'] }, { kind: 'failed', errorClass: 'not-runnable', isFinal: true, outputHash: noOutputHash }],
  [{ input: { n: 1 } }, { kind: 'failed', errorClass: 'not-runnable', isFinal: true }],
] as const)('W6 each way to fail has a class of its own: %j', async (task, result) => {
  expect(await handle(task as Task)).toMatchObject(result);
});

test('W1 an input goes as JSON to the stdin of the handler, digit for digit', async () => {
  const task = { input: { list: [1, 'zwei'], big: '18446744073709551615' } };
  expect(await handle(task as Task, { exec: 'cat' })).toMatchObject({ kind: 'done' });
  expect(heard.text('stdout')).toBe('{"list":[1,"zwei"],"big":"18446744073709551615"}');
});

test('W1 a handler that reads nothing of a large input has not failed for that', async () => {
  const input = 'x'.repeat(400_000);
  expect(await handle({ input } as Task, { exec: 'exit 0' })).toMatchObject({ kind: 'done' });
});

test('W2 what was cancelled is not tried again; what the worker ended itself is given back', async () => {
  const cancelled = handle(sh('sleep 300'));
  await expect.poll(() => session.isBusy).toBe(true);
  await session.cancel('t1');
  expect(await cancelled).toMatchObject({ kind: 'failed', errorClass: 'cancelled', isFinal: true });
  const returned = handle(sh('sleep 300'));
  await expect.poll(() => session.isBusy).toBe(true);
  abort.abort();
  expect(await returned).toEqual({ kind: 'returned' });
  expect(await handle(sh('echo never'))).toEqual({ kind: 'returned' });
});

test('W8 a task that wants approval runs only when it has it', async () => {
  const task = { ...sh('echo ran'), approval: { title: 'Deploy?' } };
  for (const [given, result] of [
    [
      { kind: 'denied', by: 'olga', reason: 'not on a Friday' },
      { errorClass: 'approval-denied', reason: 'denied by olga: not on a Friday', isFinal: true },
    ],
    [{ kind: 'expired' }, { errorClass: 'approval-expired', isFinal: true }],
    [
      { kind: 'clock-behind', behindMs: 3_600_000 },
      { errorClass: 'clock-behind', isFinal: false },
    ],
    [{ kind: 'aborted' }, { kind: 'returned', wasAsking: true }],
  ] as const) {
    answer = given;
    expect(await handle(task)).toMatchObject(result);
  }
  expect(heard.text('stdout')).toBe('');
  answer = { kind: 'approved', by: 'olga', reason: undefined };
  expect(await handle(task)).toMatchObject({ kind: 'done' });
  expect(heard.text('stdout')).toBe('ran\n');
  expect(questions[0]).toMatchObject({ title: 'Deploy?', command: task.command, taskId: 't1', expiresInMs: 60_000 });
});

test('W8 a worker asks by its own policy, too', async () => {
  const mustAsk = (command: readonly string[]): boolean => command[0] === 'sh';
  answer = { kind: 'denied', by: 'olga', reason: undefined };
  expect(await handle(sh('true'), { mustAsk })).toMatchObject({ reason: 'denied by olga' });
  expect(await handle({ command: ['true'] }, { mustAsk })).toMatchObject({ kind: 'done' });
  expect(questions).toHaveLength(1);
});

test('W2 a task that an operator ends has failed for good, whether it runs or waits for its approval', async () => {
  const handler = create({
    approvals: {
      ask: ({ signal }) =>
        new Promise((resolve) => signal.addEventListener('abort', () => resolve({ kind: 'aborted' }))),
    },
  });
  await expect(handler.cancel('t1')).rejects.toMatchObject({ code: 'not-found' });
  const running = handleBy(handler, sh('sleep 300'));
  await expect.poll(() => session.isBusy).toBe(true);
  await handler.cancel('t1');
  expect(session.isBusy).toBe(false);
  expect(await running).toMatchObject({ kind: 'failed', errorClass: 'cancelled', isFinal: true });
  const waiting = handleBy(handler, { ...sh('echo never'), approval: { title: 'Deploy?' } });
  await handler.cancel('t1');
  expect(await waiting).toMatchObject({
    ...{ kind: 'failed', errorClass: 'cancelled', isFinal: true, outputHash: noOutputHash },
    reason: 'cancelled while it waited for its approval',
  });
  await expect(handler.cancel('t1')).rejects.toMatchObject({ code: 'not-found' });
  expect(heard.text('stdout')).toBe('');
});

test('W1 a session that takes nothing any more has not failed the task: it is for another worker', async () => {
  await session.stop({ reason: 'over', cause: 'worker-stopping', finishWithinMs: 0, graceMs: 0 });
  expect(await handle(sh('true'))).toEqual({ kind: 'returned' });
});

test('W1 whoever watches is told what is at hand, whether it waits, and how it ended', async () => {
  const told: unknown[] = [];
  const watch: TaskWatch = {
    began: ({ isWaiting }) => told.push(isWaiting ? 'waits' : 'runs'),
    ended: (taskId, outcome) => told.push(`${taskId} ${outcome}`),
  };
  await handle({ ...sh('exit 3'), approval: { title: 'Deploy?' } }, { watch });
  await handle(sh('true'), { watch });
  answer = { kind: 'aborted' };
  await handle({ ...sh('true'), approval: { title: 'Deploy?' } }, { watch });
  await handle({ input: 1 } as Task, { watch });
  expect(told).toEqual(['waits', 'runs', 't1 failed', 'runs', 't1 done', 'waits', 't1 returned', 't1 failed']);
});
