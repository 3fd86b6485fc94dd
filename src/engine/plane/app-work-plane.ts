/**
 * What of the work plane runs in the app: the local swarm with its coordinator, and the dead-letter supervisor.
 * Law: constructs and connects; each of them follows the engine in use and leaves the former one before it is exchanged, and what any of
 * them is refused stands in one record.
 */
import { createDisposer } from '../../shared/base/disposer.ts';
import type { SwarmState } from '../../shared/contract/swarm-contract.ts';
import { createDenialLog, type DenialLog } from '../access/denial-log.ts';
import { createPeerPermit } from '../access/peer-permit.ts';
import type { DeniedAccess } from '../access/permit.ts';
import { createPermittedFabric } from '../access/permitted-fabric.ts';
import type { ConnectionSwitch, EngineInUse } from '../connections/connection-switch.ts';
import type { OwnCredentials } from '../identity/own-credentials.ts';
import { type IssueCredentials, usableSecrets } from '../identity/peer-credentials.ts';
import type { Profile } from '../identity/profile.ts';
import { openOwnOutbox, outboxFolder } from '../outbox/outbox-folder.ts';
import { createLocalSwarm, type LaunchWorker, type LocalSwarm, type SwarmSessions } from '../swarm/local-swarm.ts';
import { createSwarmCoordinator } from '../swarm/swarm-coordinator.ts';
import type { WorkPlace } from '../swarm/work-lanes.ts';
import { createKnownGrants } from '../work/known-grants.ts';
import { openWorkPeer, type WorkPeer, type WorkPorts } from '../work/work-peer.ts';
import { type AppSupervisor, createAppSupervisor } from './app-supervisor.ts';
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
  /** The same of the supervisor's. */
  readonly onSupervisor?: () => void;
}

export interface AppWorkPlane {
  readonly swarm: Pick<LocalSwarm, 'start' | 'stop' | 'run' | 'cancel' | 'kill'> & { state(): SwarmState };
  readonly supervisor: Pick<AppSupervisor, 'state'>;
  readonly denials: DenialLog;
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
    return await openWorkPeer({
      ...{ own, journal, fabric: createPermittedFabric(fabric, permit), clock, randomness, logger },
      grants: createKnownGrants(records, { current: () => own.rootPublic }),
      policy: () => settings.settings().policy,
    });
  };
}

/** The engine in use, unless its context is read-only. */
function writableEngine({ engine }: ConnectionSwitch): EngineInUse | undefined {
  const inUse = engine();
  return inUse?.readOnlyContext === undefined ? inUse : undefined;
}

/** What the workers hold of the secrets is what they were given: a new one would open nothing there. */
function createSecretTelling(
  { clock, profile: { keyStore } }: Pick<AppWorkPorts, 'clock' | 'profile'>,
  {
    workspace,
    isOpen,
    basis,
    swarm,
  }: Pick<AppWorkPlaneDeps, 'workspace' | 'isOpen'> & {
    readonly basis: () => string | undefined;
    readonly swarm: Pick<LocalSwarm, 'takeSecrets'>;
  },
): () => void {
  let toldBasis = basis();
  return () => {
    const now = basis();
    if (now === toldBasis || !isOpen()) return;
    toldBasis = now;
    const own = keyStore.read().workspaces.find((one) => one.workspace === workspace);
    const given = usableSecrets(own?.secrets ?? [], clock.now());
    swarm.takeSecrets(given);
    for (const { secret } of given) secret.fill(0);
  };
}

/** Creates it at rest: the supervisor begins when the key store is open, the swarm when it is started. */
export function createAppWorkPlane(from: AppWorkPorts, deps: AppWorkPlaneDeps): AppWorkPlane {
  const { workspace, connection, issueCredentials, sessions, isOpen } = deps;
  const { clock, randomness, logger, launchWorker: launch } = from;
  const { files, settings, keyStore, heads } = from.profile;
  const ports = { clock, randomness, logger };
  const [held, denials] = [createDisposer(), createDenialLog({ logger })];
  const onDenied = (denied: DeniedAccess): void => {
    const { peer, action, subject, rule } = denied;
    logger.warn('access.denied', { peer, action, subject, rule });
    denials.note(denied);
  };
  const openPeer = createPeerOpener(from, onDenied);
  const policy = () => settings.settings().policy;
  const { current: basis } = held.add(createKeyBasis(keyStore, { workspace, isOpen }));

  const place = (): EngineInUse | undefined => writableEngine(connection);
  const swarm = createLocalSwarm({
    ...{ ...ports, launch, issueCredentials, heads, workspace, sessions, place, policy, onDenied },
    bus: connection.live.bus,
    files: { outbox: files.outbox, directory: files.directory(workspace), serials: files.serials },
    onChange: onSwarm,
  });
  const coordinator = createSwarmCoordinator({
    ...{ ...ports, workspace, onChange: deps.onSwarm },
    place: () => (swarm.state().state === 'running' ? place() : undefined),
    openPeer: async (there) => await openPeer(await swarm.own.own(), there),
    workerCount: () => swarm.queueWorkerCount,
  });
  const supervisor = createAppSupervisor({
    ...{ ...ports, workspace, place, isOpen, basis, issueCredentials, openPeer },
    onChange: () => deps.onSupervisor?.(),
  });
  let phase: SwarmState['state'] = 'stopped';

  /** The coordinator works exactly while the swarm does. */
  function onSwarm(): void {
    deps.onSwarm();
    const { state } = swarm.state();
    if (state === phase) return;
    phase = state;
    void coordinator.follow();
  }

  async function followAll(): Promise<void> {
    await Promise.all([swarm.follow(), coordinator.follow(), supervisor.follow()]);
  }

  held.add(connection.onChange(() => void followAll()));
  held.add(connection.onLeave(followAll));
  held.add(keyStore.onChange(() => void supervisor.follow()));
  held.add(keyStore.onChange(createSecretTelling(from, { workspace, isOpen, basis, swarm })));
  held.add(settings.onChange(() => swarm.followPolicy()));

  return {
    swarm: {
      ...{ start: swarm.start, stop: swarm.stop, run: swarm.run, cancel: swarm.cancel, kill: swarm.kill },
      state: () => ({ ...swarm.state(), coordinator: coordinator.state() }),
    },
    ...{ supervisor, denials },
    async stop() {
      held.dispose();
      // The coordinator signs its last word with the keys that the swarm disposes.
      await Promise.all([coordinator.close(), supervisor.close(), swarm.stop()]);
      await swarm.dispose();
    },
  };
}
