/**
 * The local swarm: worker processes that run real commands, and the account of each of them.
 * Law: every process that ends stands in the snapshot with its cause, and `stop` leaves nothing behind.
 */
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import type { CallContext } from '../../shared/contract/define-contract.ts';
import { maxWorkers, type SwarmState } from '../../shared/contract/swarm-contract.ts';
import type { TaskPayload } from '../../shared/protocol/payloads.ts';
import type { DeniedAccess } from '../access/denial-teller.ts';
import { createPeerPermit } from '../access/peer-permit.ts';
import type { Permit } from '../access/permit.ts';
import { createPermittedBus } from '../access/permitted-bus.ts';
import type { PeerLink, PeerLinkDeps } from '../connections/peer-link.ts';
import type { ReceivePolicy } from '../envelope/receive-policy.ts';
import { eraseCredentials, type IssueCredentials } from '../identity/peer-credentials.ts';
import type { PeerSecrets } from '../identity/peer-secrets.ts';
import type { Standing as GrantStanding } from '../identity/standing.ts';
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
import { createSwarmCrew, type Member, type SwarmCrew, type WorkerKind } from './swarm-crew.ts';
import { createSwarmPeer, type SwarmPeer, swarmPeerName } from './swarm-peer.ts';
import { createSwarmWorker, type SwarmWorker, type WorkerStanding } from './swarm-worker.ts';
import { createWorkLanes, type WorkFiles } from './work-lanes.ts';

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
  /** Makes the way of one of its workers to the engine in use. */
  readonly linkFor: (peer: string, hooks: Pick<PeerLinkDeps, 'onMove' | 'onChange'>) => PeerLink;
  /** The way of its own peer; closed with it. */
  readonly ownLink: PeerLink;
  readonly files: WorkFiles;
  readonly policy: () => ReceivePolicy;
  /** The workspace's secrets as they count now, as copies; undefined while the key store is locked. */
  readonly secrets: () => PeerSecrets | undefined;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly logger: Logger;
  readonly workspace: string;
  readonly onChange: () => void;
  /** How a worker stands by its grant, given the key that it signs with; undefined: nothing is known. */
  readonly standing?: (peer: string, sign: string) => GrantStanding | undefined;
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
  /** Sends its peers to where the app is now; resolves when each has left where it was. */
  follow(): Promise<void>;
  /** Tells the workers the present policy. */
  followPolicy(): void;
  /** Ends the workers whose grant is over: they may do nothing from then on. */
  followGrants(): void;
  /** Gives its peers the workspace's secrets as they count now. */
  followSecrets(): void;
  state(): Omit<SwarmState, 'coordinator'>;
  /** Queue workers that can claim. */
  readonly queueWorkerCount: number;
  /** Its own peer. */
  readonly own: Pick<SwarmPeer, 'own'>;
  /** Stops for good. */
  dispose(): Promise<void>;
}

/** Workers that are started at the same time: more would only make each slower than its limit. */
const startLanes = 8;

const workerRights = { roles: ['worker'], queues: [localQueue] } as const;

