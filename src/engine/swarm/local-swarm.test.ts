import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestIssuer } from '../../../tests/support/worker-credentials.ts';
import { toText, utf8 } from '../../shared/base/bytes.ts';
import { toDisposable } from '../../shared/base/disposer.ts';
import { buildSubject } from '../../shared/protocol/subject.ts';
import type { Bus } from '../bus/bus.ts';
import { createChannelBus } from '../bus/channel/channel-bus.ts';
import type { ChannelPort } from '../bus/channel/channel-port.ts';
import { createMemoryBus } from '../bus/memory/memory-bus.ts';
import { createFakeClock, type FakeClock } from '../ports/fake-clock.ts';
import { createSilentLogger } from '../ports/logger.ts';
import { createSeededRandomness } from '../ports/randomness.ts';
import type { ProcessTable } from '../work/process-rows.ts';
import type { LaunchedPeer, PeerExit } from './launched-peer.ts';
import { createLocalSwarm, type LocalSwarm, maxEndedWorkers, type TakenTask } from './local-swarm.ts';
import { type MainFrame, readMainFrame } from './worker-frames.ts';

/** A worker's process that a test plays: its end of the channel, its bus, and its fate. */
interface PlayedWorker {
  readonly peer: string;
  session: string;
  readonly frames: MainFrame[];
  readonly signals: string[];
  readonly runs: string[];
  post(value: unknown): void;
  exit(how: Partial<PeerExit>): void;
  /** Publishes the status of a task. */
  say(state: 'done' | 'failed', taskId: string): void;
}

let clock: FakeClock;
let bus: Bus;
let swarm: LocalSwarm;
let played: PlayedWorker[];
/** What new workers do with `configure` and `drain`. */
let isObedient: boolean;
/** Whether they answer a run. */
let isMute: boolean;
let ended: [string, string][];
let onChange: () => void;

const emptyTable: ProcessTable = {
  all: async () => [],
  withDescendants: async () => [],
  withEnvironment: async () => [],
  uptimeMs: () => 0,
};

function play(peer: string): LaunchedPeer {
  const main = {
    message: new Set<(value: unknown) => void>(),
    close: new Set<() => void>(),
    exit: new Set<(how: PeerExit) => void>(),
  };
  const own = new Set<(value: unknown) => void>();
  const add = <T>(set: Set<T>, listener: T) => {
    set.add(listener);
    return toDisposable(() => set.delete(listener));
  };
  const tell = (listeners: Set<(value: unknown) => void>, value: unknown): void =>
    clock.defer(() => {
      if (isGone) return;
      for (const hear of [...listeners]) hear(value);
    });
  let isGone = false;
  const post = (value: unknown): void => tell(main.message, value);
  const port: ChannelPort = {
    post,
    onMessage: (listener) => add(own, listener),
    onClose: () => toDisposable(() => {}),
    close() {},
  };
  const workerBus = createChannelBus({ port, clock, logger: createSilentLogger() });
  const worker: PlayedWorker = {
    ...{ peer, session: '', frames: [], signals: [], runs: [], post },
    exit(how) {
      if (isGone) return;
      isGone = true;
      for (const hear of [...main.close]) hear();
      for (const hear of [...main.exit]) hear({ exitCode: null, signal: null, ...how });
    },
    say(state, taskId) {
      const subject = buildSubject({ plane: 'events', workspace: 'test', entity: worker.session, verb: 'status' });
      workerBus.publish(subject, utf8(JSON.stringify({ state, taskId, attempt: 1 })));
    },
  };
  own.add((value) => {
    const frame = readMainFrame(value);
    if (typeof frame === 'string') return;
    worker.frames.push(frame);
    if (frame.kind === 'configure') worker.session = frame.session;
    if (!isObedient) return;
    if (frame.kind === 'configure') {
      workerBus.subscribe(`vak.control.test.${peer}.run`, {
        kind: 'inline',
        onMessage({ data, respond }) {
          worker.runs.push((JSON.parse(toText(data)) as { taskId: string }).taskId);
          if (!isMute) respond?.(utf8('{"ok":true}'));
        },
      });
      post({ kind: 'ready', pid: 4242 });
    } else if (frame.kind === 'drain') post({ kind: 'drained', reason: 'asked' });
    else worker.exit({ exitCode: 0 });
  });
  played.push(worker);
  return {
    ...{ pid: 4242, close() {} },
    post: (value) => tell(own, value),
    onMessage: (listener) => add(main.message, listener),
    onClose: (listener) => add(main.close, listener),
    onExit: (listener) => add(main.exit, listener),
    kill(signal) {
      worker.signals.push(signal);
      worker.exit({ signal });
    },
  };
}

