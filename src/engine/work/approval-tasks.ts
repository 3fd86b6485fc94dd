/**
 * What is known of the tasks that requests for approval name, for who keeps no watch (protocol.md W7, W8).
 * Law: it reads only while a request waits, and remembers nothing but the tasks that are named; who may not read tasks knows nothing of them.
 */
import { isVakError } from '../../shared/base/vak-error.ts';
import type { ApprovalBook, ApprovalRequest, AskerGone } from './approval-book.ts';
import { goneByTask } from './approval-gone.ts';
import { createTaskBook, type TaskBook, type TaskRecord } from './task-book.ts';
import { earliestMs } from './watched-task.ts';
import { createWorkFollower, type WorkFollowerDeps } from './work-follower.ts';

export interface ApprovalTasks {
  /**
   * Reads what has become of the tasks of these requests; what it gives says whether their asker is gone. Sessions are not known here: a
   * worker that died is gone only when its task has ended, or another one has claimed it.
   */
  read(waiting: readonly ApprovalRequest[]): Promise<(request: ApprovalRequest) => AskerGone | undefined>;
}

export interface ApprovalTasksDeps
  extends Pick<WorkFollowerDeps, 'workspace' | 'durable' | 'judge' | 'reader' | 'clock'> {
  readonly book: Pick<ApprovalBook, 'ofTask'>;
}

const capacity = 10_000;
/** Of a task that was made longer before its request nothing is read, ms. */
const backMs = 24 * 3_600_000;

interface Reading {
  readonly ids: ReadonlySet<string>;
  readonly tasks: TaskBook;
  refresh(): Promise<void>;
}

/** Creates it; nothing is read before anything waits. */
export function createApprovalTasks(deps: ApprovalTasksDeps): ApprovalTasks {
  const { clock } = deps;
  let reading: Reading | undefined;

  function sinceMsOf({ taskId = '', storedMs }: ApprovalRequest): number {
    return Math.max(earliestMs(taskId, clock.now()), storedMs - backMs);
  }

  function begin(named: readonly ApprovalRequest[]): Reading {
    const ids = new Set(named.map(({ taskId = '' }) => taskId));
    const tasks = createTaskBook({ capacity, onChange: () => {} });
    const isNamed = (id: string | null): boolean => id !== null && ids.has(id);
    const book: TaskBook = {
      ...tasks,
      noteTask(task) {
        if (isNamed(task.taskId)) tasks.noteTask(task);
      },
      noteReceipt(receipt) {
        if (isNamed(receipt.taskId)) tasks.noteReceipt(receipt);
      },
      noteDeadLetter(letter) {
        if (isNamed(letter.envelopeId)) tasks.noteDeadLetter(letter);
      },
    };
    const sinceMs = named.reduce((least, one) => Math.min(least, sinceMsOf(one)), Number.POSITIVE_INFINITY);
    const follower = createWorkFollower({ ...deps, book, sinceMs, onRefused: () => {} });
    return { ids, tasks, refresh: follower.refresh };
  }

  /** Gives whether anything could be read. */
  async function refresh({ refresh: read }: Reading): Promise<boolean> {
    try {
      await read();
      return true;
    } catch (error) {
      if (isVakError(error, 'forbidden') || isVakError(error, 'unauthorized')) return false;
      throw error;
    }
  }

  return {
    async read(waiting) {
      const named = waiting.filter(({ taskId }) => taskId !== undefined);
      if (named.length === 0) return () => undefined;
      if (!named.every(({ taskId = '' }) => reading?.ids.has(taskId))) reading = undefined;
      reading ??= begin(named);
      const { tasks } = reading;
      if (!(await refresh(reading))) return () => undefined;
      const byId = new Map<string, TaskRecord[]>();
      for (const task of tasks.all()) {
        if (task.place !== undefined && task.taskId !== null) {
          byId.set(task.taskId, [...(byId.get(task.taskId) ?? []), task]);
        }
      }
      return (request) => goneByTask(request, { tasks: byId.get(request.taskId ?? '') ?? [], book: deps.book });
    },
  };
}
