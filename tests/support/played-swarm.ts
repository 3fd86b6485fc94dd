/** A swarm whose worker processes a test plays: their end of the channel, their bus, and their fate. */
import { afterEach, beforeEach, expect } from 'vitest';
import type { Bus } from '../../src/engine/bus/bus.ts';
import { createChannelBus } from '../../src/engine/bus/channel/channel-bus.ts';
import type { ChannelPort } from '../../src/engine/bus/channel/channel-port.ts';
import { createMemoryBus } from '../../src/engine/bus/memory/memory-bus.ts';
import { createMemoryHeadStore } from '../../src/engine/envelope/memory-head-store.ts';
import type { IssueCredentials, PeerCredentials } from '../../src/engine/identity/peer-credentials.ts';
import { createFakeClock, type FakeClock } from '../../src/engine/ports/fake-clock.ts';
import type { HeadStore } from '../../src/engine/ports/head-store.ts';
import { createSilentLogger } from '../../src/engine/ports/logger.ts';
import { createSeededRandomness } from '../../src/engine/ports/randomness.ts';
import type { LaunchedPeer, PeerExit } from '../../src/engine/swarm/launched-peer.ts';
import { createLocalSwarm, type LocalSwarm } from '../../src/engine/swarm/local-swarm.ts';
import type { WorkPlace } from '../../src/engine/swarm/work-lanes.ts';
import { type MainFrame, readMainFrame } from '../../src/engine/swarm/worker-frames.ts';
import type { ProcessTable } from '../../src/engine/work/process-rows.ts';
import { toText, utf8 } from '../../src/shared/base/bytes.ts';
import { toDisposable } from '../../src/shared/base/disposer.ts';
import type { Envelope } from '../../src/shared/protocol/envelope.ts';
import { decodeEnvelope, payloadBytesOf } from '../../src/shared/protocol/envelope-codec.ts';
import { swarmPartsOn } from './swarm-parts.ts';
import { createTestWorkspace, type TestWorkspace } from './worker-credentials.ts';

/** A worker's process that a test plays. */
export interface PlayedWorker {
  readonly peer: string;
  session: string;
  readonly frames: MainFrame[];
  readonly signals: string[];
  readonly runs: string[];
  /** All that it was asked. */
  readonly requests: Envelope[];
  post(value: unknown): void;
  exit(how: Partial<PeerExit>): void;
  /** Tells main that a task of the queue is at hand, as `task-started` has it. */
  begin(taskId: string, isWaiting?: boolean): void;
  /** Tells main how a task ended. */
  say(outcome: 'done' | 'failed' | 'cancelled' | 'returned', taskId: string): void;
}

/** What the tests of one file share; new for each test. */
export interface PlayedSwarm {
  readonly clock: FakeClock;
  readonly swarm: LocalSwarm;
  readonly played: readonly PlayedWorker[];
  /** What new workers do with `configure` and `drain`. */
  isObedient: boolean;
  /** Whether they answer a run. */
  isMute: boolean;
  /** Sessions that ended, with the note. */
  readonly ended: readonly (readonly [string, string])[];
  /** Subjects of what came to main's bus. */
  readonly passed: readonly string[];
  onChange: () => void;
  /** Where all keys come from; new for the file. */
  readonly workspace: TestWorkspace;
  /** Gives workers, and the swarm itself, their keys. */
  issue: IssueCredentials;
  readonly heads: HeadStore;
  /** Peers whose grant is over. */
  readonly revoked: Set<string>;
  /** Where the queue workers are to work; set it, then `swarm.follow()`. */
  place: WorkPlace | undefined;
  /** What was given. */
  readonly given: readonly PeerCredentials[];
  states(): string[];
  /** Lets promises and deferred work run until nothing moves; then `ms` pass, and again. */
  settle(ms?: number): Promise<void>;
}

const emptyTable: ProcessTable = {
  all: async () => [],
  withDescendants: async () => [],
  withEnvironment: async () => [],
  uptimeMs: () => 0,
};

function add<T>(set: Set<T>, listener: T) {
  set.add(listener);
  return toDisposable(() => set.delete(listener));
}

type Hear = (value: unknown) => void;

