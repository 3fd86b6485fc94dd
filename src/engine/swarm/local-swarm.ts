/**
 * The local swarm: worker processes that run real commands, and the account of each of them.
 * Law: every process that ends stands in the snapshot with its cause, and `stop` leaves nothing behind.
 */
import type { Disposable } from '../../shared/base/disposer.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import type { CallContext } from '../../shared/contract/define-contract.ts';
import { maxWorkers, type SwarmState } from '../../shared/contract/swarm-contract.ts';
import type { TaskPayload } from '../../shared/protocol/payloads.ts';
import { createPermit } from '../access/permit.ts';
import { createPermittedFabric } from '../access/permitted-fabric.ts';
import type { PeerFabric } from '../bus/fabric.ts';
import type { IssueCredentials } from '../identity/peer-credentials.ts';
import type { Clock } from '../ports/clock.ts';
import type { HeadStore } from '../ports/head-store.ts';
import type { Logger } from '../ports/logger.ts';
import { createSessionId, createUuid, isSessionOf, type Randomness } from '../ports/randomness.ts';
import type { ProcessTable } from '../work/process-rows.ts';
import { createProcessTable } from '../work/process-table.ts';
import { checkRunnable } from '../work/worker-requests.ts';
import type { LaunchedPeer } from './launched-peer.ts';
import { sampleTask } from './sample-tasks.ts';
import { createSwarmCommander, type SwarmCommander } from './swarm-commander.ts';
import { createSwarmWorker, type SwarmWorker, type WorkerStanding } from './swarm-worker.ts';

/** Starts the process of a worker. */
export type LaunchWorker = (peer: string) => LaunchedPeer;

/** Who keeps the list of sessions. */
export interface SwarmSessions {
  /** A session begins, and whose it is. */
  register(session: string, peer: string): void;
  /** Its process is gone, and why. */
  end(session: string, note: string): void;
}

const overOrElsewhere = 'it is over, or another program runs it and has to be ended there';

/** What the swarm is made of. `onChange` is called at each change; the caller bounds its rate. */
export interface LocalSwarmDeps {
  readonly launch: LaunchWorker;
  readonly issueCredentials: IssueCredentials;
  /** Where the chains of the swarm's peers have come to. */
  readonly heads: HeadStore;
  /** What its workers are served. */
  readonly fabric: PeerFabric;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly logger: Logger;
  readonly workspace: string;
  readonly onChange: () => void;
  readonly sessions?: SwarmSessions;
  /** The machine's processes; the platform's own if left out. */
  readonly table?: ProcessTable;
}

/** Which worker took a task. */
export interface TakenTask {
  readonly taskId: string;
  readonly peer: string;
  readonly session: string;
}

export interface LocalSwarm {
  /** Resolves when the workers are ready or dead. Throws `already-running`, `limit-exceeded`, `spawn-failed` if none got ready, `aborted`. */
  start(input: { readonly workers: number }): Promise<void>;
  /** Resolves when every process is gone; calls at the same time wait for the same end. */
  stop(): Promise<void>;
  /** Throws `invalid-payload`, `already-running` while stopping, `limit-exceeded`, `spawn-failed`, `closed`, `timeout`, `aborted`. */
  run(task: TaskPayload, context?: CallContext): Promise<TakenTask>;
  /** Resolves when all of the command is gone; throws `not-found`. */
  cancel(input: { readonly taskId: string }): Promise<void>;
  /** Resolves when the process and all that it started are gone; throws `not-found`. */
  kill(input: { readonly peer: string }): Promise<void>;
  state(): SwarmState;
  /** Stops for good. */
  dispose(): Promise<void>;
}

/** Workers that have ended and are still listed. */
export const maxEndedWorkers = 32;
/** Workers that are started at the same time: more would only make each slower than its limit. */
const startLanes = 8;
/** Queue that the swarm's workers are granted. */
const localQueue = 'local';
/** Breath between two sample commands of a worker, ms. */
const rotaPauseMs = 400;

interface Member {
  readonly worker: SwarmWorker;
  /** Runs sample commands. */
  readonly isRota: boolean;
  /** Promised to a `run` that is under way. */
  isReserved: boolean;
}

