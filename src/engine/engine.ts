/**
 * Composition of the engine: one bus, one buffer, the services and feeds over them.
 * Law: constructs and connects, decides nothing; `stop` releases all of it in the order of architecture.md §6.
 */
import { createDisposer, type Disposable } from '../shared/base/disposer.ts';
import type { AppContract } from '../shared/contract/app-contract.ts';
import type { Services, SnapshotName } from '../shared/contract/define-contract.ts';
import { type AccessGate, createAccessGate } from './access-gate.ts';
import { type ConnectionSwitch, openConnectionSwitch } from './connections/connection-switch.ts';
import { type ConnectionsService, createConnectionsService } from './connections/connections-service.ts';
import { createManagedLeases } from './connections/managed-leases.ts';
import { startManagedServer } from './connections/managed-server.ts';
import { createOwnServerAuth } from './connections/own-server-auth.ts';
import { createProvisioning } from './connections/provisioning.ts';
import type { FindOnPath } from './connections/server-program.ts';
import type { SelfTestResult } from './crypto/self-test.ts';
import { createDeveloperService, type DeveloperService } from './developer/developer-service.ts';
import { createStreams } from './engine-streams.ts';
import { type OfferedConfig, readersOf, servicesOf } from './engine-surface.ts';
import type { FeedHub } from './feeds/feed-hub.ts';
import type { MessageBuffer } from './feeds/message-buffer.ts';
import type { StreamsService } from './feeds/streams-service.ts';
import { createAccessService } from './identity/access-service.ts';
import { type AppDirectory, createAppDirectory } from './identity/app-directory.ts';
import { createIdentityService, type IdentityService } from './identity/identity-service.ts';
import { createCredentialIssuer } from './identity/peer-credentials.ts';
import type { Profile } from './identity/profile.ts';
import { createLinksService, type HandedOver } from './links/links-service.ts';
import { createUsageSampler } from './metrics/process-usage.ts';
import { createOperatorOutbox } from './outbox/operator-outbox.ts';
import { type AppWorkPlane, createAppWorkPlane } from './plane/app-work-plane.ts';
import type { Clock } from './ports/clock.ts';
import type { Logger } from './ports/logger.ts';
import type { Notifier } from './ports/notifier.ts';
import type { OperatorPrompt } from './ports/operator-prompt.ts';
import type { Randomness } from './ports/randomness.ts';
import type { Vault } from './ports/vault.ts';
import { createRoomsPlane } from './rooms-plane.ts';
import type { createSessionDirectory } from './sessions/session-directory.ts';
import { createSessionsService } from './sessions/sessions-service.ts';
import { type Environment, keyStoreSecrets } from './settings/secret-sources.ts';
import { createSettingsParts, type SettingsPartsDeps } from './settings-parts.ts';
import { keepCurrent } from './snapshots/keep-current.ts';
import { createSnapshotHub, type SnapshotHub } from './snapshots/snapshot-hub.ts';
import type { LaunchWorker } from './swarm/local-swarm.ts';
import { createTriagePlane, type TriagePlane, type TriagePlaneDeps } from './triage-plane.ts';
import { createWorkPlane, type WorkPlane, type WorkPlaneDeps } from './work-plane.ts';

/** What the engine takes from outside. */
export interface EnginePorts {
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly logger: Logger;
  readonly launchWorker: LaunchWorker;
  readonly profile: Profile;
  readonly vault: Vault;
  readonly prompt: OperatorPrompt;
  readonly notifier: Notifier;
  readonly selfTest: SelfTestResult;
  /** Variables as the composition root read them. */
  readonly environment: Environment;
  /** Finds a program of the user's path. */
  readonly findOnPath: FindOnPath;
  /** Where the `nats` command line keeps its contexts, and what `~` stands for in them. */
  readonly natsCli: { readonly folder: string; readonly home: string };
}

export interface EngineConfig extends OfferedConfig {
  /** Bounds of the message buffer. */
  readonly bufferCount: number;
  readonly bufferBytes: number;
}

