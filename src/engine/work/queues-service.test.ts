import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { failure } from '../../../tests/support/expected-failure.ts';
import { openWatchedPlace, type StoredTask, type WatchedPlace } from '../../../tests/support/watched-place.ts';
import { toText } from '../../shared/base/bytes.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import type { PayloadOf } from '../../shared/protocol/payloads.ts';
import { decodePayload } from '../../shared/protocol/payloads.ts';
import { setQueuePaused } from './queue-flags.ts';

const context = { signal: new AbortController().signal };
const patience = { timeout: 15_000, interval: 5 };
let place: WatchedPlace;
afterEach(async () => {
  await place.close();
  expect(place.log.filter((line) => line.includes('"bug"'))).toEqual([]);
});

async function begin(): Promise<void> {
  place.watch.follow();
  await place.until(() => place.queue());
}

/** What operators put on record. */
async function actions(): Promise<PayloadOf<'vak.audit.action'>[]> {
  const { messages } = await place.fabric.durable.stream('VAK_AUDIT_acme').read({ limit: 100 });
  return messages.map((message) => {
    const verdict = place.workspace.judge(message);
    if (verdict.kind !== 'accepted') throw new Error('it does not count');
    return decodePayload('vak.audit.action', verdict.payload);
  });
}

/** Runs a call while time passes. */
async function during<T>(work: Promise<T> | T): Promise<T> {
  let isOver = false;
  const end = (): void => {
    isOver = true;
  };
  Promise.resolve(work).then(end, end);
  await place.until(() => isOver);
  return await work;
}

const submitMany = async (count: number, queue?: string): Promise<StoredTask[]> => {
  const tasks: StoredTask[] = [];
  for (let i = 0; i < count; i++) tasks.push(await place.submit({ command: [`${i}`] }, queue));
  const last = tasks.at(-1)?.leaf ?? '';
  await place.until(() => place.watch.work()?.book.get(last));
  return tasks;
};

describe.each(['embedded', 'nats-server'] as const)('on the engine %s', (engine) => {
  beforeEach(async () => {
    place = await openWatchedPlace(engine);
  });

  test('W7 a purge takes what stood there up to the place that was seen, on record; what came later stays', async () => {
    await begin();
    const seen = await submitMany(3);
    const other = await place.submit({ command: ['other'] }, 'other');
    const { count, lastSeq } = await during(place.queues.standing({ queue: 'q' }, context));
    expect([count, lastSeq]).toEqual([3, seen[2]?.seq]);
    const late = await place.submit();
    const work = place.fabric.durable.stream('VAK_WORK_acme');
    const [claimed] = await work.consumer('queue-q').pull({ batch: 1, waitMs: 1_000 });
    const input = { queue: 'q', confirmedName: 'q', lastSeq, reason: 'made by mistake' };
    expect(await during(place.queues.purge(input, context))).toEqual({ purgedCount: 3 });
    expect(claimed?.message.seq).toBe(seen[0]?.seq);
    expect(await during(place.queues.standing({ queue: 'q' }, context))).toEqual({ count: 1, lastSeq: late.seq });
    // The server's own figures follow in their time.
    await place.until(() => place.queue()?.outcomes.purged === 3 && place.queue()?.lag === 1);
    expect(place.queue()).toMatchObject({ lag: 1, outcomes: { queued: 1, purged: 3, lost: 0 } });
    expect(place.watch.work()?.book.get(other.leaf)?.state).toBe('queued');
    const [first, last] = await actions();
    expect(first).toMatchObject({
      ...{ action: 'queue.purge', target: 'q', count: 3, reason: 'made by mistake', outcome: 'begun' },
      places: [[seen[0]?.seq, seen[2]?.seq]],
    });
    expect(last).toMatchObject({ operationId: first?.operationId, count: 3, outcome: 'done' });
    expect(last).not.toHaveProperty('places');
    // Whoever comes later and saw none of it knows of nothing lost.
    const [delivery] = await work.consumer('queue-q').pull({ batch: 5, waitMs: 1_000 });
    expect(delivery?.message.seq).toBe(late.seq);
  });

  test('W9 an operator pauses a queue and lets it go on, and that is shown', async () => {
    await begin();
    await during(place.queues.pause({ queue: 'q' }, context));
    await expect
      .poll(async () => {
        await place.pass(1_000);
        return place.queue();
      }, patience)
      .toMatchObject({ paused: { by: 'olga' }, health: 'paused' });
    await during(place.queues.resume({ queue: 'q' }, context));
    await place.until(() => place.queue()?.paused === null && place.queue()?.health === 'idle');
  });
});

