import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  openPlaneProfile,
  type PlaneEngine,
  type PlaneProfile,
  planeWorkspace,
} from '../../../tests/support/plane-profile.ts';
import { linksOn } from '../../../tests/support/swarm-parts.ts';
import { buildTestPrograms, type TestPrograms } from '../../../tests/support/test-programs.ts';
import { utf8 } from '../../shared/base/bytes.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import type { TaskPayload } from '../../shared/protocol/payloads.ts';
import { startTrace } from '../../shared/protocol/trace-context.ts';
import { createDenialLog, type DenialLog } from '../access/denial-log.ts';
import type { Consumer, StoredMessage } from '../bus/durable.ts';
import { createLiveFabric, type LiveFabric } from '../connections/live-fabric.ts';
import { listOutboxFolders, openOutboxSlot } from '../outbox/outbox-folder.ts';
import { openOutboxStore } from '../outbox/outbox-store.ts';
import { createSystemClock } from '../ports/clock.ts';
import { draftVerdict, readApproval } from '../work/approval-records.ts';
import { judgeDeadLetter } from '../work/dead-letter-judge.ts';
import { setQueuePaused } from '../work/queue-flags.ts';
import { judgeReceipt } from '../work/receipts.ts';
import { createTaskBook, taskStates } from '../work/task-book.ts';
import { createWorkFollower } from '../work/work-follower.ts';
import type { WorkPeer } from '../work/work-peer.ts';
import { openQueue, queueConsumer, taskSubject } from '../work/work-queue.ts';
import { createForkLauncher } from './fork-launcher.ts';
import type { LaunchedPeer } from './launched-peer.ts';
import { createLocalSwarm, type LocalSwarm } from './local-swarm.ts';

const clock = createSystemClock();
const patience = { timeout: 40_000, interval: 50 };
const queuePlace = { workspace: planeWorkspace, queue: 'local' };
let programs: TestPrograms;
let plane: PlaneProfile;
let first: PlaneEngine;
let second: PlaneEngine;
let live: LiveFabric;
let place: PlaneEngine | undefined;
let swarm: LocalSwarm;
let denials: DenialLog;
let launched: Map<string, LaunchedPeer>;
/** Says to main what a worker might say. */
let forge: (peer: string, value: unknown) => void;

beforeAll(async () => {
  programs = await buildTestPrograms();
}, 60_000);

beforeEach(async () => {
  plane = await openPlaneProfile(clock);
  const { ports, profile, issue } = plane;
  [first, second] = [await plane.openEngine('embedded'), await plane.openEngine('managed')];
  for (const { fabric } of [first, second]) {
    // A claim of the dead comes again soon.
    const consumer = { ...queueConsumer(queuePlace), ackWaitMs: 3_000 };
    await fabric.durable.stream(`VAK_WORK_${planeWorkspace}`).ensureConsumer(consumer);
  }
  live = createLiveFabric(first.fabric, ports);
  place = first;
  denials = createDenialLog(ports);
  launched = new Map();
  const hearers = new Map<string, ((value: unknown) => void)[]>();
  forge = (peer, value) => {
    for (const hear of hearers.get(peer) ?? []) hear(value);
  };
  const launch = createForkLauncher({ entry: programs.worker, environment: process.env, logger: ports.logger });
  swarm = createLocalSwarm({
    ...{ ...ports, issueCredentials: issue, heads: profile.heads, workspace: planeWorkspace },
    launch(peer) {
      const worker = launch(peer);
      launched.set(peer, worker);
      hearers.set(peer, []);
      return {
        ...worker,
        get pid() {
          return worker.pid;
        },
        onMessage(listener) {
          hearers.get(peer)?.push(listener);
          return worker.onMessage(listener);
        },
      };
    },
    ...{ ...linksOn(live.bus, () => place), onChange: () => {}, secrets: () => undefined, onDenied: denials.note },
    files: {
      outbox: profile.files.outbox,
      directory: profile.files.directory(planeWorkspace),
      serials: profile.files.serials,
    },
    policy: () => profile.settings.settings().policy,
  });
}, 60_000);

afterEach(async () => {
  await swarm.dispose();
  await live.close();
  await plane.close();
}, 60_000);

afterAll(() => {
  expect(plane.log.filter((line) => line.includes('"bug"'))).toEqual([]);
});

