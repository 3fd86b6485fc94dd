import type { ChildProcess } from 'node:child_process';
import { afterEach, expect, test } from 'vitest';
import { doneResult, failedResult, openProfilePeer, type ProfilePeer } from '../../../tests/support/profile-worker.ts';
import { prepareServer } from '../../../tests/support/vak-bus.ts';
import { jsonLines, oneLine, prepareVak, type Ran } from '../../../tests/support/vak-program.ts';
import { createSystemRandomness } from '../../engine/ports/randomness.ts';
import { utf8 } from '../../shared/base/bytes.ts';
import { startTrace } from '../../shared/protocol/trace-context.ts';

const { bytes: random } = createSystemRandomness();
const program = prepareVak({ isSelfShared: true });
const { vak, newSelf } = program;
const bus = prepareServer();
const peers: ProfilePeer[] = [];
afterEach(async () => {
  for (const peer of peers.splice(0)) await peer.close();
});

const patience = { timeout: 20_000, interval: 50 };
const dlq = (...args: string[]): Promise<Ran> => vak(['dlq', ...args, ...bus.url()]);

interface Retried {
  readonly seq: number;
  readonly outcome: string;
  readonly taskId: string;
}

/** Commands that the builder is given, in order; those in `failing` fail. */
interface Builder {
  readonly peer: ProfilePeer;
  readonly done: string[];
  readonly failing: Set<string>;
}

async function begin(): Promise<Builder> {
  await newSelf();
  await newSelf('--identity', 'builder', '--kind', 'process', '--role', 'worker', '--queue', 'q');
  const fabric = await bus.connect();
  for (const plane of ['AUDIT', 'DLQ', 'RECEIPTS', 'WORK']) await fabric.durable.deleteStream(`VAK_${plane}_default`);
  await fabric.close();
  await bus.provision();
  const peer = await openProfilePeer(program.profile, 'builder', bus.server.url);
  peers.push(peer);
  const builder: Builder = { peer, done: [], failing: new Set(['disk']) };
  await peer.work('q', async ({ task }) => {
    const [how = '', name = ''] = task.command ?? [];
    if (builder.failing.has(how)) return { ...failedResult, errorClass: how, reason: `it failed: ${how}` };
    builder.done.push(name);
    return doneResult;
  });
  return builder;
}

/** So many tasks that fail, put into the queue by the operator. */
async function fail({ peer: { fabric } }: Builder, count: number): Promise<void> {
  const stream = fabric.durable.stream('VAK_DLQ_default');
  const { lastSeq } = await stream.state();
  const operator = await openProfilePeer(program.profile, 'operator', bus.server.url);
  for (let i = 1; i <= count; i++) {
    const payload = utf8(JSON.stringify({ command: ['disk', `${lastSeq + i}`] }));
    const { stored } = await operator.peer.publish({
      subject: 'vak.work.default.q.task',
      payload,
      trace: startTrace(random),
    });
    await stored;
    await expect.poll(async () => (await stream.state()).lastSeq, patience).toBe(lastSeq + i);
  }
  await operator.close();
}

const outcomes = ({ stdout }: Ran): string[] =>
  jsonLines<Retried>(stdout).map(({ seq, outcome }) => `${seq} ${outcome}`);

test('D8 vak: a retry that one command is at is listed and cancelled by another, on record, and by no worker', async () => {
  const builder = await begin();
  await fail(builder, 6);
  builder.failing.clear();
  const running = dlq('retry', '--match', 'error:disk', '--rate', '0.5/s', '--json');
  await expect.poll(() => builder.done.length, patience).toBeGreaterThan(0);
  const listed = jsonLines<{ operationId: string; count: number }>((await dlq('retries', '--json')).stdout);
  expect(listed).toMatchObject([{ by: 'operator', kind: 'retry', state: 'running', count: 6 }]);
  const [{ operationId = '' } = {}] = listed;
  expect(await dlq('cancel', operationId, '--identity', 'builder')).toMatchObject({ code: 1, stdout: '' });
  const cancelled = await dlq('cancel', operationId, '--reason', 'wrong cure', '--json');
  expect([cancelled.code, jsonLines(cancelled.stdout)]).toEqual([
    0,
    [{ operationId, by: 'operator', state: 'cancelled' }],
  ]);
  const { code, stderr, stdout } = await running;
  expect([code, stderr]).toEqual([1, expect.stringContaining('operator cancelled it: wrong cure')]);
  const said = jsonLines<Retried>(stdout).map(({ outcome }) => outcome);
  expect(said).toHaveLength(6);
  expect(said).toContain('cancelled');
  expect(builder.done).toHaveLength(said.filter((outcome) => outcome === 'done').length);
  expect((await dlq('retries', '--json')).stdout).toBe('');
  expect(await dlq('cancel', operationId)).toMatchObject({ code: 1, stderr: oneLine(/.*it has ended before/) });
  expect(await dlq('cancel', 'no-id')).toMatchObject({ code: 2, stderr: oneLine(/OPERATION: found 5 characters/) });
}, 120_000);

