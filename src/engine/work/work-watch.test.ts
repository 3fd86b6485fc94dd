import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openWatchedPlace, type WatchedPlace } from '../../../tests/support/watched-place.ts';
import { utf8 } from '../../shared/base/bytes.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import type { TaskChange } from './work-watch.ts';

let place: WatchedPlace;
beforeEach(async () => {
  place = await openWatchedPlace();
});
afterEach(async () => {
  await place.close();
  expect(place.log.filter((line) => line.includes('"bug"'))).toEqual([]);
});

const sum = (counts: Map<string, number>): number => [...counts.values()].reduce((all, one) => all + one, 0);

async function begin(): Promise<void> {
  place.watch.follow();
  await place.pass(100);
}

test('W9 figures, outcomes, workers and rates are those of what was put into the queue and signed of it', async () => {
  await begin();
  await place.pass(2_000);
  const tasks = [await place.submit(), await place.submit(), await place.submit()];
  const wilma = place.peer('wilma', 'worker');
  const [first, second] = tasks as [(typeof tasks)[0], (typeof tasks)[0]];
  const claimed = await place.fabric.durable.stream('VAK_WORK_acme').consumer('queue-q').pull({ batch: 2, waitMs: 0 });
  await place.receipt(wilma, first);
  await place.receipt(wilma, second, { outcome: 'attempt-failed', reason: 'exit code 2', errorClass: 'exit.2' });
  await claimed[0]?.ack();
  await place.pass(1_000);
  expect(place.queue()).toMatchObject({
    ...{ pendingCount: 1, inFlightCount: 1, lag: 2, health: 'ok', paused: null, maxDeliver: 4 },
    outcomes: { queued: 1, retrying: 1, done: 1, dead: 0, 'finished-late': 0, lost: 0, purged: 0 },
    workers: [{ peer: 'wilma', doneCount: 1, failedCount: 1 }],
  });
  expect(place.queue()?.inPerSec).toBeGreaterThan(place.queue()?.outPerSec ?? 0);
  expect(place.queuesState()).toMatchObject({ problem: null, leftOutCount: 0, supervisor: { kind: 'off' } });
  expect(place.clock.now() - (place.queuesState().readAtMs ?? 0)).toBeLessThan(1_100);
  const reports = await place.queues.tasks({ queue: 'q', limit: 10 }, { signal: new AbortController().signal });
  expect(reports).toHaveLength(3);
  expect(reports.find(({ leaf }) => leaf === second.leaf)).toMatchObject({
    ...{ taskId: second.id, queue: 'q', outcome: 'retrying', deadLetter: null },
    attempts: [{ attempt: 1, workerId: 'wilma', outcome: 'attempt-failed', reason: 'exit code 2', exitCode: null }],
  });
});

test('W9 a task that nobody has made a queue for is shown, and is an alert after a while', async () => {
  await begin();
  await place.submit({ command: ['true'] }, 'new');
  await place.pass(1_500);
  expect(place.queue('new')).toMatchObject({ pendingCount: 1, lag: 1, health: 'waiting', maxDeliver: 4 });
  await place.pass(12_000);
  expect(place.queue('new')).toMatchObject({ health: 'no-consumer' });
});

test('W9 while nothing happens a look asks a few short questions, reads nothing, and makes no consumer', async () => {
  await place.submit();
  const wilma = place.peer('wilma', 'worker');
  await place.receipt(wilma, await place.submit());
  await begin();
  await place.pass(3_000);
  place.asked.clear();
  await place.pass(10_000);
  const reads = [...place.asked].filter(([name]) => name.endsWith('.read') || name.endsWith('.get'));
  // The oldest task of a queue that is not empty.
  expect(reads).toEqual([['VAK_WORK_acme.read', 10]]);
  expect(sum(place.asked)).toBeLessThanOrEqual(10 * 10);
  expect([...place.asked.keys()].filter((name) => /ensureConsumer|consumer$/.test(name))).toEqual([]);
  expect((await place.fabric.durable.stream('VAK_RECEIPTS_acme').state()).consumerCount).toBe(0);
});