export interface Engine {
  readonly services: Services<AppContract>;
  readonly snapshots: SnapshotHub<AppContract>;
  readonly feeds: FeedHub;
  readonly gate: AccessGate;
  /** What the system handed over for the app, as hostile as any; it waits to be looked at. */
  take(handed: HandedOver): void;
  /** Opens the key store if that needs nobody. */
  open(): Promise<void>;
  /** Ends the swarm, drains the bus, releases everything. */
  stop(): Promise<void>;
}

interface PersonalDeps extends SettingsPartsDeps {
  readonly ports: EnginePorts;
  readonly connection: ConnectionSwitch;
}

/** Who the operator is, and what was set. */
function createPersonal({ ports, connection, workspace, onChange, ...parts }: PersonalDeps) {
  const { profile, vault, prompt, clock, randomness, logger, selfTest } = ports;
  const { keyStore, records, backups } = profile;
  const identity = createIdentityService({
    ...{ keyStore, records, backups, vault, prompt, clock, randomness, logger, selfTest, onChange },
    notices: profile.notices,
  });
  const settings = createSettingsParts(ports, { workspace, onChange, ...parts });
  const issueCredentials = createCredentialIssuer({ keyStore, records, clock, randomness });
  return { identity, settings, issueCredentials, directory: createDirectoryOf(ports, connection) };
}

/** The engine that the settings ask for, over the profile's own folders and secrets. */
function openConnection(
  ports: EnginePorts,
  workspace: string,
  onDenied: AppWorkPlane['onServerDenial'],
): Promise<ConnectionSwitch> {
  const { clock, randomness, logger, profile, environment, findOnPath } = ports;
  const { keyStore, files, settings: file } = profile;
  const contents = () => (keyStore.state().kind === 'unlocked' ? keyStore.read() : undefined);
  const managed = createManagedLeases(
    () => startManagedServer({ folder: files.managedServer, clock, randomness, logger, findOnPath }),
    logger,
  );
  return openConnectionSwitch({
    ...{ clock, randomness, logger, workspace, managed, onDenied, settings: file.settings },
    embedded: { folder: files.engine, durability: 'written' },
    ownAuth: (peer) => createOwnServerAuth({ keyStore, workspace, peer, clock }),
    peer: () => contents()?.identities.find(({ kind }) => kind === 'human')?.peer ?? 'workbench',
    sources() {
      const open = contents();
      const { workspaceSecretEnv } = file.settings();
      return open === undefined
        ? { environment }
        : { environment, keyStore: keyStoreSecrets(open, { workspace, workspaceSecretEnv }) };
    },
  });
}

function createConnectionsOf(
  { clock, natsCli, profile, prompt }: EnginePorts,
  connection: ConnectionSwitch,
  hooks: Pick<Parameters<typeof createConnectionsService>[0], 'waiting' | 'outboxProblem' | 'newestSeq' | 'onChange'>,
): ConnectionsService {
  const { settings, keyStore } = profile;
  return createConnectionsService({ connection, settings, keyStore, prompt, clock, natsCli, ...hooks });
}

/** Cards and grants of the workspace, as the engine in use carries them. */
function createDirectoryOf({ clock, logger, profile }: EnginePorts, connection: ConnectionSwitch): AppDirectory {
  const { keyStore, records } = profile;
  const directory = createAppDirectory({ keyStore, records, clock, logger, engine: connection.engine });
  connection.onChange(() => void directory.follow());
  connection.onLeave(directory.follow);
  void directory.follow();
  return directory;
}

/** What the operator publishes durably, on the connection as it is. */
function createOutboxOf(
  { clock, randomness, logger, profile }: EnginePorts,
  connection: ConnectionSwitch,
  parts: Pick<Parameters<typeof createOperatorOutbox>[0], 'workspace' | 'secrets' | 'guard' | 'onChange'>,
) {
  const { keyStore, files, records } = profile;
  const ports = { clock, randomness, logger };
  const outbox = createOperatorOutbox({
    ...{ ...parts, ...ports, keyStore, pins: records.pins, folder: files.outbox, engine: connection.engine },
  });
  connection.onChange(outbox.follow);
  return outbox;
}