describe('on the embedded engine', () => {
  beforeEach(async () => {
    place = await openWatchedPlace();
  });

  test('W7 a purge that ends in its midst leaves what it had not taken, and nothing is lost for it', async () => {
    await begin();
    await submitMany(3);
    const { lastSeq } = await place.queues.standing({ queue: 'q' }, context);
    const { durable } = place.fabric;
    const stream = durable.stream;
    durable.stream = (name) => ({
      ...stream(name),
      purge: () => Promise.reject(new VakError('disconnected', 'the server is away', { retryable: true })),
    });
    const error = await failure(during(place.queues.purge({ queue: 'q', confirmedName: 'q', lastSeq }, context)));
    durable.stream = stream;
    expect(error).toMatchObject({ code: 'disconnected', details: { purgedCount: 0 } });
    expect(error.message).toContain('0 tasks had been taken out by then, purge again for the rest');
    await place.pass(2_000);
    // On record, and still there.
    expect(await actions()).toMatchObject([{ outcome: 'begun', count: 3 }]);
    expect(place.queue()?.outcomes).toMatchObject({ queued: 3, purged: 0, lost: 0 });
    expect(await during(place.queues.purge({ queue: 'q', confirmedName: 'q', lastSeq }, context))).toEqual({
      purgedCount: 3,
    });
    await place.pass(1_100);
    expect(place.queue()?.outcomes).toMatchObject({ queued: 0, purged: 3, lost: 0 });
  });

  test('W7 a task that was lost before a purge stays lost', async () => {
    await begin();
    const [gone] = await submitMany(2);
    const [delivery] = await place.fabric.durable
      .stream('VAK_WORK_acme')
      .consumer('queue-q')
      .pull({ batch: 1, waitMs: 0 });
    await delivery?.ack();
    const { lastSeq } = await place.queues.standing({ queue: 'q' }, context);
    await during(place.queues.purge({ queue: 'q', confirmedName: 'q', lastSeq }, context));
    await place.pass(2_000);
    expect(place.queue()?.outcomes).toMatchObject({ queued: 0, purged: 1, lost: 1 });
    expect(place.watch.work()?.book.get(gone?.leaf ?? '')?.state).toBe('lost');
  });

  test('W7 only an operator’s word purges: a supervisor’s or a worker’s record hides no loss', async () => {
    await begin();
    const [task] = (await submitMany(1)) as [StoredTask];
    const record = {
      ...{ operationId: 'x', action: 'queue.purge', target: 'q', scope: 'all', count: 1, outcome: 'begun' },
      places: [[task.seq, task.seq]],
    };
    for (const [name, role] of [
      ['sue', 'dlq-supervisor'],
      ['wilma', 'worker'],
    ] as const) {
      await place.append(place.peer(name, role), record, `vak.audit.acme.${name}.action`);
    }
    await place.fabric.durable.stream('VAK_WORK_acme').purge();
    await place.pass(2_000);
    expect(place.queue()?.outcomes).toMatchObject({ purged: 0, lost: 1 });
    expect(
      place.watch
        .work()
        ?.refusedWork.newest()
        .map(({ kind, from }) => [kind, from]),
    ).toEqual([
      ['action', 'wilma'],
      ['action', 'sue'],
    ]);
  });

  test('a purge wants the name of the queue typed, and the environment that was shown; nothing is done without these', async () => {
    await place.submit();
    for (const confirmedName of ['', 'Q', 'q ']) {
      const input = { queue: 'q', confirmedName, lastSeq: 1 };
      const purge = async () => await place.queues.purge(input, context);
      expect(await failure(purge())).toMatchObject({ code: 'invalid-input', details: { field: 'confirmedName' } });
    }
    const elsewhere = { queue: 'q', confirmedName: 'q', lastSeq: 1, environment: 'prod' };
    const purge = async () => await place.queues.purge(elsewhere, context);
    expect(await failure(purge())).toMatchObject({ code: 'conflict', details: { field: 'environment' } });
    expect(await actions()).toEqual([]);
    expect(await place.queues.standing({ queue: 'q' }, context)).toMatchObject({ count: 1 });
  });

  test('W1 a task is queued once its stream has it, in a queue that it makes with as many retries as it asks for', async () => {
    await begin();
    const { leaf, seq, taskId } = await during(
      place.queues.enqueue({ queue: 'fresh', task: { command: ['make'], maxRetries: 5 } }, context),
    );
    await place.pass(1_100);
    expect(place.queue('fresh')).toMatchObject({ pendingCount: 1, maxDeliver: 6 });
    const { tasks, nextSeq } = await place.queues.peek({ queue: 'fresh', limit: 10 }, context);
    expect(nextSeq).toBeNull();
    expect(tasks).toMatchObject([
      {
        ...{ seq, leaf, taskId, peer: 'olga', isSealed: true, refusal: null, attemptCount: 0, outcome: 'queued' },
        signature: { kind: 'valid', peer: 'olga', roles: ['operator'] },
      },
    ]);
    const opened = await place.queues.open({ queue: 'fresh', seq }, context);
    expect(opened.kind === 'opened' && JSON.parse(toText(opened.bytes))).toEqual({ command: ['make'], maxRetries: 5 });
    const tooMany = place.queues.enqueue({ queue: 'fresh', task: { command: ['make'], maxRetries: 9 } }, context);
    expect(await failure(during(tooMany))).toMatchObject({ code: 'conflict', details: { field: 'maxRetries' } });
  });

  test.each([
    ['a name that is no token', 'a b', { command: ['x'] }, 'invalid-subject'],
    ['an empty program', 'q', { command: [''] }, 'invalid-payload'],
    ['a NUL byte', 'q', { command: ['a', '\0'] }, 'invalid-payload'],
    ['a variable without a name', 'q', { command: ['a'], env: { 'A=B': 'c' } }, 'invalid-payload'],
    [
      'more than a task may hold',
      'q',
      { command: ['a', 'x'.repeat(100_000)], input2: 'y'.repeat(450_000) },
      'limit-exceeded',
    ],
  ])('W1 %s is refused before anything is sent', async (_, queue, task, code) => {
    const enqueue = async () => await place.queues.enqueue({ queue, task }, context);
    expect(await failure(enqueue())).toMatchObject({ code });
    expect((await place.fabric.durable.stream('VAK_WORK_acme').state()).messageCount).toBe(0);
  });

  test('W9 peeking claims nothing, pages through the queue, and tells what no worker will run', async () => {
    await begin();
    await submitMany(2);
    await place.submit({ command: ['x'] }, 'other');
    await place.submit({ command: [''] });
    const mallory = place.peer('mallory', 'worker', 'q');
    await place.append(mallory, { command: ['evil'] }, 'vak.work.acme.q.task');
    await place.fabric.durable.append('vak.work.acme.q.task', new Uint8Array([123]));
    await place.pass(1_100);
    const first = await place.queues.peek({ queue: 'q', limit: 2 }, context);
    expect(first.tasks.map(({ refusal }) => refusal)).toEqual([null, null]);
    const { tasks } = await place.queues.peek({ queue: 'q', fromSeq: first.nextSeq ?? 0, limit: 10 }, context);
    expect(tasks).toMatchObject([
      { refusal: expect.stringContaining('expected a program') },
      { peer: 'mallory', refusal: expect.stringContaining('worker'), signature: { kind: 'invalid' } },
      { taskId: null, peer: null, isSealed: false, refusal: expect.stringContaining('It is no envelope') },
    ]);
    expect(place.queue()).toMatchObject({ pendingCount: 5, inFlightCount: 0 });
    const foreign = async () => await place.queues.open({ queue: 'other', seq: tasks[0]?.seq ?? 0 }, context);
    expect(await failure(foreign())).toMatchObject({ code: 'not-found' });
  });
});

