import { expect, test } from 'vitest';
import { definePlayedSwarm } from '../../../tests/support/played-swarm.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { maxEndedWorkers } from './swarm-crew.ts';

const at = definePlayedSwarm();
const command = { command: ['true'] };

test('local swarm: stopping while starting ends what was launched and launches no more', async () => {
  at.isObedient = false;
  const starting = at.swarm.start({ workers: 20 });
  const outcome = expect(starting).rejects.toMatchObject({ code: 'aborted' });
  await at.settle();
  const stopping = at.swarm.stop();
  await at.settle(3_000);
  await stopping;
  await outcome;
  expect(at.played.length).toBeLessThanOrEqual(8);
  expect(at.swarm.state().workers.every(({ state }) => state === 'ended')).toBe(true);
});

test('local swarm: a worker that is never ready is ended after 10 s and shown as dead with that reason', async () => {
  at.isObedient = false;
  const starting = expect(at.swarm.start({ workers: 1 })).rejects.toMatchObject({ code: 'spawn-failed' });
  await at.settle(9_999);
  expect(at.played[0]?.signals).toEqual([]);
  await at.settle(1);
  await starting;
  const [worker] = at.swarm.state().workers;
  expect(worker).toMatchObject({ state: 'dead', death: { signal: 'SIGKILL' } });
  expect(worker?.death?.reason).toMatch(/not ready within 10 s and was ended/);
  expect(at.swarm.state().state).toBe('stopped');
});

test('local swarm: a worker that does not drain within 3 s is killed, and still counts as asked', async () => {
  const starting = at.swarm.start({ workers: 1 });
  await at.settle();
  await starting;
  at.isObedient = false;
  const stopping = at.swarm.stop();
  await at.settle(2_999);
  expect(at.played[0]?.signals).toEqual([]);
  await at.settle(1);
  await stopping;
  expect(at.played[0]?.signals).toEqual(['SIGKILL']);
  expect(at.states()).toEqual(['worker-1 ended']);
});

test('local swarm: a death while a command runs counts the command as failed and tells the session list', async () => {
  const running = at.swarm.run({ command: ['sleep', '9'] });
  await at.settle();
  const { session } = await running;
  at.played[0]?.exit({ signal: 'SIGSEGV' });
  await at.settle();
  const [worker] = at.swarm.state().workers;
  expect(worker).toMatchObject({ state: 'dead', task: null, failedCount: 1, pid: null });
  expect(worker?.death).toMatchObject({ signal: 'SIGSEGV', exitCode: null });
  expect(worker?.death?.reason).toBe('killed by SIGSEGV while it ran "sleep 9"; nothing that it started is left');
  expect(at.ended).toEqual([[session, `worker died: ${worker?.death?.reason}`]]);
});

test('local swarm: of a worker that only waited for an approval nothing is said to have run', async () => {
  const starting = at.swarm.start({ workers: 1 });
  await at.settle();
  await starting;
  at.played[0]?.begin('t1', true);
  await at.settle();
  at.played[0]?.exit({ signal: 'SIGKILL' });
  await at.settle();
  expect(at.swarm.state().workers[0]?.death?.reason).toBe(
    'killed by SIGKILL while it waited for the approval of "true"; nothing that it started is left',
  );
});

test('local swarm: a queue worker that dies is replaced, and the dead one stays listed with its cause', async () => {
  const starting = at.swarm.start({ workers: 2 });
  await at.settle();
  await starting;
  at.played[0]?.exit({ exitCode: 1 });
  await at.settle(499);
  expect(at.states()).toEqual(['worker-1 dead', 'worker-2 idle']);
  await at.settle(1);
  expect(at.states()).toEqual(['worker-1 dead', 'worker-2 idle', 'worker-1 idle']);
  expect(at.swarm.state()).toMatchObject({ state: 'running', problem: null });
  expect(at.swarm.state().workers[0]?.death?.reason).toMatch(/^exited with code 1;/);
  at.played[1]?.exit({ signal: 'SIGKILL' });
  await at.settle(600);
  expect(at.states()).not.toContain('worker-2 idle');
  await at.settle(400);
  expect(at.states()).toContain('worker-2 idle');
});

test('local swarm: workers that die at once are given up after a while, why is said, and it may be started again', async () => {
  const starting = at.swarm.start({ workers: 1 });
  await at.settle();
  await starting;
  for (let second = 0; second < 90 && at.swarm.state().state === 'running'; second++) {
    at.played.at(-1)?.exit({ exitCode: 1 });
    await at.settle(1_000);
  }
  expect(at.swarm.state().state).toBe('stopped');
  expect(at.swarm.state().problem).toMatch(
    /^7 workers died within \d+ s and are not replaced any more; the last one: exited with code 1/,
  );
  const launchedCount = at.played.length;
  expect(launchedCount).toBe(7);
  await at.settle(60_000);
  expect(at.played).toHaveLength(launchedCount);
  const again = at.swarm.start({ workers: 1 });
  await at.settle();
  await again;
  expect(at.swarm.state()).toMatchObject({ state: 'running', problem: null });
});

test('local swarm: what an operator kills is replaced, however often', async () => {
  const starting = at.swarm.start({ workers: 1 });
  await at.settle();
  await starting;
  for (let i = 0; i < 20; i++) {
    const killed = at.swarm.kill({ peer: 'worker-1' });
    await at.settle(1_000);
    await killed;
  }
  expect(at.swarm.state()).toMatchObject({ state: 'running', problem: null });
  expect(at.states().at(-1)).toBe('worker-1 idle');
});