/** Lets promises and deferred work run until nothing moves. */
async function settle(ms = 0): Promise<void> {
  for (let i = 0; i < 40; i++) {
    await new Promise((resolve) => setImmediate(resolve));
    clock.runDeferred();
  }
  if (ms === 0) return;
  clock.advance(ms);
  await settle();
}

const issueCredentials = createTestIssuer('test');

beforeEach(() => {
  clock = createFakeClock();
  bus = createMemoryBus({ clock, logger: createSilentLogger() });
  played = [];
  ended = [];
  isObedient = true;
  isMute = false;
  onChange = () => {};
  swarm = createLocalSwarm({
    ...{ launch: play, bus, clock, logger: createSilentLogger(), workspace: 'test', table: emptyTable },
    randomness: createSeededRandomness(7),
    issueCredentials,
    sessions: { register: () => {}, end: (session, note) => ended.push([session, note]) },
    onChange: () => onChange(),
  });
});

afterEach(async () => {
  isObedient = true;
  const disposed = swarm.dispose();
  await settle(5_000);
  await disposed;
  await bus.close();
  expect(clock.timerCount).toBe(0);
});

const states = (): string[] => swarm.state().workers.map(({ peer, state }) => `${peer} ${state}`);
const command = { command: ['true'] };

test('local swarm: start gives each worker a sample command, one after the other, from a rota', async () => {
  const starting = swarm.start({ workers: 2 });
  expect(swarm.state().state).toBe('starting');
  await settle();
  await starting;
  expect(swarm.state().state).toBe('running');
  expect(states()).toEqual(['worker-1 idle', 'worker-2 idle']);
  await settle(500);
  expect(states()).toEqual(['worker-1 busy', 'worker-2 busy']);
  const [first, second] = swarm.state().workers.map(({ task }) => task?.command.join());
  expect(first).not.toBe(second);
  played[0]?.say('failed', played[0].runs[0] as string);
  await settle(500);
  expect(swarm.state().workers[0]).toMatchObject({ state: 'busy', failedCount: 1, doneCount: 0 });
  expect(played[0]?.runs).toHaveLength(2);
});

test('local swarm: sessions are new for each process, names are those that are free', async () => {
  const starting = swarm.start({ workers: 2 });
  await settle();
  await starting;
  const before = played[0]?.session;
  played[0]?.exit({ signal: 'SIGKILL' });
  await settle();
  const running = swarm.run(command);
  await settle();
  const taken = await running;
  expect(taken.peer).toBe('worker-2');
  const another = swarm.run(command);
  await settle();
  expect((await another).peer).toBe('worker-1');
  expect((await another).session).not.toBe(before);
});

test('local swarm: start is refused while it starts, runs or stops, and works again after', async () => {
  const starting = swarm.start({ workers: 1 });
  await expect(swarm.start({ workers: 1 })).rejects.toMatchObject({ code: 'already-running' });
  await settle();
  await starting;
  await expect(swarm.start({ workers: 1 })).rejects.toMatchObject({ code: 'already-running' });
  const stopping = swarm.stop();
  expect(swarm.stop()).toBe(stopping);
  await expect(swarm.start({ workers: 1 })).rejects.toMatchObject({ code: 'already-running', retryable: true });
  await expect(swarm.run(command)).rejects.toMatchObject({ code: 'already-running', retryable: true });
  await settle();
  await stopping;
  expect(swarm.state()).toMatchObject({ state: 'stopped', workers: [{ state: 'ended', death: null, pid: null }] });
  const again = swarm.start({ workers: 1 });
  await settle();
  await again;
  expect(states()).toEqual(['worker-1 idle']);
});

