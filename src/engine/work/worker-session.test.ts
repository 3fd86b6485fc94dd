import { afterEach, beforeEach, expect, test } from 'vitest';
import { livingProcesses } from '../../../tests/support/living-processes.ts';
import { createPlainOutlet } from '../../../tests/support/plain-outlet.ts';
import { recordSession, type SessionRecorder } from '../../../tests/support/session-recorder.ts';
import { toText } from '../../shared/base/bytes.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import { decodeEnvelope, payloadBytesOf } from '../../shared/protocol/envelope-codec.ts';
import type { TaskPayload } from '../../shared/protocol/payloads.ts';
import { startTrace } from '../../shared/protocol/trace-context.ts';
import type { Bus } from '../bus/bus.ts';
import { createMemoryBus } from '../bus/memory/memory-bus.ts';
import { createSystemClock } from '../ports/clock.ts';
import { createFakeClock } from '../ports/fake-clock.ts';
import { createSilentLogger } from '../ports/logger.ts';
import { createSystemRandomness } from '../ports/randomness.ts';
import type { CommandOutcome } from './command-outcome.ts';
import { createProcessTable } from './process-table.ts';
import { createWorkerSession, heartbeatEveryMs, type StopOptions, type WorkerSession } from './worker-session.ts';

const clock = createSystemClock();
const logger = createSilentLogger();
const randomness = createSystemRandomness();
const sessionId = `w1-${process.pid}-e`;
const atOnce: StopOptions = { reason: 'test is over', cause: 'worker-stopping', finishWithinMs: 0, graceMs: 200 };
let bus: Bus;
let heard: SessionRecorder;
let worker: WorkerSession;
/** Task, outcome, and the last word that the bus had heard when it was told. */
let ends: unknown[];
let onEnd: () => void;

function create(useClock = clock): WorkerSession {
  return createWorkerSession({
    ...{ outlet: createPlainOutlet(bus, sessionId), clock: useClock, randomness, logger, table: createProcessTable() },
    ...{ workspace: 'test', peer: 'w1', session: sessionId },
    onTaskEnded(taskId, outcome) {
      ends.push([taskId, outcome, heard.order.at(-1)]);
      onEnd();
    },
    ...{ groups: { started: () => {}, ended: () => {} }, environment: process.env, cwd: '/' },
  });
}

beforeEach(() => {
  bus = createMemoryBus({ clock, logger });
  heard = recordSession(bus, { workspace: 'test', session: sessionId });
  ends = [];
  onEnd = () => {};
  worker = create();
});

afterEach(async () => {
  await worker.stop(atOnce);
  await bus.close();
  expect(await livingProcesses(sessionId)).toEqual([]);
});

const longTask = { command: ['sleep', '300'] };
const start = (taskId: string, task: TaskPayload, trace = startTrace(randomness.bytes)): Promise<CommandOutcome> =>
  worker.start({ taskId, task, trace }).outcome;
const traceIdOf = ({ traceparent }: Envelope): string | undefined => traceparent?.split('-')[1];

test('worker session: a task is begun at once, and its end is published, then told', async () => {
  expect((await start('t1', { command: ['sh', '-c', 'echo hi'] })).state).toBe('done');
  expect(heard.order).toEqual(['started', 'claimed', 'terminal', 'done']);
  expect(ends).toEqual([['t1', 'done', 'done']]);
  await start('t2', { command: ['false'] });
  expect(ends.at(-1)).toEqual(['t2', 'failed', 'failed']);
});

test('worker session: a second run is refused while the first goes on, and taken after it', async () => {
  const first = start('t1', longTask);
  expect(() => start('t2', longTask)).toThrow(expect.objectContaining({ code: 'already-running', retryable: true }));
  await worker.cancel('t1');
  expect((await first).detail.reason).toBe('cancelled');
  expect(heard.final('t1')).toMatchObject({ state: 'failed', detail: { reason: 'cancelled', cause: 'cancelled' } });
  expect(ends.at(-1)).toEqual(['t1', 'cancelled', 'failed']);
  expect((await start('t3', { command: ['true'] })).state).toBe('done');
  expect(heard.statuses.some(({ taskId }) => taskId === 't2')).toBe(false);
});

