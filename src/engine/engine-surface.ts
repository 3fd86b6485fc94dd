/**
 * What a window may ask of the engine, by the names of the contract.
 * Law: joins what the services give, and adds nothing of its own.
 */
import type { AppContract } from '../shared/contract/app-contract.ts';
import type { AppStatus, Hardening } from '../shared/contract/app-status-contract.ts';
import type { ConnectionsState } from '../shared/contract/connections-contract.ts';
import type { Services } from '../shared/contract/define-contract.ts';
import type { ConnectionsService } from './connections/connections-service.ts';
import type { Provisioning } from './connections/provisioning.ts';
import type { DeveloperService } from './developer/developer-service.ts';
import type { StreamsService } from './feeds/streams-service.ts';
import type { AccessService } from './identity/access-service.ts';
import type { IdentityService } from './identity/identity-service.ts';
import type { LinksService } from './links/links-service.ts';
import type { ProcessUsage } from './metrics/process-usage.ts';
import type { AppWorkPlane } from './plane/app-work-plane.ts';
import type { RoomsPlane } from './rooms-plane.ts';
import type { createSessionDirectory } from './sessions/session-directory.ts';
import type { SettingsService } from './settings/settings-service.ts';
import type { SnapshotReaders } from './snapshots/snapshot-hub.ts';
import type { TriagePlane } from './triage-plane.ts';
import type { WorkPlane } from './work-plane.ts';

export interface OfferedConfig {
  readonly workspace: string;
  /** Versions and platform that the status shows. */
  readonly runtime: Pick<
    AppStatus,
    'version' | 'platform' | 'electron' | 'chromium' | 'node' | 'shippedElectron' | 'isSandboxed'
  >;
  /** As far as it is known by now. */
  readonly hardening: () => Hardening | null;
}

interface SnapshotSources {
  readonly config: OfferedConfig;
  readonly access: AccessService;
  readonly connections: ConnectionsService;
  readonly provisioning: Provisioning;
  readonly sessions: ReturnType<typeof createSessionDirectory>;
  readonly streams: StreamsService;
  readonly swarm: AppWorkPlane['swarm'];
  readonly identity: IdentityService;
  readonly links: LinksService;
  readonly settings: SettingsService;
  readonly work: WorkPlane;
  readonly triage: TriagePlane;
  readonly rooms: RoomsPlane;
  readonly usage: () => ProcessUsage;
}

const environmentOf = ({ contexts, current }: ConnectionsState): AppStatus['environment'] => {
  return { name: current, kind: contexts.find(({ name }) => name === current)?.kind ?? 'embedded' };
};

/** Snapshots by their names. */
export function readersOf({
  access,
  config,
  connections,
  provisioning,
  sessions,
  streams,
  swarm,
  identity,
  links,
  settings,
  work,
  triage,
  rooms,
  usage,
}: SnapshotSources): SnapshotReaders<AppContract> {
  return {
    'app.status': () => ({
      ...config.runtime,
      hardening: config.hardening(),
      workspace: config.workspace,
      environment: environmentOf(connections.state()),
      mainCpuPercent: usage().cpuPercent,
      mainRssBytes: usage().rssBytes,
    }),
    'access.peers': access.peers,
    'connections.state': connections.state,
    'identity.keyStore': identity.keyStoreState,
    'identity.self': identity.self,
    'links.waiting': links.waiting,
    'provisioning.state': provisioning.state,
    'sessions.list': sessions.list,
    'settings.current': settings.state,
    'streams.exports': streams.exports,
    'streams.quarantine': streams.quarantine,
    'streams.status': streams.status,
    'swarm.state': swarm.state,
    ...work.readers,
    ...triage.readers,
    ...rooms.readers,
  };
}

interface ServiceSources
  extends Pick<
    SnapshotSources,
    | 'access'
    | 'connections'
    | 'provisioning'
    | 'identity'
    | 'links'
    | 'settings'
    | 'streams'
    | 'swarm'
    | 'work'
    | 'triage'
    | 'rooms'
  > {
  readonly developer: DeveloperService;
  readonly told: Services<AppContract>['sessions'];
}

/** Calls by their names. */
export function servicesOf(sources: ServiceSources): Services<AppContract> {
  const {
    access,
    connections,
    developer,
    identity,
    links,
    provisioning,
    settings,
    streams,
    swarm,
    told,
    work,
    triage,
    rooms,
  } = sources;
  return {
    access: access.calls,
    app: {},
    connections: connections.calls,
    developer: developer.calls,
    identity: identity.calls,
    links: links.calls,
    provisioning: provisioning.calls,
    sessions: told,
    settings: settings.calls,
    streams: streams.calls,
    ...work.services,
    ...triage.services,
    ...rooms.services,
    swarm: { start: swarm.start, stop: swarm.stop, run: swarm.run, cancel: swarm.cancel, kill: swarm.kill },
  };
}
