/**
 * Composition of the engine: one bus, one buffer, the services and feeds over them.
 * Law: constructs and connects, decides nothing; `stop` releases all of it in the order of architecture.md §6.
 */
import { createDisposer } from '../shared/base/disposer.ts';
import type { AppContract } from '../shared/contract/app-contract.ts';
import type { AppStatus } from '../shared/contract/app-status-contract.ts';
import type { Services } from '../shared/contract/define-contract.ts';
import { createMemoryBus } from './bus/memory/memory-bus.ts';
import { createDeveloperService } from './developer/developer-service.ts';
import { createFeedHub, type FeedHub } from './feeds/feed-hub.ts';
import { createMessageBuffer } from './feeds/message-buffer.ts';
import { createStreamsService } from './feeds/streams-service.ts';
import { createSubjectReader } from './feeds/subject-reader.ts';
import { createProcessUsageReader } from './metrics/process-usage.ts';
import type { Clock } from './ports/clock.ts';
import type { Logger } from './ports/logger.ts';
import type { Randomness } from './ports/randomness.ts';
import { createSessionDirectory } from './sessions/session-directory.ts';
import { createSnapshotHub, type SnapshotHub } from './snapshots/snapshot-hub.ts';
import { createLocalSwarm, type LaunchWorker } from './swarm/local-swarm.ts';

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

/** Builds a running engine on the embedded bus. */
export function createEngine(ports: EnginePorts, config: EngineConfig): Engine {
  const { clock, randomness, logger, launchWorker } = ports;
  const { workspace } = config;
  const held = createDisposer();
  const bus = createMemoryBus({ clock, logger });
  const reader = createSubjectReader();
  const buffer = createMessageBuffer({ capacityCount: config.bufferCount, capacityBytes: config.bufferBytes });
  held.add(bus.subscribe('>', { kind: 'inline', onMessage: (message) => buffer.append(message, clock.now()) }));

  const sessions = held.add(
    createSessionDirectory({ bus, clock, reader, workspace, onChange: () => snapshots.changed('sessions.list') }),
  );
  const feeds = held.add(createFeedHub({ buffer, clock, reader, peerOf: sessions.peerOf }));
  const streams = createStreamsService({ bus, buffer, clock, feeds, reader, peerOf: sessions.peerOf });
  const swarm = createLocalSwarm({
    launch: launchWorker,
    bus,
    clock,
    randomness,
    logger,
    workspace,
    sessions,
    onChange: () => snapshots.changed('swarm.state'),
  });
  const readUsage = createProcessUsageReader(clock);
  let usage = readUsage();

  const snapshots: SnapshotHub<AppContract> = held.add(
    createSnapshotHub<AppContract>(
      {
        'app.status': () => ({
          ...config.runtime,
          workspace,
          environment: { name: 'embedded', kind: 'embedded' },
          mainCpuPercent: usage.cpuPercent,
          mainRssBytes: usage.rssBytes,
        }),
        'sessions.list': sessions.list,
        'streams.status': streams.status,
        'swarm.state': swarm.state,
      },
      clock,
    ),
  );
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