/** Starts workers with all that they need. */
function createLauncher(deps: LocalSwarmDeps, own: SwarmPeer) {
  const { clock, logger, heads, randomness, workspace, sessions, policy, secrets, files, onDenied, onChange } = deps;
  const { table = createProcessTable() } = deps;
  const commander = createSwarmCommander({ ...deps, own, link: deps.ownLink });
  /** By worker: what it may do, and the key that it signs with as soon as it has one. */
  const rights = new WeakMap<SwarmWorker, { readonly permit: Permit; sign: string | undefined }>();

  /** The commander first: a worker that nobody may command gets no keys. */
  async function standingOf(peer: string): Promise<WorkerStanding> {
    const commanders = [await commander.grant()];
    const credentials = await deps.issueCredentials({ peer, ...workerRights });
    return { credentials, commanders, resumes: heads.previous(peer, 'e') };
  }

  return {
    standingOf,
    launch(peer: string, kind: WorkerKind, standing: Promise<WorkerStanding>): SwarmWorker {
      const session = createSessionId(peer, randomness);
      sessions?.register(session, peer);
      const granted = { workspace, peer, ...workerRights, sessions: [session] };
      // What it is refused on its channel and on its lanes is one account.
      const permit = createPeerPermit({ ...granted, clock, logger, onDenied });
      const worker = createSwarmWorker({
        linkFor(hooks) {
          const link = deps.linkFor(peer, hooks);
          return { ...link, bus: createPermittedBus(link.bus, permit) };
        },
        ...{ clock, randomness, logger, table, commander, heads, workspace, peer, session, policy, secrets, onChange },
        ...(kind === 'command'
          ? {}
          : { lanesOn: (port, { place }) => createWorkLanes({ port, place, files, permit, clock, logger }) }),
        ...{ process: deps.launch(peer), standing },
      });
      const known: { readonly permit: Permit; sign: string | undefined } = { permit, sign: undefined };
      rights.set(worker, known);
      standing.then(
        ({ credentials }) => {
          known.sign = credentials.grant.sign;
        },
        // Whoever asked for it is told.
        () => {},
      );
      return worker;
    },
    /** Takes from a worker what its grant does not give any more. */
    followGrant(worker: SwarmWorker): void {
      const known = rights.get(worker);
      const now = known?.sign === undefined ? undefined : deps.standing?.(worker.peer, known.sign);
      if (now?.kind !== 'over') return;
      known?.permit.regrant({ roles: [], queues: [] });
      logger.warn('swarm.grant-over', { peer: worker.peer, why: now.why });
      void worker.kill(now.why);
    },
  };
}

interface Standing {
  readonly isDisposed: boolean;
  readonly phase: SwarmState['state'];
}

function refuseWhileEnding(doing: string, { isDisposed, phase }: Standing): void {
  if (isDisposed) throw new VakError('closed', `${doing}: the swarm has ended with the app`);
  if (phase !== 'stopping') return;
  const message = `${doing}: the swarm is stopping; try again when it has stopped`;
  throw new VakError('already-running', message, { retryable: true });
}

/** A worker for a command: one that is free, or a new one. */
function takeWorker(crew: SwarmCrew): Member {
  const isFree = ({ worker, isReserved }: Member): boolean => worker.summary().state === 'idle' && !isReserved;
  const chosen = crew.live('command').find(isFree);
  if (chosen !== undefined) return chosen;
  if (crew.live().length < maxWorkers) return crew.launch('command');
  const message = `run: all ${maxWorkers} workers are busy; wait for one or cancel a command`;
  throw new VakError('limit-exceeded', message, { retryable: true });
}

/** Whom the server does not let in, and why. */
function keptOutOf(crew: SwarmCrew, ownLink: PeerLink): SwarmState['keptOut'] {
  const own = { peer: swarmPeerName, problem: ownLink.problem() };
  const workers = crew.live().map(({ worker }) => ({ peer: worker.peer, problem: worker.linkProblem() }));
  const out = [own, ...workers].filter(({ problem }) => problem?.isKeptOut);
  const why = out[0]?.problem?.message;
  return why === undefined ? null : { peers: out.map(({ peer }) => peer), why };
}