/** What is seen of the work of the workspace, and done with it. */
function createWorkOf(
  { clock, randomness, logger, notifier, profile }: EnginePorts,
  {
    plane,
    tell,
    ...parts
  }: Pick<WorkPlaneDeps, 'workspace' | 'connection' | 'outbox' | 'gate' | 'trust' | 'alarmSources' | 'sessions'> & {
    readonly plane: Pick<AppWorkPlane, 'denials' | 'supervisor'>;
    readonly tell: (name: SnapshotName<AppContract>) => () => void;
  },
): WorkPlane {
  const { keyStore, settings, incidents } = profile;
  return createWorkPlane({
    ...{ ...parts, clock, randomness, logger, notifier, keyStore, settings, incidents },
    ...{ denials: plane.denials, supervisor: plane.supervisor.state },
    onChange: (name) => tell(name)(),
  });
}

interface OverviewDeps extends Omit<Parameters<typeof createWorkOf>[1], 'alarmSources' | 'connection' | 'outbox'> {
  readonly connection: ConnectionSwitch;
  readonly outbox: ReturnType<typeof createOutboxOf>;
  readonly plane: Pick<AppWorkPlane, 'denials' | 'supervisor' | 'membership' | 'swarm'>;
  readonly streams: StreamsService;
  readonly identity: IdentityService;
  readonly buffer: MessageBuffer;
}

/** The work, what failed for good, the connection, and what the server has for it; each may need an operator. */
function createOverview(ports: EnginePorts, { streams, buffer, identity, ...deps }: OverviewDeps) {
  const { workspace, connection, outbox, plane, tell } = deps;
  const held = createDisposer();
  const provisioning = held.add(
    createProvisioning({ workspace, connection, clock: ports.clock, onChange: tell('provisioning.state') }),
  );
  let connections: ConnectionsService | undefined;
  const work = held.add(
    createWorkOf(ports, {
      ...deps,
      alarmSources: () =>
        connections && {
          ...{ flow: streams.status(), quarantine: streams.quarantine() },
          ...{ swarm: plane.swarm.state(), connection: connections.state(), provisioning: provisioning.state() },
        },
    }),
  );
  connections = held.add(
    createConnectionsOf(ports, connection, {
      ...{ waiting: outbox.waiting, outboxProblem: outbox.problem },
      newestSeq: () => buffer.newestSeq,
      onChange: tell('connections.state'),
    }),
  );
  const access = held.add(
    createAccessService(ports, {
      ...{ identity, outbox, connection, right: work.right, onChange: tell('access.peers') },
    }),
  );
  const triage = createTriageOf(ports, { ...deps, buffer, work });
  const rooms = createRoomsPlane({
    ...{ ...ports, ...deps, addCardFile: access.calls.addCardFile, membership: plane.membership },
    onChange: tell('rooms.state'),
  });
  return { access, provisioning, work, triage, rooms, connections, dispose: () => held.dispose() };
}

/** What is known of dead letters, and done about them. */
function createTriageOf(
  { clock, randomness, logger, profile, prompt }: EnginePorts,
  {
    work,
    tell,
    ...parts
  }: Pick<TriagePlaneDeps, 'workspace' | 'connection' | 'outbox' | 'gate' | 'trust' | 'buffer'> & {
    readonly work: WorkPlane;
    readonly tell: (name: SnapshotName<AppContract>) => () => void;
  },
): TriagePlane {
  const own = { ...parts, clock, randomness, logger, keyStore: profile.keyStore, folder: profile.files.campaigns };
  const { directory, pins } = profile.records;
  return createTriagePlane({
    ...{ ...own, grants: directory.seen, pins, prompt, work: work.watch },
    ...{ onChange: tell('dlq.state'), onBundles: tell('bundles.state') },
  });
}

interface Gated {
  readonly sessions: Pick<ReturnType<typeof createSessionDirectory>, 'readWaiting'>;
  readonly connection: Pick<ConnectionSwitch, 'follow'>;
  readonly developer: Pick<DeveloperService, 'lock'>;
  readonly outbox: Pick<ReturnType<typeof createOutboxOf>, 'follow'>;
  readonly snapshots: Pick<SnapshotHub<AppContract>, 'resend'>;
}

