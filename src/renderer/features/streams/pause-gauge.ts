/** What waits in the engine while the table is paused, and when the oldest of it begins to be lost. */
import type { StreamsStatus } from '../../../shared/contract/streams-contract.ts';
import type { PauseMark } from './table-model.ts';

export interface PauseGauge {
  /** Messages that came since the pause, lost ones included. */
  readonly waitingCount: number;
  readonly waitingBytes: number;
  /** Share of the engine's buffer that they take, 0–1: the tighter of its two bounds. */
  readonly fill: number;
  /** Messages since the pause that the engine no longer holds. */
  readonly lostCount: number;
  /** Ms until the first of them is lost at the present rate; null when nothing comes or some are lost already. */
  readonly lossInMs: number | null;
}

/** Measures a pause against the engine's buffer. */
export function pauseGauge(status: StreamsStatus, mark: PauseMark): PauseGauge {
  const waitingCount = Math.max(0, status.newestSeq - mark.seq);
  const waitingBytes = Math.max(0, status.receivedBytes - mark.receivedBytes);
  const lostCount = Math.min(waitingCount, Math.max(0, status.oldestSeq - mark.seq - 1));
  const fill = Math.min(1, Math.max(waitingCount / status.capacityCount, waitingBytes / status.capacityBytes));
  const fullCount =
    waitingCount > 0 && waitingBytes > 0 ? (status.capacityBytes / waitingBytes) * waitingCount : Infinity;
  const roomCount = Math.max(0, Math.min(status.capacityCount, fullCount) - waitingCount);
  const isLosing = lostCount > 0 || status.inPerSecond <= 0;
  return {
    waitingCount,
    waitingBytes,
    fill: lostCount > 0 ? 1 : fill,
    lostCount,
    lossInMs: isLosing ? null : (roomCount / status.inPerSecond) * 1000,
  };
}