test('D8 vak: a canary proves that nothing is mended, an edit and a canary that it is; all is resolved, and told', async () => {
  const builder = await begin();
  await fail(builder, 3);
  const plan = await dlq('retry', '--match', 'error:disk', '--dry-run', '--json');
  expect(jsonLines(plan.stdout)).toMatchObject([{ operationId: null, count: 3, cutoffSeq: 3 }]);
  const stopped = await dlq('retry', '--match', 'error:disk', '--canary', '--json', '--reason', 'is it mended?');
  expect([stopped.code, outcomes(stopped).toSorted()]).toEqual([1, ['1 failed-same', '2 cancelled', '3 cancelled']]);
  expect(stopped.stderr).toContain('The canary failed');
  const edited = await dlq('edit', '2', '--data', '{"command":["true","mended"]}', '--json');
  expect([edited.code, outcomes(edited), builder.done]).toEqual([0, ['2 done'], ['mended']]);
  builder.failing.clear();
  const done = await dlq('retry', '3', '4', '--canary', '--rate', '50/s', '--json', '--quiet');
  expect([done.code, done.stderr, outcomes(done)]).toEqual([0, '', ['3 done', '4 done']]);
  expect(builder.done).toEqual(['mended', '3', '1']);
  const states = jsonLines<{ seq: number; state: string }>((await dlq('ls', '--json')).stdout);
  expect(states.map(({ seq, state }) => `${seq} ${state}`)).toEqual([
    ...['4 resolved', '3 resolved', '2 resolved', '1 failed-again'],
  ]);
  expect(await dlq('retry', '3')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: oneLine(/.*: none; .*resolved/),
  });
  expect(await dlq('retry', '1', '--identity', 'builder')).toMatchObject({ code: 1, stdout: '' });
}, 120_000);

/** Starts a retry at 1/s, and ends it so when the builder was given the first two. */
async function endInMidst(builder: Builder, signal: NodeJS.Signals): Promise<Ran> {
  let child: ChildProcess | undefined;
  const args = ['dlq', 'retry', '--match', 'state:open', '--rate', '1/s', '--json', ...bus.url()];
  const before = builder.done.length;
  const running = vak(args, { onStart: (started) => (child = started) });
  await expect.poll(() => builder.done.length, patience).toBe(before + 2);
  child?.kill(signal);
  return await running;
}

test('D7 vak: a signal ends what was not begun; what was killed in its midst goes on with --resume, nothing twice', async () => {
  const builder = await begin();
  await fail(builder, 6);
  builder.failing.clear();
  const cut = await endInMidst(builder, 'SIGINT');
  expect(cut.code).toBe(4);
  expect(cut.stderr).toContain('what was published stays published');
  expect(outcomes(cut).filter((one) => one.endsWith('cancelled')).length).toBeGreaterThanOrEqual(3);
  const killed = await endInMidst(builder, 'SIGKILL');
  expect(killed.code).toBeNull();
  const busy = await dlq('retry', '--match', 'state:open', '--json');
  expect([busy.code, new Set(outcomes(busy).map((one) => one.split(' ')[1]))]).toEqual([1, new Set(['refused'])]);
  const resumed = await dlq('retry', '--resume', '--json');
  expect([resumed.code, outcomes(resumed).every((one) => one.endsWith('done'))]).toEqual([0, true]);
  expect(builder.done.toSorted()).toEqual(['1', '2', '3', '4', '5', '6']);
  expect((await dlq('retry', '--resume')).stderr).toContain('no campaign of this profile is left');
}, 120_000);

test.each([
  [['retry'], /.*: give places or ids as vak dlq ls prints them, or --match FILTER, one of both/],
  [['retry', '1', '--rate', 'fast'], /--rate: found 4 characters, allowed: 0.1\/s to 1000\/s/],
  [['retry', '1', '--queue', 'a b'], /--queue/],
  [['retry', '1', '--resume'], /--resume: takes no letters/],
  [['edit', '1'], /--data: missing/],
])('D12 vak: dlq %j is bad usage: exit 2', async (args, text) => {
  expect(await vak(['dlq', ...args])).toEqual({ code: 2, stdout: '', stderr: oneLine(text) });
});