describe('when it looks', () => {
  const looks = (): number => place.asked.get('VAK_WORK_acme.consumers') ?? 0;

  test('W9 once a second, and 100 ms after something of the work was heard; other traffic is none of its business', async () => {
    await begin();
    await place.pass(5_000);
    expect(looks()).toBe(6);
    place.asked.clear();
    for (let i = 0; i < 5_000; i++) place.fabric.bus.publish('vak.events.acme.s-1-e.tokens', utf8('x'));
    await place.pass(500);
    expect(looks()).toBe(0);
    await place.submit();
    await place.pass(100);
    expect(looks()).toBe(1);
    expect(place.queue()).toMatchObject({ pendingCount: 1 });
    for (let i = 0; i < 50; i++) place.fabric.bus.publish('vak.receipts.acme.s-1-d.completed', utf8('x'));
    await place.pass(100);
    expect(looks()).toBe(2);
  });

  test('W9 a look that takes longer is not followed by a second one, and what was heard meanwhile is looked for', async () => {
    await begin();
    await place.pass(1_000);
    const { durable } = place.fabric;
    const held: (() => void)[] = [];
    const stream = durable.stream;
    let count = 0;
    durable.stream = (name) => {
      const one = stream(name);
      return name !== 'VAK_WORK_acme'
        ? one
        : {
            ...one,
            async consumers() {
              count++;
              await new Promise<void>((resolve) => held.push(resolve));
              return await one.consumers();
            },
          };
    };
    // Another engine: the watch asks for its streams anew.
    place.app.destination = 'slow';
    place.watch.follow();
    await place.pass(5_000);
    expect(count).toBe(1);
    place.fabric.bus.publish('vak.dlq.acme.w.failed', utf8('x'));
    await place.pass(1_000);
    held[0]?.();
    await place.settle();
    expect(count).toBe(1);
    await place.pass(1_000);
    expect(count).toBe(2);
    durable.stream = stream;
    held[1]?.();
    await place.settle();
  });

  test('I3 not while the keys are locked; afterwards it goes on with what it knew', async () => {
    const task = await place.submit();
    await begin();
    const { secrets } = place.workspace;
    place.app.isOpen = false;
    place.workspace.secrets = undefined;
    place.watch.follow();
    place.asked.clear();
    await place.pass(10_000);
    expect(place.asked.size).toBe(0);
    const [delivery] = await place.fabric.durable
      .stream('VAK_WORK_acme')
      .consumer('queue-q')
      .pull({ batch: 1, waitMs: 0 });
    await delivery?.ack();
    expect(place.watch.work()?.book.get(task.leaf)?.state).toBe('queued');
    place.workspace.secrets = secrets;
    place.app.isOpen = true;
    place.watch.follow();
    await place.pass(200);
    expect(place.watch.work()?.book.get(task.leaf)?.state).toBe('lost');
  });

  test('I3 keys that are locked in the midst of it end it; what was not judged is read again, and nothing is lost for that', async () => {
    const wilma = place.peer('wilma', 'worker');
    for (let i = 0; i < 200; i++) await place.receipt(wilma, await place.submit());
    await place.fabric.durable.stream('VAK_WORK_acme').purge();
    const { secrets } = place.workspace;
    const { clock } = place;
    const defer = clock.defer;
    // The first page of tasks is through: the keys go.
    clock.defer = (run) => {
      place.app.isOpen = false;
      place.workspace.secrets = undefined;
      defer(run);
    };
    await begin();
    await place.pass(5_000);
    clock.defer = defer;
    expect(place.queue()?.outcomes).toMatchObject({ done: 128, lost: 0 });
    expect(place.asked.get('VAK_RECEIPTS_acme.read')).toBe(1);
    place.workspace.secrets = secrets;
    place.app.isOpen = true;
    place.watch.follow();
    await place.pass(1_100);
    expect(place.queue()?.outcomes).toMatchObject({ done: 200, lost: 0 });
  });

  test('B8 not on a connection that is away, which is told; a failure is told and tried again less and less often', async () => {
    await begin();
    const { durable } = place.fabric;
    const stream = durable.stream;
    let [count, isFailing] = [0, true];
    durable.stream = (name) => ({
      ...stream(name),
      async consumers() {
        count++;
        if (isFailing) throw new VakError('timeout', 'no answer within 5 s', { retryable: true });
        return await stream(name).consumers();
      },
    });
    place.app.destination = 'far';
    place.watch.follow();
    await place.pass(100);
    expect(place.queuesState()).toMatchObject({ readAtMs: null, problem: { code: 'timeout' }, queues: [] });
    await place.pass(120_000);
    expect(count).toBeGreaterThanOrEqual(7);
    expect(count).toBeLessThanOrEqual(9);
    // What is heard does not hurry it.
    place.fabric.bus.publish('vak.dlq.acme.w.failed', utf8('x'));
    const before = count;
    await place.pass(500);
    expect(count - before).toBeLessThanOrEqual(1);
    isFailing = false;
    await place.pass(31_000);
    expect(place.queuesState()).toMatchObject({ problem: null, queues: [{ queue: 'q' }] });
    durable.stream = stream;
    place.app.destination = undefined;
    place.watch.follow();
    place.asked.clear();
    await place.pass(5_000);
    expect(place.asked.size).toBe(0);
  });
});

