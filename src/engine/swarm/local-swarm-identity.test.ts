import { expect, test } from 'vitest';
import { definePlayedSwarm } from '../../../tests/support/played-swarm.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { takeCredentials } from '../identity/own-credentials.ts';

const at = definePlayedSwarm();
const command = { command: ['true'] };

test('I3 a worker gets its own keys in its first frame, and main keeps none of them', async () => {
  const running = at.swarm.run(command);
  await at.settle();
  await running;
  const [frame] = at.played[0]?.frames ?? [];
  if (frame?.kind !== 'configure') throw new Error('the first frame must configure');
  const { credentials, workspace, peer } = frame;
  takeCredentials(credentials, { workspace, peer }).dispose();
  expect(credentials.grant).toMatchObject({ peer: 'worker-1', roles: ['worker'], queues: ['local'] });
  const [given] = at.given;
  const arrays = [given?.signSeed, given?.boxSecret, ...(given?.secrets.map(({ secret }) => secret) ?? [])];
  expect(arrays.length).toBeGreaterThan(2);
  for (const bytes of arrays) expect(bytes?.every((byte) => byte === 0)).toBe(true);
});

test('I3 a worker for which there are no keys is ended, with the reason', async () => {
  at.issue = () => Promise.reject(new VakError('exists', 'worker-1 is the name of a human of this profile'));
  const running = expect(at.swarm.run(command)).rejects.toMatchObject({ code: 'spawn-failed' });
  await at.settle();
  await running;
  const [worker] = at.swarm.state().workers;
  expect(worker).toMatchObject({ state: 'dead', death: { signal: 'SIGKILL' } });
  expect(worker?.death?.reason).toMatch(/^it got no identity: worker-1 is the name of a human/);
  expect(at.played[0]?.frames).toEqual([]);
});

test('I3 a bug while keys are made ends the worker too, and its text is in the log alone', async () => {
  at.issue = () => Promise.reject(new TypeError('seed SUAB leaked'));
  const running = expect(at.swarm.run(command)).rejects.toMatchObject({ code: 'spawn-failed' });
  await at.settle();
  await running;
  expect(at.swarm.state().workers[0]?.death?.reason).toMatch(/^it got no identity: see the log: silent/);
});

test('I3 keys that come after the process has died are erased, not sent', async () => {
  const issue = at.issue;
  let release: () => void = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  at.issue = async (wanted) => {
    await gate;
    return await issue(wanted);
  };
  const running = expect(at.swarm.run(command)).rejects.toMatchObject({ code: 'spawn-failed' });
  await at.settle();
  at.played[0]?.exit({ exitCode: 1 });
  release();
  await at.settle();
  await running;
  expect(at.given[0]?.signSeed.every((byte) => byte === 0)).toBe(true);
  expect(at.played[0]?.frames).toEqual([]);
});