test('W7 a forged task is refused with its reason among what became of tasks, and stands under no other count', async () => {
  place = await openWatchedPlace();
  await begin();
  await submitMany(1);
  const stranger = place.workspace.peer('stranger', { roles: ['coordinator'], kind: 'q', key: 90, isGranted: false });
  const { data } = stranger.write({ command: ['rm'] }, '', 'vak.work.acme.q.task');
  await place.store('vak.work.acme.q.task', data);
  await place.store('vak.work.acme.q.task', new Uint8Array([1, 2, 3]));
  await place.until(() => place.queue()?.outcomes.refused === 2);
  expect(place.queue()?.outcomes).toMatchObject({ queued: 1, refused: 2 });
  const reports = await place.queues.tasks({ queue: 'q', limit: 10 }, context);
  const refusals = new Map(reports.map(({ leaf, outcome, refusal }) => [leaf, [outcome, refusal]]));
  const { tasks } = await place.queues.peek({ queue: 'q', limit: 10 }, context);
  expect(tasks.map(({ outcome, refusal }) => [outcome, refusal])).toEqual([
    ['queued', null],
    ['refused', expect.stringContaining('stranger has no grant')],
    ['refused', expect.stringContaining('no envelope')],
  ]);
  expect(tasks.map(({ leaf }) => refusals.get(leaf))).toEqual(tasks.map(({ outcome, refusal }) => [outcome, refusal]));
  // The same key is granted after all.
  place.workspace.grantElsewhere('stranger', { key: 90, roles: ['coordinator'] });
  place.workspace.learn();
  await place.until(() => place.queue()?.outcomes.queued === 2);
  expect(place.queue()?.outcomes).toMatchObject({ queued: 2, refused: 1 });
});