test('I3 while the key store is locked nobody is replaced, nobody has died of it, and later somebody is', async () => {
  const starting = at.swarm.start({ workers: 1 });
  await at.settle();
  await starting;
  const real = at.issue;
  at.issue = () => Promise.reject(new VakError('locked', 'the key store is locked'));
  at.played[0]?.exit({ signal: 'SIGKILL' });
  for (let i = 0; i < 12; i++) await at.settle(15_000);
  expect(at.played).toHaveLength(1);
  expect(at.swarm.state()).toMatchObject({ state: 'running', problem: null });
  at.issue = real;
  await at.settle(15_000);
  expect(at.states()).toEqual(['worker-1 dead', 'worker-1 idle']);
});

test('local swarm: stopping while a replacement is due starts nobody', async () => {
  const starting = at.swarm.start({ workers: 1 });
  await at.settle();
  await starting;
  at.played[0]?.exit({ exitCode: 1 });
  await at.settle();
  const stopping = at.swarm.stop();
  await at.settle(60_000);
  await stopping;
  expect(at.played).toHaveLength(1);
  expect(at.swarm.state().state).toBe('stopped');
});

test('local swarm: a worker that dies before it answered fails the run at once, not after the time limit', async () => {
  at.isMute = true;
  const running = expect(at.swarm.run(command)).rejects.toMatchObject({ code: 'closed', retryable: true });
  await at.settle();
  expect(at.states()).toEqual(['worker-1 busy']);
  const atMs = at.clock.monotonic();
  at.played[0]?.exit({ signal: 'SIGKILL' });
  await at.settle();
  await running;
  expect(at.clock.monotonic()).toBe(atMs);
});

test('local swarm: a worker that dies before it took the command fails the run, at once', async () => {
  at.isObedient = false;
  const running = expect(at.swarm.run(command)).rejects.toMatchObject({ code: 'spawn-failed' });
  await at.settle();
  at.played[0]?.exit({ exitCode: 1 });
  await at.settle();
  await running;
  expect(at.swarm.state().workers[0]?.death?.reason).toMatch(/exited with code 1 before it was ready/);
});

test('local swarm: a process that could not be started is a death with the cause', async () => {
  at.isObedient = false;
  const running = expect(at.swarm.run(command)).rejects.toMatchObject({ code: 'spawn-failed' });
  await at.settle();
  at.played[0]?.exit({ problem: 'spawn EAGAIN' });
  await at.settle();
  await running;
  expect(at.swarm.state().workers[0]?.death?.reason).toMatch(/^could not be started: spawn EAGAIN;/);
});

test('local swarm: the dead stay listed, the latest 32 of them', async () => {
  for (let i = 0; i < maxEndedWorkers + 3; i++) {
    const running = at.swarm.run(command);
    await at.settle();
    await running;
    at.played.at(-1)?.exit({ exitCode: i });
    await at.settle();
  }
  expect(at.swarm.state().workers.map(({ death }) => death?.exitCode)).toEqual(
    Array.from({ length: maxEndedWorkers }, (_, index) => index + 3),
  );
});

test('local swarm: frames that make no sense change nothing', async () => {
  const running = at.swarm.run(command);
  await at.settle();
  await running;
  const before = JSON.stringify(at.swarm.state());
  for (const value of [
    null,
    7,
    {},
    { kind: 1 },
    { kind: 'group-started', pgid: 1 },
    { kind: 'ready', pid: 'x' },
    { kind: 'nonsense' },
    { kind: 'task-ended', taskId: 'nobody', outcome: 'done' },
    { kind: 'task-ended', taskId: at.swarm.state().workers[0]?.task?.taskId, outcome: 'ended' },
    { kind: 'head', source: 'vak://test/worker-1/other-e', seq: 7, leaf: 'a'.repeat(64) },
  ]) {
    at.played[0]?.post(value);
  }
  await at.settle();
  expect(JSON.stringify(at.swarm.state())).toBe(before);
  expect(at.heads.previous('worker-1', 'e')).toBeUndefined();
});

test('E12 what a worker says of its chain is kept, and the next of its name is told to resume it', async () => {
  const running = at.swarm.run(command);
  await at.settle();
  const { session } = await running;
  expect(at.played[0]?.frames[0]).not.toHaveProperty('resumes');
  const head = { source: `vak://test/worker-1/${session}`, seq: 7, leaf: 'a'.repeat(64) };
  at.played[0]?.post({ kind: 'head', ...head });
  await at.settle();
  at.played[0]?.exit({ signal: 'SIGKILL' });
  await at.settle();
  const again = at.swarm.run(command);
  await at.settle();
  await again;
  expect(at.played[1]?.frames[0]).toMatchObject({ kind: 'configure', peer: 'worker-1', resumes: head });
});

test('E12 what a worker says of another chain than its own is not kept', async () => {
  const running = at.swarm.run(command);
  await at.settle();
  const { session } = await running;
  const others = [`vak://test/worker-2/${session}`, `vak://other/worker-1/${session}`, 'vak://test/swarm/x-e', session];
  for (const source of others) at.played[0]?.post({ kind: 'head', source, seq: 7, leaf: 'a'.repeat(64) });
  await at.settle();
  for (const peer of ['worker-1', 'worker-2']) expect(at.heads.previous(peer, 'e')).toBeUndefined();
});
