import { randomUUID } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { failedResult, openProfilePeer, type ProfilePeer } from '../../../tests/support/profile-worker.ts';
import { prepareServer } from '../../../tests/support/vak-bus.ts';
import { json, jsonLines, oneLine, prepareVak, type Ran } from '../../../tests/support/vak-program.ts';
import { createSystemRandomness } from '../../engine/ports/randomness.ts';
import { utf8 } from '../../shared/base/bytes.ts';
import { decodePayload } from '../../shared/protocol/payloads.ts';
import { startTrace } from '../../shared/protocol/trace-context.ts';

const program = prepareVak({ isSelfShared: true });
const { vak, newSelf } = program;
const bus = prepareServer();
const { bytes: random } = createSystemRandomness();
const peers: ProfilePeer[] = [];
afterEach(async () => {
  for (const peer of peers.splice(0)) await peer.close();
});

const patience = { timeout: 20_000, interval: 50 };
const dlq = (...args: string[]): Promise<Ran> => vak(['dlq', ...args, ...bus.url()]);

interface Listed {
  readonly seq: number;
  readonly taskId: string;
  readonly cause: string;
  readonly state: string;
}

async function list(...more: string[]): Promise<Listed[]> {
  const { code, stdout, stderr } = await dlq('ls', '--json', ...more);
  expect([code, stderr]).toEqual([0, '']);
  return stdout === '' ? [] : jsonLines<Listed>(stdout);
}

/** A builder that fails what it is given, in the way that the task names. */
async function begin(): Promise<ProfilePeer> {
  await newSelf();
  await newSelf('--identity', 'builder', '--kind', 'process', '--role', 'worker', '--queue', 'q');
  await bus.provision();
  const peer = await openProfilePeer(program.profile, 'builder', bus.server.url);
  peers.push(peer);
  await peer.work('q', async ({ task }) => {
    const [how = ''] = task.command ?? [];
    return { ...failedResult, errorClass: how, reason: `job ${randomUUID()} failed: ${how}` };
  });
  return peer;
}

/** One task that fails for good, and letters of the same worker that say the same of others. */
async function fail({ fabric, judge, peer }: ProfilePeer, command: string, ...others: string[]): Promise<void> {
  const stream = fabric.durable.stream('VAK_DLQ_default');
  expect((await vak(['task', 'submit', '--queue', 'q', ...bus.url(), '--', command, 'x'])).code).toBe(0);
  await expect.poll(async () => (await stream.state()).lastSeq, patience).toBe(1);
  const message = await stream.get(1);
  const verdict = message === undefined ? undefined : judge(message);
  if (message === undefined || verdict?.kind !== 'accepted') throw new Error('the dead letter does not count');
  for (const errorClass of others) {
    const reason = `job ${randomUUID()} failed: ${errorClass}`;
    const said = { ...decodePayload('vak.dlq.failed', verdict.payload), envelopeId: randomUUID(), errorClass, reason };
    const draft = { subject: message.subject, payload: utf8(JSON.stringify(said)), trace: startTrace(random) };
    await (await peer.publish(draft)).stored;
  }
}

