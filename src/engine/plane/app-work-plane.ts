/**
 * What of the work plane runs in the app: the local swarm with its coordinator, the dead-letter supervisor, and the membership service.
 * Law: constructs and connects; each of them follows the engine in use and leaves the former one before it is exchanged, and what any of
 * them is refused stands in one record.
 */
import { createDisposer, type Disposable } from '../../shared/base/disposer.ts';
import type { VakError } from '../../shared/base/vak-error.ts';
import type { CoordinatorState, SwarmState } from '../../shared/contract/swarm-contract.ts';
import { holdsRoot } from '../access/access-export.ts';
import { createDenialLog, type DenialLog } from '../access/denial-log.ts';
import type { DeniedAccess } from '../access/denial-teller.ts';
import { createPeerPermit } from '../access/peer-permit.ts';
import { createPermittedFabric } from '../access/permitted-fabric.ts';
import { createServerDenials, type ServerDenial } from '../access/server-denials.ts';
import type { Fabric } from '../bus/fabric.ts';
import type { ConnectionSwitch, EngineInUse } from '../connections/connection-switch.ts';
import { createOwnServerAuth, type OwnServerAuth } from '../connections/own-server-auth.ts';
import { connectPeer } from '../connections/peer-connection.ts';
import { createPeerLink, type LinkProblem, type PeerLink, type PeerLinkDeps } from '../connections/peer-link.ts';
import { grantAt } from '../identity/grant-timeline.ts';
import type { OwnCredentials } from '../identity/own-credentials.ts';
import type { IssueCredentials } from '../identity/peer-credentials.ts';
import { secretsFor } from '../identity/peer-secrets.ts';
import type { Profile } from '../identity/profile.ts';
import { createStandings, standingEveryMs, watchStanding } from '../identity/standing.ts';
import { openOwnOutbox, outboxFolder } from '../outbox/outbox-folder.ts';
import { createLocalSwarm, type LaunchWorker, type LocalSwarm, type SwarmSessions } from '../swarm/local-swarm.ts';
import { createSwarmCoordinator } from '../swarm/swarm-coordinator.ts';
import { swarmPeerName } from '../swarm/swarm-peer.ts';
import type { WorkPlace } from '../swarm/work-lanes.ts';
import { createKnownGrants } from '../work/known-grants.ts';
import { openWorkPeer, type WorkPeer, type WorkPorts } from '../work/work-peer.ts';
import { createAppMembership } from './app-membership.ts';
import type { AppService, AppServiceDeps } from './app-service.ts';
import { createAppSupervisor } from './app-supervisor.ts';
import { createClaimedKeeper } from './claimed-keeper.ts';
import { createKeyBasis } from './key-basis.ts';

/** What it takes from outside. */
export interface AppWorkPorts extends WorkPorts {
  readonly profile: Profile;
  readonly launchWorker: LaunchWorker;
}

export interface AppWorkPlaneDeps {
  readonly workspace: string;
  readonly connection: ConnectionSwitch;
  readonly issueCredentials: IssueCredentials;
  readonly sessions: SwarmSessions;
  /** Whether the key store may be read. */
  readonly isOpen: () => boolean;
  /** Told when the swarm's state has changed; the caller bounds its rate. */
  readonly onSwarm: () => void;
  /** Told when others of the workspace's secrets count, or its root is another. */
  readonly onSecrets?: () => void;
  /** The same of the supervisor's. */
  readonly onSupervisor?: () => void;
  /** The same of the membership service's. */
  readonly onMembership?: () => void;
}

export interface AppWorkPlane {
  readonly swarm: Pick<LocalSwarm, 'start' | 'stop' | 'run' | 'cancel' | 'kill'> & { state(): SwarmState };
  readonly supervisor: Pick<AppService, 'state'>;
  readonly membership: Pick<AppService, 'state'>;
  readonly denials: DenialLog;
  /** A server refused the app something, as that peer. */
  readonly onServerDenial: (peer: string, denial: ServerDenial) => void;
  /** Ends the swarm and all that it started, and leaves the engine. */
  stop(): Promise<void>;
}

