import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { failure } from '../../../tests/support/expected-failure.ts';
import { openWatchedPlace, type StoredTask, type WatchedPlace } from '../../../tests/support/watched-place.ts';
import type { PeerSession } from '../sessions/session-directory.ts';
import { type ApprovalRequest, createApprovalBook } from './approval-book.ts';
import { goneByTask } from './approval-gone.ts';
import { createApprovalTasks } from './approval-tasks.ts';
import { createTaskBook } from './task-book.ts';

describe('in the app', () => {
  let place: WatchedPlace;
  const context = { signal: new AbortController().signal };

  beforeEach(async () => {
    place = await openWatchedPlace();
    place.watch.follow();
    await place.pass(100);
  });
  afterEach(async () => {
    await place.close();
  });

  async function ask(task: StoredTask, name = 'wilma'): Promise<string> {
    const peer = place.peer(name, 'worker');
    const expiresAt = new Date(place.clock.now() + 600_000).toISOString();
    const subject = `vak.approvals.acme.${peer.session}.request`;
    const payload = { title: 'may I?', detail: '', expiresAt };
    const { data, envelope } = peer.write(payload, '', subject, { causationId: task.id });
    await place.store(subject, data);
    await place.pass(1_200);
    return envelope.id;
  }

  /** All that are listed, with why nobody waits for them any more. */
  function standing(): Record<string, string> {
    const { pending, past } = place.approvalsState();
    return Object.fromEntries([...pending, ...past].map((one) => [one.requestId, one.gone?.why ?? one.state]));
  }

  const session = (more: Partial<PeerSession>): PeerSession => ({
    ...{ state: 'live', lastSeenMs: place.clock.now(), startedMs: undefined, ...more },
  });

  test('W8 a request leaves the list when its task has ended, and answering it says so', async () => {
    const task = await place.submit();
    const id = await ask(task);
    expect(standing()).toEqual({ [id]: 'pending' });
    await place.receipt(place.peer('wilma', 'worker'), task, { outcome: 'done' });
    await place.pass(1_200);
    expect(place.approvalsState()).toMatchObject({ pending: [], past: [{ requestId: id, state: 'asker-gone' }] });
    expect(standing()).toEqual({ [id]: 'Its task is done.' });
    const answering = failure(Promise.resolve(place.approvals.answer({ requestId: id, decision: 'approve' }, context)));
    await place.pass(500);
    expect(await answering).toMatchObject({ code: 'conflict', message: expect.stringContaining('Its task is done') });
    expect((await place.fabric.durable.stream('VAK_APPROVALS_acme').state()).messageCount).toBe(1);
  });

  test('W8 it leaves the list when the attempt that asked has ended, or another worker has claimed its task and asked', async () => {
    const [failed, taken] = [await place.submit(), await place.submit()];
    const first = await ask(failed);
    await place.receipt(place.peer('wilma', 'worker'), failed, {
      outcome: 'attempt-failed',
      reason: 'no',
      errorClass: 'x',
    });
    const second = await ask(taken);
    const third = await ask(taken, 'walter');
    await place.pass(1_200);
    expect(standing()).toEqual({
      ...{ [first]: 'The attempt that asked has ended.', [third]: 'pending' },
      [second]: 'walter has claimed its task and asked anew.',
    });
  });

  test('W8 it leaves the list when its task was purged; a mere disappearance of the task takes nothing away', async () => {
    const [purged, robbed] = [await place.submit(), await place.submit({ command: ['true'] }, 'q')];
    const [first, second] = [await ask(purged), await ask(robbed)];
    await place.fabric.durable.stream('VAK_WORK_acme').delete(robbed.seq);
    await place.pass(1_200);
    const work = place.queues.purge({ queue: 'q', confirmedName: 'q', lastSeq: purged.seq }, context);
    await place.pass(1_500);
    await work;
    expect(standing()).toEqual({
      ...{ [first]: 'An operator has taken its task out of its queue.', [second]: 'pending' },
    });
  });

  test('W8 it leaves the list when its peer has died or was started anew, and comes back when it is heard again', async () => {
    const id = await ask(await place.submit());
    place.sessions.set('wilma', session({ state: 'stale' }));
    await place.pass(1_200);
    // Nobody was listening for long enough to tell silence from not having listened.
    expect(standing()).toEqual({ [id]: 'pending' });
    for (let i = 0; i < 15; i++) {
      await place.pass(1_000);
      place.approvalsState();
    }
    expect(standing()).toEqual({ [id]: 'wilma has not been heard for more than 15 s.' });
    place.sessions.set('wilma', session({}));
    expect(standing()).toEqual({ [id]: 'pending' });
    place.sessions.set('wilma', session({ state: 'ended' }));
    expect(standing()).toEqual({ [id]: 'The session of wilma has ended.' });
    place.sessions.set('wilma', session({ startedMs: place.clock.now() }));
    expect(standing()).toEqual({ [id]: 'wilma has been started anew since.' });
  });

  test('W8 who keeps no watch knows what the task tells', async () => {
    const [task, other] = [await place.submit(), await place.submit()];
    const [first] = [await ask(task), await ask(other)];
    await place.receipt(place.peer('wilma', 'worker'), task);
    const book = place.watch.readApprovals()?.book ?? createApprovalBook({ capacity: 1 });
    const { judge, reader } = place.workspace;
    const tasks = createApprovalTasks({
      ...{ workspace: 'acme', durable: place.fabric.durable, judge, reader, clock: place.clock, book },
    });
    const all = [...book.all()].map(({ request }) => request);
    const reading = tasks.read(all);
    await place.pass(500);
    const goneOf = await reading;
    expect(all.filter((one) => goneOf(one) !== undefined).map(({ requestId }) => requestId)).toEqual([first]);
  });
});

