import { randomUUID } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { doneResult, failedResult, openProfilePeer, type ProfilePeer } from '../../../tests/support/profile-worker.ts';
import { type Listener, prepareServer, startUntil } from '../../../tests/support/vak-bus.ts';
import { json, oneLine, prepareVak, type Ran } from '../../../tests/support/vak-program.ts';
import { createSystemRandomness } from '../../engine/ports/randomness.ts';
import { draftReceipt } from '../../engine/work/receipts.ts';
import type { Task } from '../../engine/work/task-attempt.ts';
import { startTrace } from '../../shared/protocol/trace-context.ts';

const program = prepareVak({ isSelfShared: true });
const { vak, newSelf } = program;
const bus = prepareServer();
const randomness = createSystemRandomness();
const peers: ProfilePeer[] = [];

afterEach(async () => {
  for (const peer of peers.splice(0)) await peer.close();
});

interface Submitted {
  readonly id: string;
  readonly queue: string;
  readonly leaf: string;
  readonly seq: number;
}

/** A workspace of an own name of queue for each test: one server has them all. Gives the operator's name. */
async function begin(queue: string): Promise<string> {
  const { peer } = await newSelf();
  await newSelf('--identity', 'builder', '--kind', 'process', '--role', 'worker', '--queue', queue);
  await bus.provision();
  return peer;
}

async function openBuilder(): Promise<ProfilePeer> {
  const peer = await openProfilePeer(program.profile, 'builder', bus.server.url);
  peers.push(peer);
  return peer;
}

const submit = (queue: string, ...more: string[]): Promise<Ran> =>
  vak(['task', 'submit', '--queue', queue, ...bus.url(), ...more]);
const submitted = async (queue: string, ...more: string[]): Promise<Submitted> => {
  const { code, stdout, stderr } = await submit(queue, ...more);
  expect([code, stderr]).toEqual([0, '']);
  return json<Submitted>(stdout);
};
const wait = (id: string, ...more: string[]): Promise<Ran> =>
  vak(['task', 'wait', id, '--json', ...bus.url(), ...more]);

const startWait = (id: string): Promise<Listener> =>
  startUntil(program, ['task', 'wait', id, '--json', ...bus.url()], { text: /it is queued; waiting/ });

test('W1 vak: a submitted task is run as it was written, and its receipt is what wait prints, then and later', async () => {
  await begin('run');
  const seen: Task[] = [];
  const builder = await openBuilder();
  await builder.work('run', async ({ task }) => {
    seen.push(task);
    return doneResult;
  });
  const line = ['--timeout', '1.5', '--cwd', '/', '--env', 'A=1=2', '--env', 'B=', '--max-retries', '1'];
  const { id, queue, leaf, seq } = await submitted('run', ...line, '--', 'ls', '--help', '--', '-h');
  expect([queue, seq, leaf]).toEqual(['run', expect.any(Number), expect.stringMatching(/^[0-9a-f]{64}$/)]);
  const first = await wait(id);
  expect([first.code, first.stderr]).toEqual([0, '']);
  expect(json(first.stdout)).toMatchObject({
    ...{ id, leaf, queue: 'run', state: 'done' },
    receipt: {
      taskId: id,
      taskLeaf: leaf,
      queue: 'run',
      workerId: 'builder',
      attempt: 1,
      outcome: 'done',
      exitCode: 0,
    },
  });
  expect(await wait(id, '--leaf', leaf)).toEqual(first);
  const people = await vak(['task', 'wait', id, ...bus.url()]);
  expect(people).toEqual({ code: 0, stdout: 'done  run  attempt 1 by builder  exit code 0\n', stderr: '' });
  expect((await wait(id, '--leaf', '0'.repeat(64))).code).toBe(1);
  const input = '{"input": {"n": 12345678901234567890}}';
  const { stdout } = await vak(['task', 'submit', '--queue', 'run', '--json-task', '-', ...bus.url()], {
    stdin: input,
  });
  expect((await wait(json<Submitted>(stdout).id)).code).toBe(0);
  expect(seen).toEqual([
    {
      ...{ command: ['ls', '--help', '--', '-h'], timeoutMs: 1500, cwd: '/', env: { A: '1=2', B: '' }, maxRetries: 1 },
    },
    { input: { n: Number('12345678901234567890') } },
  ]);
}, 90_000);

