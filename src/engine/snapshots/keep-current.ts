/**
 * Keeps the figures of the windows current: sampled once a second, and told when a message came.
 * Law: it samples and tells; what the figures are is their owners'.
 */
import { createDisposer, type Disposable } from '../../shared/base/disposer.ts';
import type { AppContract } from '../../shared/contract/app-contract.ts';
import type { MessageBuffer } from '../feeds/message-buffer.ts';
import type { StreamsService } from '../feeds/streams-service.ts';
import type { Clock } from '../ports/clock.ts';
import type { WorkPlane } from '../work-plane.ts';
import type { SnapshotHub } from './snapshot-hub.ts';

const sampleMs = 1000;

interface CurrentDeps {
  readonly clock: Clock;
  readonly buffer: MessageBuffer;
  readonly streams: StreamsService;
  readonly snapshots: SnapshotHub<AppContract>;
  readonly work: Pick<WorkPlane, 'recount'>;
}

/** Takes the figures that are sampled once a second, and says when they changed. */
export function keepCurrent(
  { clock, buffer, streams, snapshots, work }: CurrentDeps,
  sampleUsage: () => void,
): Disposable {
  const held = createDisposer();
  held.add(
    clock.setTicker(sampleMs, () => {
      sampleUsage();
      streams.sample();
      work.recount();
      snapshots.changed('app.status');
      snapshots.changed('streams.status');
    }),
  );
  held.add(buffer.onAppend(() => snapshots.changed('streams.status')));
  return held;
}