test('local swarm: stopping while starting ends what was launched and launches no more', async () => {
  isObedient = false;
  const starting = swarm.start({ workers: 20 });
  const outcome = expect(starting).rejects.toMatchObject({ code: 'aborted' });
  await settle();
  const stopping = swarm.stop();
  await settle(3_000);
  await stopping;
  await outcome;
  expect(played.length).toBeLessThanOrEqual(8);
  expect(swarm.state().workers.every(({ state }) => state === 'ended')).toBe(true);
});

test('local swarm: a worker that is never ready is ended after 10 s and shown as dead with that reason', async () => {
  isObedient = false;
  const starting = expect(swarm.start({ workers: 1 })).rejects.toMatchObject({ code: 'spawn-failed' });
  await settle(9_999);
  expect(played[0]?.signals).toEqual([]);
  await settle(1);
  await starting;
  const [worker] = swarm.state().workers;
  expect(worker).toMatchObject({ state: 'dead', death: { signal: 'SIGKILL' } });
  expect(worker?.death?.reason).toMatch(/not ready within 10 s and was ended/);
  expect(swarm.state().state).toBe('stopped');
});

test('local swarm: a worker that does not drain within 3 s is killed, and still counts as asked', async () => {
  const starting = swarm.start({ workers: 1 });
  await settle();
  await starting;
  isObedient = false;
  const stopping = swarm.stop();
  await settle(2_999);
  expect(played[0]?.signals).toEqual([]);
  await settle(1);
  await stopping;
  expect(played[0]?.signals).toEqual(['SIGKILL']);
  expect(states()).toEqual(['worker-1 ended']);
});

test('local swarm: a death while a command runs counts the command as failed and tells the session list', async () => {
  const running = swarm.run({ command: ['sleep', '9'] });
  await settle();
  const { session } = await running;
  played[0]?.exit({ signal: 'SIGSEGV' });
  await settle();
  const [worker] = swarm.state().workers;
  expect(worker).toMatchObject({ state: 'dead', task: null, failedCount: 1, pid: null });
  expect(worker?.death).toMatchObject({ signal: 'SIGSEGV', exitCode: null });
  expect(worker?.death?.reason).toBe('killed by SIGSEGV while it ran "sleep 9"; nothing that it started is left');
  expect(ended).toEqual([[session, `worker died: ${worker?.death?.reason}`]]);
});

test('local swarm: when the last worker of the rota has died the swarm is stopped and may be started again', async () => {
  const starting = swarm.start({ workers: 1 });
  await settle();
  await starting;
  played[0]?.exit({ exitCode: 1 });
  await settle();
  expect(swarm.state().state).toBe('stopped');
  expect(swarm.state().workers[0]?.death?.reason).toMatch(/^exited with code 1;/);
  const again = swarm.start({ workers: 1 });
  await settle();
  await again;
  expect(states()).toEqual(['worker-1 dead', 'worker-1 idle']);
});

test('local swarm: run takes an idle worker, else launches one; two at once never get the same', async () => {
  const first = swarm.run(command);
  const second = swarm.run(command);
  await settle();
  expect([(await first).peer, (await second).peer]).toEqual(['worker-1', 'worker-2']);
  expect(swarm.state().state).toBe('stopped');
  played[1]?.say('done', (await second).taskId);
  await settle();
  const third = swarm.run(command);
  await settle();
  expect((await third).peer).toBe('worker-2');
  expect(played).toHaveLength(2);
});

