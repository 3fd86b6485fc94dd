import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openWorkPlace, type WorkPlace, workEngines } from '../../../tests/support/work-fixture.ts';
import { utf8 } from '../../shared/base/bytes.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import type { Consumer, Delivery, DurablePlane } from '../bus/durable.ts';
import { createDeferred, type Deferred } from '../wait.ts';
import type { AttemptResult, TaskAttempt, TaskHandler } from './task-attempt.ts';

const patience = { timeout: 15_000, interval: 10 };
const outputHash = 'a'.repeat(64);
const done: AttemptResult = { kind: 'done', exitCode: 0, outputHash };
const failed: AttemptResult = { kind: 'failed', reason: 'it broke', errorClass: 'exit.3', exitCode: 3, outputHash };

describe.each(workEngines)('on the engine %s', (engine) => {
  let place: WorkPlace;
  beforeEach(async () => {
    place = await openWorkPlace(engine);
  });
  afterEach(async () => {
    await place.close();
  });

  test('W1 W6 a task that is done leaves one signed receipt of that task, and the queue', async () => {
    const seen: TaskAttempt[] = [];
    let heldMs = 0;
    const { events } = await place.startWorker('wilma', {
      handler: async (attempt) => {
        const beganMs = performance.now();
        seen.push(attempt);
        await place.fabric.ping();
        heldMs = performance.now() - beganMs;
        return done;
      },
    });
    const submittedMs = performance.now();
    const taskId = await place.submit({ command: ['true'] });
    await expect.poll(place.leftCount, patience).toBe(0);
    expect(seen).toMatchObject([{ taskId, queue: 'q', attempt: 1, maxAttempts: 4, task: { command: ['true'] } }]);
    const receipts = await place.receipts();
    expect(receipts).toMatchObject([{ kind: 'valid' }]);
    expect(receipts).toMatchObject([
      { receipt: { taskId, taskLeaf: seen[0]?.taskLeaf, workerId: 'wilma', attempt: 1, outcome: 'done', outputHash } },
    ]);
    expect(events).toMatchObject([{ kind: 'claimed' }, { kind: 'done', tookMs: expect.any(Number) }]);
    const tookMs = events.map((event) => (event.kind === 'done' ? event.tookMs : 0)).at(-1);
    expect(tookMs).toBeGreaterThan(heldMs);
    expect(tookMs).toBeLessThan(performance.now() - submittedMs);
    expect(await place.deadLetters()).toEqual([]);
  });

  test('W2 a poison task is delivered exactly 4 times; each attempt has its receipt, and the dead letter tells of all', async () => {
    let count = 0;
    const { events } = await place.startWorker('wilma', {
      hurry: 100,
      handler: async () => {
        count++;
        return failed;
      },
    });
    const taskId = await place.submit({ command: ['false'] });
    await expect.poll(place.leftCount, patience).toBe(0);
    expect(count).toBe(4);
    expect(await place.receipts()).toMatchObject(
      [1, 2, 3, 4].map((attempt) => ({ kind: 'valid', receipt: { taskId, attempt, outcome: 'attempt-failed' } })),
    );
    const letters = await place.deadLetters();
    expect(letters).toMatchObject([
      { envelopeId: taskId, queue: 'q', attempts: 4, reason: 'it broke', errorClass: 'exit.3', workerId: 'wilma' },
    ]);
    expect(letters[0]?.history).toMatchObject([1, 2, 3, 4].map((attempt) => ({ attempt, exitCode: 3 })));
    const delays = events.flatMap((event) => (event.kind === 'failed' ? [event.againInMs] : []));
    const shares = delays.map((delay, at) => delay / (1_000 * 2 ** at));
    expect(shares).toHaveLength(3);
    for (const share of shares) expect(Math.abs(share - 1)).toBeLessThanOrEqual(0.25);
  });

  test('W2 a task may ask for fewer retries; one whose failure is final gets none', async () => {
    const final: AttemptResult = { ...failed, isFinal: true };
    const handler: TaskHandler = async ({ task }) => (task.command?.[0] === 'final' ? final : failed);
    await place.startWorker('wilma', { hurry: 100, handler });
    await place.submit({ command: ['once'], maxRetries: 0 });
    await place.submit({ command: ['twice'], maxRetries: 1 });
    await place.submit({ command: ['final'] });
    await expect.poll(place.leftCount, patience).toBe(0);
    expect((await place.deadLetters()).map(({ attempts }) => attempts).toSorted()).toEqual([1, 1, 2]);
  });

  test('W1 a worker runs as many at once as it may, and claims no more', async () => {
    const running: Deferred<AttemptResult>[] = [];
    const { loop } = await place.startWorker('wilma', {
      concurrency: 2,
      handler: () => {
        const one = createDeferred<AttemptResult>();
        running.push(one);
        return one.promise;
      },
    });
    for (let i = 0; i < 3; i++) await place.submit({ command: [`${i}`] });
    await expect.poll(() => running.length, patience).toBe(2);
    expect(await place.consumer.state()).toMatchObject({ inFlightCount: 2, pendingCount: 1 });
    expect(loop.runningCount).toBe(2);
    running[0]?.resolve(done);
    await expect.poll(() => running.length, patience).toBe(3);
    for (const one of running) one.resolve(done);
    await expect.poll(place.leftCount, patience).toBe(0);
  });

  test('W9 a paused worker claims nothing, and goes on when it is not', async () => {
    const { loop, events } = await place.startWorker('wilma', { handler: async () => done });
    await expect.poll(async () => (await place.consumer.state()).waitingCount, patience).toBe(1);
    loop.setPaused(true);
    await expect.poll(async () => (await place.consumer.state()).waitingCount, patience).toBe(0);
    const other = await place.startWorker('willy', { handler: async () => done });
    for (let i = 0; i < 6; i++) await place.submit({ command: ['true'] });
    await expect.poll(place.leftCount, patience).toBe(0);
    expect(events).toEqual([]);
    await other.close();
    await place.submit({ command: ['true'] });
    loop.setPaused(false);
    await expect.poll(place.leftCount, patience).toBe(0);
    expect(events.map(({ kind }) => kind)).toEqual(['claimed', 'done']);
  });

  test('W1 a task stays claimed until its receipt is stored', async () => {
    const held = createDeferred<void>();
    let isAsked = false;
    const through = (durable: DurablePlane): DurablePlane => ({
      ...durable,
      async append(subject, data, options) {
        if (subject.startsWith('vak.receipts.')) {
          isAsked = true;
          await held.promise;
        }
        return await durable.append(subject, data, options);
      },
    });
    await place.startWorker('wilma', { handler: async () => done, through });
    await place.submit({ command: ['true'] });
    await expect.poll(() => isAsked, patience).toBe(true);
    expect(await place.consumer.state()).toMatchObject({ inFlightCount: 1 });
    expect(await place.leftCount()).toBe(1);
    held.resolve();
    await expect.poll(place.leftCount, patience).toBe(0);
    expect(await place.receipts()).toHaveLength(1);
  });

  test('B8 a worker that stops does not wait for a server that does not answer', async () => {
    let isAsked = false;
    const through = (durable: DurablePlane): DurablePlane => ({
      ...durable,
      append(subject, data, options) {
        if (!subject.startsWith('vak.receipts.')) return durable.append(subject, data, options);
        isAsked = true;
        return new Promise(() => {});
      },
    });
    const { loop } = await place.startWorker('wilma', { handler: async () => done, through });
    await place.submit({ command: ['true'] });
    await expect.poll(() => isAsked, patience).toBe(true);
    await loop.close({ finishWithinMs: 10, leaveWithinMs: 10 });
    expect(loop.runningCount).toBe(1);
    expect(await place.leftCount()).toBe(1);
  });

  test('E15 a task whose acknowledgement was lost comes again, and is not run again', async () => {
    let acks = 0;
    let runs = 0;
    const forgetful = (delivery: Delivery): Delivery => ({
      ...delivery,
      ack: () => (acks++ === 0 ? Promise.reject(new VakError('timeout', 'no answer')) : delivery.ack()),
    });
    const through = (durable: DurablePlane): DurablePlane => ({
      ...durable,
      stream(name) {
        const stream = durable.stream(name);
        const consumer = (which: string): Consumer => ({
          ...stream.consumer(which),
          pull: async (options) => (await stream.consumer(which).pull(options)).map(forgetful),
        });
        return { ...stream, consumer };
      },
    });
    const handler: TaskHandler = async () => {
      runs++;
      return done;
    };
    await place.startWorker('wilma', { handler, through, hurry: 100 });
    await place.submit({ command: ['true'] });
    await expect.poll(place.leftCount, patience).toBe(0);
    expect([acks, runs]).toEqual([2, 1]);
    expect(await place.receipts()).toHaveLength(1);
  });

  test('W2 W3 what is given back at its last delivery is buried with that reason, and not said to have been lost', async () => {
    let count = 0;
    await place.startWorker('wilma', {
      handler: async () => {
        count++;
        return { kind: 'returned', wasAsking: true };
      },
    });
    const taskId = await place.submit({ command: ['long'] });
    await expect.poll(place.leftCount, patience).toBe(0);
    expect(count).toBe(4);
    expect(await place.receipts()).toMatchObject([{ receipt: { taskId, attempt: 4, outcome: 'attempt-failed' } }]);
    expect(await place.deadLetters()).toMatchObject([
      {
        envelopeId: taskId,
        attempts: 4,
        errorClass: 'given-back',
        reason: expect.stringMatching(/stopped while it waited for its approval, .* last delivery \(4 of 4\)/),
      },
    ]);
  });

  test('W1 a worker that stops gives back what it has not finished, to another one, without a receipt', async () => {
    const first = await place.startWorker('wilma', {
      handler: ({ signal }) =>
        new Promise((resolve) => signal.addEventListener('abort', () => resolve({ kind: 'returned' }))),
    });
    const taskId = await place.submit({ command: ['long'] });
    await expect.poll(() => first.loop.runningCount, patience).toBe(1);
    await first.close(50);
    expect(first.events.map(({ kind }) => kind)).toEqual(['claimed', 'returned']);
    await place.startWorker('willy', { handler: async () => done });
    await expect.poll(place.leftCount, patience).toBe(0);
    expect(await place.receipts()).toMatchObject([{ receipt: { taskId, workerId: 'willy', attempt: 2 } }]);
  });

  test('W3 a handler that throws has failed, with where to look', async () => {
    await place.startWorker('wilma', {
      hurry: 100,
      handler: () => Promise.reject(new Error('a bug')),
    });
    await place.submit({ command: ['x'], maxRetries: 0 });
    await expect.poll(place.leftCount, patience).toBe(0);
    expect(await place.deadLetters()).toMatchObject([{ errorClass: 'internal' }]);
  });

  test('W6 a receipt counts only from who is granted worker of its queue, under its own name', async () => {
    const receipt = {
      ...{ taskId: '0197a3c0-0000-7000-8000-000000000001', taskLeaf: outputHash, queue: 'q', attempt: 1 },
      ...{ outcome: 'done', startedAt: '2026-01-02T03:04:05Z', endedAt: '2026-01-02T03:04:06Z', outputHash },
    };
    const { workspace, fabric } = place;
    const say = async (name: string, fields: object, options = {}): Promise<void> => {
      const peer = workspace.peer(name, { kind: 'd', ...options });
      const { subject, data } = peer.write(
        { ...receipt, ...fields },
        '',
        `vak.receipts.acme.${peer.session}.completed`,
      );
      await fabric.durable.append(subject, data);
    };
    await say('w1', { workerId: 'w1' });
    await say('w2', { workerId: 'w1' });
    await say('w3', { workerId: 'w3', queue: 'other' });
    await say('carlo', { workerId: 'carlo' }, { roles: ['coordinator'] });
    await say('w4', { workerId: 'w4' }, { isGranted: false });
    await say('w5', { workerId: 'w5' }, { isSigning: false });
    await fabric.durable.append('vak.receipts.acme.w1-1-d.completed', utf8('no envelope'));
    const verdicts = await place.receipts();
    expect(verdicts.map(({ kind }) => kind)).toEqual(['valid', ...Array.from({ length: 6 }, () => 'invalid')]);
    expect(verdicts.map((one) => (one.kind === 'invalid' ? one.why : ''))).toMatchObject([
      '',
      expect.stringContaining('speaks for w1'),
      expect.stringContaining('worker of queue other'),
      expect.stringContaining('worker of queue q'),
      expect.stringContaining('no grant'),
      expect.stringContaining('not signed'),
      expect.stringContaining('no envelope'),
    ]);
  });
});
