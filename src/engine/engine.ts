/**
 * Composition of the engine: one bus, one buffer, the services and feeds over them.
 * Law: constructs and connects, decides nothing; `stop` releases all of it in the order of architecture.md §6.
 */
import { createDisposer } from '../shared/base/disposer.ts';
import type { AppContract } from '../shared/contract/app-contract.ts';
import type { AppStatus } from '../shared/contract/app-status-contract.ts';
import type { Services } from '../shared/contract/define-contract.ts';
import type { Bus } from './bus/bus.ts';
import { createMemoryBus } from './bus/memory/memory-bus.ts';
import { createDeveloperService } from './developer/developer-service.ts';
import { createFeedHub, type FeedHub } from './feeds/feed-hub.ts';
import { createMessageBuffer } from './feeds/message-buffer.ts';
import { createStreamsService } from './feeds/streams-service.ts';
import { createSubjectReader } from './feeds/subject-reader.ts';
import { createProcessUsageReader, type ProcessUsage } from './metrics/process-usage.ts';
import type { Clock } from './ports/clock.ts';
import type { Logger } from './ports/logger.ts';
import type { Randomness } from './ports/randomness.ts';
import { createSessionDirectory } from './sessions/session-directory.ts';
import { createSnapshotHub, type SnapshotHub, type SnapshotReaders } from './snapshots/snapshot-hub.ts';
import { createLocalSwarm, type LaunchWorker, type LocalSwarm } from './swarm/local-swarm.ts';

/** What the engine takes from outside. */
export interface EnginePorts {
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly logger: Logger;
  readonly launchWorker: LaunchWorker;
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
  readonly usage: () => ProcessUsage;
}

function readersOf({ config, sessions, streams, swarm, usage }: SnapshotSources): SnapshotReaders<AppContract> {
  return {
    'app.status': () => ({
      ...config.runtime,
      workspace: config.workspace,
      environment: { name: 'embedded', kind: 'embedded' },
      mainCpuPercent: usage().cpuPercent,
      mainRssBytes: usage().rssBytes,
    }),
    'sessions.list': sessions.list,
    'streams.status': streams.status,
    'swarm.state': swarm.state,
  };
}

/** Builds a running engine on the embedded bus. */
export function createEngine(ports: EnginePorts, config: EngineConfig): Engine {
  const { clock, randomness, logger, launchWorker } = ports;
  const { workspace } = config;
  const held = createDisposer();
  const bus = createMemoryBus({ clock, logger });
  const onSessions = (): void => snapshots.changed('sessions.list');
  const { buffer, sessions, feeds, streams } = held.add(createStreams(bus, ports, { ...config, onSessions }));
  const onChange = (): void => snapshots.changed('swarm.state');
  const swarm = createLocalSwarm({
    launch: launchWorker,
    bus,
    clock,
    randomness,
    logger,
    workspace,
    sessions,
    onChange,
  });
  const readUsage = createProcessUsageReader(clock);
  let usage = readUsage();
  const readers = readersOf({ config, sessions, streams, swarm, usage: () => usage });
  const snapshots: SnapshotHub<AppContract> = held.add(createSnapshotHub<AppContract>(readers, clock));
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
    sessions: {},
    streams: { read: streams.read },
    swarm: { start: swarm.start, stop: swarm.stop, run: swarm.run, cancel: swarm.cancel, kill: swarm.kill },
  } satisfies Services<AppContract>;

  return {
    services,
    snapshots,
    feeds,
    async stop() {
      await swarm.dispose();
      await bus.close();
      held.dispose();
    },
  };
}
