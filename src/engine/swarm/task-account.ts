/**
 * What a worker of the swarm is at, and how its commands have ended.
 * Law: each command is counted once, by its end; what was given back is not counted.
 */
import type { RunningTask, WorkerSummary } from '../../shared/contract/swarm-contract.ts';
import type { Clock } from '../ports/clock.ts';
import type { WorkerFrame } from './worker-frames.ts';

type Counts = Pick<WorkerSummary, 'doneCount' | 'failedCount' | 'cancelledCount'>;
type Outcome = Extract<WorkerFrame, { kind: 'task-ended' }>['outcome'];

export interface TaskAccount {
  /** What it is at now. */
  readonly task: RunningTask | null;
  counts(): Counts;
  begin(task: Omit<RunningTask, 'startedMs'>): void;
  /** False: it was not at that, and nothing is counted. */
  end(taskId: string, outcome: Outcome): boolean;
  /** It was not taken. Whether it was at that. */
  drop(taskId: string): boolean;
  /** The worker is dead: what it was at has failed. */
  die(): void;
}

/** Creates the account of one worker. `tellsItself`: it says what it is at, so that an end counts although no beginning was heard. */
export function createTaskAccount(clock: Pick<Clock, 'now'>, tellsItself: boolean): TaskAccount {
  let task: RunningTask | null = null;
  const counts = { doneCount: 0, failedCount: 0, cancelledCount: 0 };

  function drop(taskId: string): boolean {
    if (task?.taskId !== taskId) return false;
    task = null;
    return true;
  }

  return {
    get task() {
      return task;
    },
    counts: () => ({ ...counts }),
    begin(next) {
      task = { ...next, startedMs: clock.now() };
    },
    end(taskId, outcome) {
      if (!drop(taskId) && !tellsItself) return false;
      if (outcome !== 'returned') counts[`${outcome}Count`]++;
      return true;
    },
    drop,
    die() {
      if (task !== null) counts.failedCount++;
      task = null;
    },
  };
}
