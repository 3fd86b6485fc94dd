import { randomUUID } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { openProfilePeer, type ProfilePeer } from '../../../tests/support/profile-worker.ts';
import { prepareServer } from '../../../tests/support/vak-bus.ts';
import { json, jsonLines, oneLine, prepareVak, type Ran } from '../../../tests/support/vak-program.ts';
import { createSystemRandomness } from '../../engine/ports/randomness.ts';
import type { ApprovalAnswer } from '../../engine/work/approval-gate.ts';
import { utf8 } from '../../shared/base/bytes.ts';
import { startTrace } from '../../shared/protocol/trace-context.ts';

const program = prepareVak({ isSelfShared: true });
const { vak, newSelf } = program;
const bus = prepareServer();
const { bytes: random } = createSystemRandomness();
const asking = new AbortController();
const peers: ProfilePeer[] = [];

afterEach(async () => {
  for (const peer of peers.splice(0)) await peer.close();
});

interface Listed {
  readonly id: string;
  readonly state: string;
  readonly title: string;
}

async function begin(): Promise<ProfilePeer> {
  await newSelf();
  await newSelf('--identity', 'builder', '--kind', 'process', '--role', 'worker', '--queue', 'q');
  const fabric = await bus.connect();
  await fabric.durable.deleteStream('VAK_APPROVALS_default');
  await fabric.close();
  await bus.provision();
  const peer = await openProfilePeer(program.profile, 'builder', bus.server.url);
  peers.push(peer);
  return peer;
}

const patience = { timeout: 20_000, interval: 50 };
const approvals = (...args: string[]): Promise<Ran> => vak(['approvals', ...args, ...bus.url()]);

async function list(...more: string[]): Promise<Listed[]> {
  const { code, stdout } = await approvals('ls', '--json', ...more);
  expect(code).toBe(0);
  return stdout === '' ? [] : jsonLines<Listed>(stdout);
}

/** Asks as the builder, and resolves with the id of the request when it is stored. */
async function ask(
  { approvals: gate, fabric }: ProfilePeer,
  { title = 'Delete it?', expiresInMs = 60_000 } = {},
): Promise<{ id: string; answer: Promise<ApprovalAnswer> }> {
  const stream = fabric.durable.stream('VAK_APPROVALS_default');
  const { lastSeq } = await stream.state();
  const command = ['sh', '-c', '# tidy up\nrm -rf "$HOME"'];
  const question = { title, detail: 'Queue q, attempt 1', command, expiresInMs, signal: asking.signal };
  const answer = gate.ask({ ...question, taskId: randomUUID(), trace: startTrace(random) });
  await expect.poll(async () => (await stream.state()).lastSeq, patience).toBeGreaterThan(lastSeq);
  const found = await stream.get(lastSeq + 1);
  return { id: json<{ id: string }>(Buffer.from(found?.data ?? []).toString()).id, answer };
}

test('W8 vak: what a session asks for is listed whole, and an operator approves or denies it once', async () => {
  const builder = await begin();
  expect(await approvals('ls')).toEqual({ code: 0, stdout: '', stderr: '' });
  const first = await ask(builder);
  const second = await ask(builder, { title: 'And this?' });
  const [one, two] = await list();
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);
  expect(one).toEqual({
    ...{ id: first.id, state: 'pending', title: 'Delete it?', detail: 'Queue q, attempt 1', peer: 'builder' },
    ...{ command: ['sh', '-c', '# tidy up\nrm -rf "$HOME"'], taskId: expect.stringMatching(/^[0-9a-f-]{36}$/) },
    ...{ session: expect.stringMatching(/^builder-.*-d$/), asked: time, expiresAt: time, answer: null, gone: null },
  });
  expect(two).toMatchObject({ id: second.id, title: 'And this?' });
  // Nobody approves what is only partly shown.
  expect((await approvals('ls')).stdout).toMatch(
    /^\S{36} {2}pending {2}builder {2}until \S+Z {2}Delete it\?\n {4}Queue q, attempt 1\n {4}runs \["sh","-c","# tidy up\\nrm -rf \\"\$HOME\\""\]\n/,
  );
  expect(await approvals('approve', first.id)).toEqual({ code: 0, stdout: '', stderr: `${first.id} is approved\n` });
  expect(await first.answer).toEqual({ kind: 'approved', by: 'operator', reason: undefined });
  const denied = await approvals('deny', second.id, '--reason', 'not on a Friday', '--json', '--quiet');
  expect([denied.code, denied.stderr, json(denied.stdout)]).toEqual([
    ...[0, ''],
    { id: second.id, decision: 'deny', by: 'operator', reason: 'not on a Friday' },
  ]);
  expect(await second.answer).toEqual({ kind: 'denied', by: 'operator', reason: 'not on a Friday' });
  expect(await list()).toEqual([]);
  expect(await list('--all')).toMatchObject([
    { id: first.id, state: 'approved', answer: { decision: 'approve', by: 'operator', reason: null, at: time } },
    { id: second.id, state: 'denied', answer: { decision: 'deny', reason: 'not on a Friday' } },
  ]);
  expect((await approvals('ls', '--all')).stdout).toMatch(/And this\? {2}by operator: not on a Friday\n/);
  const before = await builder.fabric.durable.stream('VAK_APPROVALS_default').state();
  expect(await approvals('approve', second.id)).toEqual({
    ...{ code: 1, stdout: '' },
    stderr: oneLine(/\S{36}: operator has answered it already \(deny\); one answer counts/),
  });
  expect((await builder.fabric.durable.stream('VAK_APPROVALS_default').state()).lastSeq).toBe(before.lastSeq);
}, 90_000);

