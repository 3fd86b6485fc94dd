/**
 * The local swarm: worker processes that run real commands, and the account of each of them.
 * Law: every process that ends stands in the snapshot with its cause, and `stop` leaves nothing behind.
 */
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import type { CallContext } from '../../shared/contract/define-contract.ts';
import { maxWorkers, type SwarmState } from '../../shared/contract/swarm-contract.ts';
import type { TaskPayload } from '../../shared/protocol/payloads.ts';
import { createPeerPermit } from '../access/peer-permit.ts';
import type { DeniedAccess } from '../access/permit.ts';
import { createPermittedBus } from '../access/permitted-bus.ts';
import type { Bus } from '../bus/bus.ts';
import type { ReceivePolicy } from '../envelope/receive-policy.ts';
import { eraseCredentials, type IssueCredentials } from '../identity/peer-credentials.ts';
import type { Clock } from '../ports/clock.ts';
import type { HeadStore } from '../ports/head-store.ts';
import type { Logger } from '../ports/logger.ts';
import { createSessionId, createUuid, type Randomness } from '../ports/randomness.ts';
import { createSerialLane } from '../serial-lane.ts';
import type { ProcessTable } from '../work/process-rows.ts';
import { createProcessTable } from '../work/process-table.ts';
import { checkRunnable } from '../work/worker-requests.ts';
import type { LaunchedPeer } from './launched-peer.ts';
import { localQueue } from './local-queue.ts';
import { createReplacements } from './replacements.ts';
import { createSwarmCommander } from './swarm-commander.ts';
import { createSwarmPeer, type SwarmPeer } from './swarm-peer.ts';
import { createSwarmWorker, type SwarmWorker, type WorkerStanding } from './swarm-worker.ts';
import { createWorkLanes, type WorkFiles, type WorkPlace } from './work-lanes.ts';

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
  /** What workers tell of themselves, and what they are asked, goes there, whichever engine is in use. */
  readonly bus: Bus;
  /** The engine on which tasks are claimed now; the same object as long as it is the same engine. */
  readonly place: () => WorkPlace | undefined;
  readonly files: WorkFiles;
  readonly policy: () => ReceivePolicy;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly logger: Logger;
  readonly workspace: string;
  readonly onChange: () => void;
  /** Told of what its workers are refused. */
  readonly onDenied: (denied: DeniedAccess) => void;
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
  /** Sends the queue workers to where the work is now; resolves when each has left where it was. */
  follow(): Promise<void>;
  /** Tells the workers the present policy. */
  followPolicy(): void;
  state(): Omit<SwarmState, 'coordinator'>;
  /** Queue workers that can claim. */
  readonly queueWorkerCount: number;
  /** Its own peer. */
  readonly own: Pick<SwarmPeer, 'own'>;
  /** Stops for good. */
  dispose(): Promise<void>;
}

/** Workers that have ended and are still listed. */
export const maxEndedWorkers = 32;
/** Workers that are started at the same time: more would only make each slower than its limit. */
const startLanes = 8;

type Kind = 'queue' | 'command';

interface Member {
  readonly worker: SwarmWorker;
  readonly kind: Kind;
  /** Promised to a `run` that is under way. */
  isReserved: boolean;
}

function freeName(taken: ReadonlySet<string>): string {
  let number = 1;
  while (taken.has(`worker-${number}`)) number++;
  return `worker-${number}`;
}

const workerRights = { roles: ['worker'], queues: [localQueue] } as const;

/** Starts workers with all that they need. */
function createLauncher(deps: LocalSwarmDeps, own: SwarmPeer) {
  const { clock, logger, heads, randomness, workspace, sessions, policy, place, files, onDenied, onChange } = deps;
  const { table = createProcessTable() } = deps;
  const commander = createSwarmCommander({ ...deps, own });

  /** The commander first: a worker that nobody may command gets no keys. */
  async function standingOf(peer: string): Promise<WorkerStanding> {
    const commanders = [await commander.grant()];
    const credentials = await deps.issueCredentials({ peer, ...workerRights });
    return { credentials, commanders, resumes: heads.previous(peer, 'e') };
  }

  return {
    standingOf,
    launch(peer: string, kind: Kind, standing: Promise<WorkerStanding>): SwarmWorker {
      const session = createSessionId(peer, randomness);
      sessions?.register(session, peer);
      const rights = { workspace, peer, ...workerRights, sessions: [session] };
      // What it is refused on its channel and on its lanes is one account.
      const permit = createPeerPermit({ ...rights, clock, logger, onDenied });
      return createSwarmWorker({
        bus: createPermittedBus(deps.bus, permit),
        ...{ clock, randomness, logger, table, commander, heads, workspace, peer, session, policy, onChange },
        ...(kind === 'command'
          ? {}
          : { lanesOn: (port) => createWorkLanes({ port, place, files, permit, clock, logger }) }),
        ...{ process: deps.launch(peer), standing },
      });
    },
  };
}

