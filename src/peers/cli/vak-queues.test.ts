import { afterEach, expect, test } from 'vitest';
import { doneResult, failedResult, openProfilePeer, type ProfilePeer } from '../../../tests/support/profile-worker.ts';
import { parsePrometheusText } from '../../../tests/support/prometheus-parser.ts';
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
  const bare = await vak(['queues', '--workspace', 'bare', ...bus.url()]);
  expect(bare.stderr).toContain('vak: workspace bare has no streams here; make them with vak provision\n');
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
  const time = expect.stringMatching(/^\d{4}-.*Z$/);
  const when = { at: time, stateSince: time };
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
      lastClaim: null,
      state: 'idle',
      maxRetries: 9,
    },
    {
      ...{ ...rest, ...when, queue: 'full', pending: 1, inFlight: 1, lag: 2, waitingWorkers: 0, maxRetries: 3 },
      ...{ oldest: new Date(first?.storedMs ?? 0).toISOString(), lastClaim: time, state: 'ok' },
    },
  ]);
  const people = (await vak(['queues', ...at])).stdout;
  expect(people).toMatch(
    /^QUEUE {2}PENDING {2}IN FLIGHT {2}REDELIVERED {2}OLDEST +IN\/S {2}OUT\/S {2}DRAIN {2}WAITING WORKERS {2}LAST CLAIM {2}STATE {2}PAUSED\nempty {2}0 +0 +0 +- +- +- +- +0 +- +idle +-\nfull {3}1 +1 +0 +\S+ m?s.* m?s +ok +-\n$/,
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
  // What is heard may come a look later than what is counted.
  await expect.poll(() => last()?.inPerSec, patience).toBeGreaterThan(0);
  await expect.poll(last, patience).toMatchObject({ pending: 2, outPerSec: 0 });
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
  expect(await paused()).toMatchObject({
    ...{ isPaused: true, paused: { by: 'operator', since: expect.any(String) }, state: 'paused' },
  });
  expect((await vak(['queues', ...bus.url()])).stdout).toMatch(/paused .* by operator\n/);
  const refused = await vak(['queues', 'resume', 'paused', '--identity', 'builder', ...bus.url()]);
  expect(refused).toEqual({
    ...{ code: 1, stdout: '' },
    stderr: oneLine(
      /queues resume: builder may not, its roles are worker; refused by the engine, rule: A1 default deny.*/,
    ),
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

test('W10 vak: metrics shows what stands in a workspace, for people, programs and Prometheus, and makes no consumer', async () => {
  const at = await begin('measured');
  const fabric = await bus.connect();
  const { durable } = fabric;
  await durable.append('vak.dlq.measured.w.failed', new Uint8Array(100));
  const { consumer } = await openQueue(durable, { workspace: 'measured', queue: 'q' });
  for (let i = 0; i < 3; i++) await durable.append('vak.work.measured.q.task', new Uint8Array(10));
  await consumer.pull({ batch: 1, waitMs: 5_000 });
  const { stdout, code, stderr } = await vak(['metrics', '--json', ...at]);
  expect([code, stderr]).toEqual([0, '']);
  const value = json<{ readonly streams: readonly { readonly stream: string; readonly bytes: number }[] }>(stdout);
  expect(value).toMatchObject({
    ...{ workspace: 'measured', deadLetters: 0, refusedDeadLetters: 1, unjudgedDeadLetters: 0, activeQueueLag: 3 },
    queues: [{ queue: 'q', pending: 2, inFlight: 1, redelivered: 0, lag: 3, waitingWorkers: 0, state: 'ok' }],
  });
  expect(value).not.toHaveProperty('live');
  const streams = (await durable.streams()).filter(({ spec }) => spec.name.endsWith('_measured'));
  expect(value.streams.toSorted((a, b) => a.stream.localeCompare(b.stream))).toEqual(
    streams
      .map(({ spec, messageCount, bytes }) => ({ stream: spec.name, messages: messageCount, bytes }))
      .toSorted((a, b) => a.stream.localeCompare(b.stream)),
  );
  const exposed = parsePrometheusText((await vak(['metrics', '--prometheus', ...at])).stdout);
  const sampleOf = (name: string, more: object = {}) =>
    exposed.get(name)?.samples.find(([, labels]) => Object.entries(more).every(([key, text]) => labels[key] === text));
  expect(sampleOf('vak_dead_letters')).toEqual(['vak_dead_letters', { workspace: 'measured' }, 0]);
  expect(sampleOf('vak_refused_dead_letters')?.[2]).toBe(1);
  expect(sampleOf('vak_active_queue_lag_tasks')?.[2]).toBe(3);
  expect(sampleOf('vak_queue_pending_tasks', { queue: 'q' })?.[2]).toBe(2);
  expect(sampleOf('vak_queue_state', { queue: 'q', state: 'ok' })?.[2]).toBe(1);
  expect(sampleOf('vak_queue_state', { queue: 'q', state: 'stuck' })?.[2]).toBe(0);
  expect(sampleOf('vak_stream_messages', { stream: 'VAK_WORK_measured' })?.[2]).toBe(3);
  expect([...exposed.keys()].filter((name) => name.endsWith('_total'))).toEqual([]);
  const people = (await vak(['metrics', ...at])).stdout;
  expect(people).toMatch(
    /^workspace measured {2}\S+Z {2}dead letters 0 \(1 refused\) {2}active queue lag 3\n\nQUEUE .*\nq .* ok\n\nSTREAM/,
  );
  const names = (await durable.stream('VAK_WORK_measured').consumers()).map(({ spec }) => spec.name);
  expect([names, await durable.stream('VAK_DLQ_measured').consumers()]).toEqual([['queue-q'], []]);
  await fabric.close();
}, 90_000);

interface WatchedLine {
  readonly live: { readonly received: number; readonly receivedBytes: number; readonly dropped: number };
  readonly tasks: { readonly done: number; readonly dead: number; readonly failedAttempts: number } | null;
}

test('W10 vak: metrics --watch counts what it hears and what tasks come to, and tells how long both took', async () => {
  await newSelf();
  await newSelf('--identity', 'doer', '--kind', 'process', '--role', 'worker', '--queue', 'watched');
  await vak(['provision', ...bus.url()]);
  const doer = await openProfilePeer(program.profile, 'doer', bus.server.url);
  peers.push(doer);
  const sum = { count: 0, bytes: 0 };
  doer.fabric.bus.subscribe('vak.*.default.>', {
    kind: 'inline',
    onMessage({ data }) {
      sum.count++;
      sum.bytes += data.length;
    },
  });
  await doer.fabric.ping();
  const begin = (...more: string[]) =>
    startUntil(program, ['metrics', '--watch', '0.2', ...more, ...bus.url()], { text: /looks every 0\.2 s/ });
  const [watching, exposing] = [await begin('--json'), await begin('--prometheus')];
  await doer.work('watched', async ({ task }) => (task.command?.[0] === 'true' ? doneResult : failedResult));
  const submit = (program: string) => vak(['task', 'submit', '--queue', 'watched', ...bus.url(), '--', program]);
  for (const command of ['true', 'true', 'false']) await submit(command);
  const last = (): WatchedLine =>
    jsonLines<WatchedLine>(watching.stdout().replace(/[^\n]*$/, '')).at(-1) as WatchedLine;
  const wanted = { done: 2, finishedLate: 0, dead: 1, failedAttempts: 1, lost: 0, refusedRecords: 0 };
  await expect.poll(() => last().tasks, patience).toMatchObject({ ...wanted, claimToDone: { count: 2 } });
  await expect
    .poll(() => last().live, patience)
    .toMatchObject({ received: sum.count, receivedBytes: sum.bytes, dropped: 0, publishToDeliver: { unmeasured: 0 } });
  expect(last()).toMatchObject({
    live: {
      publishToDeliver: { count: sum.count, p50Ms: expect.any(Number) },
      planes: { work: { received: 3 }, receipts: { received: 3 }, dlq: { received: 1 } },
    },
  });
  const heard = (text: string) =>
    text
      .split('\n\n')
      .slice(0, -1)
      .map((one) => parsePrometheusText(`${one}\n`));
  const totalOf = (name: string): number =>
    (heard(exposing.stdout()).at(-1)?.get(name)?.samples ?? []).reduce((all, [, , value]) => all + value, 0);
  await expect.poll(() => totalOf('vak_received_bytes_total'), patience).toBe(sum.bytes);
  await expect.poll(() => totalOf('vak_tasks_done_total'), patience).toBe(2);
  for (const one of [watching, exposing]) {
    one.child.kill('SIGINT');
    expect((await one.ended).code).toBe(4);
  }
}, 90_000);

test('W10 vak: metrics needs no key store, and says what it cannot tell; without streams there are no figures', async () => {
  const at = await begin('unmeasured');
  const environment = { VAK_PASSPHRASE_FILE: undefined };
  const cut = await startUntil(program, ['metrics', '--watch', '0.2', '--json', ...at], {
    text: /looks every/,
    environment,
  });
  await expect.poll(() => cut.stdout(), patience).toMatch(/"tasks":null\}\n/);
  await cut.says(
    /whether a queue is paused, what tasks come to and which dead letters count cannot be told: the key store is locked/,
  );
  cut.child.stdout?.destroy();
  expect((await cut.ended).code).toBe(0);
  const bare = await vak(['metrics', '--json', '--workspace', 'nowhere', ...bus.url()], { environment });
  expect([bare.code, bare.stderr]).toEqual([
    0,
    expect.stringMatching(/nowhere has no streams here; .* vak provision\n$/),
  ]);
  expect(json(bare.stdout)).toMatchObject({ deadLetters: null, activeQueueLag: 0, queues: [], streams: [] });
}, 90_000);

test.each([
  [['5'], /vak metrics: takes seconds with --watch only/],
  [['--watch', '0'], /SECONDS: found 1 characters/],
  [['--json', '--prometheus'], /vak metrics: --json and --prometheus exclude each other/],
])('W10 vak: metrics %j is bad usage: exit 2', async (args, text) => {
  expect(await vak(['metrics', ...args])).toEqual({ code: 2, stdout: '', stderr: oneLine(text) });
});

test.each([
  [['5'], /vak queues: takes seconds with --watch only; its other commands are pause, resume/],
  [['--watch', '0'], /SECONDS: found 1 characters, allowed: seconds above 0/],
  [['--watch', 'soon'], /SECONDS: found 4 characters/],
  [['pause'], /vak queues pause: QUEUE is missing/],
  [['pause', 'a b'], /QUEUE: /],
])('W9 vak: queues %j is bad usage: exit 2', async (args, text) => {
  expect(await vak(['queues', ...args])).toEqual({ code: 2, stdout: '', stderr: oneLine(text) });
});