/** Creates a swarm without workers. */
export function createLocalSwarm(deps: LocalSwarmDeps): LocalSwarm {
  const { clock, logger, randomness, sessions, ownLink, onChange } = deps;
  const own = createSwarmPeer({ ...deps, link: ownLink });
  const launcher = createLauncher(deps, own);
  const crew = createSwarmCrew({ ...launcher, onChange, onGone });
  const replacements = createReplacements({ clock, replace: () => void replaceSafely() });
  const replacing = createSerialLane();
  let phase: SwarmState['state'] = 'stopped';
  let [wantedCount, isDisposed] = [0, false];
  let stopping: Promise<void> | undefined;

  const isStarting = (): boolean => phase === 'starting';
  const isShort = (): boolean => phase === 'running' && crew.live('queue').length < wantedCount;

  function become(next: SwarmState['state']): void {
    phase = next;
    onChange();
  }

  function onGone(member: Member): void {
    const { death, session } = member.worker.summary();
    sessions?.end(session, death === null ? 'ended' : `worker died: ${death.reason}`);
    if (phase === 'running' && member.kind === 'queue') noteDeath(member);
    // Nobody is left, and nobody will come.
    const isOver = replacements.problem() !== null && crew.live('queue').length === 0;
    if (phase === 'running' && isOver) become('stopped');
    else onChange();
  }

  function noteDeath({ worker }: Member): void {
    const { death } = worker.summary();
    if (death !== null) replacements.note({ wantedCount, isAsked: worker.wasKilled, reason: death.reason });
  }

  /** While the key store is locked nobody gets keys; then it is tried again, and nobody has died of it. */
  async function replace(): Promise<void> {
    while (isShort()) {
      const peer = crew.nextName();
      const standing = await launcher.standingOf(peer);
      const isStillFree = isShort() && peer === crew.nextName();
      if (isStillFree) return void crew.launch('queue', standing);
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
      await crew.launch('queue').worker.ready.catch(() => {});
    }
  }

  async function start({ workers }: { readonly workers: number }): Promise<void> {
    refuseWhileEnding('start', { isDisposed, phase });
    if (phase !== 'stopped') {
      throw new VakError('already-running', `start: the swarm is ${phase}; stop it first to start another`);
    }
    const others = crew.live().length;
    if (others + workers > maxWorkers) {
      const message = `start: ${others} workers live and ${maxWorkers} are allowed; ask for fewer`;
      throw new VakError('limit-exceeded', message);
    }
    crew.forgetEnded();
    replacements.reset();
    wantedCount = workers;
    become('starting');
    const before = new Set(crew.all);
    const wanted = { count: workers };
    await Promise.all(Array.from({ length: Math.min(startLanes, workers) }, () => startLane(wanted)));
    if (!isStarting()) throw new VakError('aborted', 'start: the swarm was stopped meanwhile');
    const mine = crew.all.filter((member) => member.kind === 'queue' && !before.has(member));
    if (mine.some(({ worker }) => worker.isLive)) {
      become('running');
      // Those that died meanwhile are replaced like any other.
      return mine.forEach(noteDeath);
    }
    become('stopped');
    await mine[0]?.worker.ready;
  }

  async function stopAll(): Promise<void> {
    replacements.reset();
    await Promise.all(crew.all.map(({ worker }) => (worker.isLive ? worker.drain() : worker.gone)));
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

  async function run(input: TaskPayload, context?: CallContext): Promise<TakenTask> {
    refuseWhileEnding('run', { isDisposed, phase });
    const task = checkRunnable(input);
    const member = takeWorker(crew);
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

  async function cancel({ taskId }: { readonly taskId: string }): Promise<void> {
    const found = crew.live().find(({ worker }) => worker.summary().task?.taskId === taskId);
    if (found === undefined)
      throw new VakError('not-found', `cancel: no worker of the local swarm runs that task; ${overOrElsewhere}`);
    await found.worker.cancel(taskId);
  }

  async function kill({ peer }: { readonly peer: string }): Promise<void> {
    const found = crew.live().find(({ worker }) => worker.peer === peer);
    if (found === undefined)
      throw new VakError('not-found', `kill: the local swarm has no live worker of that name; ${overOrElsewhere}`);
    await found.worker.kill();
  }

  return {
    ...{ start, stop, run, cancel, kill, own },
    async follow() {
      await Promise.all([ownLink.follow(), ...crew.live().map(({ worker }) => worker.follow())]);
    },
    followPolicy() {
      for (const { worker } of crew.live()) worker.followPolicy();
    },
    followGrants() {
      for (const { worker } of crew.live()) launcher.followGrant(worker);
    },
    followSecrets() {
      const current = deps.secrets();
      if (current !== undefined) own.followSecrets(current);
      for (const { worker } of crew.live()) worker.followSecrets();
    },
    get queueWorkerCount() {
      return crew.workingCount;
    },
    state() {
      const workers = crew.all.map(({ worker }) => worker.summary());
      return {
        state: phase,
        queue: localQueue,
        problem: replacements.problem(),
        keptOut: keptOutOf(crew, ownLink),
        workers,
      };
    },
    async dispose() {
      const stopped = stop();
      isDisposed = true;
      await stopped;
      replacements.dispose();
      own.dispose();
      await ownLink.close();
    },
  };
}
