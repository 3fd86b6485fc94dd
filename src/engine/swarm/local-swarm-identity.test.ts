import { expect, test } from 'vitest';
import { definePlayedSwarm } from '../../../tests/support/played-swarm.ts';
import { toText } from '../../shared/base/bytes.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { payloadBytesOf } from '../../shared/protocol/envelope-codec.ts';
import { createChainReader } from '../envelope/chain-reader.ts';
import { takeCredentials } from '../identity/own-credentials.ts';

const at = definePlayedSwarm();
const command = { command: ['true'] };

/** One peer gets no keys. */
function failFor(peer: string, error: Error): void {
  const { issue } = at;
  at.issue = (wanted) => (wanted.peer === peer ? Promise.reject(error) : issue(wanted));
}

const lock = (): void => {
  at.issue = () => Promise.reject(new VakError('locked', 'the key store is locked; unlock it'));
};

/** A command, from being asked for to its end. */
async function runToEnd(): Promise<void> {
  const running = at.swarm.run(command);
  await at.settle();
  at.played[0]?.say('done', (await running).taskId);
  await at.settle();
}

test('I3 a worker gets its own keys in its first frame, and main keeps none of them', async () => {
  const running = at.swarm.run(command);
  await at.settle();
  await running;
  const [frame] = at.played[0]?.frames ?? [];
  if (frame?.kind !== 'configure') throw new Error('the first frame must configure');
  const { credentials, workspace, peer } = frame;
  takeCredentials(credentials, { workspace, peer }).dispose();
  expect(credentials.grant).toMatchObject({ peer: 'worker-1', roles: ['worker'], queues: ['local'] });
  const given = at.given.find(({ grant }) => grant.peer === 'worker-1');
  const arrays = [given?.signSeed, given?.boxSecret, ...(given?.secrets.map(({ secret }) => secret) ?? [])];
  expect(arrays.length).toBeGreaterThan(2);
  for (const bytes of arrays) expect(bytes?.every((byte) => byte === 0)).toBe(true);
});

test('I3 a worker for which there are no keys is ended, with the reason', async () => {
  failFor('worker-1', new VakError('exists', 'worker-1 is the name of a human of this profile'));
  const running = expect(at.swarm.run(command)).rejects.toMatchObject({ code: 'spawn-failed' });
  await at.settle();
  await running;
  const [worker] = at.swarm.state().workers;
  expect(worker).toMatchObject({ state: 'dead', death: { signal: 'SIGKILL' } });
  expect(worker?.death?.reason).toMatch(/^it got no identity: worker-1 is the name of a human/);
  expect(at.played[0]?.frames).toEqual([]);
});

test('I3 a bug while keys are made ends the worker too, and its text is in the log alone', async () => {
  failFor('worker-1', new TypeError('seed SUAB leaked'));
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
  const given = at.given.find(({ grant }) => grant.peer === 'worker-1');
  expect(given?.signSeed.every((byte) => byte === 0)).toBe(true);
  expect(at.played[0]?.frames).toEqual([]);
});

test('I3 the swarm is a peer of its own: a coordinator that keeps what it signs and seals with, erased when the swarm ends', async () => {
  const running = at.swarm.run(command);
  await at.settle();
  await running;
  const own = at.given.find(({ grant }) => grant.peer === 'swarm');
  expect(own?.grant).toMatchObject({ roles: ['coordinator'], queues: [] });
  expect(own?.secrets.length).toBeGreaterThan(0);
  for (const { secret } of own?.secrets ?? []) expect(secret.some((byte) => byte !== 0)).toBe(true);
  expect(own?.boxSecret.every((byte) => byte === 0)).toBe(true);
  expect(own?.signSeed.some((byte) => byte !== 0)).toBe(true);
  const disposed = at.swarm.dispose();
  await at.settle();
  await disposed;
  await at.settle();
  expect(own?.signSeed.every((byte) => byte === 0)).toBe(true);
  for (const { secret } of own?.secrets ?? []) expect(secret.every((byte) => byte === 0)).toBe(true);
});

test('E8 while the key store is locked no worker starts, and once it is open they do', async () => {
  const { issue } = at;
  lock();
  const running = expect(at.swarm.run(command)).rejects.toMatchObject({ code: 'spawn-failed' });
  await at.settle();
  await running;
  expect(at.swarm.state().workers[0]?.death?.reason).toMatch(/^it got no identity: the key store is locked/);
  at.issue = issue;
  const again = at.swarm.run(command);
  await at.settle();
  expect((await again).peer).toBe('worker-1');
});

test('E8 workers that run are commanded while the key store is locked', async () => {
  await runToEnd();
  lock();
  await runToEnd();
  expect(at.played[0]?.runs).toHaveLength(2);
});

test('E13 S5 what a worker is asked is signed by the swarm, whose grant it got, in one chain and a new trace each', async () => {
  for (let i = 0; i < 3; i++) await runToEnd();
  const [worker] = at.played;
  const requests = worker?.requests ?? [];
  expect(requests).toHaveLength(3);
  const [frame] = worker?.frames ?? [];
  if (frame?.kind !== 'configure') throw new Error('the first frame must configure');
  const [commander] = frame.commanders;
  expect(commander).toMatchObject({ peer: 'swarm', roles: ['coordinator'] });
  const signatures = at.workspace.signaturesOf('coordinator');
  for (const request of requests) {
    expect(request).toMatchObject({ type: 'vak.control.run', agentid: 'swarm', seal: undefined });
    expect(request.subject).toBe('vak.control.test.worker-1.run');
    expect(request.signed?.signer).toBe(commander?.sign);
    expect(signatures.check(request, request.subject ?? '', Date.now()).kind).toBe('valid');
    expect(JSON.parse(toText(payloadBytesOf(request)))).toMatchObject({ session: worker?.session });
  }
  const chain = createChainReader();
  expect(requests.map((request) => chain.read(request).verdict.kind)).toEqual(['ok', 'ok', 'ok']);
  expect(requests.map(({ seqnum }) => seqnum)).toEqual([0, 1, 2]);
  expect(new Set(requests.map(({ traceparent }) => traceparent?.split('-')[1])).size).toBe(3);
});