interface Submitting {
  readonly peer: WorkPeer;
  /** Puts tasks, scripts of sh among them, and gives their ids. */
  submit(...tasks: readonly (string | TaskPayload)[]): Promise<readonly string[]>;
}

async function coordinatorOn(engine: PlaneEngine, name: string): Promise<Submitting> {
  const peer = await plane.openPeer(engine, name, { roles: ['coordinator', 'dlq-supervisor'] });
  await openQueue(peer.durable, queuePlace);
  return {
    peer,
    async submit(...tasks) {
      const ids: string[] = [];
      for (const one of tasks) {
        const task = typeof one === 'string' ? { command: ['sh', '-c', one] } : one;
        const payload = utf8(JSON.stringify({ ...task, cwd: '/' }));
        const trace = startTrace(plane.ports.randomness.bytes);
        const { envelope, stored } = await peer.publisher.publish({ subject: taskSubject(queuePlace), payload, trace });
        await stored;
        ids.push(envelope.id);
      }
      return ids;
    },
  };
}

const messagesOf = async ({ fabric }: PlaneEngine, stream: string): Promise<readonly StoredMessage[]> =>
  (await fabric.durable.stream(`VAK_${stream}_${planeWorkspace}`).read({ limit: 1_000 })).messages;
const leftIn = async ({ fabric }: PlaneEngine): Promise<number> =>
  (await fabric.durable.stream(`VAK_WORK_${planeWorkspace}`).state()).messageCount;
const consumerOf = ({ fabric }: PlaneEngine): Consumer =>
  fabric.durable.stream(`VAK_WORK_${planeWorkspace}`).consumer('queue-local');

async function receiptsIn(engine: PlaneEngine, { judge }: WorkPeer) {
  return (await messagesOf(engine, 'RECEIPTS')).map((message) => {
    const verdict = judgeReceipt(message, judge);
    if (verdict.kind !== 'valid') throw new Error(`a receipt does not count: ${JSON.stringify(verdict)}`);
    return verdict.receipt;
  });
}

/** Follows what becomes of all tasks of an engine. */
function follow(engine: PlaneEngine, { judge, reader }: WorkPeer) {
  const book = createTaskBook({ capacity: 1_000, onChange: () => {} });
  const follower = createWorkFollower({
    ...{ workspace: planeWorkspace, durable: engine.fabric.durable, judge, reader, book, sinceMs: 0, clock },
    onRefused: ({ why }) => {
      throw new Error(why);
    },
  });
  return { book, refresh: () => follower.refresh() };
}

test('W1 W2 W7 real workers: receipts count, a poison task is delivered 4 times, and one that is killed with -9 loses nothing', async () => {
  const { peer, submit } = await coordinatorOn(first, 'carla');
  const { book, refresh } = follow(first, peer);
  const [poison] = await submit('echo poison >&2; exit 1');
  const quick = await submit(...Array.from({ length: 10 }, (_, at) => `echo ${at}`));
  const [slow] = await submit('sleep 2');
  await refresh();
  await swarm.start({ workers: 2 });
  const busyWith = (taskId: string | undefined) =>
    swarm.state().workers.find(({ task, state }) => state === 'busy' && task?.taskId === taskId);
  await expect
    .poll(() => busyWith(slow), patience)
    .toMatchObject({ kind: 'queue', task: { command: ['sh', '-c', 'sleep 2'] } });
  const victim = busyWith(slow);
  process.kill(victim?.pid ?? 0, 'SIGKILL');
  await expect.poll(() => swarm.state().workers.filter(({ state }) => state !== 'dead').length, patience).toBe(2);
  await expect.poll(() => leftIn(first), patience).toBe(0);
  await refresh();

  const receipts = await receiptsIn(first, peer);
  const ofPoison = receipts.filter(({ taskId }) => taskId === poison);
  expect(ofPoison.map(({ attempt, outcome }) => [attempt, outcome])).toEqual(
    [1, 2, 3, 4].map((attempt) => [attempt, 'attempt-failed']),
  );
  const letters = (await messagesOf(first, 'DLQ')).map((message) => judgeDeadLetter(message, peer.judge));
  expect(letters).toMatchObject([{ kind: 'valid', letter: { envelopeId: poison, attempts: 4, errorClass: 'exit.1' } }]);
  const done = receipts.filter(({ outcome }) => outcome === 'done').map(({ taskId }) => taskId);
  expect(done.toSorted()).toEqual([...quick, slow].toSorted());
  expect(receipts.find(({ taskId }) => taskId === slow)).toMatchObject({ attempt: 2 });

  const counts = book.counts();
  expect(counts).toMatchObject({ done: 11, dead: 1 });
  expect(taskStates.reduce((sum, state) => sum + counts[state], 0)).toBe(12);
  const summaries = swarm.state().workers;
  expect(summaries.reduce((sum, { doneCount }) => sum + doneCount, 0)).toBe(11);
  // Four times the poison, and the one that died with its worker.
  expect(summaries.reduce((sum, { failedCount }) => sum + failedCount, 0)).toBe(5);
  expect(denials.entries()).toEqual([]);
}, 90_000);

