import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { prepareServer } from '../../../tests/support/vak-bus.ts';
import { json, oneLine, prepareVak } from '../../../tests/support/vak-program.ts';
import { prepareServices, type VakService } from '../../../tests/support/vak-service.ts';
import type { Fabric } from '../../engine/bus/fabric.ts';
import { queueConsumer } from '../../engine/work/work-queue.ts';
import { streamsOf } from '../../shared/protocol/stream-table.ts';

const program = prepareVak({ isSelfShared: true });
const { vak, newSelf } = program;
const bus = prepareServer();
const patience = { timeout: 30_000, interval: 50 };
const slow = { timeout: 60_000 };

let fabric: Fabric;

beforeEach(async () => {
  fabric = await bus.connect();
  await newSelf();
  await bus.provision();
});
afterEach(async () => {
  for (const { name } of streamsOf('default')) await fabric.durable.deleteStream(name);
  await fabric.close();
});

const startService = prepareServices(program);
const serve = (args: readonly string[], environment: Record<string, string> = {}): Promise<VakService> =>
  startService([...args, ...bus.url()], { environment });

async function submit(queue: string, task: object): Promise<string> {
  const subject = `vak.work.default.${queue}.task`;
  const publish = ['publish', subject, '--sealed', '--identity', 'operator', '--data', JSON.stringify(task)];
  const ran = await vak([...publish, ...bus.url()]);
  expect(ran).toMatchObject({ code: 0 });
  return json<{ id: string }>(ran.stdout).id;
}

const messagesOf = async (stream: string): Promise<number> =>
  (await fabric.durable.stream(`VAK_${stream}_default`).state()).messageCount;

test(
  'W1 W2 vak worker: runs the tasks of its queue, tries again what failed, and buries what fails for good',
  slow,
  async () => {
    const worker = await serve(['worker', '--queue', 'build', '--concurrency', '2']);
    const done = await submit('build', { command: ['sh', '-c', 'exit 0'] });
    const dead = await submit('build', { command: ['sh', '-c', 'exit 3'], maxRetries: 1 });
    await submit('other', { command: ['true'] });
    await expect.poll(() => worker.events('buried'), patience).toMatchObject([{ task: dead, attempt: 2 }]);
    expect(worker.events('done')).toMatchObject([{ task: done, queue: 'build', attempt: 1 }]);
    expect(worker.events('failed')).toMatchObject([{ task: dead, attempt: 1, reason: 'exit code 3' }]);
    await expect.poll(() => messagesOf('WORK'), patience).toBe(1);
    expect(await messagesOf('RECEIPTS')).toBe(3);
    expect(await messagesOf('DLQ')).toBe(1);
    worker.child.kill('SIGTERM');
    expect(await worker.ended).toMatchObject({ code: 0, stdout: '' });
    const [{ tookMs }] = worker.events('done') as unknown as [{ readonly tookMs: number }];
    const claimToDone = { count: 1, meanMs: tookMs, p50Ms: tookMs, p90Ms: tookMs, p99Ms: tookMs, maxMs: tookMs };
    expect(worker.lines.at(-1)).toMatchObject({
      ...{ event: 'stopped', done: 1, failed: 1, buried: 1, returned: 0, refused: 0, unsettled: 0, claimToDone },
      // Three receipts and a dead letter at least, and what its sessions told.
      bus: { publishedCount: expect.any(Number), droppedCount: 0 },
    });
    const { bus: said } = worker.lines.at(-1) as unknown as { readonly bus: { readonly publishedCount: number } };
    expect(said.publishedCount).toBeGreaterThan(4);
  },
);

test(
  'W1 vak worker: after a signal it gives back what does not finish in time, and another one takes it',
  slow,
  async () => {
    const first = await serve(['worker', '--queue', 'q', '--drain', '1', '--identity', 'first']);
    const task = await submit('q', {
      command: ['sh', '-c', 'test -e "$0" || { touch "$0"; sleep 300; }', `${program.folder}/seen`],
    });
    await expect.poll(() => first.events('claimed').length, patience).toBe(1);
    first.child.kill('SIGTERM');
    expect(await first.ended).toMatchObject({ code: 0 });
    expect(first.events('returned')).toMatchObject([{ task }]);
    const second = await serve(['worker', '--queue', 'q', '--identity', 'second']);
    await expect.poll(() => second.events('done'), patience).toMatchObject([{ task, attempt: 2 }]);
    expect(await messagesOf('RECEIPTS')).toBe(1);
  },
);