function freeName(taken: ReadonlySet<string>): string {
  let number = 1;
  while (taken.has(`worker-${number}`)) number++;
  return `worker-${number}`;
}

const workerRights = { roles: ['worker'], queues: [localQueue] } as const;

/** The commander first: a worker that nobody may command gets no keys. */
async function standingOf(peer: string, deps: LocalSwarmDeps, commander: SwarmCommander): Promise<WorkerStanding> {
  const commanders = [await commander.grant()];
  const credentials = await deps.issueCredentials({ peer, ...workerRights });
  return { credentials, commanders, resumes: deps.heads.previous(peer, 'e') };
}

/** What a worker reaches over its channel: what its grant allows, in its own sessions, those of its outbox included. */
function permittedFabric(deps: LocalSwarmDeps, peer: string, session: string): PeerFabric {
  const { fabric, workspace, clock, logger } = deps;
  const permit = createPermit({
    ...{ workspace, peer, ...workerRights, sessions: [session], clock, logger },
    ownsSession: (one) => isSessionOf(peer, one),
    onDenied: ({ action, subject, rule }) => logger.warn('swarm.denied', { peer, action, subject, rule }),
  });
  return createPermittedFabric(fabric, permit);
}

/** Creates a swarm without workers. */
export function createLocalSwarm(deps: LocalSwarmDeps): LocalSwarm {
  const { clock, logger, randomness, sessions, onChange, table = createProcessTable() } = deps;
  const commander = createSwarmCommander({ ...deps, bus: deps.fabric.bus });
  const pauses = new Map<Member, Disposable>();
  let members: Member[] = [];
  let phase: SwarmState['state'] = 'stopped';
  let stopping: Promise<void> | undefined;
  let isDisposed = false;
  let rotaIndex = 0;

  const isStarting = (): boolean => phase === 'starting';
  const live = (): Member[] => members.filter(({ worker }) => worker.isLive);

  function become(next: SwarmState['state']): void {
    phase = next;
    onChange();
  }

  function refuseWhileEnding(doing: string): void {
    if (isDisposed) throw new VakError('closed', `${doing}: the swarm has ended with the app`);
    if (phase !== 'stopping') return;
    throw new VakError('already-running', `${doing}: the swarm is stopping; try again when it has stopped`, {
      retryable: true,
    });
  }

  function trim(): void {
    const ended = members.filter(({ worker }) => !worker.isLive);
    const surplus = new Set(ended.slice(0, Math.max(0, ended.length - maxEndedWorkers)));
    if (surplus.size > 0) members = members.filter((member) => !surplus.has(member));
  }

  function onGone({ worker }: Member): void {
    const { death, session } = worker.summary();
    sessions?.end(session, death === null ? 'ended' : `worker died: ${death.reason}`);
    trim();
    const hasRota = live().some((member) => member.isRota);
    if (phase === 'running' && !hasRota) become('stopped');
    else onChange();
  }

  function launch(isRota: boolean, isReserved: boolean): Member {
    const { heads, workspace } = deps;
    const peer = freeName(new Set(live().map(({ worker }) => worker.peer)));
    const session = createSessionId(peer, randomness);
    sessions?.register(session, peer);
    const worker = createSwarmWorker({
      fabric: permittedFabric(deps, peer, session),
      ...{ clock, randomness, logger, table, commander, heads, workspace, peer, session, onChange },
      process: deps.launch(peer),
      standing: standingOf(peer, deps, commander),
      onIdle: () => pauseThenNext(member),
    });
    const member: Member = { worker, isRota, isReserved };
    members.push(member);
    onChange();
    void worker.gone.then(() => onGone(member));
    return member;
  }

  function pauseThenNext(member: Member): void {
    if (!member.isRota) return;
    pauses.get(member)?.dispose();
    pauses.set(
      member,
      clock.setTimer(rotaPauseMs, () => {
        pauses.delete(member);
        void runNextSample(member);
      }),
    );
  }

  async function runNextSample(member: Member): Promise<void> {
    const { worker } = member;
    if (phase !== 'starting' && phase !== 'running') return;
    if (!worker.isLive || member.isReserved || worker.summary().state !== 'idle') return;
    try {
      await worker.run(createUuid(clock, randomness), sampleTask(rotaIndex++));
    } catch (error) {
      if (worker.isLive) logger.warn('swarm.sample-refused', { peer: worker.peer, message: (error as Error).message });
    }
  }

  async function startLane(wanted: { count: number }): Promise<void> {
    while (wanted.count > 0 && phase === 'starting') {
      wanted.count--;
      await launch(true, false).worker.ready.catch(() => {});
    }
  }

  async function start({ workers }: { readonly workers: number }): Promise<void> {
    refuseWhileEnding('start');
    if (phase !== 'stopped') {
      throw new VakError('already-running', `start: the swarm is ${phase}; stop it first to start another`);
    }
    const others = live().length;
    if (others + workers > maxWorkers) {
      throw new VakError(
        'limit-exceeded',
        `start: ${others} workers live and ${maxWorkers} are allowed; ask for fewer`,
      );
    }
    members = members.filter(({ worker }) => worker.summary().state !== 'ended');
    become('starting');
    const before = new Set(members);
    const wanted = { count: workers };
    await Promise.all(Array.from({ length: Math.min(startLanes, workers) }, () => startLane(wanted)));
    if (!isStarting()) throw new VakError('aborted', 'start: the swarm was stopped meanwhile');
    const mine = members.filter((member) => member.isRota && !before.has(member));
    if (mine.some(({ worker }) => worker.isLive)) return become('running');
    become('stopped');
    await mine[0]?.worker.ready;
  }

  async function stopAll(): Promise<void> {
    for (const pause of pauses.values()) pause.dispose();
    pauses.clear();
    await Promise.all(members.map(({ worker }) => (worker.isLive ? worker.drain() : worker.gone)));
    stopping = undefined;
    become('stopped');
  }

  function stop(): Promise<void> {
    if (stopping === undefined) {
      become('stopping');
      stopping = stopAll();
    }
    return stopping;
  }

  function takeWorker(): Member {
    const idle = live().filter((member) => member.worker.summary().state === 'idle' && !member.isReserved);
    const chosen = idle.find((member) => !member.isRota) ?? idle[0];
    if (chosen !== undefined) {
      chosen.isReserved = true;
      return chosen;
    }
    if (live().length < maxWorkers) return launch(false, true);
    throw new VakError('limit-exceeded', `run: all ${maxWorkers} workers are busy; wait for one or cancel a command`, {
      retryable: true,
    });
  }

  async function run(input: TaskPayload, context?: CallContext): Promise<TakenTask> {
    refuseWhileEnding('run');
    const task = checkRunnable(input);
    const member = takeWorker();
    const { worker } = member;
    const taskId = createUuid(clock, randomness);
    try {
      await worker.ready;
      if (context?.signal.aborted)
        throw new VakError('aborted', 'run: cancelled before a worker had taken the command');
      await worker.run(taskId, task);
      return { taskId, peer: worker.peer, session: worker.session };
    } finally {
      member.isReserved = false;
      if (worker.summary().state === 'idle') pauseThenNext(member);
    }
  }

  return {
    start,
    stop,
    run,
    async cancel({ taskId }) {
      const found = live().find(({ worker }) => worker.summary().task?.taskId === taskId);
      if (found === undefined)
        throw new VakError('not-found', `cancel: no worker of the local swarm runs that task; ${overOrElsewhere}`);
      await found.worker.cancel(taskId);
    },
    async kill({ peer }) {
      const found = live().find(({ worker }) => worker.peer === peer);
      if (found === undefined)
        throw new VakError('not-found', `kill: the local swarm has no live worker of that name; ${overOrElsewhere}`);
      await found.worker.kill();
    },
    state: () => ({ state: phase, workers: members.map(({ worker }) => worker.summary()) }),
    async dispose() {
      const stopped = stop();
      isDisposed = true;
      await stopped;
      commander.dispose();
    },
  };
}
