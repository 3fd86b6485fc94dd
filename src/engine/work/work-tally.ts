/**
 * What one worker has done, and how long it took (protocol.md W10).
 * Law: each delivery that it took to an end is counted once, under what became of it.
 */
import { createHistogram, type HistogramSnapshot } from '../metrics/histogram.ts';
import type { WorkEvent } from './task-attempt.ts';

type Ending = Exclude<WorkEvent['kind'], 'claimed'>;

export interface WorkTally {
  note(event: WorkEvent): void;
  readonly counts: Readonly<Record<Ending, number>>;
  /** From the claim of each attempt that was done to when its receipt was stored. */
  claimToDone(): HistogramSnapshot;
}

/** Creates an empty one. */
export function createWorkTally(): WorkTally {
  const counts: Record<Ending, number> = { done: 0, failed: 0, buried: 0, returned: 0, refused: 0, unsettled: 0 };
  const took = createHistogram();
  return {
    note(event) {
      if (event.kind === 'claimed') return;
      counts[event.kind]++;
      if (event.kind === 'done') took.record(event.tookMs);
    },
    counts,
    claimToDone: () => took.snapshot(),
  };
}