/** Opens peers that run in this process, each behind its permit, over an outbox of its own. */
function createPeerOpener(ports: AppWorkPorts, onDenied: (denied: DeniedAccess) => void) {
  const { profile, clock, randomness, logger } = ports;
  const { files, records, settings } = profile;
  return async (own: OwnCredentials, { fabric, destination }: WorkPlace): Promise<WorkPeer> => {
    const { ws: workspace, peer, roles, queues } = own.grant;
    const permit = createPeerPermit({ workspace, peer, roles, queues, clock, logger, onDenied });
    const folder = outboxFolder(files.outbox, { workspace, peer, destination });
    const { journal } = await openOwnOutbox(folder, { clock, logger });
    const workPeer = await openWorkPeer({
      ...{ own, journal, fabric: createPermittedFabric(fabric, permit), clock, randomness, logger },
      grants: createKnownGrants(records, { current: () => own.rootPublic }),
      policy: () => settings.settings().policy,
    });
    const { directory } = records;
    const standing = createStandings({ workspace, directory, rootPublic: own.rootPublic, clock });
    const watching = watchStanding({
      ...{ peer, sign: own.grant.sign, standing, directory, clock },
      onChange: (now) => permit.regrant(now.kind === 'held' ? now : { roles: [], queues: [] }),
    });
    return {
      ...workPeer,
      async close(limitMs) {
        watching.dispose();
        return await workPeer.close(limitMs);
      },
    };
  };
}

/** The keys by which each of the app's peers is known at a server. */
type KeysOf = (peer: string) => OwnServerAuth;

interface LinkHooks extends Pick<PeerLinkDeps, 'onMove' | 'onChange'> {
  /** Whether it is to be on an engine at all; it is if this is left out. */
  readonly isWanted?: () => boolean;
}

/** Makes the ways of the app's peers to the engine in use. */
function createLinks({ clock, logger }: WorkPorts, connection: ConnectionSwitch, keysOf: KeysOf) {
  return (peer: string, { isWanted = () => true, ...hooks }: LinkHooks): PeerLink => {
    const present = (): EngineInUse | undefined => (isWanted() ? connection.present() : undefined);
    const writable = (): EngineInUse | undefined => writableEngine(connection);
    return createPeerLink({ ...hooks, peer, present, writable, ownAuth: keysOf(peer), clock, logger });
  };
}

/** Opens the peer of a service of the app, which has a connection of its own where peers have. */
function createServiceOpener(openPeer: ReturnType<typeof createPeerOpener>, keysOf: KeysOf) {
  return async (own: OwnCredentials, engine: EngineInUse, lost: (cause: VakError) => void): Promise<WorkPeer> => {
    const { peer } = own.grant;
    const ownAuth = keysOf(peer);
    let connected: Fabric | undefined;
    const leave = async (): Promise<void> => {
      await connected?.close();
      ownAuth.dispose();
    };
    try {
      connected = await connectPeer(engine, { peer, ownAuth, lost });
      const opened = await openPeer(own, { fabric: connected ?? engine.fabric, destination: engine.destination });
      return { ...opened, close: (limitMs) => opened.close(limitMs).finally(leave) };
    } catch (error) {
      await leave();
      throw error;
    }
  };
}

/** How peers stand by their grants. The root is known as soon as the key store was open once; before that nobody runs. */
function createAppStandings(
  { profile, clock }: AppWorkPorts,
  workspace: string,
  isOpen: () => boolean,
): ReturnType<typeof createStandings> {
  const { keyStore, records } = profile;
  let standings: ReturnType<typeof createStandings> | undefined;
  return (peer, sign) => {
    const root = isOpen() ? keyStore.read().workspaces.find((one) => one.workspace === workspace) : undefined;
    if (standings === undefined && root !== undefined) {
      standings = createStandings({ workspace, directory: records.directory, rootPublic: root.rootPublic, clock });
    }
    return standings?.(peer, sign);
  };
}

