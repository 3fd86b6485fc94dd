import { afterEach, expect, test } from 'vitest';
import { openProfilePeer, type ProfilePeer } from '../../../tests/support/profile-worker.ts';
import { prepareServer, startUntil } from '../../../tests/support/vak-bus.ts';
import { json, jsonLines, oneLine, prepareVak } from '../../../tests/support/vak-program.ts';
import { openQueue } from '../../engine/work/work-queue.ts';

const program = prepareVak({ isSelfShared: true });
const { vak, newSelf } = program;
const bus = prepareServer();
const peers: ProfilePeer[] = [];

afterEach(async () => {
  for (const peer of peers.splice(0)) await peer.close();
});

interface Line {
  readonly queue: string;
  readonly at: string;
  readonly pending: number;
  readonly inPerSec: number | null;
  readonly outPerSec: number | null;
  readonly isPaused: boolean | null;
}

/** A workspace of its own for each test: one server has them all. */
async function begin(workspace: string): Promise<string[]> {
  const at = ['--workspace', workspace, ...bus.url()];
  await newSelf('--workspace', workspace);
  await bus.provision(workspace);
  return at;
}

const patience = { timeout: 20_000, interval: 50 };
const parsed = (stdout: string): Line[] => jsonLines<Line>(stdout.slice(0, stdout.lastIndexOf('\n') + 1) || '[]\n');

test('W9 vak: queues shows what stands in each queue, for people and for programs, and makes no consumer', async () => {
  const at = await begin('shown');
  expect(await vak(['queues', ...at])).toEqual({
    ...{ code: 0, stdout: '' },
    stderr: 'vak: workspace shown has no queue here; the first task or worker makes one\n',
  });
  for (let i = 0; i < 2; i++) await vak(['task', 'submit', '--queue', 'full', ...at, '--', 'true']);
  const fabric = await bus.connect();
  const stream = fabric.durable.stream('VAK_WORK_shown');
  await openQueue(fabric.durable, { workspace: 'shown', queue: 'empty' }, 9);
  const { consumer } = await openQueue(fabric.durable, { workspace: 'shown', queue: 'full' });
  await consumer.pull({ batch: 1, waitMs: 5_000 });
  const [first] = (await stream.read({ limit: 1 })).messages;
  const ran = await vak(['queues', '--json', ...at]);
  expect([ran.code, ran.stderr]).toEqual([0, '']);
  const rest = { redelivered: 0, inPerSec: null, outPerSec: null, drainMs: null, isPaused: false, paused: null };
  const when = { at: expect.stringMatching(/^\d{4}-.*Z$/) };
  expect(jsonLines(ran.stdout)).toEqual([
    {
      ...rest,
      ...when,
      queue: 'empty',
      pending: 0,
      inFlight: 0,
      lag: 0,
      oldest: null,
      waitingWorkers: 0,
      maxRetries: 9,
    },
    {
      ...{ ...rest, ...when, queue: 'full', pending: 1, inFlight: 1, lag: 2, waitingWorkers: 0, maxRetries: 3 },
      oldest: new Date(first?.storedMs ?? 0).toISOString(),
    },
  ]);
  const people = (await vak(['queues', ...at])).stdout;
  expect(people).toMatch(
    /^QUEUE {2}PENDING {2}IN FLIGHT {2}REDELIVERED {2}OLDEST +IN\/S {2}OUT\/S {2}DRAIN {2}WAITING WORKERS {2}PAUSED\nempty {2}0 +0 +0 +- +- +- +- +0 +-\nfull {3}1 +1 +0 +\S+ m?s.*-\n$/,
  );
  expect((await stream.consumers()).map(({ spec }) => spec.name).sort()).toEqual(['queue-empty', 'queue-full']);
  await fabric.close();
}, 90_000);

test('W9 vak: queues needs no key store for the figures, and says that it cannot tell who paused', async () => {
  const at = await begin('keyless');
  await vak(['task', 'submit', '--queue', 'q', ...at, '--', 'true']);
  const environment = { VAK_PASSPHRASE_FILE: undefined };
  const { code, stdout, stderr } = await vak(['queues', '--json', ...at], { environment });
  expect([code, stderr]).toEqual([0, oneLine(/whether a queue is paused cannot be told: the key store is locked; .*/)]);
  expect(json(stdout)).toMatchObject({ queue: 'q', pending: 1, isPaused: null, paused: null });
  expect((await vak(['queues', ...at], { environment })).stdout).toMatch(/q .* \?\n$/);
}, 90_000);