/** Creates a swarm without workers. */
export function createLocalSwarm(deps: LocalSwarmDeps): LocalSwarm {
  const { clock, logger, randomness, sessions, onChange } = deps;
  const own = createSwarmPeer(deps);
  const launcher = createLauncher(deps, own);
  const replacements = createReplacements({ clock, replace: () => void replaceSafely() });
  const replacing = createSerialLane();
  let members: Member[] = [];
  let phase: SwarmState['state'] = 'stopped';
  /** Queue workers that were asked for. */
  let wantedCount = 0;
  let stopping: Promise<void> | undefined;
  let isDisposed = false;

  const isStarting = (): boolean => phase === 'starting';
  const live = (): Member[] => members.filter(({ worker }) => worker.isLive);
  const liveOfQueue = (): Member[] => live().filter(({ kind }) => kind === 'queue');
  const nextName = (): string => freeName(new Set(live().map(({ worker }) => worker.peer)));

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

  function onGone({ worker, kind }: Member): void {
    const { death, session } = worker.summary();
    sessions?.end(session, death === null ? 'ended' : `worker died: ${death.reason}`);
    trim();
    if (phase === 'running' && kind === 'queue' && death !== null) {
      replacements.note({ wantedCount, isAsked: worker.wasKilled, reason: death.reason });
    }
    stopIfNoneIsLeft();
  }

  /** Nobody is left, and nobody will come. */
  function stopIfNoneIsLeft(): void {
    if (phase === 'running' && replacements.problem() !== null && liveOfQueue().length === 0) become('stopped');
    else onChange();
  }

  function launch(kind: Kind, standing?: WorkerStanding): Member {
    const peer = nextName();
    const given = standing === undefined ? launcher.standingOf(peer) : Promise.resolve(standing);
    const member: Member = { worker: launcher.launch(peer, kind, given), kind, isReserved: false };
    members.push(member);
    onChange();
    void member.worker.gone.then(() => onGone(member));
    return member;
  }

  const isShort = (): boolean => phase === 'running' && liveOfQueue().length < wantedCount;

  /** While the key store is locked nobody gets keys; then it is tried again, and nobody has died of it. */
  async function replace(): Promise<void> {
    while (isShort()) {
      const peer = nextName();
      const standing = await launcher.standingOf(peer);
      const isStillFree = isShort() && peer === nextName();
      if (isStillFree) return void launch('queue', standing);
      eraseCredentials(standing.credentials);
    }
  }

  async function replaceSafely(): Promise<void> {
    try {
      await replacing.run(replace);
    } catch (error) {
      const code = isVakError(error) ? error.code : logger.bug('swarm.replace', error);
      logger.warn('swarm.not-replaced', { code });
      if (isShort()) replacements.later();
    }
  }

  async function startLane(wanted: { count: number }): Promise<void> {
    while (wanted.count > 0 && phase === 'starting') {
      wanted.count--;
      await launch('queue').worker.ready.catch(() => {});
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
    replacements.reset();
    wantedCount = workers;
    become('starting');
    const before = new Set(members);
    const wanted = { count: workers };
    await Promise.all(Array.from({ length: Math.min(startLanes, workers) }, () => startLane(wanted)));
    if (!isStarting()) throw new VakError('aborted', 'start: the swarm was stopped meanwhile');
    const mine = members.filter((member) => member.kind === 'queue' && !before.has(member));
    if (mine.some(({ worker }) => worker.isLive)) return startedWith(mine);
    become('stopped');
    await mine[0]?.worker.ready;
  }

  /** Those that died meanwhile are replaced like any other. */
  function startedWith(mine: readonly Member[]): void {
    become('running');
    for (const { worker } of mine) {
      const { death } = worker.summary();
      if (death !== null) replacements.note({ wantedCount, isAsked: worker.wasKilled, reason: death.reason });
    }
  }

  async function stopAll(): Promise<void> {
    replacements.reset();
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
    const chosen = live().find(
      ({ kind, worker, isReserved }) => kind === 'command' && worker.summary().state === 'idle' && !isReserved,
    );
    if (chosen !== undefined) return chosen;
    if (live().length < maxWorkers) return launch('command');
    throw new VakError('limit-exceeded', `run: all ${maxWorkers} workers are busy; wait for one or cancel a command`, {
      retryable: true,
    });
  }

  async function run(input: TaskPayload, context?: CallContext): Promise<TakenTask> {
    refuseWhileEnding('run');
    const task = checkRunnable(input);
    const member = takeWorker();
    member.isReserved = true;
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
    async follow() {
      await Promise.all(liveOfQueue().map(({ worker }) => worker.follow()));
    },
    followPolicy() {
      for (const { worker } of live()) worker.followPolicy();
    },
    get queueWorkerCount() {
      return liveOfQueue().filter(({ worker }) => ['idle', 'busy'].includes(worker.summary().state)).length;
    },
    state: () => ({
      ...{ state: phase, queue: localQueue, problem: replacements.problem() },
      workers: members.map(({ worker }) => worker.summary()),
    }),
    own,
    async dispose() {
      const stopped = stop();
      isDisposed = true;
      await stopped;
      replacements.dispose();
      own.dispose();
    },
  };
}
