/** What `vak metrics` sees of a workspace, and what it hears and follows while it watches (protocol.md W9, W10). */
import type { Fabric } from '../../engine/bus/fabric.ts';
import { createHeardTraffic, type HeardFigures } from '../../engine/metrics/heard-traffic.ts';
import { readWorkspaceFigures, type WorkspaceFigures } from '../../engine/metrics/workspace-figures.ts';
import type { Clock } from '../../engine/ports/clock.ts';
import { createDeadLetterCount, type DeadLetterCounts } from '../../engine/work/dead-letter-count.ts';
import { createTaskBook } from '../../engine/work/task-book.ts';
import { createTaskOutcomes, type TaskOutcomeFigures } from '../../engine/work/task-outcomes.ts';
import { createWorkFollower } from '../../engine/work/work-follower.ts';
import type { Disposable } from '../../shared/base/disposer.ts';
import { createQueueJudge, type JudgedQueue } from './queue-look.ts';
import type { WorkspaceTrust } from './workspace-trust.ts';

export interface LiveLook extends HeardFigures {
  /** Came, and gave way before they were counted. */
  readonly droppedCount: number;
}

export interface TasksLook extends TaskOutcomeFigures {
  /** Gone without a receipt or dead letter that counts, as far as is known now. */
  readonly lostCount: number;
  /** Receipts and dead letters that do not count. */
  readonly refusedCount: number;
}

/** One look. `live` and `tasks` count since the watching began; undefined: it does not, or nobody can judge what tasks came to. */
export interface MetricsLook extends Omit<WorkspaceFigures, 'queues'> {
  readonly workspace: string;
  /** Dead letters by whether they count; undefined: nobody can judge them, or their stream was not made. */
  readonly letters: DeadLetterCounts | undefined;
  readonly atMs: number;
  readonly queues: readonly JudgedQueue[];
  readonly live: LiveLook | undefined;
  readonly tasks: TasksLook | undefined;
}

export interface MetricsWatch extends Disposable {
  /** Reads what stands there, and what has come. Throws what reading throws. */
  look(): Promise<MetricsLook>;
}

export interface MetricsWatchDeps {
  readonly workspace: string;
  readonly fabric: Fabric;
  /** Undefined: nobody can judge who may pause a queue, and what receipts count. */
  readonly trust: WorkspaceTrust | undefined;
  readonly clock: Clock;
}

/** Messages that may wait to be counted. */
const hearingCapacity = 16_384;
/** Tasks that are remembered. */
const taskCapacity = 50_000;

/** Listens to everything of the workspace. */
function hear({ workspace, fabric, clock }: MetricsWatchDeps): Disposable & { look(): LiveLook } {
  const traffic = createHeardTraffic();
  const subscription = fabric.bus.subscribe(`vak.*.${workspace}.>`, {
    ...{ kind: 'drop-oldest', capacity: hearingCapacity },
    onBatch: (messages) => traffic.note(messages, clock.now()),
  });
  return {
    look: () => ({ ...traffic.figures(), droppedCount: subscription.stats().droppedCount }),
    dispose: () => subscription.dispose(),
  };
}

/** Follows what becomes of tasks from now on. */
function followTasks({ workspace, fabric, clock }: MetricsWatchDeps, { judge, reader }: WorkspaceTrust) {
  const outcomes = createTaskOutcomes();
  const book = createTaskBook({ capacity: taskCapacity, onChange: outcomes.note });
  let refusedCount = 0;
  const follower = createWorkFollower({
    ...{ workspace, durable: fabric.durable, judge, reader, book, clock, sinceMs: clock.now() },
    onRefused() {
      refusedCount++;
    },
  });
  return {
    async look(): Promise<TasksLook> {
      await follower.refresh();
      return { ...outcomes.figures(), lostCount: book.counts().lost, refusedCount };
    },
  };
}

/** Begins; with `isLive` it hears and follows until it is disposed. */
export function watchMetrics(deps: MetricsWatchDeps, { isLive }: { readonly isLive: boolean }): MetricsWatch {
  const { workspace, fabric, trust, clock } = deps;
  const { durable } = fabric;
  const judge = createQueueJudge({ workspace, durable, trust, clock });
  const letters = trust === undefined ? undefined : createDeadLetterCount({ workspace, durable, judge: trust.judge });
  const live = isLive ? hear(deps) : undefined;
  const tasks = isLive && trust !== undefined ? followTasks(deps, trust) : undefined;
  return {
    async look() {
      const { queues, ...figures } = await readWorkspaceFigures({ workspace, durable });
      return {
        ...{ workspace, ...figures },
        letters: figures.deadLetterCount === null ? undefined : await letters?.look(),
        queues: await judge.judge(queues),
        tasks: await tasks?.look(),
        live: live?.look(),
        atMs: clock.now(),
      };
    },
    dispose: () => live?.dispose(),
  };
}
