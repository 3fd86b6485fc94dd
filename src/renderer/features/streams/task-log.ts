/** Tasks of one session as its status messages tell them. Law: bounded; the oldest finished tasks go first. */
import type { StatusChange } from './session-payloads.ts';

/** Tasks that are kept. */
export const maxTasks = 200;

export interface TaskRow {
  readonly taskId: string;
  readonly state: 'running' | 'done' | 'failed';
  /** Null when its beginning left the buffer. */
  readonly startedMs: number | null;
  readonly endedMs: number | null;
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  readonly reason: string | undefined;
}

export interface TaskLog {
  /** Newest first. */
  readonly rows: readonly TaskRow[];
  /** Tasks that made room for newer ones. */
  readonly forgottenCount: number;
  add(change: StatusChange, atMs: number): void;
}

/** Creates an empty log. */
export function createTaskLog(): TaskLog {
  let tasks = new Map<string, TaskRow>();
  let rows: readonly TaskRow[] = [];
  let forgottenCount = 0;

  function forgetOldest(): void {
    const ended = [...tasks.values()].find((task) => task.state !== 'running') ?? [...tasks.values()][0];
    if (ended === undefined) return;
    tasks.delete(ended.taskId);
    forgottenCount++;
  }

  return {
    get rows() {
      return rows;
    },
    get forgottenCount() {
      return forgottenCount;
    },
    add({ state, taskId, exitCode, signal, reason }, atMs) {
      if (taskId === undefined) return;
      const before = tasks.get(taskId);
      const isEnd = state === 'done' || state === 'failed';
      if (!isEnd && state !== 'claimed' && state !== 'started') return;
      const task: TaskRow = isEnd
        ? { taskId, state, startedMs: before?.startedMs ?? null, endedMs: atMs, exitCode, signal, reason }
        : { taskId, state: 'running', startedMs: before?.startedMs ?? atMs, endedMs: null, exitCode, signal, reason };
      tasks = new Map(tasks).set(taskId, task);
      if (tasks.size > maxTasks) forgetOldest();
      rows = [...tasks.values()].reverse();
    },
  };
}