test('B8 when the engine is exchanged workers give back what they hold, nothing is left behind, and nothing goes to the wrong one', async () => {
  const [one, other] = [await coordinatorOn(first, 'carla'), await coordinatorOn(second, 'carlo')];
  await swarm.start({ workers: 2 });
  const [short] = await one.submit('echo first');
  await expect.poll(() => leftIn(first), patience).toBe(0);
  const long = await one.submit('sleep 60', 'sleep 60', 'echo waits');
  await expect.poll(() => swarm.state().workers.filter(({ state }) => state === 'busy').length, patience).toBe(2);
  place = undefined;
  await swarm.follow();
  expect(plane.log.filter((line) => line.includes('in-haste'))).toEqual([]);
  const given = await consumerOf(first).pull({ batch: 3, waitMs: 0 });
  expect(given.map(({ deliveryCount }) => deliveryCount).toSorted()).toEqual([1, 2, 2]);
  for (const delivery of given) await delivery.nak();
  await expect.poll(() => swarm.state().workers.map(({ state }) => state), patience).toEqual(['idle', 'idle']);

  place = second;
  await swarm.follow();
  const there = await other.submit('echo second', 'echo third');
  await expect.poll(() => leftIn(second), patience).toBe(0);
  expect((await receiptsIn(first, one.peer)).map(({ taskId }) => taskId)).toEqual([short]);
  expect((await receiptsIn(second, other.peer)).map(({ taskId }) => taskId).toSorted()).toEqual(there.toSorted());

  place = first;
  await swarm.follow();
  await expect.poll(() => swarm.state().workers.filter(({ state }) => state === 'busy').length, patience).toBe(2);
  for (const { task } of swarm.state().workers) if (task !== null) await swarm.cancel({ taskId: task.taskId });
  await expect.poll(() => leftIn(first), patience).toBe(0);
  const letters = (await messagesOf(first, 'DLQ')).map((message) => judgeDeadLetter(message, one.peer.judge));
  expect(letters).toMatchObject([{ letter: { errorClass: 'cancelled' } }, { letter: { errorClass: 'cancelled' } }]);
  expect(
    (await receiptsIn(first, one.peer)).filter(({ outcome }) => outcome === 'done').map(({ taskId }) => taskId),
  ).toEqual([short, long[2]]);
  expect(swarm.state().workers.reduce((sum, { cancelledCount }) => sum + cancelledCount, 0)).toBe(2);
  await swarm.stop();

  const folders = await listOutboxFolders(plane.profile.files.outbox, planeWorkspace);
  expect(folders.map(({ destination, peer }) => `${destination} ${peer}`)).toEqual(
    ['embedded', 'managed'].flatMap((name) => [`${name} worker-1`, `${name} worker-2`]),
  );
  for (const folder of folders) {
    const journal = await openOutboxSlot(folder, 0, plane.ports);
    if (journal === undefined) throw new Error('an outbox is still open');
    const { found } = await openOutboxStore(journal, plane.ports.logger);
    expect([folder.destination, found.entries.length]).toEqual([folder.destination, 0]);
    await journal.close();
  }
  for (const engine of [first, second]) {
    const sources = (await messagesOf(engine, 'CHAIN')).length;
    expect(sources).toBeGreaterThan(0);
  }
}, 90_000);