test('W8 vak: what has expired, is not known, or is not for this identity to answer, is refused', async () => {
  const builder = await begin();
  const late = await ask(builder, { expiresInMs: 1 });
  expect(await late.answer).toEqual({ kind: 'expired' });
  expect(await list()).toEqual([]);
  expect(await list('--all')).toMatchObject([{ id: late.id, state: 'expired' }]);
  expect(await approvals('approve', late.id)).toEqual({
    ...{ code: 1, stdout: '' },
    stderr: oneLine(/\S{36}: it has expired at \S+Z; an answer would not count/),
  });
  expect(await approvals('deny', randomUUID(), '--reason', 'no')).toEqual({
    ...{ code: 1, stdout: '' },
    stderr: oneLine(/\S{36}: there is no request of this id that counts; see vak approvals ls --all/),
  });
  const open = await ask(builder);
  expect(await approvals('approve', open.id, '--identity', 'builder')).toEqual({
    ...{ code: 1, stdout: '' },
    stderr: oneLine(/publish vak\.approvals\.default\.\S+\.verdict: builder may not, its roles are worker; .*/),
  });
  expect(await list()).toMatchObject([{ id: open.id, state: 'pending' }]);
  await approvals('deny', open.id, '--reason', 'enough');
  expect(await open.answer).toMatchObject({ kind: 'denied' });
}, 90_000);

test('W8 vak: a verdict that a worker forges counts for nothing, and of two answers at once one is told that it does not count', async () => {
  const builder = await begin();
  const { id, answer } = await ask(builder);
  const stream = builder.fabric.durable.stream('VAK_APPROVALS_default');
  const found = await stream.read({ limit: 10 });
  const subject = found.messages.at(-1)?.subject.replace(/request$/, 'verdict') ?? '';
  const payload = utf8(JSON.stringify({ requestId: id, requestLeaf: 'f'.repeat(64), decision: 'approve' }));
  await (await builder.peer.publish({ subject, payload, trace: startTrace(random) })).stored;
  const listed = await approvals('ls', '--json');
  expect([json(listed.stdout), listed.stderr]).toEqual([
    expect.objectContaining({ id, state: 'pending' }),
    oneLine(/message 2 of the approvals does not count: .*/),
  ]);
  const both = await Promise.all([approvals('approve', id), approvals('deny', id, '--reason', 'no')]);
  expect(both.map(({ code }) => code).sort()).toEqual([0, 1]);
  const [lost] = both.filter(({ code }) => code === 1);
  expect(lost?.stderr).toMatch(/operator (?:was first \((?:approve|deny)\)|has answered it already)/);
  expect((await answer).kind).toBe(both[0]?.code === 0 ? 'approved' : 'denied');
}, 90_000);

const someId = '0197a3c0-0000-7000-8000-000000000001';

test.each([
  [['deny', someId], /--reason: missing; say why it is denied/],
  [['approve', ''], /ID: found 0 characters, allowed: an id as vak approvals ls prints it/],
  [['approve', someId, '--reason', 'too long '.repeat(114)], /vak\.approvals\.verdict: reason: /],
  [['approve'], /vak approvals approve: ID is missing/],
])('W8 vak: approvals %j is bad usage: exit 2', async (args, text) => {
  expect(await vak(['approvals', ...args])).toEqual({ code: 2, stdout: '', stderr: oneLine(text) });
});
