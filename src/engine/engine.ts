/**
 * Composition of the engine: one bus, one buffer, the services and feeds over them.
 * Law: constructs and connects, decides nothing; `stop` releases all of it in the order of architecture.md §6.
 */
import { createDisposer } from '../shared/base/disposer.ts';
import { isVakError } from '../shared/base/vak-error.ts';
import type { AppContract } from '../shared/contract/app-contract.ts';
import type { AppStatus } from '../shared/contract/app-status-contract.ts';
import type { Services } from '../shared/contract/define-contract.ts';
import { type AccessGate, createAccessGate } from './access-gate.ts';
import type { Bus } from './bus/bus.ts';
import { createLiveBus } from './bus/live-bus.ts';
import { createMemoryBus } from './bus/memory/memory-bus.ts';
import type { SelfTestResult } from './crypto/self-test.ts';
import { createDeveloperService } from './developer/developer-service.ts';
import { createFeedHub, type FeedHub } from './feeds/feed-hub.ts';
import { createMessageBuffer } from './feeds/message-buffer.ts';
import { createStreamsService } from './feeds/streams-service.ts';
import { createSubjectReader } from './feeds/subject-reader.ts';
import { createIdentityService, type IdentityService } from './identity/identity-service.ts';
import { createCredentialIssuer } from './identity/peer-credentials.ts';
import type { Profile } from './identity/profile.ts';
import { createProcessUsageReader, type ProcessUsage } from './metrics/process-usage.ts';
import type { Clock } from './ports/clock.ts';
import type { Logger } from './ports/logger.ts';
import type { OperatorPrompt } from './ports/operator-prompt.ts';
import type { Randomness } from './ports/randomness.ts';
import type { Vault } from './ports/vault.ts';
import { createSessionDirectory } from './sessions/session-directory.ts';
import type { Environment } from './settings/secret-sources.ts';
import { createSettingsService, type SettingsService } from './settings/settings-service.ts';
import { createSnapshotHub, type SnapshotHub, type SnapshotReaders } from './snapshots/snapshot-hub.ts';
import { createLocalSwarm, type LaunchWorker, type LocalSwarm } from './swarm/local-swarm.ts';

/** What the engine takes from outside. */
export interface EnginePorts {
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly logger: Logger;
  readonly launchWorker: LaunchWorker;
  readonly profile: Profile;
  readonly vault: Vault;
  readonly prompt: OperatorPrompt;
  readonly selfTest: SelfTestResult;
  /** Variables as the composition root read them. */
  readonly environment: Environment;
}

export interface EngineConfig {
  readonly workspace: string;
  /** Versions and platform that the status shows. */
  readonly runtime: Pick<AppStatus, 'version' | 'platform' | 'electron' | 'chromium' | 'node'>;
  /** Bounds of the message buffer. */
  readonly bufferCount: number;
  readonly bufferBytes: number;
}

export interface Engine {
  readonly services: Services<AppContract>;
  readonly snapshots: SnapshotHub<AppContract>;
  readonly feeds: FeedHub;
  readonly gate: AccessGate;
  /** Opens the key store if that needs nobody. */
  open(): Promise<void>;
  /** Ends the swarm, drains the bus, releases everything. */
  stop(): Promise<void>;
}

const sampleMs = 1000;

type Streams = ReturnType<typeof createStreamsService>;
type Sessions = ReturnType<typeof createSessionDirectory>;

/** What the bus carries, kept for the windows: the buffer, who was heard, the feeds. */
function createStreams(bus: Bus, ports: EnginePorts, config: EngineConfig & { readonly onSessions: () => void }) {
  const { clock } = ports;
  const held = createDisposer();
  const reader = createSubjectReader();
  const buffer = createMessageBuffer({ capacityCount: config.bufferCount, capacityBytes: config.bufferBytes });
  held.add(bus.subscribe('>', { kind: 'inline', onMessage: (message) => buffer.append(message, clock.now()) }));
  const { workspace, onSessions } = config;
  const sessions = held.add(createSessionDirectory({ bus, clock, reader, workspace, onChange: onSessions }));
  const feeds = held.add(createFeedHub({ buffer, clock, reader, peerOf: sessions.peerOf }));
  const streams = createStreamsService({ bus, buffer, clock, feeds, reader, peerOf: sessions.peerOf });
  return { buffer, sessions, feeds, streams, dispose: () => held.dispose() };
}