const createGateOf = ({ profile, selfTest }: EnginePorts, { readOnlyContext }: ConnectionSwitch): AccessGate =>
  createAccessGate({ keyStore: profile.keyStore, isTrusted: selfTest.ok, readOnlyContext });

/** What waits for the key store, and what has to end without it. */
function followGate(gate: AccessGate, { sessions, connection, developer, outbox, snapshots }: Gated): Disposable {
  return gate.onChange((isOpen) => {
    if (isOpen) {
      sessions.readWaiting();
      connection.follow();
    } else developer.lock();
    outbox.follow();
    snapshots.resend();
  });
}

/** Builds a running engine on the connection that the settings ask for. */
export async function createEngine(given: EnginePorts, config: EngineConfig): Promise<Engine> {
  const tell = (name: SnapshotName<AppContract>) => (): void => snapshots.changed(name);
  const links = createLinksService(tell('links.waiting'));
  const ports = { ...given, prompt: links.answering(given.prompt) };
  const { clock, randomness, profile } = ports;
  const { workspace } = config;
  const held = createDisposer();
  /** There is one as soon as there is a connection. */
  let heard: AppWorkPlane['onServerDenial'] = () => {};
  const connection = await openConnection(ports, workspace, (peer, denied) => heard(peer, denied));
  const { bus } = connection.live;
  const { buffer, sessions, feeds, streams, trust } = held.add(
    createStreams({ live: connection.live, ports, config, tell }),
  );
  const { identity, settings, issueCredentials, directory } = createPersonal({
    ...{ ports, workspace, buffer, secrets: trust.secrets, engine: connection.engine, connection },
    sealerUse: () => outbox.sealerUse(),
    onChange() {
      for (const name of ['identity.keyStore', 'identity.self', 'settings.current'] as const) snapshots.changed(name);
      // An operator who has just been made speaks from now on.
      outbox.follow();
    },
    onBusChange(isSecret) {
      void trust.refreshSecrets();
      connection.follow(isSecret);
    },
  });
  const gate = held.add(createGateOf(ports, connection));
  const plane = createAppWorkPlane(ports, {
    ...{ workspace, connection, issueCredentials, sessions, isOpen: () => gate.isOpen, onSwarm: tell('swarm.state') },
    ...{ onSupervisor: () => work.changed(), onMembership: () => rooms.serviceChanged() },
    onSecrets: () => developer.lock(),
  });
  heard = plane.onServerDenial;
  const outbox = createOutboxOf(ports, connection, {
    ...{ workspace, secrets: trust.secrets, onChange: tell('connections.state'), guard: (one) => rooms.guard(one) },
  });
  const overview = held.add(
    createOverview(ports, {
      ...{ workspace, connection, outbox, gate, trust, sessions, plane, tell, streams, buffer, identity },
    }),
  );
  const { work, triage, rooms } = overview;
  const { usage, sample } = createUsageSampler(clock);
  const parts = { ...overview, links, ...{ sessions, streams, swarm: plane.swarm, identity, settings } };
  const readers = readersOf({ ...parts, config, usage });
  const snapshots = held.add(createSnapshotHub<AppContract>(readers, clock, gate.isVisible));
  const developer = held.add(createDeveloperService({ bus, clock, randomness, workspace, issueCredentials }));
  held.add(followGate(gate, { sessions, connection, developer, outbox, snapshots }));
  held.add(keepCurrent({ clock, buffer, streams, snapshots, work }, sample));
  const told = createSessionsService({ workspace, sessions, outbox, clock, randomness });
  return {
    ...{ services: servicesOf({ ...parts, developer, told }), snapshots, feeds, gate, take: links.take },
    async open() {
      await trust.refreshSecrets();
      await identity.open();
    },
    async stop() {
      await plane.stop();
      await triage.close();
      await rooms.close();
      await outbox.close();
      await directory.close();
      await connection.close();
      await overview.access.settled();
      held.dispose();
      settings.dispose();
      identity.dispose();
      await profile.close();
    },
  };
}