/** Plays one process. What is posted to it is copied at once, as a channel does. */
function play(peer: string, swarm: PlayedSwarm & { readonly played: PlayedWorker[] }): LaunchedPeer {
  const { clock } = swarm;
  const main = { message: new Set<Hear>(), close: new Set<() => void>(), exit: new Set<(how: PeerExit) => void>() };
  const own = new Set<Hear>();
  let isGone = false;
  const tell = (listeners: Set<Hear>, value: unknown): void =>
    clock.defer(() => {
      if (isGone) return;
      for (const hear of [...listeners]) hear(value);
    });
  const post = (value: unknown): void => tell(main.message, value);
  const port: ChannelPort = {
    post,
    onMessage: (listener) => add(own, listener),
    onClose: () => toDisposable(() => {}),
    close() {},
  };
  const workerBus = createChannelBus({ port, clock, logger: createSilentLogger() });
  const worker: PlayedWorker = {
    ...{ peer, session: '', frames: [], signals: [], runs: [], requests: [], post },
    exit(how) {
      if (isGone) return;
      isGone = true;
      for (const hear of [...main.close]) hear();
      for (const hear of [...main.exit]) hear({ exitCode: null, signal: null, ...how });
    },
    begin: (taskId, isWaiting = false) => post({ kind: 'task-started', taskId, command: ['true'], isWaiting }),
    say: (outcome, taskId) => post({ kind: 'task-ended', taskId, outcome }),
  };

  function serve(): void {
    workerBus.subscribe(`vak.control.test.${peer}.run`, {
      kind: 'inline',
      onMessage({ data, respond }) {
        const request = decodeEnvelope(data);
        worker.requests.push(request);
        worker.runs.push((JSON.parse(toText(payloadBytesOf(request))) as { taskId: string }).taskId);
        if (!swarm.isMute) respond?.(utf8('{"ok":true}'));
      },
    });
    post({ kind: 'ready', pid: 4242 });
  }

  own.add((value) => {
    const frame = readMainFrame(value);
    if (typeof frame === 'string') return;
    worker.frames.push(frame);
    if (frame.kind === 'configure') worker.session = frame.session;
    if (!swarm.isObedient) return;
    if (frame.kind === 'configure') serve();
    else if (frame.kind === 'leave') post({ kind: 'left', lane: frame.lane });
    else if (frame.kind === 'drain') post({ kind: 'drained', reason: 'asked' });
    else if (frame.kind === 'exit') worker.exit({ exitCode: 0 });
  });
  swarm.played.push(worker);
  return {
    ...{ pid: 4242, close() {} },
    post: (value) => tell(own, structuredClone(value)),
    onMessage: (listener) => add(main.message, listener),
    onClose: (listener) => add(main.close, listener),
    onExit: (listener) => add(main.exit, listener),
    kill(signal) {
      worker.signals.push(signal);
      worker.exit({ signal });
    },
  };
}

type OpenPlayedSwarm = { -readonly [K in keyof PlayedSwarm]: PlayedSwarm[K] } & {
  played: PlayedWorker[];
  ended: [string, string][];
  given: PeerCredentials[];
};

/** Defines the set-up and the clean-up of each test; no timer may be left. */
export function definePlayedSwarm(): PlayedSwarm {
  const workspace = createTestWorkspace('test');
  const shared = { isObedient: true, isMute: false, workspace } as OpenPlayedSwarm;
  let bus: Bus;
  shared.states = () => shared.swarm.state().workers.map(({ peer, state }) => `${peer} ${state}`);
  shared.settle = async (ms = 0) => {
    for (let i = 0; i < 40; i++) {
      await new Promise((resolve) => setImmediate(resolve));
      shared.clock.runDeferred();
    }
    if (ms === 0) return;
    shared.clock.advance(ms);
    await shared.settle();
  };

  beforeEach(() => {
    const clock = createFakeClock();
    const logger = createSilentLogger();
    bus = createMemoryBus({ clock, logger });
    const passed: string[] = [];
    bus.subscribe('vak.>', { kind: 'inline', onMessage: ({ subject }) => passed.push(subject) });
    Object.assign(shared, {
      ...{ clock, passed, played: [], ended: [], given: [], isObedient: true, isMute: false, place: undefined },
      ...{ revoked: new Set<string>() },
      ...{ onChange: () => {}, issue: workspace.issue, heads: createMemoryHeadStore() },
    });
    shared.swarm = createLocalSwarm({
      ...{
        ...swarmPartsOn(bus, () => shared.place),
        clock,
        logger,
        workspace: 'test',
        table: emptyTable,
        randomness: createSeededRandomness(7),
      },
      heads: shared.heads,
      standing: (peer) => (shared.revoked.has(peer) ? { kind: 'over', why: 'its grant was revoked' } : undefined),
      launch: (peer) => play(peer, shared),
      async issueCredentials(wanted) {
        const credentials = await shared.issue(wanted);
        shared.given.push(credentials);
        return credentials;
      },
      sessions: { register: () => {}, end: (session, note) => shared.ended.push([session, note]) },
      onChange: () => shared.onChange(),
    });
  });
  afterEach(async () => {
    shared.isObedient = true;
    const disposed = shared.swarm.dispose();
    await shared.settle(5_000);
    await disposed;
    await bus.close();
    expect(shared.clock.timerCount).toBe(0);
  });
  return shared;
}