test('W7 a purge tells how far it is, and that it stops after its part when it was cancelled', async () => {
  place = await openWatchedPlace();
  await begin();
  await submitMany(3);
  const { lastSeq } = await during(place.queues.standing({ queue: 'q' }, context));
  const cancelled = new AbortController();
  const input = { queue: 'q', confirmedName: 'q', lastSeq };
  const purging = during(place.queues.purge(input, { signal: cancelled.signal })).catch((error: unknown) => error);
  cancelled.abort();
  expect(await purging).toMatchObject({ code: 'aborted', details: { purgedCount: 0 } });
  expect(await during(place.queues.purge(input, context))).toEqual({ purgedCount: 3 });
  const told = place.purgeSteps.map(([one]) => one && [one.doneCount, one.totalCount, one.isStopping]);
  expect(told).toEqual([
    ...[[0, null, false], [0, null, true], [0, 3, true], undefined],
    ...[[0, null, false], [0, 3, false], undefined],
  ]);
  expect(place.queuesState().purges).toEqual([]);
});

test('W7 a purge is stopped by a window that did not begin it; one that is over is said to be', async () => {
  place = await openWatchedPlace();
  await begin();
  await submitMany(3);
  const { lastSeq } = await during(place.queues.standing({ queue: 'q' }, context));
  const purging = during(place.queues.purge({ queue: 'q', confirmedName: 'q', lastSeq }, context)).catch(
    (error: unknown) => error,
  );
  // It is over before a timer runs.
  for (let turns = 0; turns < 10_000 && place.queuesState().purges.length === 0; turns++) await Promise.resolve();
  const operationId = place.queuesState().purges[0]?.operationId ?? '';
  await place.queues.stopPurge({ operationId }, context);
  expect(await purging).toMatchObject({ code: 'aborted', details: { purgedCount: 0 } });
  const late = Promise.resolve().then(() => place.queues.stopPurge({ operationId }, context));
  expect(await failure(late)).toMatchObject({ code: 'not-found' });
});

test('W9 a pause flag that does not count is told with who signed it, until one counts', async () => {
  place = await openWatchedPlace();
  await begin();
  const { durable } = place.fabric;
  const wilma = place.peer('wilma', 'worker');
  await during(
    setQueuePaused({ workspace: 'acme', queue: 'q', peer: 'wilma' }, true, {
      ...{ durable, signer: wilma.signer, clock: place.clock },
    }),
  );
  await place.until(() => place.queue()?.refusedFlag);
  expect(place.queue()).toMatchObject({
    paused: null,
    refusedFlag: { by: 'wilma', why: expect.stringContaining('operator') },
  });
  expect(place.watch.work()?.refusedWork.newest()).toMatchObject([{ kind: 'pause-flag', from: 'queue.q' }]);
  await during(place.queues.pause({ queue: 'q' }, context));
  await place.until(() => place.queue()?.paused);
  expect(place.queue()).toMatchObject({ paused: { by: 'olga' }, refusedFlag: null });
});