test('W3 vak: a task that failed for good ends wait with its dead letter and exit code 1', async () => {
  await begin('fail');
  const { id, leaf } = await submitted('fail', '--', 'false');
  const waiting = await startWait(id);
  const builder = await openBuilder();
  await builder.work('fail', async () => failedResult);
  const { code, stdout, stderr } = await waiting.ended;
  expect([code, stderr]).toEqual([1, 'vak: it is queued; waiting until it has ended\n']);
  expect(json(stdout)).toMatchObject({
    ...{ id, leaf, queue: 'fail', state: 'dead' },
    deadLetter: { envelopeId: id, taskLeaf: leaf, attempts: 1, reason: 'exit code 7', errorClass: 'exit.7' },
  });
  const people = await vak(['task', 'wait', id, ...bus.url()]);
  expect(people).toEqual({
    code: 1,
    stdout: 'dead  fail  after 1 attempt by builder  exit.7: exit code 7\n',
    stderr: '',
  });
}, 90_000);

test('W7 vak: a task that is gone without a word of its worker is lost, unless an operator purged it, and one that nobody knows is not found', async () => {
  const operator = await begin('gone');
  const [lost, purged] = [await submitted('gone', '--', 'true'), await submitted('gone', '--', 'true')];
  const waiting = [await startWait(lost.id), await startWait(purged.id)];
  const action = { operationId: 'o', action: 'queue.purge', target: 'gone', scope: 'one', count: 1, outcome: 'begun' };
  const data = JSON.stringify({ ...action, places: [[purged.seq, purged.seq]] });
  await vak(['publish', `vak.audit.default.${operator}.action`, '--sealed', '--data', data, ...bus.url()]);
  const fabric = await bus.connect();
  for (const { seq } of [lost, purged]) await fabric.durable.stream('VAK_WORK_default').delete(seq);
  await fabric.close();
  const ended = await Promise.all(waiting.map((one) => one.ended));
  expect(ended.map(({ code, stdout }) => [code, json(stdout)])).toEqual([
    [1, { id: lost.id, leaf: lost.leaf, queue: 'gone', state: 'lost' }],
    [1, { id: purged.id, leaf: purged.leaf, queue: 'gone', state: 'purged' }],
  ]);
  expect(await wait(randomUUID())).toEqual({
    code: 1,
    stdout: '',
    stderr: oneLine(
      /.*knows of no such task here: .*check ID and the server; or it was stored, .*with --leaf, --queue and --seq/,
    ),
  });
  // Who was told its place can tell what is gone from what never was.
  const named = ({ id, leaf, seq }: typeof lost, ...more: string[]) =>
    wait(id, '--leaf', leaf, '--queue', 'gone', ...(more.length === 0 ? ['--seq', `${seq}`] : more));
  expect((await wait(lost.id, '--leaf', lost.leaf, '--queue', 'gone')).stderr).toMatch(/give --seq too/);
  for (const [task, state] of [
    [lost, 'lost'],
    [purged, 'purged'],
  ] as const) {
    const { code, stdout } = await named(task);
    expect([code, json(stdout)]).toEqual([1, { id: task.id, leaf: task.leaf, queue: 'gone', state }]);
  }
  const other = await submitted('gone', '--', 'true');
  expect(await named(lost, '--seq', `${other.seq}`)).toMatchObject({
    code: 1,
    stderr: oneLine(/.*--seq: another task stands/),
  });
  expect(await named(lost, '--seq', '999')).toMatchObject({
    code: 1,
    stderr: oneLine(/.*--seq: the stream of tasks ends/),
  });
  expect(await wait(lost.id, '--seq', '1')).toMatchObject({
    code: 2,
    stderr: oneLine(/.*--seq: .*--leaf and --queue/),
  });
}, 90_000);

