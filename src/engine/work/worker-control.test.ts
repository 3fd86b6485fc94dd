import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLineLogger } from '../../../tests/support/line-logger.ts';
import { toText, utf8 } from '../../shared/base/bytes.ts';
import type { Disposable } from '../../shared/base/disposer.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import type { Bus } from '../bus/bus.ts';
import { createMemoryBus } from '../bus/memory/memory-bus.ts';
import { createFakeClock } from '../ports/fake-clock.ts';
import { createSilentLogger } from '../ports/logger.ts';
import { serveWorkerControl } from './worker-control.ts';

const trace = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), flags: 3, tracestate: undefined };
const task = { command: ['true'] };
let bus: Bus;
let served: Disposable;
let log: string[];
let done: unknown[];
let fail: unknown;

beforeEach(() => {
  const clock = createFakeClock();
  bus = createMemoryBus({ clock, logger: createSilentLogger() });
  log = [];
  done = [];
  fail = undefined;
  served = serveWorkerControl({
    ...{ bus, workspace: 'test', peer: 'w1', session: 'w1-a-e' },
    logger: createLineLogger(log),
    // What the gate keeps out has tests of its own; here what begins with "forged" is not let through.
    gate: {
      open({ data }) {
        if (toText(data).startsWith('forged')) throw new VakError('forbidden', 'run was refused: It is not signed.');
        return { payload: data, trace, peer: 'swarm', sign: 'U' };
      },
    },
    worker: {
      start(order) {
        if (fail !== undefined) throw fail;
        done.push(order);
        return { outcome: new Promise(() => {}) };
      },
      async cancel(taskId) {
        if (fail !== undefined) throw fail;
        done.push(taskId);
      },
    },
  });
});

afterEach(async () => {
  served.dispose();
  await bus.close();
});

async function ask(verb: string, body: unknown): Promise<unknown> {
  const data = body instanceof Uint8Array ? body : utf8(JSON.stringify(body));
  return JSON.parse(toText(await bus.request(`vak.control.test.w1.${verb}`, data, { timeoutMs: 10_000 })));
}

test('S5 E4 a run request is answered when the worker has taken it, and its trace goes with it', async () => {
  expect(await ask('run', { taskId: 't1', session: 'w1-a-e', task })).toEqual({ ok: true });
  expect(done).toEqual([{ taskId: 't1', session: 'w1-a-e', task, trace }]);
  expect(await ask('cancel', { taskId: 't1', session: 'w1-a-e' })).toEqual({ ok: true });
  expect(done.at(-1)).toBe('t1');
  expect(log).toEqual([]);
});

test('S5 what the worker refuses is answered with its code', async () => {
  fail = new VakError('already-running', 'busy', { retryable: true });
  expect(await ask('run', { taskId: 't1', session: 'w1-a-e', task })).toMatchObject({
    code: 'already-running',
    retryable: true,
  });
  fail = new VakError('not-found', 'over');
  expect(await ask('cancel', { taskId: 't1', session: 'w1-a-e' })).toMatchObject({ code: 'not-found' });
});

test('S5 E13 what the gate refuses is answered, logged without its payload, and does nothing', async () => {
  expect(await ask('run', utf8('forged {"taskId":"SECRET-7"}'))).toMatchObject({ code: 'forbidden' });
  expect(done).toEqual([]);
  expect(log.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ event: 'worker.request-refused', subject: 'vak.control.test.w1.run', code: 'forbidden' }),
  ]);
  expect(log.join()).not.toContain('SECRET-7');
});

test('S5 a request for an earlier session of the worker is refused: it may have been answered then', async () => {
  for (const verb of ['run', 'cancel']) {
    const answer = await ask(verb, { taskId: 't1', session: 'w1-b-e', task });
    expect(answer).toMatchObject({ code: 'forbidden', details: { field: 'session' } });
  }
  expect(done).toEqual([]);
});

test('S5 a bug is answered with the id under which the log has it, and with nothing else', async () => {
  fail = new TypeError('SECRET-7');
  const answer = await ask('run', { taskId: 't1', session: 'w1-a-e', task });
  expect(answer).toMatchObject({ code: 'internal', message: expect.stringMatching(/bug-1$/) });
  expect(JSON.stringify(answer)).not.toContain('SECRET-7');
});

test('S5 once disposed nobody listens', async () => {
  served.dispose();
  await expect(ask('run', { taskId: 't1', session: 'w1-a-e', task })).rejects.toMatchObject({ code: 'no-responders' });
});

test.each([
  ['no JSON', utf8('{'), /run: not valid JSON/],
  ['no UTF-8', Uint8Array.of(0xff), /run: not valid UTF-8/],
  ['no task', { taskId: 't', session: 's' }, /run: task:/],
  ['no session', { taskId: 't', task }, /run: session:/],
  ['an empty command', { taskId: 't', session: 's', task: { command: [] } }, /run: task\.command:/],
  ['an empty program', { taskId: 't', session: 's', task: { command: [''] } }, /run: task\.command\.0:/],
  ['a NUL in an argument', { taskId: 't', session: 's', task: { command: ['a\0b'] } }, /task\.command: holds a NUL/],
  ['a NUL in the folder', { taskId: 't', session: 's', task: { ...task, cwd: '/\0' } }, /task\.cwd: holds a NUL/],
  ['a variable named with =', { taskId: 't', session: 's', task: { ...task, env: { 'a=b': '1' } } }, /run: task\.env:/],
  ['an id that is no token', { taskId: 'a b', session: 's', task }, /run: taskId:/],
  ['a fractional timeout', { taskId: 't', session: 's', task: { ...task, timeoutMs: 0.5 } }, /run: task\.timeoutMs:/],
  ['too many bytes', new Uint8Array(600 * 1024), /run: 614400 bytes/],
])('S5 %s is refused as invalid-payload that names the field', async (_what, body, words) => {
  const answer = await ask('run', body);
  expect(answer).toMatchObject({ code: 'invalid-payload', message: expect.stringMatching(words) });
  expect(done).toEqual([]);
});
