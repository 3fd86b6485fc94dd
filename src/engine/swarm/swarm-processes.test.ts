import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { childrenOf, isAlive, livingProcesses, pidIn } from '../../../tests/support/living-processes.ts';
import { recordSession, type SessionRecorder } from '../../../tests/support/session-recorder.ts';
import { swarmPartsOn } from '../../../tests/support/swarm-parts.ts';
import { buildTestPrograms, type TestPrograms } from '../../../tests/support/test-programs.ts';
import { createTestIssuer, createTestWorkspace } from '../../../tests/support/worker-credentials.ts';
import type { WorkerSummary } from '../../shared/contract/swarm-contract.ts';
import type { TaskPayload } from '../../shared/protocol/payloads.ts';
import type { Bus } from '../bus/bus.ts';
import { createMemoryBus } from '../bus/memory/memory-bus.ts';
import { createMemoryHeadStore } from '../envelope/memory-head-store.ts';
import type { PeerCredentials } from '../identity/peer-credentials.ts';
import { createSystemClock } from '../ports/clock.ts';
import { createSilentLogger } from '../ports/logger.ts';
import { createSystemRandomness } from '../ports/randomness.ts';
import { createForkLauncher } from './fork-launcher.ts';
import type { LaunchedPeer } from './launched-peer.ts';
import { createLocalSwarm, type LocalSwarm, type TakenTask } from './local-swarm.ts';

const clock = createSystemClock();
const logger = createSilentLogger();
const patience = { timeout: 30_000, interval: 50 };
let programs: TestPrograms;
let folder: string;
let bus: Bus;
let heard: SessionRecorder;
let swarm: LocalSwarm;
let launched: LaunchedPeer[];
let sessions: string[];