test('W6 vak: wait believes nobody who is no worker of the queue, and several tasks of one id are told apart', async () => {
  await begin('believe');
  await newSelf('--identity', 'liar', '--kind', 'process', '--role', 'worker', '--queue', 'other');
  const { id, leaf, seq } = await submitted('believe', '--', 'true');
  const waiting = await startWait(id);
  const liar = await openProfilePeer(program.profile, 'liar', bus.server.url);
  const builder = await openBuilder();
  peers.push(liar);
  const receipt = async ({ peer }: ProfilePeer, workerId: string, over: object): Promise<void> => {
    const time = new Date().toISOString();
    const said = {
      ...{ taskId: id, taskLeaf: leaf, queue: 'believe', workerId, attempt: 1, outcome: 'done' as const },
      ...{ startedAt: time, endedAt: time, outputHash: doneResult.outputHash, ...over },
    };
    const { stored } = await peer.publish(
      draftReceipt(said, { workspace: 'default', session: peer.session('d'), trace: startTrace(randomness.bytes) }),
    );
    await stored;
  };
  await receipt(liar, 'liar', {});
  await waiting.says(/a record of it does not count: liar is not granted worker of queue believe/);
  await receipt(liar, 'liar', { queue: 'other' });
  await receipt(builder, 'builder', { taskLeaf: 'f'.repeat(64) });
  expect(waiting.stdout()).toBe('');
  await receipt(builder, 'builder', { exitCode: 3 });
  const { code, stdout } = await waiting.ended;
  expect([code, json(stdout)]).toMatchObject([
    0,
    { leaf, state: 'done', receipt: { workerId: 'builder', exitCode: 3 } },
  ]);
  await builder.fabric.durable.stream('VAK_WORK_default').delete(seq);
  // The liar may sign for its own queue what it likes, and nobody sees the task itself any more.
  const ambiguous = /ID: it is said of 3 tasks; give --leaf and --queue, as vak task submit printed them/;
  expect(await wait(id)).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(ambiguous) });
  const sure = await wait(id, '--leaf', leaf, '--queue', 'believe');
  expect([sure.code, json(sure.stdout)]).toMatchObject([0, { leaf, receipt: { workerId: 'builder', exitCode: 3 } }]);
}, 90_000);

test('W7 vak: wait ends with 3 when its time is over, and with 4 at a signal', async () => {
  await begin('slow');
  const { id } = await submitted('slow', '--', 'true');
  const late = await wait(id, '--timeout', '0.2');
  expect([late.code, late.stdout, late.stderr.trimEnd().split('\n').at(-1)]).toEqual([
    ...[3, ''],
    'vak: task wait: after 0.2 s it is queued, nobody has finished an attempt; wait again',
  ]);
  const waiting = await startWait(id);
  waiting.child.kill('SIGINT');
  expect(await waiting.ended).toMatchObject({ code: 4, stdout: '' });
}, 90_000);

test('B8 vak: wait and queues --watch live through a restart of the server', async () => {
  await begin('outage');
  const { id } = await submitted('outage', '--', 'true');
  const waiting = await startWait(id);
  const watching = await startUntil(program, ['queues', '--watch', '0.2', '--json', ...bus.url()], {
    text: /looks every/,
  });
  await expect.poll(watching.stdout, { timeout: 15_000 }).toContain('"queue":"outage"');
  await bus.server.kill();
  await waiting.says(/the connection is lost/);
  await watching.says(/the connection is lost/);
  await bus.server.restart();
  await waiting.says(/the connection is back/);
  await watching.says(/the connection is back/);
  const builder = await openBuilder();
  await builder.work('outage', async () => doneResult);
  const { code, stdout } = await waiting.ended;
  expect([code, json(stdout)]).toMatchObject([0, { id, state: 'done' }]);
  await expect.poll(watching.stdout, { timeout: 15_000 }).toMatch(/"queue":"outage","pending":0,"inFlight":0/);
  watching.child.kill('SIGTERM');
  expect((await watching.ended).code).toBe(4);
}, 120_000);

test('W2 vak: a queue keeps to the retries that it was made with, a task may ask for fewer', async () => {
  await begin('retries');
  const fabric = await bus.connect();
  const maxDeliver = async (queue: string): Promise<number> =>
    (await fabric.durable.stream('VAK_WORK_default').consumer(`queue-${queue}`).state()).spec.maxDeliver;
  await submitted('retries', '--max-retries', '1', '--', 'true');
  await submitted('more', '--max-retries', '9', '--', 'true');
  expect([await maxDeliver('retries'), await maxDeliver('more')]).toEqual([4, 10]);
  await submitted('more', '--max-retries', '9', '--', 'true');
  const refused =
    /--max-retries\W queue retries allows 3 retries, and was made so; ask for fewer, or take another queue/;
  const before = (await fabric.durable.stream('VAK_WORK_default').state()).lastSeq;
  expect(await submit('retries', '--max-retries', '4', '--', 'true')).toEqual({
    ...{ code: 1, stdout: '', stderr: oneLine(refused) },
  });
  const inJson = ['--json-task', '{"input":1,"maxRetries":4}'];
  expect((await submit('retries', ...inJson)).code).toBe(1);
  expect((await fabric.durable.stream('VAK_WORK_default').state()).lastSeq).toBe(before);
  await fabric.close();
}, 90_000);

