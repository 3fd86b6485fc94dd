/**
 * One worker process of the local swarm, from launch to the end of everything that it started.
 * Law: its summary is exact: each state comes from the process or from its own words, each end has its cause.
 */
import { createDisposer } from '../../shared/base/disposer.ts';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import type { WorkerDeath, WorkerSummary } from '../../shared/contract/swarm-contract.ts';
import type { ChainHead } from '../../shared/protocol/chain-verdict.ts';
import { sourceOf } from '../../shared/protocol/envelope-fields.ts';
import type { Grant } from '../../shared/protocol/identity-records.ts';
import type { TaskPayload } from '../../shared/protocol/payloads.ts';
import { serveChannelBus } from '../bus/channel/channel-host.ts';
import type { ChannelPort } from '../bus/channel/channel-port.ts';
import type { LinkProblem, PeerLink, PeerLinkDeps } from '../connections/peer-link.ts';
import type { ReceivePolicy } from '../envelope/receive-policy.ts';
import { eraseCredentials, type PeerCredentials } from '../identity/peer-credentials.ts';
import { eraseSecrets, type PeerSecrets } from '../identity/peer-secrets.ts';
import type { Clock } from '../ports/clock.ts';
import type { HeadStore } from '../ports/head-store.ts';
import type { Logger } from '../ports/logger.ts';
import type { Randomness } from '../ports/randomness.ts';
import { createDeferred } from '../wait.ts';
import { sessionMarker } from '../work/command-environment.ts';
import { removeStalePipes } from '../work/command-pipes.ts';
import { endProcesses } from '../work/end-processes.ts';
import type { ProcessTable } from '../work/process-rows.ts';
import { deathReason } from './death-reason.ts';
import type { LaunchedPeer, PeerExit } from './launched-peer.ts';
import { localQueue } from './local-queue.ts';
import type { SwarmCommander } from './swarm-commander.ts';
import { createTaskAccount } from './task-account.ts';
import type { WorkLanes } from './work-lanes.ts';
import { type MainFrame, readWorkerFrame, type WorkerFrame } from './worker-frames.ts';
import { createWorkerRequester } from './worker-requester.ts';

/** How long a worker may take until it is ready, ms. */
const readyLimitMs = 10_000;
/** How long a worker may take to drain before it is killed, ms. */
const drainLimitMs = 3_000;
const leftoverGraceMs = 1_000;

/** What a worker is told of itself and of those who may command it. */
export interface WorkerStanding {
  readonly credentials: PeerCredentials;
  readonly commanders: readonly Grant[];
  /** Where the chain of the peer's last session ended; undefined: that is not known. */
  readonly resumes: ChainHead | undefined;
}

/** What a worker of the swarm is made of. */
export interface SwarmWorkerDeps {
  /** Makes its way to the engine in use: all that it says and does goes there. */
  readonly linkFor: (hooks: Pick<PeerLinkDeps, 'onMove' | 'onChange'>) => PeerLink;
  /** Of a queue worker: where it works. Without it the worker takes commands. */
  readonly lanesOn?: (port: ChannelPort, link: Pick<PeerLink, 'place'>) => WorkLanes;
  readonly policy: () => ReceivePolicy;
  /** The workspace's secrets as they count now, as copies; undefined while the key store is locked. */
  readonly secrets: () => PeerSecrets | undefined;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly logger: Logger;
  readonly table: ProcessTable;
  readonly commander: Pick<SwarmCommander, 'ask'>;
  /** Keeps what the worker says of its chain. */
  readonly heads: Pick<HeadStore, 'keep'>;
  readonly workspace: string;
  readonly peer: string;
  readonly session: string;
  readonly process: LaunchedPeer;
  /** Its keys and standing; it is ended if there are none for it. */
  readonly standing: Promise<WorkerStanding>;
  readonly onChange: () => void;
}

export interface SwarmWorker {
  readonly peer: string;
  readonly session: string;
  /** Resolves when it can take commands; rejects with `spawn-failed` if it ends before. */
  readonly ready: Promise<void>;
  /** Resolves when the process and everything that it started are gone. */
  readonly gone: Promise<void>;
  /** Its process has not ended. */
  readonly isLive: boolean;
  /** An operator has ended it. */
  readonly wasKilled: boolean;
  /** Why it is on no engine. */
  linkProblem(): LinkProblem | null;
  summary(): WorkerSummary;
  /** Hands over a task; resolves once the worker has taken it. Throws what the worker answers, `timeout`, `closed`. */
  run(taskId: string, task: TaskPayload): Promise<void>;
  /** Ends its running task; throws `not-found`. */
  cancel(taskId: string): Promise<void>;
  /** Ends the process at once, as a crash would. `cause`: why, unless an operator wants it. */
  kill(cause?: string): Promise<void>;
  /** It goes where the app is now; resolves when a queue worker was told where to work, having left where it was. */
  follow(): Promise<void>;
  /** What it takes of plain and unsigned messages is another policy now. */
  followPolicy(): void;
  /** The workspace's secrets are others now. */
  followSecrets(): void;
  /** Asks it to stop, kills it after 3 s; resolves as `gone`. */
  drain(): Promise<void>;
}

