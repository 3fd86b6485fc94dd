/**
 * What stands in a workspace's durable plane: its queues, dead letters and streams (protocol.md W9, W10).
 * Law: they are the engine's own counts; nothing is claimed and no consumer is made to get them.
 */
import { isVakError } from '../../shared/base/vak-error.ts';
import { streamsOf } from '../../shared/protocol/stream-table.ts';
import type { StreamState } from '../bus/durable.ts';
import { type QueueFigures, type QueueFiguresDeps, readQueueFigures } from '../work/queue-figures.ts';

/** What lies in a stream. */
export interface StreamFigures {
  readonly stream: string;
  readonly messageCount: number;
  readonly bytes: number;
}

export interface WorkspaceFigures {
  /** Dead letters that are kept; null: their stream was not made. */
  readonly deadLetterCount: number | null;
  /** Tasks that stand in any of the queues, pending or in flight. */
  readonly activeQueueLag: number;
  /** By name. */
  readonly queues: readonly QueueFigures[];
  /** Those of the workspace that are there, in the order of the table. */
  readonly streams: readonly StreamFigures[];
}

/** The figures now. Throws what asking throws; what was not made has none. */
export async function readWorkspaceFigures(deps: QueueFiguresDeps): Promise<WorkspaceFigures> {
  const { workspace, durable } = deps;

  async function stateOf(stream: string): Promise<StreamState | undefined> {
    try {
      return await durable.stream(stream).state();
    } catch (error) {
      if (isVakError(error, 'not-found')) return undefined;
      throw error;
    }
  }

  const states = await Promise.all(streamsOf(workspace).map(({ name }) => stateOf(name)));
  const queues = await readQueueFigures(deps);
  const streams = states.flatMap((state) =>
    state === undefined ? [] : [{ stream: state.spec.name, messageCount: state.messageCount, bytes: state.bytes }],
  );
  return {
    deadLetterCount: streams.find(({ stream }) => stream === `VAK_DLQ_${workspace}`)?.messageCount ?? null,
    activeQueueLag: queues.reduce((sum, { lag }) => sum + lag, 0),
    queues,
    streams,
  };
}
