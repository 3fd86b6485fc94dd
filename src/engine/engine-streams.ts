/**
 * What the bus carries, as the app reads it: judged, kept for the windows, and who was heard.
 * Law: constructs and connects, decides nothing.
 */
import { createDisposer } from '../shared/base/disposer.ts';
import type { Fabric } from './bus/fabric.ts';
import { createArrivalTurns } from './envelope/arrival-turns.ts';
import { createIntake } from './envelope/intake.ts';
import { createQuarantine } from './envelope/quarantine.ts';
import { createTrustReporter } from './envelope/trust-reporter.ts';
import { createExportService, type ExportServiceDeps } from './feeds/export-service.ts';
import { createFeedHub } from './feeds/feed-hub.ts';
import { createMessageBuffer } from './feeds/message-buffer.ts';
import { createRowReader } from './feeds/row-reader.ts';
import { createStoredReader } from './feeds/stored-reader.ts';
import { createStreamsService } from './feeds/streams-service.ts';
import { createSubjectReader } from './feeds/subject-reader.ts';
import { createSessionDirectory } from './sessions/session-directory.ts';
import { createWorkspaceJudging, type WorkspaceJudgingPorts } from './workspace-judging.ts';

export interface StreamsDeps {
  readonly live: Pick<Fabric, 'bus' | 'durable'>;
  readonly ports: WorkspaceJudgingPorts & { readonly prompt: ExportServiceDeps['prompt'] };
  readonly config: { readonly workspace: string; readonly bufferCount: number; readonly bufferBytes: number };
  /** What says that a snapshot has changed. */
  readonly tell: (name: 'sessions.list' | 'streams.exports' | 'streams.quarantine') => () => void;
}

/** What the bus carries, judged and kept for the windows: the buffer, the quarantine, who was heard, the feeds. */
export function createStreams({ live: { bus, durable }, ports, config, tell }: StreamsDeps) {
  const { clock } = ports;
  const { workspace } = config;
  const held = createDisposer();
  const { judging, secrets, refresh } = held.add(createWorkspaceJudging(ports, workspace));
  const { reader, opener } = judging;
  const subjects = createSubjectReader();
  const buffer = createMessageBuffer({ capacityCount: config.bufferCount, capacityBytes: config.bufferBytes });
  const quarantine = createQuarantine({ onChange: tell('streams.quarantine') });
  const intake = held.add(createIntake({ ...judging, buffer, subjects, quarantine, clock, workspace }));
  // No more than an operator may (A2): a server that enforces it would refuse more as a whole.
  held.add(
    bus.subscribe(`vak.*.${workspace}.>`, { kind: 'inline', onMessage: createArrivalTurns(clock, intake.take) }),
  );
  const sessions = held.add(
    createSessionDirectory({
      ...{ intake, buffer, clock, reader: subjects, workspace, onChange: tell('sessions.list') },
    }),
  );
  const rows = createRowReader({ subjects, reader, intake, peerOf: sessions.peerOf });
  const { peerOf } = sessions;
  const stored = createStoredReader({ ...judging, durable, subjects, peerOf, clock, workspace, logger: ports.logger });
  const feeds = held.add(createFeedHub({ buffer, clock, subjects, rows, intake, openTail: stored.openTail }));
  const reporter = createTrustReporter({ buffer, reader, intake, opener });
  const exporting = held.add(
    createExportService({
      ...{ durable, buffer, intake, rows, stored, subjects, clock },
      ...{ prompt: ports.prompt, onChange: tell('streams.exports') },
    }),
  );
  const streams = createStreamsService({
    ...{
      bus,
      buffer,
      clock,
      feeds,
      subjects,
      rows,
      intake,
      quarantine,
      reporter,
      stored,
      exporting,
      prompt: ports.prompt,
    },
  });
  const trust = { ...judging, secrets, refreshSecrets: refresh };
  return { buffer, sessions, feeds, streams, trust, dispose: () => held.dispose() };
}