test('W9 vak: queues --watch shows the rates of what comes and goes, lives until a signal, and ends when nobody reads', async () => {
  const at = await begin('watched');
  await vak(['task', 'submit', '--queue', 'q', ...at, '--', 'true']);
  const watching = await startUntil(program, ['queues', '--watch', '0.2', '--json', ...at], {
    text: /looks every 0\.2 s/,
  });
  await expect.poll(() => parsed(watching.stdout()).length, patience).toBeGreaterThan(1);
  const [first, second] = parsed(watching.stdout());
  expect([first?.inPerSec, first?.outPerSec, second?.inPerSec, second?.outPerSec]).toEqual([null, null, 0, 0]);
  await vak(['task', 'submit', '--queue', 'q', ...at, '--', 'true']);
  const last = (): Line | undefined => parsed(watching.stdout()).at(-1);
  await expect.poll(last, patience).toMatchObject({ pending: 2 });
  expect(last()?.inPerSec).toBeGreaterThan(0);
  expect(last()?.outPerSec).toBe(0);
  const fabric = await bus.connect();
  const { consumer } = await openQueue(fabric.durable, { workspace: 'watched', queue: 'q' });
  for (const delivery of await consumer.pull({ batch: 2, waitMs: 5_000 })) await delivery.ack();
  await expect.poll(last, patience).toMatchObject({ pending: 0, lag: 0 });
  expect(last()?.outPerSec).toBeGreaterThan(last()?.inPerSec ?? 0);
  await fabric.close();
  watching.child.kill('SIGINT');
  expect((await watching.ended).code).toBe(4);
  const cut = await startUntil(program, ['queues', '--watch', '0.2', ...at], { text: /looks every/ });
  cut.child.stdout?.destroy();
  expect((await cut.ended).code).toBe(0);
}, 90_000);

test('W9 vak: an operator pauses a queue, which everybody sees, and lets it go on', async () => {
  await newSelf();
  await newSelf('--identity', 'builder', '--kind', 'process', '--role', 'worker', '--queue', 'paused');
  await bus.provision();
  const paused = async (): Promise<unknown> =>
    jsonLines<Line>((await vak(['queues', '--json', ...bus.url()])).stdout).find(({ queue }) => queue === 'paused');
  const early = await vak(['queues', 'pause', 'paused', ...bus.url()]);
  expect(early).toEqual({
    ...{ code: 0, stdout: '' },
    stderr: 'vak: there is no queue paused yet; it holds as soon as there is one\nqueue paused is paused\n',
  });
  await vak(['task', 'submit', '--queue', 'paused', ...bus.url(), '--', 'true']);
  expect(await paused()).toMatchObject({ isPaused: true, paused: { by: 'operator', since: expect.any(String) } });
  expect((await vak(['queues', ...bus.url()])).stdout).toMatch(/paused .* by operator\n/);
  const refused = await vak(['queues', 'resume', 'paused', '--identity', 'builder', ...bus.url()]);
  expect(refused).toEqual({
    ...{ code: 1, stdout: '' },
    stderr: oneLine(/queues resume: builder may not, it is no operator; see vak grant ls/),
  });
  expect(await paused()).toMatchObject({ isPaused: true });
  const resumed = await vak(['queues', 'resume', 'paused', '--json', '--quiet', ...bus.url()]);
  expect(resumed).toEqual({
    code: 0,
    stdout: '{"queue":"paused","isPaused":false,"by":"operator"}\n',
    stderr: '',
  });
  expect(await paused()).toMatchObject({ isPaused: false, paused: null });
  await vak(['context', 'add', 'look', '--url', bus.server.url, '--read-only']);
  const readOnly = await vak(['queues', 'pause', 'paused', '--context', 'look']);
  expect(readOnly).toMatchObject({ code: 1, stdout: '', stderr: oneLine(/.*read-only/) });
  const peer = await openProfilePeer(program.profile, 'builder', bus.server.url);
  peers.push(peer);
  expect((await peer.fabric.durable.keyValue('VAK_STATE_default').history('queue.paused')).length).toBe(2);
  const bare = ['--workspace', 'bare', '--identity', 'other'];
  await newSelf(...bare);
  const unprovisioned = await vak(['queues', 'pause', 'q', ...bare, ...bus.url()]);
  expect(unprovisioned).toEqual({ code: 1, stdout: '', stderr: oneLine(/.*VAK_STATE_bare.*vak provision/) });
}, 90_000);

test.each([
  [['5'], /vak queues: takes seconds with --watch only; its other commands are pause, resume/],
  [['--watch', '0'], /SECONDS: found 1 characters, allowed: seconds above 0/],
  [['--watch', 'soon'], /SECONDS: found 4 characters/],
  [['pause'], /vak queues pause: QUEUE is missing/],
  [['pause', 'a b'], /QUEUE: /],
])('W9 vak: queues %j is bad usage: exit 2', async (args, text) => {
  expect(await vak(['queues', ...args])).toEqual({ code: 2, stdout: '', stderr: oneLine(text) });
});