test.each([
  [['--', 'true'], /--queue: missing; give the queue of the task/],
  [['--queue', 'a b', '--', 'true'], /--queue: /],
  [['--queue', 'q'], /COMMAND: missing; write it after --, or give a task with --json-task/],
  [['--queue', 'q', '--'], /COMMAND: missing/],
  [['--queue', 'q', 'true'], /vak task submit: 1 argument\(s\) too many; COMMAND… stands after --/],
  [['--queue', 'q', '--json-task', '{"input":1}', '--', 'true'], /--json-task: the task is given twice/],
  [['--queue', 'q', '--json-task', '{}'], /vak\.work\.task: command: expected exactly one of command and input/],
  [['--queue', 'q', '--json-task', 'no json'], /vak\.work\.task: not valid JSON/],
  [['--queue', 'q', '--json-task', '{"command":[""]}'], /task: command\.0: expected a program, got an empty text/],
  [['--queue', 'q', '--json-task', '{"input":1,"env":{"A=B":"c"}}'], /task: env: a name holds "="/],
  [['--queue', 'q', '--timeout', '0', '--', 'true'], /--timeout: found 1 characters, allowed: seconds above 0/],
  [['--queue', 'q', '--max-retries', '-1', '--', 'true'], /vak task submit: /],
  [
    ['--queue', 'q', '--max-retries', '101', '--', 'true'],
    /--max-retries\W found 3 characters, allowed: a whole number/,
  ],
  [['--queue', 'q', '--env', '=x', '--', 'true'], /--env: found 2 characters, allowed: NAME=VALUE/],
  [['--queue', 'q', '--cwd', '', '--', 'true'], /vak\.work\.task: cwd: /],
])('W1 vak: task submit %j is checked before anything is sent: exit 2', async (args, text) => {
  expect(await vak(['task', 'submit', ...args])).toEqual({ code: 2, stdout: '', stderr: oneLine(text) });
});

test.each([
  [['x'], /ID: found 1 characters, allowed: an id as vak task submit prints it/],
  [['0197a3c0-0000-7000-8000-000000000001', '--leaf', 'f'], /--leaf: found 1 characters, allowed: 64 lower hex digits/],
  [['0197a3c0-0000-7000-8000-000000000001', '--timeout', 'x'], /--timeout: found 1 characters/],
])('W7 vak: task wait %j is bad usage: exit 2', async (args, text) => {
  expect(await vak(['task', 'wait', ...args])).toEqual({ code: 2, stdout: '', stderr: oneLine(text) });
});

test('W1 vak: who may not submit is told so, and without a server or streams nothing is kept', async () => {
  await begin('rights');
  expect(await submit('rights', '--identity', 'builder', '--', 'true')).toEqual({
    code: 1,
    stdout: '',
    stderr: oneLine(
      /publish vak\.work\.default\.rights\.task: builder may not, its roles are worker; refused by the engine, rule: worker: deny work.>;/,
    ),
  });
  const away = ['task', 'submit', '--queue', 'q', '--nats-url', 'nats://127.0.0.1:1', '--', 'true'];
  expect(await vak(away)).toEqual({
    code: 3,
    stdout: '',
    stderr: oneLine(/.*; nothing was published, and nothing kept: publish it again/),
  });
  await newSelf('--workspace', 'bare', '--identity', 'other');
  const bare = ['--workspace', 'bare', '--identity', 'other'];
  expect(await submit('q', ...bare, '--', 'true')).toEqual({
    code: 1,
    stdout: '',
    stderr: oneLine(/publish vak\.work\.bare\.q\.task: .*no stream VAK_WORK_bare; .*vak provision/),
  });
  expect(await wait('0197a3c0-0000-7000-8000-000000000001', ...bare)).toMatchObject({ code: 1, stdout: '' });
}, 90_000);
