import { expect, test } from 'vitest';
import { definePlayedSwarm, type PlayedWorker } from '../../../tests/support/played-swarm.ts';
import { toDisposable } from '../../shared/base/disposer.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import type { TakenTask } from './local-swarm.ts';
import type { WorkPlace } from './work-lanes.ts';

const at = definePlayedSwarm();
const command = { command: ['true'] };

async function start(workers: number): Promise<void> {
  const starting = at.swarm.start({ workers });
  await at.settle();
  await starting;
}

const placeOf = (destination: string): WorkPlace =>
  ({
    ...{ destination, fabric: { bus: {}, durable: {}, status: () => ({}), onStatus: () => toDisposable(() => {}) } },
  }) as unknown as WorkPlace;
const kindsOf = (worker: PlayedWorker | undefined): string[] => worker?.frames.map(({ kind }) => kind) ?? [];

test('local swarm: start brings workers of its queue, which say themselves what they are at', async () => {
  const starting = at.swarm.start({ workers: 2 });
  expect(at.swarm.state()).toMatchObject({ state: 'starting', queue: 'local' });
  await at.settle();
  await starting;
  expect(at.swarm.state().state).toBe('running');
  expect(at.states()).toEqual(['worker-1 idle', 'worker-2 idle']);
  expect(at.played[0]?.frames[0]).toMatchObject({ kind: 'configure', queue: 'local' });
  const [worker] = at.played;
  worker?.begin('t1', true);
  await at.settle();
  expect(at.swarm.state().workers[0]).toMatchObject({ kind: 'queue', state: 'busy', task: { isWaiting: true } });
  worker?.begin('t1');
  await at.settle();
  expect(at.swarm.state().workers[0]?.task).toMatchObject({ taskId: 't1', command: ['true'], isWaiting: false });
  worker?.say('failed', 't1');
  worker?.begin('t2');
  worker?.say('returned', 't2');
  worker?.say('cancelled', 'never-began');
  await at.settle();
  expect(at.swarm.state().workers[0]).toMatchObject({ state: 'idle', task: null, failedCount: 1, doneCount: 0 });
  expect(at.swarm.state().workers[0]).toMatchObject({ cancelledCount: 1 });
});

test('B8 queue workers are told where to work, and leave it before they are told another place', async () => {
  await start(1);
  expect(kindsOf(at.played[0])).toEqual(['configure']);
  at.place = placeOf('embedded');
  await Promise.all([at.swarm.follow(), at.settle()]);
  at.place = placeOf('managed');
  await Promise.all([at.swarm.follow(), at.settle()]);
  at.place = undefined;
  await Promise.all([at.swarm.follow(), at.settle()]);
  expect(at.played[0]?.frames.slice(1)).toMatchObject([
    { kind: 'work', lane: 1, destination: 'embedded' },
    { kind: 'leave', lane: 1 },
    { kind: 'work', lane: 2, destination: 'managed' },
    { kind: 'leave', lane: 2 },
  ]);
});

test('B8 a worker that does not leave in time is cut off, and the engine waits for it no longer', async () => {
  at.place = placeOf('embedded');
  await start(1);
  at.isObedient = false;
  at.place = placeOf('managed');
  const following = at.swarm.follow();
  await at.settle();
  expect(kindsOf(at.played[0])).toEqual(['configure', 'work', 'leave']);
  await at.settle(3_000);
  await following;
  expect(kindsOf(at.played[0])).toEqual(['configure', 'work', 'leave', 'work']);
});

test('local swarm: what keeps a worker from its queue is shown, until it is over', async () => {
  at.place = placeOf('embedded');
  await start(1);
  at.played[0]?.post({ kind: 'work-state', lane: 1, problem: 'the outbox is damaged' });
  await at.settle();
  expect(at.swarm.state().workers[0]?.problem).toBe('the outbox is damaged');
  at.played[0]?.post({ kind: 'work-state', lane: 1, problem: null });
  await at.settle();
  expect(at.swarm.state().workers[0]?.problem).toBeNull();
});

test('local swarm: sessions are new for each process, names are those that are free', async () => {
  const starting = at.swarm.start({ workers: 2 });
  await at.settle();
  await starting;
  const before = at.played[0]?.session;
  at.played[0]?.exit({ signal: 'SIGKILL' });
  await at.settle();
  const running = at.swarm.run(command);
  await at.settle();
  const taken = await running;
  expect(taken.peer).toBe('worker-1');
  expect(taken.session).not.toBe(before);
});

test('local swarm: start is refused while it starts, runs or stops, and works again after', async () => {
  const starting = at.swarm.start({ workers: 1 });
  await expect(at.swarm.start({ workers: 1 })).rejects.toMatchObject({ code: 'already-running' });
  await at.settle();
  await starting;
  await expect(at.swarm.start({ workers: 1 })).rejects.toMatchObject({ code: 'already-running' });
  const stopping = at.swarm.stop();
  expect(at.swarm.stop()).toBe(stopping);
  await expect(at.swarm.start({ workers: 1 })).rejects.toMatchObject({ code: 'already-running', retryable: true });
  await expect(at.swarm.run(command)).rejects.toMatchObject({ code: 'already-running', retryable: true });
  await at.settle();
  await stopping;
  expect(at.swarm.state()).toMatchObject({ state: 'stopped', workers: [{ state: 'ended', death: null, pid: null }] });
  const again = at.swarm.start({ workers: 1 });
  await at.settle();
  await again;
  expect(at.states()).toEqual(['worker-1 idle']);
});