test('D12 vak: dead letters are listed, grouped, shown, archived and restored, and all of it is on record', async () => {
  const builder = await begin();
  await fail(builder, 'disk', 'disk', 'net');
  const [third, second, first] = await list();
  expect([third, second, first]).toMatchObject([
    {
      seq: 3,
      error: 'net',
      queue: 'q',
      worker: 'builder',
      attempts: 1,
      state: 'open',
      isSealed: true,
      closedWhy: null,
    },
    { seq: 2, error: 'disk', type: 'vak.work.task' },
    { seq: 1, cause: second?.cause },
  ]);
  expect(jsonLines((await dlq('groups', '--json')).stdout)).toMatchObject([
    { key: first?.cause, count: 2, error: 'disk', title: 'job <id> failed: disk', state: 'open', queues: ['q'] },
    { key: third?.cause, count: 1 },
  ]);
  const shown = json<Record<string, unknown>>((await dlq('show', first?.taskId ?? '', '--open', '--json')).stdout);
  expect(shown).toMatchObject({
    ...{ seq: 1, by: 'builder', signature: 'valid', payload: '{"command":["disk","x"]}' },
    attempts: [{ attempt: 1, workerId: 'builder', exitCode: 7, isProven: true }],
    envelope: { type: 'vak.work.task', subject: 'vak.work.default.q.task' },
  });
  const plan = await dlq('archive', '--match', 'error:disk', '--dry-run', '--json');
  expect(json(plan.stdout)).toMatchObject({ operationId: null, count: 2, allCount: 3, cutoffSeq: 3, leftOut: [] });
  expect(await dlq('archive', '--match', 'error:dis', '--dry-run')).toEqual({
    ...{ code: 1, stdout: '', stderr: oneLine(/dlq archive: none; 0 of 3 dead letters/) },
  });
  const archived = await dlq('archive', first?.taskId ?? '', '2', '--reason', 'a known disk', '--json', '--quiet');
  expect([archived.code, archived.stderr]).toEqual([0, '']);
  const { operationId } = json<{ operationId: string }>(archived.stdout);
  const restored = await dlq('restore', '--match', `state:archived cause:${first?.cause}`);
  expect(restored.stderr).toMatch(/^restored 2 of 3 [^↵]+$/);
  const { messages } = await builder.fabric.durable.stream('VAK_AUDIT_default').read({ limit: 20 });
  const said = messages.flatMap((message) => {
    const verdict = builder.judge(message);
    return verdict.kind === 'accepted' ? [decodePayload('vak.audit.action', verdict.payload)] : [];
  });
  expect(said.map(({ action, outcome }) => [action, outcome])).toEqual([
    ['dlq.read', 'done'],
    ['dlq.archive', 'begun'],
    ['dlq.archive', 'archived'],
    ['dlq.archive', 'done'],
    ['dlq.restore', 'begun'],
    ['dlq.restore', 'restored'],
    ['dlq.restore', 'done'],
  ]);
  expect(said[2]).toMatchObject({ operationId, places: [[1, 2]], reason: 'a known disk' });
  // What does not count is said by what lists, and by nothing else.
  await builder.fabric.durable.append('vak.audit.default.builder.action', utf8('no envelope'));
  expect((await dlq('ls')).stderr).toMatch(/^vak: action 8 of the record does not count: It is no envelope: [^\n]+\n$/);
  expect((await dlq('show', '1')).stderr).toBe('');
  const unknown = '01a22fe7-2db0-74f3-9dda-5b3141cfb83e';
  expect(await dlq('retry', unknown, '--dry-run')).toMatchObject({
    code: 1,
    stderr: oneLine(/.*there is none that counts/),
  });
  // What a secret has sealed there is counted before it is revoked; another has sealed nothing of it.
  for (const [id, words] of [
    ['s1', /.*\(3 dead letter\(s\) and 0 task\(s\) that wait at /],
    ['s9', /.*\(0 dead letter\(s\) and 0 task\(s\) that wait at /],
  ] as const) {
    expect(await vak(['secret', 'revoke', id, ...bus.url()])).toMatchObject({ code: 2, stderr: oneLine(words) });
  }
  // A worker may not.
  expect(await dlq('archive', '1', '--identity', 'builder')).toMatchObject({ code: 1, stdout: '' });
}, 120_000);

test.each([
  [['archive'], /vak dlq archive: give places or ids as vak dlq ls prints them, or --match FILTER, one of both/],
  [['archive', '1', '--match', 'x'], /vak dlq archive: give places/],
  [['restore', 'x1'], /SEQ: found 2 characters, allowed: a number/],
  [['archive', '1', '--reason', 'too long '.repeat(114)], /--reason: found 1026 bytes/],
  [['show'], /vak dlq show: SEQ\|ID is missing/],
])('D12 vak: dlq %j is bad usage: exit 2', async (args, text) => {
  expect(await vak(['dlq', ...args])).toEqual({ code: 2, stdout: '', stderr: oneLine(text) });
});
