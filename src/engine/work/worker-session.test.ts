import { afterEach, beforeEach, expect, test } from 'vitest';
import { livingProcesses } from '../../../tests/support/living-processes.ts';
import { recordSession, type SessionRecorder } from '../../../tests/support/session-recorder.ts';
import { toText, utf8 } from '../../shared/base/bytes.ts';
import type { Bus } from '../bus/bus.ts';
import { createMemoryBus } from '../bus/memory/memory-bus.ts';
import { createSystemClock } from '../ports/clock.ts';
import { createFakeClock } from '../ports/fake-clock.ts';
import { createSilentLogger } from '../ports/logger.ts';
import { createProcessTable } from './process-table.ts';
import { createWorkerSession, heartbeatEveryMs, type StopOptions, type WorkerSession } from './worker-session.ts';

const clock = createSystemClock();
const logger = createSilentLogger();
const sessionId = `w1-${process.pid}-e`;
const atOnce: StopOptions = { reason: 'test is over', cause: 'worker-stopping', finishWithinMs: 0, graceMs: 200 };
let bus: Bus;
let heard: SessionRecorder;
let worker: WorkerSession;

function create(useClock = clock): WorkerSession {
  return createWorkerSession({
    ...{ bus, clock: useClock, logger, table: createProcessTable(), workspace: 'test', peer: 'w1', session: sessionId },
    ...{ groups: { started: () => {}, ended: () => {} }, environment: process.env, cwd: '/' },
  });
}

beforeEach(() => {
  bus = createMemoryBus({ clock, logger });
  heard = recordSession(bus, 'test', sessionId);
  worker = create();
});

afterEach(async () => {
  await worker.stop(atOnce);
  await bus.close();
  expect(await livingProcesses(sessionId)).toEqual([]);
});

async function ask(verb: string, body: unknown): Promise<unknown> {
  const data = body instanceof Uint8Array ? body : utf8(JSON.stringify(body));
  return JSON.parse(toText(await bus.request(`vak.control.test.w1.${verb}`, data, { timeoutMs: 10_000 })));
}

const longTask = { command: ['sleep', '300'] };

test('worker session: a run request is answered when the worker has taken it, and its end is published', async () => {
  expect(await ask('run', { taskId: 't1', task: { command: ['sh', '-c', 'echo hi'] } })).toEqual({ ok: true });
  await expect.poll(() => heard.final('t1')?.state).toBe('done');
  expect(heard.order).toEqual(['started', 'claimed', 'terminal', 'done']);
});

test('worker session: a second run is refused while the first goes on, and taken after it', async () => {
  await ask('run', { taskId: 't1', task: longTask });
  expect(await ask('run', { taskId: 't2', task: longTask })).toMatchObject({
    code: 'already-running',
    retryable: true,
  });
  expect(await ask('cancel', { taskId: 't1' })).toEqual({ ok: true });
  expect(heard.final('t1')).toMatchObject({ state: 'failed', detail: { reason: 'cancelled' } });
  expect(await ask('run', { taskId: 't3', task: { command: ['true'] } })).toEqual({ ok: true });
  expect(heard.statuses.some(({ taskId }) => taskId === 't2')).toBe(false);
});

test('worker session: cancelling what does not run is not-found', async () => {
  expect(await ask('cancel', { taskId: 't9' })).toMatchObject({ code: 'not-found' });
  await ask('run', { taskId: 't1', task: longTask });
  expect(await ask('cancel', { taskId: 't9' })).toMatchObject({ code: 'not-found' });
  expect(worker.isBusy).toBe(true);
});

test.each([
  ['no JSON', utf8('{'), /run: not valid JSON/],
  ['no UTF-8', Uint8Array.of(0xff), /run: not valid UTF-8/],
  ['no task', { taskId: 't' }, /run: task:/],
  ['an empty command', { taskId: 't', task: { command: [] } }, /run: task\.command:/],
  ['an empty program', { taskId: 't', task: { command: [''] } }, /run: task\.command\.0:/],
  ['a NUL in an argument', { taskId: 't', task: { command: ['a\0b'] } }, /run: task\.command: holds a NUL/],
  ['a NUL in the folder', { taskId: 't', task: { command: ['a'], cwd: '/\0' } }, /run: task\.cwd: holds a NUL/],
  ['a variable named with =', { taskId: 't', task: { command: ['a'], env: { 'a=b': '1' } } }, /run: task\.env:/],
  ['an id that is no token', { taskId: 'a b', task: { command: ['true'] } }, /run: taskId:/],
  ['a fractional timeout', { taskId: 't', task: { command: ['true'], timeoutMs: 0.5 } }, /run: task\.timeoutMs:/],
  ['too many bytes', new Uint8Array(600 * 1024), /run: 614400 bytes/],
])('worker session: %s is refused as invalid-payload that names the field', async (_what, body, words) => {
  const answer = await ask('run', body);
  expect(answer).toMatchObject({ code: 'invalid-payload', message: expect.stringMatching(words) });
  expect(heard.order).toEqual(['started']);
});

test('E16 offsets go on from one command of a session to the next', async () => {
  await worker.run({ taskId: 't1', task: { command: ['printf', 'abc'] } });
  await worker.run({ taskId: 't2', task: { command: ['printf', 'de'] } });
  expect(heard.text('stdout')).toBe('abcde');
  expect(heard.streams.stdout.misplacedCount).toBe(0);
});

test('worker session: stopping lets a short command finish, ends a long one, and says ended last', async () => {
  const short = worker.run({ taskId: 't1', task: { command: ['sh', '-c', 'sleep 0.3; echo whole'] } });
  await worker.stop({ ...atOnce, finishWithinMs: 10_000 });
  expect((await short).state).toBe('done');
  expect(heard.order).toEqual(['started', 'claimed', 'terminal', 'done', 'ended']);
  worker = create();
  const long = worker.run({ taskId: 't2', task: longTask });
  await worker.stop(atOnce);
  expect((await long).detail.reason).toBe('ended because its worker is stopping');
  expect(heard.order.at(-1)).toBe('ended');
});

test('worker session: a stop that is in a hurry overtakes one that waits, and a stopped worker takes nothing', async () => {
  const long = worker.run({ taskId: 't1', task: longTask });
  const patient = worker.stop({ ...atOnce, finishWithinMs: 60_000 });
  await expect(worker.run({ taskId: 't2', task: longTask })).rejects.toMatchObject({ code: 'closed' });
  await worker.stop(atOnce);
  await patient;
  expect((await long).state).toBe('failed');
  await expect(ask('run', { taskId: 't3', task: longTask })).rejects.toMatchObject({ code: 'no-responders' });
});

test('worker session: a heartbeat every 5 s, until it has ended; then no timer is left', async () => {
  await worker.stop(atOnce);
  const fake = createFakeClock();
  const beats: string[] = [];
  bus.subscribe(`vak.events.test.${sessionId}.status`, {
    kind: 'inline',
    onMessage: ({ data }) => void beats.push((JSON.parse(toText(data)) as { state: string }).state),
  });
  worker = create(fake);
  fake.advance(heartbeatEveryMs * 3);
  expect(beats).toEqual(['started', 'heartbeat', 'heartbeat', 'heartbeat']);
  await worker.stop(atOnce);
  fake.advance(60_000);
  expect(beats.at(-1)).toBe('ended');
  expect(fake.timerCount).toBe(0);
});