describe('by what is said of its task', () => {
  const taskId = 'task';
  const request = (more: Partial<ApprovalRequest> = {}): ApprovalRequest => ({
    ...{ requestId: 'r1', leaf: 'a', peer: 'wilma', session: 's', taskId, queues: ['q'], seq: 1, storedMs: 1_000 },
    ...{ title: '', detail: '', expiresAt: new Date(90_000).toISOString(), ...more },
  });

  function known(later: readonly ApprovalRequest[], receipts: readonly { workerId: string; startedMs: number }[] = []) {
    const book = createApprovalBook({ capacity: 100 });
    for (const one of [request(), ...later]) book.noteRequest(one);
    const tasks = createTaskBook({ capacity: 10, onChange: () => {} });
    tasks.noteTask({ leaf: 'leaf', queue: 'q', taskId, seq: 1, storedMs: 500 });
    for (const [index, { workerId, startedMs }] of receipts.entries()) {
      const time = new Date(startedMs).toISOString();
      tasks.noteReceipt({
        ...{ taskId, taskLeaf: 'leaf', queue: 'q', workerId, attempt: 1, outcome: 'attempt-failed', startedAt: time },
        ...{ endedAt: time, outputHash: '', seq: index + 1, storedMs: 2_000 },
      });
    }
    return { book, tasks: [...tasks.all()] };
  }

  test.each([
    ['a worker of another queue asks for it', [request({ requestId: 'r2', peer: 'eve', queues: ['x'], seq: 2 })], []],
    ['another worker tells late of an attempt before', [], [{ workerId: 'walter', startedMs: 900 }]],
    ['it was asked before', [request({ requestId: 'r0', peer: 'walter', seq: 0 })], []],
  ])('W8 a request stands though %s', (_, later, receipts) => {
    expect(goneByTask(request(), known(later, receipts))).toBeUndefined();
  });

  test('W8 another worker that has tried its task since takes its place; a namesake that has ended does not', () => {
    const { book, tasks } = known([], [{ workerId: 'walter', startedMs: 1_500 }]);
    expect(goneByTask(request(), { book, tasks })).toEqual({ why: 'walter has tried its task since.', atMs: 2_000 });
    const namesake = known([]).tasks;
    expect(goneByTask(request(), { book, tasks: [...tasks, ...namesake] })).toBeUndefined();
  });
});
