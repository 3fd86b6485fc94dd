import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { failure } from '../../../tests/support/expected-failure.ts';
import { openWorkPlace, type WorkPlace } from '../../../tests/support/work-fixture.ts';
import { toDisposable } from '../../shared/base/disposer.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import type { DurablePlane } from '../bus/durable.ts';
import type { AttemptResult, TaskHandler } from './task-attempt.ts';
import { createTaskDesk, type DeskTask, type TaskDesk, type TaskDeskDeps } from './task-desk.ts';

const done = { kind: 'done', outputHash: '0'.repeat(64) } as const satisfies AttemptResult;
const dead = { kind: 'failed', reason: 'no', errorClass: 'x', isFinal: true, outputHash: '0'.repeat(64) } as const;
const never = (): AbortSignal => new AbortController().signal;

/** Does this one, and is at every other one until it stops. */
const onlyDoes =
  ({ id }: { readonly id: string }): TaskHandler =>
  ({ taskId, signal }) =>
    taskId === id
      ? Promise.resolve(done)
      : new Promise((resolve) => signal.addEventListener('abort', () => resolve({ kind: 'returned' })));
const queue = 'q';
const stream = 'VAK_WORK_acme';
let place: WorkPlace;
let desks: TaskDesk[];
let judgedCount: number;
/** Runs what the desk does now and then. */
let tick: () => void;
let learn: () => void;
/** So much later it is for the desk. */
let laterMs: number;

beforeEach(async () => {
  place = await openWorkPlace('embedded');
  desks = [];
  judgedCount = 0;
  laterMs = 0;
});
afterEach(async () => {
  for (const desk of desks) desk.dispose();
  await place.close();
});

function openDesk(more: Partial<TaskDeskDeps> = {}): TaskDesk {
  const { fabric, workspace, ports } = place;
  const desk = createTaskDesk({
    ...{ workspace: 'acme', durable: fabric.durable, bus: fabric.bus, reader: workspace.reader, mayReadTasks: true },
    ...{ onRefused: () => {}, ...more },
    judge(message) {
      judgedCount++;
      return (more.judge ?? workspace.judge)(message);
    },
    clock: {
      ...ports.clock,
      monotonic: () => ports.clock.monotonic() + laterMs,
      setTicker(_, run) {
        tick = run;
        return toDisposable(() => {});
      },
    },
    knowledge: {
      onChange(listener) {
        learn = listener;
        return toDisposable(() => {});
      },
    },
  });
  desks.push(desk);
  return desk;
}

/** Submits a task as the coordinator does, and says what it was told. */
async function submit(desk?: TaskDesk): Promise<DeskTask> {
  const mark = await desk?.mark();
  const id = await place.submit({ input: 1 });
  const { messages } = await place.fabric.durable.stream(stream).read({ limit: 1_000 });
  const at = messages.find(({ data }) => Buffer.from(data).includes(id));
  if (at === undefined) throw new Error('the task is not there');
  const reading = place.workspace.reader.read(at.data);
  const task = { id, queue, leaf: reading.kind === 'envelope' ? reading.leaf : '', seq: at.seq };
  desk?.expect(task, mark);
  return task;
}

test('W6 C5 any number of tasks is waited for by one reading, in whichever order they end', async () => {
  const desk = openDesk();
  const tasks: DeskTask[] = [];
  for (let i = 0; i < 40; i++) tasks.push(await submit(desk));
  const waiting = tasks.map((task) => desk.settled(task, never()));
  await place.startWorker('w1', {
    concurrency: 8,
    handler: async ({ taskId }) => (taskId === tasks[3]?.id ? dead : done),
  });
  const records = await Promise.all(waiting);
  expect(records.map(({ taskId }) => taskId)).toEqual(tasks.map(({ id }) => id));
  const states = records.map(({ state }) => state);
  expect([states[3], states.filter((state) => state === 'done').length]).toEqual(['dead', 39]);
  // 40 receipts and a dead letter, each judged for all of them: not 40 times for each.
  expect(judgedCount).toBeLessThan(200);
});

test('W6 C5 what ended before anybody waited is found, also by its id alone, and again', async () => {
  const desk = openDesk();
  const own = await submit(desk);
  const foreign = await submit();
  const worker = await place.startWorker('w1', { handler: async () => done });
  await expect.poll(() => worker.events.filter(({ kind }) => kind === 'done').length).toBe(2);
  for (const task of [
    own,
    own,
    { ...own, leaf: undefined, seq: undefined },
    foreign,
    { id: foreign.id, queue, leaf: undefined, seq: undefined },
  ]) {
    expect(await desk.settled(task, never())).toMatchObject({ taskId: task.id, state: 'done' });
  }
});

test('W7 C5 of another queue or leaf nothing is known, and who may not read tasks waits for ever', async () => {
  const desk = openDesk();
  const task = await submit(desk);
  const none = { id: randomUUID(), queue, leaf: undefined, seq: undefined };
  expect(await failure(desk.settled(none, never()))).toMatchObject({ code: 'not-found' });
  expect(await failure(desk.settled({ ...task, queue: 'other', seq: undefined }, never()))).toMatchObject({
    code: 'not-found',
  });
  const poor = openDesk({ mayReadTasks: false });
  const giveUp = new AbortController();
  const waiting = failure(poor.settled(none, giveUp.signal));
  giveUp.abort(new VakError('aborted', 'enough'));
  expect(await waiting).toMatchObject({ code: 'aborted', message: 'enough' });
});