const killCause = 'killed by the operator';
const lateCause = `not ready within ${readyLimitMs / 1000} s and was ended`;

type WorkerState = WorkerSummary['state'];

/** Tells a worker who it is; gives whether it was told, and `fail` why it was not. No copy of its keys is left here. */
async function configure(deps: SwarmWorkerDeps, fail: (cause: string) => void): Promise<boolean> {
  const { logger, workspace, peer, session, process, policy, lanesOn } = deps;
  const queue = lanesOn === undefined ? null : localQueue;
  try {
    const { credentials, commanders, resumes } = await deps.standing;
    try {
      const self = { workspace, peer, session, queue, policy: policy() };
      const frame = { kind: 'configure', ...self, credentials, commanders } as const;
      process.post((resumes === undefined ? frame : { ...frame, resumes }) satisfies MainFrame);
      return true;
    } finally {
      eraseCredentials(credentials);
    }
  } catch (error) {
    const why = isVakError(error) ? error.message : `see the log: ${logger.bug('swarm.identity', error)}`;
    fail(`it got no identity: ${why}`);
    return false;
  }
}

interface Introduced {
  readonly link: Pick<PeerLink, 'begin'>;
  readonly fail: (cause: string) => void;
  readonly isLive: () => boolean;
}

/**
 * Tells a worker who it is, and has its link begin then. Gives what tells it the secrets that count now; those that change while its keys
 * are on their way are told after them.
 */
function introduce(deps: SwarmWorkerDeps, { link, fail, isLive }: Introduced): () => void {
  const { process, secrets } = deps;
  const configured = configure(deps, fail);
  void configured.then((isDone) => (isDone && isLive() ? link.begin() : undefined));
  return () =>
    void configured.then(() => {
      const current = isLive() ? secrets() : undefined;
      if (current === undefined) return;
      process.post({ kind: 'secrets', ...current } satisfies MainFrame);
      eraseSecrets(current);
    });
}

/** Keeps how far a worker says that its chain has come: of its own chain alone. */
function keepHead({ source, seq, leaf }: Extract<WorkerFrame, { kind: 'head' }>, deps: SwarmWorkerDeps): void {
  const { heads, logger, workspace, peer, session } = deps;
  if (source === sourceOf(workspace, peer, session)) heads.keep(peer, 'e', { source, seq, leaf });
  else logger.warn('swarm.foreign-head', { peer });
}

/** How a worker is on the engine in use, and how it is asked there. */
function createWays(deps: SwarmWorkerDeps, onMove: () => Promise<void>) {
  const { linkFor, lanesOn, onChange, process } = deps;
  const gone = new AbortController();
  const link = linkFor({ onMove, onChange });
  const requester = createWorkerRequester({ ...deps, reached: link.reached, gone: gone.signal });
  return { link, requester, lanes: lanesOn?.(process, link), endRequests: () => gone.abort() };
}