test('worker session: when the end of a task is told, the next is taken', async () => {
  let next: Promise<CommandOutcome> | undefined;
  onEnd = () => {
    onEnd = () => {};
    next = start('t2', { command: ['true'] });
  };
  await start('t1', { command: ['true'] });
  expect((await next)?.state).toBe('done');
});

test('worker session: cancelling what does not run is not-found', async () => {
  await expect(worker.cancel('t9')).rejects.toMatchObject({ code: 'not-found' });
  void start('t1', longTask);
  await expect(worker.cancel('t9')).rejects.toMatchObject({ code: 'not-found' });
  expect(worker.isBusy).toBe(true);
});

test('E4 what is told of a task is in its trace, what is told of the session in another that stays the same', async () => {
  const [one, two] = [startTrace(randomness.bytes), startTrace(randomness.bytes)];
  await start('t1', { command: ['echo', 'a'] }, one);
  await start('t2', { command: ['echo', 'b'] }, two);
  await worker.stop(atOnce);
  const told = heard.told.map(({ what, envelope }) => [what, traceIdOf(envelope)]);
  const own = told[0]?.[1];
  expect(told).toEqual([
    ['started', own],
    ...['claimed', 'terminal', 'done'].map((what) => [what, one.traceId]),
    ...['claimed', 'terminal', 'done'].map((what) => [what, two.traceId]),
    ['ended', own],
  ]);
  expect([one.traceId, two.traceId]).not.toContain(own);
  const spans = heard.envelopes.map(({ traceparent }) => traceparent?.split('-')[2]);
  expect(new Set([...spans, one.spanId, two.spanId]).size).toBe(spans.length + 2);
});

test('E4 the tracestate of whoever asked goes on', async () => {
  await start('t1', { command: ['true'] }, { ...startTrace(randomness.bytes), tracestate: 'vendor=7' });
  expect(heard.told.map(({ what, envelope }) => [what, envelope.tracestate])).toEqual([
    ['started', undefined],
    ['claimed', 'vendor=7'],
    ['done', 'vendor=7'],
  ]);
});

test('E16 offsets go on from one command of a session to the next', async () => {
  await start('t1', { command: ['printf', 'abc'] });
  await start('t2', { command: ['printf', 'de'] });
  expect(heard.text('stdout')).toBe('abcde');
  expect(heard.streams.stdout.misplacedCount).toBe(0);
});

test('worker session: stopping lets a short command finish, ends a long one, and says ended last', async () => {
  const short = start('t1', { command: ['sh', '-c', 'sleep 0.3; echo whole'] });
  await worker.stop({ ...atOnce, finishWithinMs: 10_000 });
  expect((await short).state).toBe('done');
  expect(heard.order).toEqual(['started', 'claimed', 'terminal', 'done', 'ended']);
  worker = create();
  const long = start('t2', longTask);
  await worker.stop(atOnce);
  expect((await long).detail.reason).toBe('ended because its worker is stopping');
  expect(heard.order.at(-1)).toBe('ended');
});

test('worker session: a stop that is in a hurry overtakes one that waits, and a stopped worker takes nothing', async () => {
  const long = start('t1', longTask);
  const patient = worker.stop({ ...atOnce, finishWithinMs: 60_000 });
  expect(() => start('t2', longTask)).toThrow(expect.objectContaining({ code: 'closed' }));
  await worker.stop(atOnce);
  await patient;
  expect((await long).state).toBe('failed');
  expect(() => start('t3', longTask)).toThrow(expect.objectContaining({ code: 'closed' }));
});

test('worker session: a heartbeat every 5 s, until it has ended; then no timer is left', async () => {
  await worker.stop(atOnce);
  const fake = createFakeClock();
  const beats: string[] = [];
  bus.subscribe(`vak.events.test.${sessionId}.status`, {
    kind: 'inline',
    onMessage: ({ data }) => {
      const payload = toText(payloadBytesOf(decodeEnvelope(data)));
      beats.push((JSON.parse(payload) as { state: string }).state);
    },
  });
  worker = create(fake);
  fake.advance(heartbeatEveryMs * 3);
  expect(beats).toEqual(['started', 'heartbeat', 'heartbeat', 'heartbeat']);
  await worker.stop(atOnce);
  fake.advance(60_000);
  expect(beats.at(-1)).toBe('ended');
  expect(fake.timerCount).toBe(0);
});