test('W7 C5 a task that is gone without a word is lost, for who may read tasks', async () => {
  const desk = openDesk();
  const task = await submit(desk);
  const waiting = desk.settled(task, never());
  await place.fabric.durable.stream(stream).delete(task.seq ?? 0);
  tick();
  expect((await waiting).state).toBe('lost');
});

test('W7 C5 a task that an operator took out is purged, and one of another place or queue is lost', async () => {
  const { durable } = place.fabric;
  const desk = openDesk();
  const tasks = [await submit(desk), await submit(desk)];
  const waiting = tasks.map((task) => desk.settled(task, never()));
  const olga = place.workspace.peer('olga', { roles: ['operator'], kind: 'd' });
  const [seq = 0, other = 0] = tasks.map((task) => task.seq);
  for (const [target, at] of [[queue, seq] as const, ['other', other] as const]) {
    const said = { operationId: 'o', action: 'queue.purge', target, scope: 'all', count: 1, outcome: 'begun' };
    const { subject, data } = olga.write({ ...said, places: [[at, at]] }, '', 'vak.audit.acme.olga.action');
    await durable.append(subject, data);
  }
  await durable.stream(stream).delete(seq);
  await durable.stream(stream).delete(other);
  tick();
  expect((await Promise.all(waiting)).map(({ state }) => state)).toEqual(['purged', 'lost']);
});

test('W6c C5 the output is there for who waits, and is not kept by who follows all tasks', async () => {
  const desk = openDesk();
  const task = await submit(desk);
  const waiting = desk.settled(task, never());
  await place.startWorker('w1', { handler: async () => ({ ...done, output: { pages: 2 } }) });
  expect((await waiting).receipts).toMatchObject([{ outcome: 'done', output: { pages: 2 } }]);
  const [receipt] = (await place.book()).get(task.leaf ?? '')?.receipts ?? [];
  expect(receipt).toMatchObject({ outcome: 'done', taskId: task.id });
  expect(receipt).not.toHaveProperty('output');
});

test('B8 C5 an outage is sat out, any other failure is told to all who wait', async () => {
  let code: 'disconnected' | 'forbidden' | undefined;
  const { durable } = place.fabric;
  const failing: DurablePlane = {
    ...durable,
    stream: (name) => ({
      ...durable.stream(name),
      async read(options) {
        if (code !== undefined) throw new VakError(code, 'no');
        return await durable.stream(name).read(options);
      },
    }),
  };
  const desk = openDesk({ durable: failing });
  const [first, second] = [await submit(desk), await submit(desk)];
  code = 'disconnected';
  const waiting = desk.settled(first, never());
  await place.startWorker('w1', { concurrency: 2, handler: onlyDoes(first) });
  await expect.poll(async () => (await place.receipts()).length).toBe(1);
  tick();
  code = undefined;
  tick();
  expect((await waiting).state).toBe('done');
  code = 'forbidden';
  expect(await failure(desk.settled(second, never()))).toMatchObject({ code: 'forbidden' });
});

test('E21 C5 what could not be proved when it came counts when it can, whoever has begun to wait meanwhile', async () => {
  let isKnown = false;
  const { judge, reader } = place.workspace;
  const desk = openDesk({
    judge: (message) =>
      isKnown || message.subject.startsWith('vak.work')
        ? judge(message)
        : {
            kind: 'refused',
            reading: reader.read(message.data),
            refusal: { reason: 'signature', why: 'Who?' },
            isFinal: false,
          },
  });
  const first = await submit(desk);
  const waiting = desk.settled(first, never());
  await place.startWorker('w1', { concurrency: 2, handler: onlyDoes(first) });
  await expect.poll(() => judgedCount).toBeGreaterThan(0);
  const giveUp = new AbortController();
  laterMs += 2_000;
  const other = failure(desk.settled(await submit(desk), giveUp.signal));
  await expect.poll(() => judgedCount).toBeGreaterThan(1);
  isKnown = true;
  learn();
  expect((await waiting).state).toBe('done');
  giveUp.abort(new VakError('aborted', 'enough'));
  await other;
});

test('W6 C5 who begins to wait takes nothing from who waits already', async () => {
  const desk = openDesk({ bus: { subscribe: () => ({ stats: () => ({}) as never, dispose: () => {} }) } });
  const first = await submit(desk);
  const waiting = desk.settled(first, never());
  await place.startWorker('w1', { handler: async () => done });
  await expect.poll(async () => (await place.receipts()).length).toBe(1);
  laterMs += 2_000;
  const second = desk.settled(await submit(desk), never());
  expect((await waiting).state).toBe('done');
  await expect.poll(async () => (await place.receipts()).length).toBe(2);
  tick();
  expect((await second).state).toBe('done');
});

test('C5 when the desk is closed nobody waits any more', async () => {
  const desk = openDesk();
  const waiting = failure(desk.settled(await submit(desk), never()));
  desk.dispose();
  expect(await waiting).toMatchObject({ code: 'closed' });
});