test('W9 what is known of one engine is never shown as another’s', async () => {
  const heard: TaskChange[] = [];
  place.watch.onTask((change) => heard.push(change));
  const task = await place.submit();
  await begin();
  expect(heard.map(({ record, before }) => [record.leaf, before])).toEqual([[task.leaf, undefined]]);
  place.app.destination = 'elsewhere';
  place.watch.follow();
  expect(place.queuesState()).toMatchObject({ readAtMs: null, queues: [] });
  await place.pass(100);
  expect(place.queuesState()).toMatchObject({ queues: [{ queue: 'q', outcomes: { queued: 1 } }] });
  expect(heard).toHaveLength(2);
});

test('W7 an ack that was forged is a loss, and shown as one', async () => {
  await begin();
  const task = await place.submit();
  await place.pass(1_000);
  const [delivery] = await place.fabric.durable
    .stream('VAK_WORK_acme')
    .consumer('queue-q')
    .pull({ batch: 1, waitMs: 0 });
  await delivery?.ack();
  await place.pass(1_100);
  expect(place.queue()?.outcomes).toMatchObject({ queued: 0, lost: 1 });
  // Whoever proves it later takes that back.
  await place.receipt(place.peer('wilma', 'worker'), task);
  await place.pass(1_100);
  expect(place.queue()?.outcomes).toMatchObject({ lost: 0, done: 1 });
});

describe('what does not count is told', () => {
  const refused = () => place.watch.work()?.refusedWork.newest() ?? [];

  test('W6 a receipt of who is no worker of the queue, of another task, or in another’s name', async () => {
    const task = await place.submit();
    await begin();
    const wilma = place.peer('wilma', 'worker');
    await place.receipt(place.peer('carl', 'coordinator'), task);
    await place.receipt(wilma, task, { queue: 'other' });
    await place.receipt(wilma, task, { workerId: 'walt' });
    await place.receipt(wilma, task, { taskId: '0197a3c0-0000-7000-8000-000000000001' });
    await place.pass(1_100);
    expect(refused().map(({ kind, why }) => [kind, why])).toEqual(
      expect.arrayContaining([
        ['receipt', 'carl is not granted worker of queue q.'],
        ['receipt', 'wilma is not granted worker of queue other.'],
        ['receipt', 'It speaks for walt, and is signed by wilma.'],
        ['receipt', 'It names another id than the task of its leaf has.'],
      ]),
    );
    expect(place.watch.work()?.refusedWork.count()).toBeGreaterThanOrEqual(4);
    expect(place.queue()?.outcomes).toMatchObject({ queued: 1, done: 0 });
  });

  test('I4 what is proven later is taken back', async () => {
    const task = await place.submit();
    await begin();
    const zoe = place.workspace.peer('zoe', { kind: 'd', key: 90, isGranted: false });
    await place.receipt(zoe, task);
    await place.pass(1_100);
    expect(refused().length).toBeGreaterThan(0);
    place.workspace.grantElsewhere('zoe', { key: 90 });
    place.workspace.learn();
    await place.pass(1_100);
    expect(refused().filter(({ why }) => why.includes('grant'))).toEqual([]);
    expect(place.queue()?.outcomes).toMatchObject({ done: 1 });
  });
});