test('local swarm: a worker that is free, or just got ready for one run, is not given to a second', async () => {
  let second: Promise<TakenTask> | undefined;
  onChange = () => {
    if (!states().includes('worker-1 idle')) return;
    onChange = () => {};
    second = swarm.run(command);
  };
  const first = swarm.run(command);
  await settle();
  expect([(await first).peer, (await second)?.peer]).toEqual(['worker-1', 'worker-2']);
  played[0]?.say('done', (await first).taskId);
  await settle();
  const atOnce = [swarm.run(command), swarm.run(command)];
  await settle();
  expect((await Promise.all(atOnce)).map(({ peer }) => peer)).toEqual(['worker-1', 'worker-3']);
});

test('local swarm: a worker that dies before it answered fails the run at once, not after the time limit', async () => {
  isMute = true;
  const running = expect(swarm.run(command)).rejects.toMatchObject({ code: 'closed', retryable: true });
  await settle();
  expect(states()).toEqual(['worker-1 busy']);
  const atMs = clock.monotonic();
  played[0]?.exit({ signal: 'SIGKILL' });
  await settle();
  await running;
  expect(clock.monotonic()).toBe(atMs);
});

test('local swarm: a worker that only ran by request stays out of the rota', async () => {
  const running = swarm.run(command);
  await settle();
  const starting = swarm.start({ workers: 1 });
  played[0]?.say('done', (await running).taskId);
  await settle(2_000);
  await starting;
  expect(states()).toEqual(['worker-1 idle', 'worker-2 busy']);
});

test('local swarm: at most 64 workers', async () => {
  const starting = swarm.start({ workers: 64 });
  await settle(1_000);
  await starting;
  await settle(1_000);
  expect(swarm.state().workers.filter(({ state }) => state === 'busy')).toHaveLength(64);
  await expect(swarm.run(command)).rejects.toMatchObject({ code: 'limit-exceeded' });
});

test('local swarm: a worker that dies before it took the command fails the run, at once', async () => {
  isObedient = false;
  const running = expect(swarm.run(command)).rejects.toMatchObject({ code: 'spawn-failed' });
  await settle();
  played[0]?.exit({ exitCode: 1 });
  await settle();
  await running;
  expect(swarm.state().workers[0]?.death?.reason).toMatch(/exited with code 1 before it was ready/);
});

test('local swarm: a process that could not be started is a death with the cause', async () => {
  isObedient = false;
  const running = expect(swarm.run(command)).rejects.toMatchObject({ code: 'spawn-failed' });
  await settle();
  played[0]?.exit({ problem: 'spawn EAGAIN' });
  await settle();
  await running;
  expect(swarm.state().workers[0]?.death?.reason).toMatch(/^could not be started: spawn EAGAIN;/);
});

test('local swarm: bad input and unknown names are refused with their codes', async () => {
  await expect(swarm.run({ command: [] })).rejects.toMatchObject({ code: 'invalid-payload' });
  await expect(swarm.cancel({ taskId: 'nobody' })).rejects.toMatchObject({ code: 'not-found' });
  await expect(swarm.kill({ peer: 'nobody' })).rejects.toMatchObject({ code: 'not-found' });
  expect(played).toHaveLength(0);
});

test('local swarm: the dead stay listed, the latest 32 of them', async () => {
  for (let i = 0; i < maxEndedWorkers + 3; i++) {
    const running = swarm.run(command);
    await settle();
    await running;
    played.at(-1)?.exit({ exitCode: i });
    await settle();
  }
  expect(swarm.state().workers.map(({ death }) => death?.exitCode)).toEqual(
    Array.from({ length: maxEndedWorkers }, (_, index) => index + 3),
  );
});

test('local swarm: frames that make no sense change nothing', async () => {
  const running = swarm.run(command);
  await settle();
  await running;
  const before = JSON.stringify(swarm.state());
  for (const value of [
    null,
    7,
    {},
    { kind: 1 },
    { kind: 'group-started', pgid: 1 },
    { kind: 'ready', pid: 'x' },
    { kind: 'nonsense' },
  ]) {
    played[0]?.post(value);
  }
  await settle();
  expect(JSON.stringify(swarm.state())).toBe(before);
});