test('B8 a receipt that could not be stored waits on disk for its own engine, and is never sent to another', async () => {
  const { submit, peer } = await coordinatorOn(first, 'carla');
  let isAway = true;
  const { durable } = first.fabric;
  const append: typeof durable.append = (subject, ...rest) =>
    isAway && subject.startsWith('vak.receipts.')
      ? Promise.reject(new VakError('disconnected', 'it is away', { retryable: true }))
      : durable.append(subject, ...rest);
  const away = { ...first, fabric: { ...first.fabric, durable: { ...durable, append } } };
  place = away;
  await swarm.start({ workers: 1 });
  const [taskId] = await submit('echo done');
  await expect.poll(() => swarm.state().workers[0]?.doneCount, patience).toBe(1);
  place = second;
  await swarm.follow();
  await expect.poll(() => consumerOf(second).state(), patience).toMatchObject({ waitingCount: 1 });
  expect([await messagesOf(first, 'RECEIPTS'), await messagesOf(second, 'RECEIPTS')]).toEqual([[], []]);
  isAway = false;
  place = away;
  await swarm.follow();
  await expect.poll(() => receiptsIn(first, peer), patience).toMatchObject([{ taskId, outcome: 'done' }]);
  expect(await messagesOf(second, 'RECEIPTS')).toEqual([]);
}, 60_000);

test('W8 W9 I4 a task waits for an operator who was granted after the worker had begun, and a paused queue gives it none', async () => {
  const { peer, submit } = await coordinatorOn(first, 'carla');
  await swarm.start({ workers: 1 });
  await expect.poll(() => consumerOf(first).state(), patience).toMatchObject({ waitingCount: 1 });
  const [taskId] = await submit({ command: ['true'], approval: { title: 'May it?' } });
  await expect.poll(() => swarm.state().workers[0]?.task, patience).toMatchObject({ taskId, isWaiting: true });
  await expect.poll(async () => (await messagesOf(first, 'APPROVALS')).length, patience).toBe(1);
  const [asked] = await messagesOf(first, 'APPROVALS');
  const record = asked === undefined ? undefined : readApproval(asked, peer.judge);
  if (record?.kind !== 'request') throw new Error('the request does not count');
  const olga = await plane.openPeer(first, 'olga', { roles: ['operator'] });
  const trace = startTrace(plane.ports.randomness.bytes);
  const draft = draftVerdict(record.request, { decision: 'approve' }, { workspace: planeWorkspace, trace });
  await (await olga.publisher.publish(draft)).stored;
  await expect.poll(() => leftIn(first), patience).toBe(0);
  expect(await receiptsIn(first, peer)).toMatchObject([{ taskId, outcome: 'done' }]);

  const pause = (isPaused: boolean) =>
    setQueuePaused({ ...queuePlace, peer: 'olga' }, isPaused, { durable: olga.durable, signer: olga.signer, clock });
  await pause(true);
  await expect.poll(() => consumerOf(first).state(), patience).toMatchObject({ waitingCount: 0 });
  const killed = swarm.state().workers[0];
  await swarm.kill({ peer: killed?.peer ?? '' });
  await submit('echo paused');
  await expect.poll(() => swarm.state().workers.at(-1)?.state, patience).toBe('idle');
  await expect.poll(async () => (await messagesOf(first, 'WORK')).length, patience).toBe(1);
  expect(await consumerOf(first).state()).toMatchObject({ waitingCount: 0, pendingCount: 1 });
  await pause(false);
  await expect.poll(() => leftIn(first), patience).toBe(0);
}, 60_000);

test('A3 A4 a worker that publishes a task, or listens to another’s inbox, is refused, and stands in the record', async () => {
  await coordinatorOn(first, 'carla');
  await swarm.start({ workers: 1 });
  await expect.poll(() => consumerOf(first).state(), patience).toMatchObject({ waitingCount: 1 });
  const data = utf8('{}');
  const subject = taskSubject(queuePlace);
  forge('worker-1', { kind: 'publish', subject, data });
  const inbox = { id: 900, pattern: `vak.agent.${planeWorkspace}.other.inbox`, policy: 'drop-oldest', capacity: 8 };
  forge('worker-1', { kind: 'subscribe', ...inbox });
  const append = { kind: 'durable-call', id: 900_000, call: { method: 'append', subject, data, options: {} } };
  forge('worker-1', { kind: 'lane', lane: 1, value: append });
  await expect.poll(() => denials.entries().length, patience).toBe(3);
  expect(denials.entries()).toMatchObject([
    { peer: 'worker-1', action: 'append', subject, rule: 'worker: deny work.>' },
    { peer: 'worker-1', action: 'subscribe', subject: inbox.pattern, rule: 'A1 default deny' },
    { peer: 'worker-1', action: 'publish', subject, rule: 'worker: deny work.>' },
  ]);
  expect(await leftIn(first)).toBe(0);
}, 60_000);
