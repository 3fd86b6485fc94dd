import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openWorkPlace, type WorkPlace, workEngines } from '../../../tests/support/work-fixture.ts';
import { utf8 } from '../../shared/base/bytes.ts';
import type { DurablePlane } from '../bus/durable.ts';
import { createDeferred } from '../wait.ts';
import type { AttemptResult } from './task-attempt.ts';

const patience = { timeout: 15_000, interval: 10 };
const outputHash = 'a'.repeat(64);
const done: AttemptResult = { kind: 'done', exitCode: 0, outputHash };

describe.each(workEngines)('on the engine %s', (engine) => {
  let place: WorkPlace;
  beforeEach(async () => {
    place = await openWorkPlace(engine, { ackWaitMs: 100 });
  });
  afterEach(async () => {
    await place.close();
  });

  /** Claims the task as often as it may be, each time as a worker that dies at once. */
  async function claimToDeath(): Promise<void> {
    for (let attempt = 1; attempt <= 4; attempt++) {
      const deliveries = await place.consumer.pull({ batch: 1, waitMs: 5_000 });
      expect(deliveries.map(({ deliveryCount }) => deliveryCount)).toEqual([attempt]);
    }
  }

  /** The engine tells what is exhausted when somebody pulls. */
  const pullInVain = async (): Promise<void> => {
    expect(await place.consumer.pull({ batch: 1, waitMs: 300 })).toEqual([]);
  };

  const states = async (): Promise<unknown[]> => [...(await place.book()).all()].map((one) => one.state);

  test('W3 a task whose workers all died has one dead letter, that says so, and leaves the queue', async () => {
    const { events } = await place.startSupervisor('sue');
    const taskId = await place.submit({ command: ['poison'] });
    await claimToDeath();
    await pullInVain();
    await expect.poll(place.leftCount, patience).toBe(0);
    expect(await place.deadLetters()).toMatchObject([
      { envelopeId: taskId, queue: 'q', attempts: 4, errorClass: 'worker-lost', workerId: null, history: [] },
    ]);
    expect(events).toMatchObject([{ kind: 'buried', queue: 'q', taskId }]);
    expect(await states()).toEqual(['dead']);
  });

  test('W3 what exhausted its deliveries while no supervisor ran is caught up later', async () => {
    await place.submit({ command: ['poison'] });
    await claimToDeath();
    await pullInVain();
    expect([await place.leftCount(), await place.deadLetters()]).toEqual([1, []]);
    await place.startSupervisor('sue');
    await expect.poll(place.leftCount, patience).toBe(0);
    expect(await place.deadLetters()).toHaveLength(1);
  });

  test('W3 what no advisory tells of is found by the sweep, and nothing that is still to come is touched', async () => {
    await place.submit({ command: ['poison'] });
    await claimToDeath();
    await pullInVain();
    await place.fabric.durable.stream('VAK_ADV_acme').purge();
    const next = await place.submit({ command: ['next'] });
    const { supervisor } = await place.startSupervisor('sue');
    await supervisor.sweep();
    expect([await place.leftCount(), await place.deadLetters()]).toEqual([2, []]);
    const [delivery] = await place.consumer.pull({ batch: 1, waitMs: 5_000 });
    await supervisor.sweep();
    expect(await place.deadLetters()).toEqual([]);
    await delivery?.ack();
    await supervisor.sweep();
    expect(await place.leftCount()).toBe(0);
    expect((await place.deadLetters()).map(({ envelopeId }) => envelopeId)).not.toContain(next);
    expect(await place.deadLetters()).toHaveLength(1);
  });

  test('W3 a supervisor that is killed between storing the dead letter and deleting the task leaves one dead letter', async () => {
    const { durable } = place.fabric;
    let kills = 0;
    const dead = createDeferred<boolean>();
    const dying: DurablePlane = {
      ...durable,
      stream: (name) => ({
        ...durable.stream(name),
        delete() {
          kills++;
          return dead.promise;
        },
      }),
    };
    await place.submit({ command: ['poison'] });
    await claimToDeath();
    await pullInVain();
    void place.startSupervisor('sue', dying);
    await expect.poll(() => kills, patience).toBe(1);
    expect(await place.deadLetters()).toHaveLength(1);
    const { events } = await place.startSupervisor('sally');
    await expect.poll(place.leftCount, patience).toBe(0);
    expect(await place.deadLetters()).toHaveLength(1);
    expect(events).toMatchObject([{ kind: 'settled' }]);
    dead.resolve(false);
  });

  test('W3 what squats on the id of a dead letter hides nothing', async () => {
    const taskId = await place.submit({ command: ['poison'] });
    const [record] = [...(await place.book()).all()];
    const squatter = place.workspace.peer('eve', { kind: 'd' });
    const letter = { envelopeId: taskId, taskLeaf: record?.leaf, subject: 'vak.work.acme.q.task', queue: 'other' };
    const { subject, data } = squatter.write(
      {
        ...letter,
        attempts: 1,
        history: [],
        reason: 'r',
        errorClass: 'c',
        failedAt: '2026-01-02T03:04:05Z',
        workerId: null,
        envelope: 'AA==',
      },
      '',
      'vak.dlq.acme.eve.failed',
    );
    await place.fabric.durable.append(subject, data, { messageId: `dlq:${record?.leaf}` });
    await place.startSupervisor('sue');
    await claimToDeath();
    await pullInVain();
    await expect.poll(place.leftCount, patience).toBe(0);
    expect(await place.deadLetters()).toMatchObject([{ queue: 'other' }, { queue: 'q', envelopeId: taskId }]);
    expect(await states()).toEqual(['dead']);
  });

  test('W6 a worker that finishes after the dead letter closes it as finished late', async () => {
    await place.startSupervisor('sue');
    await place.submit({ command: ['slow'] });
    await claimToDeath();
    await pullInVain();
    await expect.poll(place.leftCount, patience).toBe(0);
    const [record] = [...(await place.book()).all()];
    const late = place.workspace.peer('wilma', { kind: 'd' });
    const receipt = { taskId: record?.taskId, taskLeaf: record?.leaf, queue: 'q', workerId: 'wilma', attempt: 4 };
    const { subject, data } = late.write(
      { ...receipt, outcome: 'done', startedAt: '2026-01-02T03:04:05Z', endedAt: '2026-01-02T03:04:06Z', outputHash },
      '',
      `vak.receipts.acme.${late.session}.completed`,
    );
    await place.fabric.durable.append(subject, data);
    expect(await states()).toEqual(['finished-late']);
  });

  test('W7 an ack that a worker forged proves nothing: the task is lost, and stays so until somebody proves otherwise', async () => {
    await place.submit({ command: ['true'] });
    await place.refresh();
    expect([...place.lasting.all()].map((one) => one.state)).toEqual(['queued']);
    const [delivery] = await place.consumer.pull({ batch: 1, waitMs: 5_000 });
    await delivery?.ack();
    await place.refresh();
    expect([...place.lasting.all()].map((one) => one.state)).toEqual(['lost']);
  });

  test('W7 a receipt that nobody can judge makes no task lost, and garbage hides no loss', async () => {
    await place.submit({ command: ['true'] });
    await place.refresh();
    await place.startWorker('wilma', { handler: async () => done });
    await expect.poll(place.leftCount, patience).toBe(0);
    const { secrets } = place.workspace;
    place.workspace.secrets = undefined;
    await place.refresh();
    expect([...place.lasting.all()].map((one) => one.state)).toEqual(['queued']);
    place.workspace.secrets = secrets;
    await place.fabric.durable.append('vak.receipts.acme.x.completed', utf8('garbage'));
    await place.refresh();
    expect([...place.lasting.all()].map((one) => one.state)).toEqual(['done']);
  });

  test('W3 what comes while it sweeps is not swept', async () => {
    await place.submit({ command: ['poison'] });
    await claimToDeath();
    await pullInVain();
    await place.fabric.durable.stream('VAK_ADV_acme').purge();
    const { durable } = place.fabric;
    let next: string | undefined;
    const racing: DurablePlane = {
      ...durable,
      stream: (name) => ({
        ...durable.stream(name),
        async consumers() {
          const states = await durable.stream(name).consumers();
          if (name === 'VAK_WORK_acme' && next === undefined) next = await place.submit({ command: ['next'] });
          return states;
        },
      }),
    };
    const { supervisor } = await place.startSupervisor('sue', racing);
    await supervisor.sweep();
    expect(next).toBeDefined();
    expect((await place.deadLetters()).map(({ envelopeId }) => envelopeId)).not.toContain(next);
    expect([await place.leftCount(), (await place.deadLetters()).length]).toEqual([1, 1]);
  });

  test('W7 a task that goes while somebody looks is not lost', async () => {
    const { durable } = place.fabric;
    let worked: Promise<void> | undefined;
    const work = async (): Promise<void> => {
      const worker = await place.startWorker('wilma', { handler: async () => done });
      await expect.poll(place.leftCount, patience).toBe(0);
      await worker.close();
    };
    const racing: DurablePlane = {
      ...durable,
      stream: (name) => ({
        ...durable.stream(name),
        async state() {
          if (name === 'VAK_WORK_acme') worked ??= work();
          await worked;
          return await durable.stream(name).state();
        },
      }),
    };
    await place.submit({ command: ['true'] });
    const { book, follower } = place.follow(racing);
    await follower.refresh();
    expect([...book.all()].map(({ state }) => state)).toEqual(['done']);
  });

  test('I4 a receipt whose signer is not known yet counts when it is', async () => {
    const taskId = await place.submit({ command: ['true'] });
    await place.refresh();
    const [record] = [...place.lasting.all()];
    const late = place.workspace.peer('late', { kind: 'd', key: 77, isGranted: false });
    const receipt = { taskId, taskLeaf: record?.leaf, queue: 'q', workerId: 'late', attempt: 1, outcome: 'done' };
    const times = { startedAt: '2026-01-02T03:04:05Z', endedAt: '2026-01-02T03:04:06Z', outputHash };
    const { subject, data } = late.write({ ...receipt, ...times }, '', `vak.receipts.acme.${late.session}.completed`);
    await place.fabric.durable.append(subject, data);
    await place.refresh();
    expect(record?.state).toBe('queued');
    place.workspace.grantElsewhere('late', { key: 77 });
    place.workspace.learn();
    await place.refresh();
    expect(record?.state).toBe('done');
  });
});