/** What is refused stands in the log and in one record. */
function createDenialRecord(from: AppWorkPorts, of: Pick<AppWorkPlaneDeps, 'workspace' | 'isOpen'>) {
  const { logger } = from;
  const denials = createDenialLog({ logger });
  const onDenied = (denied: DeniedAccess): void => {
    const { peer, action, subject, rule, side } = denied;
    logger.warn('access.denied', { peer, action, subject, rule, side });
    denials.note(denied);
  };
  return { denials, onDenied, onServerDenial: createServerNotes(from, { ...of, onDenied }) };
}

/** Has the swarm look after the grants of its workers while there are any. */
function followGrants({ profile, clock }: AppWorkPorts, swarm: Pick<LocalSwarm, 'state' | 'followGrants'>): Disposable {
  const { directory } = profile.records;
  const held = createDisposer();
  held.add(directory.onChange(swarm.followGrants));
  held.add(
    clock.setTicker(standingEveryMs, () => {
      if (swarm.state().workers.length === 0) return;
      directory.look();
      // A grant may also just end.
      swarm.followGrants();
    }),
  );
  return held;
}

interface ServerNotesDeps extends Pick<AppWorkPlaneDeps, 'workspace' | 'isOpen'> {
  readonly onDenied: (denied: DeniedAccess) => void;
}

/** Takes note of what a server refused, by the rules of what the peer is granted as far as that can be read. */
function createServerNotes({ profile, clock, logger }: AppWorkPorts, { workspace, isOpen, onDenied }: ServerNotesDeps) {
  const notes = new Map<string, (denial: ServerDenial) => void>();
  const { keyStore, records } = profile;
  function granted(peer: string) {
    if (!isOpen()) return undefined;
    const contents = keyStore.read();
    const found = grantAt(records.timelines(contents)(peer), clock.now())?.grant;
    if (found === undefined) return undefined;
    const { roles, queues } = found;
    return { roles, queues, holdsRoot: holdsRoot({ peer, roles }, { contents, workspace }) };
  }
  return (peer: string, denial: ServerDenial): void => {
    const of = { workspace, peer, clock, logger, onDenied, granted: () => granted(peer) };
    const note = notes.get(peer) ?? createServerDenials(of);
    // The app speaks as its operator, before there is one as the workbench, and as the peers that it runs.
    notes.set(peer, note);
    note(denial);
  };
}

/** The engine in use, unless its context is read-only. */
function writableEngine({ engine }: ConnectionSwitch): EngineInUse | undefined {
  const inUse = engine();
  return inUse?.readOnlyContext === undefined ? inUse : undefined;
}

/** What a swarm takes of the profile. */
function swarmSources(from: AppWorkPorts, { workspace, isOpen }: Pick<AppWorkPlaneDeps, 'workspace' | 'isOpen'>) {
  const { files, settings, keyStore, heads } = from.profile;
  return {
    ...{ heads, standing: createAppStandings(from, workspace, isOpen) },
    policy: () => settings.settings().policy,
    secrets: () => (isOpen() ? secretsFor(keyStore.read(), workspace, from.clock.now()) : undefined),
    files: { outbox: files.outbox, directory: files.directory(workspace), serials: files.serials },
  };
}

/** Whether any process of the swarm lives, or is to. */
function hasPeers({ state, workers }: Pick<SwarmState, 'state' | 'workers'>): boolean {
  return state !== 'stopped' || workers.some((one) => one.state !== 'ended' && one.state !== 'dead');
}

/** The coordinator's state, when its peer may be on no engine. That it is kept out is told of all who are. */
function toldOf(state: CoordinatorState, problem: LinkProblem | null): CoordinatorState {
  if (state.kind !== 'off' || problem === null || problem.isKeptOut) return state;
  return { kind: 'failed', why: `${swarmPeerName}: ${problem.message}` };
}

/** Runs them once for each basis: the key store changes for less than its keys, too. */
function onceA(basis: () => string | undefined, runs: readonly (() => void)[]): () => void {
  let known = basis();
  return () => {
    const current = basis();
    if (current === known) return;
    known = current;
    for (const run of runs) run();
  };
}