test('local swarm: run takes an idle worker, else launches one; two at once never get the same', async () => {
  const first = at.swarm.run(command);
  const second = at.swarm.run(command);
  await at.settle();
  expect([(await first).peer, (await second).peer]).toEqual(['worker-1', 'worker-2']);
  expect(at.swarm.state().state).toBe('stopped');
  at.played[1]?.say('done', (await second).taskId);
  await at.settle();
  const third = at.swarm.run(command);
  await at.settle();
  expect((await third).peer).toBe('worker-2');
  expect(at.played).toHaveLength(2);
});

test('local swarm: a worker that is free, or just got ready for one run, is not given to a second', async () => {
  let second: Promise<TakenTask> | undefined;
  at.onChange = () => {
    if (!at.states().includes('worker-1 idle')) return;
    at.onChange = () => {};
    second = at.swarm.run(command);
  };
  const first = at.swarm.run(command);
  await at.settle();
  expect([(await first).peer, (await second)?.peer]).toEqual(['worker-1', 'worker-2']);
  at.played[0]?.say('done', (await first).taskId);
  await at.settle();
  const atOnce = [at.swarm.run(command), at.swarm.run(command)];
  await at.settle();
  expect((await Promise.all(atOnce)).map(({ peer }) => peer)).toEqual(['worker-1', 'worker-3']);
});

test('local swarm: workers of the queue are given no commands, and those of commands no tasks', async () => {
  await start(1);
  const running = at.swarm.run(command);
  await at.settle();
  expect((await running).peer).toBe('worker-2');
  expect(at.swarm.state().workers.map(({ kind }) => kind)).toEqual(['queue', 'command']);
  expect(at.played[1]?.frames[0]).toMatchObject({ kind: 'configure', queue: null });
  at.place = placeOf('embedded');
  await Promise.all([at.swarm.follow(), at.settle()]);
  expect(kindsOf(at.played[0])).toContain('work');
  expect(kindsOf(at.played[1])).not.toContain('work');
  at.played[1]?.begin('forged');
  await at.settle();
  expect(at.swarm.state().workers[1]?.task?.taskId).toBe((await running).taskId);
});

test('local swarm: at most 64 workers', async () => {
  const starting = at.swarm.start({ workers: 64 });
  await at.settle(1_000);
  await starting;
  await expect(at.swarm.run(command)).rejects.toMatchObject({ code: 'limit-exceeded' });
});

test('E8 a changed policy reaches every worker', async () => {
  await start(1);
  at.swarm.followPolicy();
  await at.settle();
  expect(at.played[0]?.frames.at(-1)).toEqual({
    kind: 'policy',
    policy: { acceptPlain: false, acceptUnsigned: false },
  });
});

test('E7 secrets that have changed reach every worker', async () => {
  await start(2);
  at.swarm.followSecrets();
  await at.settle();
  for (const { frames } of at.played) expect(frames.at(-1)).toEqual({ kind: 'secrets', secrets: [], ended: [] });
});

test('local swarm: bad input and unknown names are refused with their codes', async () => {
  await expect(at.swarm.run({ command: [] })).rejects.toMatchObject({ code: 'invalid-payload' });
  await expect(at.swarm.cancel({ taskId: 'nobody' })).rejects.toMatchObject({ code: 'not-found' });
  await expect(at.swarm.kill({ peer: 'nobody' })).rejects.toMatchObject({ code: 'not-found' });
  expect(at.played).toHaveLength(0);
});

test('A4 what a worker says on its channel beyond its rights comes to no one', async () => {
  const starting = at.swarm.start({ workers: 1 });
  await at.settle();
  await starting;
  const [worker] = at.played;
  const data = new Uint8Array([1]);
  const own = `vak.events.test.${worker?.session}.status`;
  for (const subject of [
    'vak.work.test.local.task',
    'vak.events.test.worker-2-abcdefgh-e.status',
    'vak.approvals.test.worker-1-abcdefgh-d.verdict',
    'vak.dlq.test.worker-2.failed',
    'vak.control.test.worker-2.run',
    own,
  ]) {
    worker?.post({ kind: 'publish', subject, data });
  }
  await at.settle();
  expect(at.passed.filter((subject) => !subject.startsWith('vak.control.test.worker-1.'))).toEqual([own]);
});

test('I4 a worker whose grant was revoked is ended at once with the cause; the others work on', async () => {
  await start(2);
  at.swarm.followGrants();
  expect(at.states()).toEqual(['worker-1 idle', 'worker-2 idle']);
  at.revoked.add('worker-1');
  at.issue = () => Promise.reject(new VakError('forbidden', 'worker-1 was revoked'));
  at.swarm.followGrants();
  await at.settle();
  expect(at.played[0]?.signals).toEqual(['SIGKILL']);
  expect(at.swarm.state().workers.find(({ peer }) => peer === 'worker-1')).toMatchObject({
    state: 'dead',
    death: { reason: expect.stringContaining('its grant was revoked') },
  });
  expect(at.states()).toContain('worker-2 idle');
});