beforeAll(async () => {
  programs = await buildTestPrograms();
  folder = mkdtempSync(join(tmpdir(), 'vak-swarm-'));
}, 60_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeEach(() => {
  bus = createMemoryBus({ clock, logger });
  const { issue, open } = createTestWorkspace('test');
  heard = recordSession(bus, { workspace: 'test', open });
  launched = [];
  sessions = [];
  const launch = createForkLauncher({ entry: programs.worker, environment: process.env, logger });
  swarm = createLocalSwarm({
    ...{ issueCredentials: issue, heads: createMemoryHeadStore() },
    launch(peer) {
      const process = launch(peer);
      launched.push(process);
      return process;
    },
    ...swarmPartsOn(bus),
    ...{ clock, logger, randomness: createSystemRandomness(), workspace: 'test' },
    sessions: { register: (session) => sessions.push(session), end: () => {} },
    onChange: () => {},
  });
});

afterEach(async () => {
  const pids = launched.map(({ pid }) => pid as number);
  await swarm.dispose();
  await bus.close();
  for (const session of sessions) await expect.poll(() => livingProcesses(session), patience).toEqual([]);
  for (const pid of pids) expect(await isAlive(pid)).toBe(false);
}, 60_000);

const sh = (script: string, task: Partial<TaskPayload> = {}): Promise<TakenTask> =>
  swarm.run({ command: ['sh', '-c', script], ...task });
const end = (taken: TakenTask) => expect.poll(() => heard.final(taken.taskId), patience).toBeDefined();
const worker = (): WorkerSummary => swarm.state().workers[0] as WorkerSummary;
/** Starts a worker of its own, configures it so, and gives the reason with which it refuses; its exit code must be 2. */
async function refusalOf(configure: unknown): Promise<string> {
  const stranger = createForkLauncher({ entry: programs.worker, environment: process.env, logger })('stranger');
  const said: unknown[] = [];
  stranger.onMessage((value) => said.push(value));
  const exit = new Promise((resolve) => stranger.onExit(resolve));
  stranger.post(configure);
  expect(await exit).toMatchObject({ exitCode: 2 });
  expect(said).toEqual([{ kind: 'refused', reason: expect.any(String) }]);
  return (said[0] as { readonly reason: string }).reason;
}

const rssOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;

test('local swarm: a worker that is killed with -9 is dead in the snapshot with its cause, and nothing of its command is left', async () => {
  const file = join(folder, 'killed.pid');
  const taken = await sh(`setsid sh -c 'echo $$ > ${file}; exec sleep 300' & sleep 300`);
  await expect.poll(() => pidIn(file), patience).toBeDefined();
  expect((await livingProcesses(taken.session)).length).toBeGreaterThanOrEqual(3);
  process.kill(launched[0]?.pid as number, 'SIGKILL');
  await expect.poll(() => worker().death?.reason ?? '', patience).toMatch(/it had started ended too$/);
  expect(worker()).toMatchObject({ state: 'dead', pid: null, task: null, failedCount: 1 });
  expect(worker().death).toMatchObject({ signal: 'SIGKILL', exitCode: null });
  expect(await livingProcesses(taken.session)).toEqual([]);
  expect(await isAlive(pidIn(file) as number)).toBe(false);
}, 60_000);

test('local swarm: main itself ends what a dead worker leaves, also without the guardian', async () => {
  const taken = await sh('trap "" TERM; sleep 300; :');
  const pid = launched[0]?.pid as number;
  await expect.poll(async () => (await livingProcesses(taken.session)).length, patience).toBe(2);
  const guarded = await livingProcesses(taken.session);
  // Stopped, the worker cannot replace its guardian, which is its only other child.
  process.kill(pid, 'SIGSTOP');
  for (const child of await childrenOf(pid)) if (!guarded.includes(child)) process.kill(child, 'SIGKILL');
  process.kill(pid, 'SIGKILL');
  await expect
    .poll(() => worker().death?.reason ?? '', patience)
    .toMatch(/; 2 processes that it had started ended too$/);
  expect(await livingProcesses(taken.session)).toEqual([]);
}, 60_000);

test('local swarm: kill ends a worker as a crash would, and the next run gets a new one', async () => {
  const taken = await sh('sleep 300');
  const pid = worker().pid;
  await swarm.kill({ peer: taken.peer });
  expect(worker().death?.reason).toMatch(/^killed by the operator \(SIGKILL\) while it ran "sleep 300"/);
  expect(await livingProcesses(taken.session)).toEqual([]);
  // Killed at once, it may have been making the command's pipes.
  expect(readdirSync(tmpdir()).filter((name) => name.startsWith(`vak-pipes-${pid}-`))).toEqual([]);
  const next = await sh('echo again');
  expect(next.session).not.toBe(taken.session);
  await end(next);
}, 60_000);

test('local swarm: a command that is not found fails, and its worker lives on', async () => {
  const taken = await swarm.run({ command: ['vak-no-such-command'] });
  await end(taken);
  expect(heard.final(taken.taskId)?.detail?.reason).toMatch(/command not found/);
  await expect.poll(worker, patience).toMatchObject({ state: 'idle', failedCount: 1, doneCount: 0 });
  const next = await sh('exit 0');
  expect(next.session).toBe(taken.session);
  await end(next);
  await expect.poll(worker, patience).toMatchObject({ state: 'idle', failedCount: 1, doneCount: 1 });
}, 60_000);

test('B2 50 MiB of output arrive whole and in order, and the worker stays small', async () => {
  const size = 50 * 1024 * 1024;
  const taken = await sh(`yes 0123456789abcdef | head -c ${size}`);
  const pid = launched[0]?.pid as number;
  const startBytes = rssOf(pid);
  let peakBytes = 0;
  while (heard.final(taken.taskId) === undefined) {
    peakBytes = Math.max(peakBytes, rssOf(pid));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(heard.final(taken.taskId)).toMatchObject({ state: 'done' });
  expect(heard.streams.stdout).toMatchObject({ sizeBytes: size, misplacedCount: 0 });
  expect(heard.streams.stdout.largestBytes).toBeLessThanOrEqual(32 * 1024);
  const expected = createHash('sha256').update(Buffer.alloc(size, '0123456789abcdef\n')).digest('hex');
  expect(heard.stdoutDigest()).toBe(expected);
  expect(peakBytes - startBytes).toBeLessThan(64 * 1024 * 1024);
}, 120_000);

test('B2 a subscriber that does not return holds up neither the command nor the others', async () => {
  let release: () => void = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const lag = bus.subscribe('vak.events.test.*.terminal', { kind: 'drop-oldest', capacity: 4, onBatch: () => gate });
  const taken = await sh('yes | head -c 3000000');
  await end(taken);
  // The embedded bus drops for the slow one and slows nobody else (B2): all bytes came to the recorder.
  expect(heard.streams.stdout.sizeBytes).toBe(3_000_000);
  release();
  lag.dispose();
}, 60_000);

test('local swarm: a command that never ends is cancelled, also when it ignores SIGTERM and a grandchild left its group', async () => {
  const file = join(folder, 'cancelled.pid');
  const taken = await sh(
    `trap '' TERM; (setsid sh -c 'trap "" TERM; echo $$ > ${file}; sleep 300; :' &); while :; do sleep 1; done`,
  );
  await expect.poll(() => pidIn(file), patience).toBeDefined();
  expect(worker().task?.taskId).toBe(taken.taskId);
  await swarm.cancel({ taskId: taken.taskId });
  expect(await livingProcesses(taken.session)).toEqual([]);
  expect(heard.final(taken.taskId)).toMatchObject({ state: 'failed', detail: { reason: 'cancelled' } });
  await expect.poll(worker, patience).toMatchObject({ state: 'idle', task: null, failedCount: 0, cancelledCount: 1 });
  await expect(swarm.cancel({ taskId: taken.taskId })).rejects.toMatchObject({ code: 'not-found' });
}, 60_000);

test('local swarm: start, run beside it, stop: every worker ends as asked and no process is left', async () => {
  await swarm.start({ workers: 3 });
  expect(swarm.state().workers.map(({ kind, state }) => `${kind} ${state}`)).toEqual(new Array(3).fill('queue idle'));
  const taken = await sh('trap "" TERM; sleep 300; :');
  expect(taken.peer).toBe('worker-4');
  await expect.poll(() => heard.telemetry.length, patience).toBeGreaterThan(4);
  await Promise.all([swarm.stop(), swarm.stop()]);
  expect(swarm.state().state).toBe('stopped');
  expect(swarm.state().workers.map(({ state, death }) => [state, death])).toEqual(new Array(4).fill(['ended', null]));
  for (const session of sessions) expect(await livingProcesses(session)).toEqual([]);
  expect(heard.statuses.filter(({ state }) => state === 'ended')).toHaveLength(4);
}, 60_000);

test('local swarm: a worker that is asked to end from outside drains by itself and is accounted for', async () => {
  const taken = await sh('echo up; sleep 300');
  await expect.poll(() => heard.text('stdout'), patience).toBe('up\n');
  process.kill(launched[0]?.pid as number, 'SIGTERM');
  await expect.poll(() => worker().state, patience).toBe('dead');
  expect(heard.final(taken.taskId)?.detail?.reason).toBe('ended because its worker is stopping');
  expect(worker().death).toMatchObject({ exitCode: 0, signal: null });
  expect(worker().death?.reason).toMatch(/^ended by itself: SIGTERM/);
}, 60_000);

test('local swarm: a worker that hangs does not hang the run, and stop ends it', async () => {
  const first = await sh('true');
  await end(first);
  await expect.poll(worker, patience).toMatchObject({ state: 'idle' });
  process.kill(launched[0]?.pid as number, 'SIGSTOP');
  await expect(sh('true')).rejects.toMatchObject({ code: 'timeout' });
  await swarm.stop();
  expect(worker().state).toBe('ended');
}, 60_000);

test('local swarm: a program that is no worker ends its run with a cause', async () => {
  const other = createLocalSwarm({
    ...{ issueCredentials: createTestIssuer('test'), heads: createMemoryHeadStore() },
    launch: createForkLauncher({ entry: join(folder, 'missing.mjs'), environment: process.env, logger }),
    ...{
      ...swarmPartsOn(bus),
      clock,
      logger,
      randomness: createSystemRandomness(),
      workspace: 'test',
      onChange: () => {},
    },
  });
  await expect(other.run({ command: ['true'] })).rejects.toMatchObject({ code: 'spawn-failed' });
  await expect(other.start({ workers: 2 })).rejects.toMatchObject({ code: 'spawn-failed' });
  expect(other.state().state).toBe('stopped');
  expect(other.state().workers.map(({ death }) => death?.exitCode)).toEqual([1, 1, 1]);
  await other.dispose();
}, 60_000);

test('worker: frames that make no sense do no harm, a configuration that is none is refused', async () => {
  const taken = await sh('echo one');
  await end(taken);
  for (const value of [
    null,
    'text',
    { kind: 7 },
    { kind: 'configure' },
    { kind: 'batch', id: -1 },
    { kind: 'nonsense' },
  ]) {
    launched[0]?.post(value);
  }
  const next = await sh('echo two');
  await end(next);
  expect(next.session).toBe(taken.session);

  const issued = await createTestIssuer('test')({ peer: 'x', roles: ['worker'], queues: ['local'] });
  expect(await refusalOf({ kind: 'configure', workspace: 'a b', peer: 'x', session: 'y' })).toMatch(/no valid/);
  expect(await refusalOf({ kind: 'configure', workspace: 'test', peer: 'x', session: 'y' })).toMatch(/no valid/);
  expect(
    await refusalOf({
      kind: 'configure',
      workspace: 'test',
      peer: 'x',
      session: 'y',
      credentials: { ...issued, grant: 7 },
      commanders: [],
    }),
  ).toMatch(/no valid/);
}, 60_000);

test('I3 worker: keys that do not fit are refused with what does not fit, and nothing starts', async () => {
  const issue = createTestIssuer('test');
  const wanted = { roles: ['worker'], queues: ['local'] } as const;
  const [own, other, foreign] = await Promise.all([
    issue({ peer: 'x', ...wanted }),
    issue({ peer: 'y', ...wanted }),
    createTestIssuer('test')({ peer: 'x', ...wanted }),
  ]);
  const cases: readonly (readonly [Partial<PeerCredentials>, RegExp])[] = [
    [{ card: other.card }, /^credentials of x: the name does not fit/],
    [{ grant: other.grant }, /^credentials of x: the name does not fit/],
    [{ signSeed: other.signSeed }, /the signing key does not fit/],
    [{ boxSecret: other.boxSecret }, /the box key does not fit/],
    [{ rootPublic: foreign.rootPublic }, /^grant: its signature/],
    [{ grant: foreign.grant }, /^grant: its signature/],
  ];
  const said = await Promise.all(
    cases.map(([change]) =>
      refusalOf({
        ...{ kind: 'configure', workspace: 'test', peer: 'x', session: 's-e', commanders: [] },
        ...{ queue: null, policy: { acceptPlain: false, acceptUnsigned: false } },
        credentials: { ...own, ...change },
      }),
    ),
  );
  for (const [index, [, text]] of cases.entries()) expect(said[index]).toMatch(text);
  const seeds = [own, other, foreign].map(({ signSeed }) => Buffer.from(signSeed).toString());
  for (const seed of seeds) expect(said.join()).not.toContain(seed);
}, 60_000);

test('guardian: when the app itself dies by SIGKILL, worker and command end, whatever they ignore', async () => {
  const file = join(folder, 'orphan.pid');
  const plain = join(folder, 'plain.pid');
  // One left the group and is known by its marker; the other threw its environment away and is known by its group.
  const script = `(setsid sh -c 'trap "" TERM; echo $$ > ${file}; sleep 300; :' &)
    exec env -i PATH="$PATH" sh -c 'trap "" TERM; echo $$ > ${plain}; sleep 300; :'`;
  const parent = spawn(process.execPath, [programs.swarmParent, programs.worker, 'sh', '-c', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await createInterface({ input: parent.stdout })[Symbol.asyncIterator]().next()).value.split('\n');
  const { session, worker: pid } = JSON.parse(line) as { session: string; worker: number };
  await expect.poll(() => pidIn(file) && pidIn(plain), patience).toBeDefined();
  // Both at once, as when Electron dies with its utility processes: only the guardian is left.
  process.kill(pid, 'SIGSTOP');
  parent.kill('SIGKILL');
  process.kill(pid, 'SIGKILL');
  await expect.poll(() => livingProcesses(session, [pidIn(plain) as number]), patience).toEqual([]);
  expect(await isAlive(pid)).toBe(false);
}, 60_000);

test('worker: when only the app dies, the worker ends its command and itself', async () => {
  const parent = spawn(process.execPath, [programs.swarmParent, programs.worker, 'sleep', '300'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { value } = await createInterface({ input: parent.stdout })[Symbol.asyncIterator]().next();
  const { session, worker: pid } = JSON.parse(value) as { session: string; worker: number };
  await expect.poll(async () => (await livingProcesses(session)).length, patience).toBe(1);
  parent.kill('SIGKILL');
  await expect.poll(() => isAlive(pid), patience).toBe(false);
  await expect.poll(() => livingProcesses(session), patience).toEqual([]);
}, 60_000);
