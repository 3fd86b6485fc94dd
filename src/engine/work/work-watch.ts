/**
 * Keeps an eye on the work of the workspace, whichever engine is behind the app (product.md "Queues", "Approvals").
 * Law: what is known of one engine is never shown as another's; whoever listens hears of each task on whichever engine.
 */
import type { Disposable } from '../../shared/base/disposer.ts';
import type { ErrorShape } from '../../shared/base/vak-error.ts';
import type { EngineInUse } from '../connections/connection-switch.ts';
import type { LiveFabric } from '../connections/live-fabric.ts';
import { createListenerSet } from '../listener-set.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { ApprovalReading } from './approval-reading.ts';
import { createEngineWatch } from './engine-watch.ts';
import { auditSubject } from './purge-records.ts';
import type { TaskRecord, TaskState } from './task-book.ts';
import { createWatchedWork, type WatchedWork, type WatchedWorkDeps } from './watched-work.ts';

/** Something new about a task; `before`: undefined for one that was not known. */
export interface TaskChange {
  readonly record: TaskRecord;
  readonly before: TaskState | undefined;
}

export interface WorkWatch extends Disposable {
  /** What is known on the engine in use; undefined before the first look. */
  work(): WatchedWork | undefined;
  /** The approvals on the engine in use, read as far as they are asked to; undefined while they cannot be. */
  readApprovals(): ApprovalReading | undefined;
  /** Why the last look failed; null: it did not. */
  problem(): ErrorShape | null;
  /** Keys or connection have changed. */
  follow(): void;
  /** Called with each task of which something new is known, on whichever engine. */
  onTask(listener: (change: TaskChange) => void): Disposable;
}

export interface WorkWatchDeps extends Pick<WatchedWorkDeps, 'workspace' | 'judge' | 'reader' | 'state' | 'basis'> {
  readonly live: Pick<LiveFabric, 'bus' | 'durable' | 'status'>;
  readonly engine: () => Pick<EngineInUse, 'destination'> | undefined;
  /** Whether signatures and seals can be judged now. */
  readonly isOpen: () => boolean;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Told after each look, whatever came of it, and when a flag has changed; the caller bounds its rate. */
  readonly onChange: () => void;
}

/** What says that something has come of a task, or of an approval. */
const hintsOf = (ws: string): readonly string[] => [
  ...['work', 'receipts', 'dlq', 'approvals'].map((plane) => `vak.${plane}.${ws}.>`),
  auditSubject(ws),
];

/** Creates it at rest; `follow` begins. */
export function createWorkWatch(deps: WorkWatchDeps): WorkWatch {
  const { workspace, live, clock, logger, onChange } = deps;
  const listeners = createListenerSet<TaskChange>(logger, 'work.task');
  const watch = createEngineWatch<WatchedWork>({
    ...{ ...deps, name: 'work', hints: hintsOf(workspace) },
    open() {
      const { judge, reader, state, basis, isOpen } = deps;
      return createWatchedWork({
        ...{ workspace, durable: live.durable, judge, reader, state, basis, clock, onChange, isOpen },
        onTask: (record, before) => listeners.tell({ record, before }),
      });
    },
  });
  return {
    work: watch.current,
    readApprovals: () => watch.reachable()?.approvals,
    ...{ problem: watch.problem, follow: watch.follow, onTask: listeners.add },
    dispose() {
      watch.dispose();
      listeners.clear();
    },
  };
}