/** The services that the app runs itself. */
function createServices(
  serving: Omit<AppServiceDeps<EngineInUse>, 'onChange'>,
  { onSupervisor, onMembership }: Pick<AppWorkPlaneDeps, 'onSupervisor' | 'onMembership'>,
) {
  const supervisor = createAppSupervisor({ ...serving, onChange: () => onSupervisor?.() });
  const membership = createAppMembership({ ...serving, onChange: () => onMembership?.() });
  return {
    ...{ supervisor, membership },
    follow: () => Promise.all([supervisor.follow(), membership.follow()]),
    close: () => Promise.all([supervisor.close(), membership.close()]),
  };
}

/** Creates it at rest: the services begin when the key store is open, the swarm when it is started. */
export function createAppWorkPlane(from: AppWorkPorts, deps: AppWorkPlaneDeps): AppWorkPlane {
  const { workspace, connection, issueCredentials, sessions, isOpen } = deps;
  const { clock, randomness, logger, launchWorker: launch } = from;
  const { settings, keyStore } = from.profile;
  const ports = { clock, randomness, logger };
  const held = createDisposer();
  const { denials, onDenied, onServerDenial } = createDenialRecord(from, { workspace, isOpen });
  const openPeer = createPeerOpener(from, onDenied);
  const { current: basis } = held.add(createKeyBasis(keyStore, { workspace, isOpen }));
  const keysOf: KeysOf = (peer) => createOwnServerAuth({ keyStore, workspace, peer, clock });
  const linkFor = createLinks(ports, connection, keysOf);
  const onMove = (): Promise<void> => coordinator.follow();
  const ownLink = linkFor(swarmPeerName, { onMove, onChange: deps.onSwarm, isWanted: () => hasPeers(swarm.state()) });
  const swarm = createLocalSwarm({
    ...{ ...ports, launch, issueCredentials, workspace, sessions, linkFor, ownLink, onDenied },
    ...swarmSources(from, { workspace, isOpen }),
    onChange() {
      deps.onSwarm();
      followPhase();
    },
  });
  const isRunning = (): boolean => swarm.state().state === 'running';
  const coordinator = createSwarmCoordinator({
    ...{ ...ports, workspace, onChange: deps.onSwarm },
    place: () => (isRunning() ? ownLink.place() : undefined),
    openPeer: async (there) => await openPeer(await swarm.own.own(), there),
    workerCount: () => swarm.queueWorkerCount,
  });
  const place = (): EngineInUse | undefined => writableEngine(connection);
  const serving = { ...ports, workspace, isOpen, basis, issueCredentials, place };
  const services = createServices({ ...serving, openPeer: createServiceOpener(openPeer, keysOf) }, deps);

  // The coordinator works exactly while the swarm does; its peer is on the engine while any worker lives.
  const followPhase = onceA(() => `${isRunning()} ${hasPeers(swarm.state())}`, [() => void ownLink.follow()]);
  const followAll = () => Promise.all([swarm.follow(), services.follow()]).then(() => {});

  for (const one of [connection.onChange(() => void followAll()), connection.onLeave(followAll)]) held.add(one);
  held.add(keyStore.onChange(onceA(basis, [swarm.followSecrets, () => deps.onSecrets?.()])));
  held.add(keyStore.onChange(() => void services.follow()));
  held.add(settings.onChange(() => swarm.followPolicy()));
  held.add(followGrants(from, swarm));
  held.add(createClaimedKeeper({ workspace, profile: from.profile, connection, place, isOpen, clock, logger }));

  return {
    swarm: {
      ...{ start: swarm.start, stop: swarm.stop, run: swarm.run, cancel: swarm.cancel, kill: swarm.kill },
      state: () => ({
        ...swarm.state(),
        coordinator: toldOf(coordinator.state(), isRunning() ? ownLink.problem() : null),
      }),
    },
    ...{ supervisor: services.supervisor, membership: services.membership, denials, onServerDenial },
    async stop() {
      held.dispose();
      // The coordinator signs its last word with the keys that the swarm disposes.
      await Promise.all([coordinator.close(), services.close(), swarm.stop()]);
      await swarm.dispose();
    },
  };
}