interface SnapshotSources {
  readonly config: EngineConfig;
  readonly sessions: Sessions;
  readonly streams: Streams;
  readonly swarm: LocalSwarm;
  readonly identity: IdentityService;
  readonly settings: SettingsService;
  readonly usage: () => ProcessUsage;
}

function readersOf({
  config,
  sessions,
  streams,
  swarm,
  identity,
  settings,
  usage,
}: SnapshotSources): SnapshotReaders<AppContract> {
  return {
    'app.status': () => ({
      ...config.runtime,
      workspace: config.workspace,
      environment: { name: 'embedded', kind: 'embedded' },
      mainCpuPercent: usage().cpuPercent,
      mainRssBytes: usage().rssBytes,
    }),
    'identity.keyStore': identity.keyStoreState,
    'identity.self': identity.self,
    'sessions.list': sessions.list,
    'settings.current': settings.state,
    'streams.status': streams.status,
    'swarm.state': swarm.state,
  };
}

interface PersonalDeps {
  readonly ports: EnginePorts;
  readonly workspace: string;
  readonly onChange: () => void;
  readonly onBusChange: () => void;
}

/** Who the operator is, and what was set. */
function createPersonal({ ports, workspace, onChange, onBusChange }: PersonalDeps) {
  const { profile, vault, prompt, clock, randomness, logger, selfTest, environment } = ports;
  const { keyStore, records, settings: file, files } = profile;
  const identity = createIdentityService({
    ...{ keyStore, records, vault, prompt, clock, randomness, logger, selfTest, onChange },
    notices: profile.notices,
  });
  const settings = createSettingsService({
    ...{ file, keyStore, prompt, environment, workspace, randomness, onBusChange },
    path: files.settings,
    onChange() {
      keyStore.setIdleLockMinutes(file.settings().idleLockMinutes);
      onChange();
    },
  });
  const issueCredentials = createCredentialIssuer({ keyStore, records, clock, randomness });
  return { identity, settings, issueCredentials };
}

/** Builds a running engine on the embedded bus. */
export function createEngine(ports: EnginePorts, config: EngineConfig): Engine {
  const { clock, randomness, logger, launchWorker, profile, selfTest } = ports;
  const { workspace } = config;
  const held = createDisposer();
  const openBus = (): Bus => createMemoryBus({ clock, logger });
  const bus = createLiveBus(openBus());
  const onSessions = (): void => snapshots.changed('sessions.list');
  const { buffer, sessions, feeds, streams } = held.add(createStreams(bus, ports, { ...config, onSessions }));
  const { identity, settings, issueCredentials } = createPersonal({
    ...{ ports, workspace },
    onChange() {
      for (const name of ['identity.keyStore', 'identity.self', 'settings.current'] as const) snapshots.changed(name);
    },
    onBusChange() {
      bus.exchange(openBus()).catch((thrown: unknown) => {
        // A change while the app ends.
        if (!isVakError(thrown, 'closed')) logger.bug('bus.exchange', thrown);
      });
    },
  });
  const onChange = (): void => snapshots.changed('swarm.state');
  const swarm = createLocalSwarm({
    ...{ launch: launchWorker, issueCredentials, bus, clock, randomness, logger, workspace, sessions, onChange },
  });
  const gate = held.add(createAccessGate(profile.keyStore, selfTest.ok));
  const readUsage = createProcessUsageReader(clock);
  let usage = readUsage();
  const readers = readersOf({ config, sessions, streams, swarm, identity, settings, usage: () => usage });
  const snapshots = held.add(createSnapshotHub<AppContract>(readers, clock, gate.isVisible));
  held.add(gate.onChange(() => snapshots.resend()));
  held.add(
    clock.setTicker(sampleMs, () => {
      usage = readUsage();
      streams.sample();
      snapshots.changed('app.status');
      snapshots.changed('streams.status');
    }),
  );
  held.add(buffer.onAppend(() => snapshots.changed('streams.status')));

  const services = {
    app: {},
    developer: createDeveloperService({ bus, workspace }),
    identity: identity.calls,
    sessions: {},
    settings: settings.calls,
    streams: { read: streams.read },
    swarm: { start: swarm.start, stop: swarm.stop, run: swarm.run, cancel: swarm.cancel, kill: swarm.kill },
  } satisfies Services<AppContract>;

  return {
    ...{ services, snapshots, feeds, gate, open: identity.open },
    async stop() {
      await swarm.dispose();
      await bus.close();
      held.dispose();
      settings.dispose();
      identity.dispose();
      await profile.close();
    },
  };
}