/** Takes over a process that was just launched, and tells it who it is. */
export function createSwarmWorker(deps: SwarmWorkerDeps): SwarmWorker {
  const { clock, logger, table, peer, session, process: launched } = deps;
  const held = createDisposer();
  const groups = new Set<number>();
  const { link, lanes, requester, endRequests } = createWays(deps, followLanes);
  const kind = lanes === undefined ? 'command' : 'queue';
  const [ready, gone] = [createDeferred<void>(), createDeferred<void>()];
  // Whoever does not wait for readiness learns of the failure from the summary.
  ready.promise.catch(() => {});
  let state: WorkerState = 'starting';
  let [death, problem]: [WorkerDeath | null, string | null] = [null, null];
  let [endCause, refusal]: (string | undefined)[] = [];
  const tasks = createTaskAccount(clock, kind === 'queue');
  let exit: PeerExit | undefined;

  function become(next: WorkerState): void {
    state = next;
    deps.onChange();
  }

  /** Before it is ready it works nowhere. */
  async function followLanes(): Promise<void> {
    if (state !== 'starting') await lanes?.follow();
  }

  function onFrame(frame: WorkerFrame): void {
    switch (frame.kind) {
      case 'ready':
        if (state !== 'starting') return;
        readyTimer.dispose();
        ready.resolve();
        become('idle');
        void followLanes();
        return;
      case 'refused':
        refusal = frame.reason;
        return;
      case 'group-started':
        groups.add(frame.pgid);
        return;
      case 'group-ended':
        groups.delete(frame.pgid);
        return;
      case 'task-started':
      case 'task-ended':
        onTask(frame);
        return;
      case 'work-state':
        problem = frame.problem;
        deps.onChange();
        return;
      case 'left':
        lanes?.onLeft(frame.lane);
        return;
      case 'head':
        keepHead(frame, deps);
        return;
      case 'drained':
        if (state !== 'stopping') endCause = `ended by itself: ${frame.reason}`;
        launched.post({ kind: 'exit' } satisfies MainFrame);
        return;
    }
  }

  function backToIdle(): void {
    if (state === 'busy') become('idle');
    else deps.onChange();
  }

  function onTask(frame: Extract<WorkerFrame, { kind: 'task-started' | 'task-ended' }>): void {
    if (frame.kind === 'task-ended') {
      if (tasks.end(frame.taskId, frame.outcome) && tasks.task === null) backToIdle();
      return;
    }
    // Who takes tasks of a queue says itself what it is at.
    if (kind === 'command' || (state !== 'idle' && state !== 'busy')) return;
    const { taskId, command, isWaiting } = frame;
    tasks.begin({ taskId, command, isWaiting });
    become('busy');
  }

  async function onExit(how: PeerExit): Promise<void> {
    exit = how;
    const wasReady = state !== 'starting';
    const isAsked = state === 'stopping';
    const facts = { exit: how, wasReady, endCause, refusal, task: tasks.task ?? undefined, hadGroups: groups.size > 0 };
    readyTimer.dispose();
    endRequests();
    void lanes?.close();
    served.dispose();
    const left = link.close();
    problem = null;
    tasks.die();
    const atMs = clock.now();
    if (!isAsked) death = { atMs, exitCode: how.exitCode, signal: how.signal, reason: deathReason(facts) };
    become(isAsked ? 'ended' : 'dead');
    ready.reject(new VakError('spawn-failed', `worker ${peer}: ${deathReason(facts)}; see the log, then start again`));
    try {
      const left = await endProcesses(
        { table, clock },
        { groups: [...groups], marker: sessionMarker(session), graceMs: leftoverGraceMs },
      );
      if (death !== null) death = { ...death, reason: deathReason(facts, left) };
    } catch (thrown) {
      logger.bug('swarm.end-leftovers', thrown);
    }
    removeStalePipes();
    await left;
    held.dispose();
    deps.onChange();
    gone.resolve();
  }

  function endBecause(cause: string): void {
    endCause ??= cause;
    launched.kill('SIGKILL');
  }

  function onMessage(value: unknown): void {
    const frame = readWorkerFrame(value);
    if (typeof frame === 'object') onFrame(frame);
    else if (frame === 'malformed') logger.warn('swarm.malformed-frame', { peer });
  }

  const served = held.add(serveChannelBus({ port: launched, bus: link.bus, clock, logger }));
  held.add(launched.onMessage(onMessage));
  held.add(launched.onExit((how) => void onExit(how)));
  const readyTimer = held.add(clock.setTimer(readyLimitMs, () => endBecause(lateCause)));
  const followSecrets = introduce(deps, { link, fail: endBecause, isLive: () => exit === undefined });

  return {
    ...{ peer, session, ready: ready.promise, gone: gone.promise, cancel: requester.cancel, followSecrets },
    ...{ follow: link.follow, linkProblem: () => (exit === undefined ? link.problem() : null) },
    get isLive() {
      return exit === undefined;
    },
    get wasKilled() {
      return endCause === killCause;
    },
    summary() {
      const pid = exit ? null : launched.pid;
      const why = exit ? null : (link.problem()?.message ?? problem);
      return { peer, session, kind, pid, state, task: tasks.task, death, problem: why, ...tasks.counts() };
    },
    async run(taskId, toRun) {
      if (kind === 'queue' || state !== 'idle') {
        const why = kind === 'queue' ? `takes its tasks from queue ${localQueue}` : `is ${state}`;
        throw new VakError('already-running', `run: worker ${peer} ${why}; use another worker`, { retryable: true });
      }
      tasks.begin({ taskId, command: toRun.command, isWaiting: false });
      become('busy');
      try {
        await requester.run(taskId, toRun);
      } catch (error) {
        // After a timeout the worker may still take it: then its own word tells.
        if (!isVakError(error, 'timeout') && tasks.drop(taskId)) backToIdle();
        throw error;
      }
    },
    followPolicy() {
      if (exit === undefined) launched.post({ kind: 'policy', policy: deps.policy() } satisfies MainFrame);
    },
    async kill(cause = killCause) {
      endBecause(cause);
      await gone.promise;
    },
    async drain() {
      if (exit === undefined && state !== 'stopping') {
        become('stopping');
        launched.post({ kind: 'drain' } satisfies MainFrame);
        held.add(clock.setTimer(drainLimitMs, () => launched.kill('SIGKILL')));
      }
      await gone.promise;
    },
  };
}