test(
  'W2 W3 vak dlq-supervisor: a task that kills its workers is delivered exactly 4 times and has one dead letter; the queue goes on',
  slow,
  async () => {
    const supervisor = await serve(['dlq-supervisor']);
    const spec = { ...queueConsumer({ workspace: 'default', queue: 'q' }), ackWaitMs: 1_000 };
    await fabric.durable.stream('VAK_WORK_default').ensureConsumer(spec);
    const poison = await submit('q', { command: ['sh', '-c', 'kill -9 $PPID'] });
    const claims: unknown[] = [];
    const attempt = async (): Promise<void> => {
      const worker = await serve(['worker', '--queue', 'q', '--identity', 'mortal']);
      expect(await worker.ended).toMatchObject({ code: null });
      claims.push(...worker.events('claimed'));
    };
    for (let i = 0; i < 4; i++) await attempt();
    expect(claims).toMatchObject([1, 2, 3, 4].map((number) => ({ task: poison, attempt: number })));
    const survivor = await serve(['worker', '--queue', 'q', '--identity', 'mortal']);
    const after = await submit('q', { command: ['true'] });
    await expect.poll(() => survivor.events('done'), patience).toMatchObject([{ task: after, attempt: 1 }]);
    await expect.poll(() => supervisor.events('buried'), patience).toMatchObject([{ task: poison, queue: 'q' }]);
    expect(survivor.events('claimed')).toMatchObject([{ task: after }]);
    expect([await messagesOf('WORK'), await messagesOf('DLQ'), await messagesOf('RECEIPTS')]).toEqual([0, 1, 1]);
    supervisor.child.kill('SIGINT');
    expect(await supervisor.ended).toMatchObject({ code: 0 });
  },
);

test('W1 vak worker: an input goes to the handler, and what it does not know ends as a dead letter', slow, async () => {
  const worker = await serve(['worker', '--queue', 'q', '--exec', 'grep -q zwei', '--identity', 'handler']);
  const task = await submit('q', { input: { list: [1, 'zwei'] } });
  await expect.poll(() => worker.events('done'), patience).toMatchObject([{ task }]);
});

test(
  'I3 vak worker: secrets in variables, bad numbers and a missing queue are refused, and nothing starts',
  slow,
  async () => {
    expect(await vak(['worker', ...bus.url()])).toMatchObject({ code: 2, stderr: oneLine(/--queue/) });
    for (const [name, value] of [
      ['concurrency', '0'],
      ['concurrency', '65'],
      ['drain', 'x'],
      ['approve-within', '1.5'],
    ]) {
      const ran = await vak(['worker', '--queue', 'q', `--${name}`, value ?? '', ...bus.url()]);
      expect(ran).toMatchObject({ code: 2, stderr: oneLine(new RegExp(`--${name}`)) });
    }
    const environment = { VAK_WORKSPACE_SECRET: 'a secret that a command could read' };
    const ran = await vak(['worker', '--queue', 'q', ...bus.url()], { environment });
    expect(ran).toMatchObject({ stdout: '', stderr: oneLine(/VAK_WORKSPACE_SECRET: a worker takes no secret/) });
    expect(ran.code).toBe(2);
    expect(ran.stderr).not.toContain(environment.VAK_WORKSPACE_SECRET);
  },
);

test(
  'E7 vak worker: a secret that is added while it runs opens tasks, and seals, without a new start',
  slow,
  async () => {
    const worker = await serve(['worker', '--queue', 'q', '--identity', 'renewing']);
    const before = await submit('q', { command: ['true'] });
    await expect.poll(() => worker.events('done'), patience).toMatchObject([{ task: before }]);
    const file = join(program.profile, 'new-secret');
    writeFileSync(file, 'a secret that came later', { mode: 0o600 });
    expect(await vak(['config', 'bus', 'set', 'VAK_WORKSPACE_SECRET', '--file', file])).toMatchObject({ code: 0 });
    const after = await submit('q', { command: ['true'] });
    await expect.poll(() => worker.events('done').map(({ task }) => task), patience).toEqual([before, after]);
    expect(worker.events('secrets')).toMatchObject([{ ids: ['s1', 's2'] }]);
    expect(await messagesOf('DLQ')).toBe(0);
    const { messages } = await fabric.durable.stream('VAK_RECEIPTS_default').read({ limit: 10 });
    const keyIds = messages.map(({ data }) => json<{ keyid: string }>(Buffer.from(data).toString()).keyid);
    expect(keyIds).toEqual([expect.stringMatching(/^s1\./), expect.stringMatching(/^s2\./)]);
    worker.child.kill('SIGTERM');
    expect(await worker.ended).toMatchObject({ code: 0 });
  },
);
