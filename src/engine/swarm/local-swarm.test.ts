import { expect, test } from 'vitest';
import { definePlayedSwarm } from '../../../tests/support/played-swarm.ts';
import type { TakenTask } from './local-swarm.ts';

const at = definePlayedSwarm();
const command = { command: ['true'] };

test('local swarm: start gives each worker a sample command, one after the other, from a rota', async () => {
  const starting = at.swarm.start({ workers: 2 });
  expect(at.swarm.state().state).toBe('starting');
  await at.settle();
  await starting;
  expect(at.swarm.state().state).toBe('running');
  expect(at.states()).toEqual(['worker-1 idle', 'worker-2 idle']);
  await at.settle(500);
  expect(at.states()).toEqual(['worker-1 busy', 'worker-2 busy']);
  const [first, second] = at.swarm.state().workers.map(({ task }) => task?.command.join());
  expect(first).not.toBe(second);
  at.played[0]?.say('failed', at.played[0].runs[0] as string);
  await at.settle(500);
  expect(at.swarm.state().workers[0]).toMatchObject({ state: 'busy', failedCount: 1, doneCount: 0 });
  expect(at.played[0]?.runs).toHaveLength(2);
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
  expect(taken.peer).toBe('worker-2');
  const another = at.swarm.run(command);
  await at.settle();
  expect((await another).peer).toBe('worker-1');
  expect((await another).session).not.toBe(before);
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

test('local swarm: a worker that only ran by request stays out of the rota', async () => {
  const running = at.swarm.run(command);
  await at.settle();
  const starting = at.swarm.start({ workers: 1 });
  at.played[0]?.say('done', (await running).taskId);
  await at.settle(2_000);
  await starting;
  expect(at.states()).toEqual(['worker-1 idle', 'worker-2 busy']);
});

test('local swarm: at most 64 workers', async () => {
  const starting = at.swarm.start({ workers: 64 });
  await at.settle(1_000);
  await starting;
  await at.settle(1_000);
  expect(at.swarm.state().workers.filter(({ state }) => state === 'busy')).toHaveLength(64);
  await expect(at.swarm.run(command)).rejects.toMatchObject({ code: 'limit-exceeded' });
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
