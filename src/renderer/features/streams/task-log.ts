/** Tasks of one session as its status messages tell them. Law: bounded; the oldest finished tasks go first. */

import { wasCancelled } from '../../../shared/protocol/stop-causes.ts';
import type { StatusChange } from './session-payloads.ts';

/** Tasks that are kept. */
export const maxTasks = 200;

export interface TaskRow {
  readonly taskId: string;
  /** `cancelled`: somebody asked for its end; that is no failure. */
  readonly state: 'running' | 'done' | 'failed' | 'cancelled';
  /** Null when its beginning left the buffer. */
  readonly startedMs: number | null;
  readonly endedMs: number | null;
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  readonly reason: string | undefined;
  /** Its command in a few words; undefined when its beginning left the buffer. */
  readonly title: string | undefined;
}

export interface TaskLog {
  /** Newest first. */
  readonly rows: readonly TaskRow[];
  /** Tasks that made room for newer ones. */
  readonly forgottenCount: number;
  add(change: StatusChange, atMs: number): void;
}

/** The task after a change; undefined when the change says nothing about its beginning or end. */
function taskAfter(
  before: TaskRow | undefined,
  { state, exitCode, signal, reason, cause, taskId }: StatusChange & { readonly taskId: string },
  atMs: number,
): TaskRow | undefined {
  const about = { taskId, exitCode, signal, reason };
  if (state === 'done' || state === 'failed') {
    const ended = state === 'failed' && wasCancelled({ cause }) ? 'cancelled' : state;
    return { ...about, state: ended, title: before?.title, startedMs: before?.startedMs ?? null, endedMs: atMs };
  }
  if (state !== 'claimed' && state !== 'started') return undefined;
  const title = before?.title ?? reason;
  return { ...about, state: 'running', title, startedMs: before?.startedMs ?? atMs, endedMs: null };
}

/** The rows of a session whose process is gone: what it had begun and cannot end any more has failed. */
export function rowsOfEnded(
  rows: readonly TaskRow[],
  end: { readonly reason: string; readonly atMs: number },
): readonly TaskRow[] {
  return rows.map((row) =>
    row.state === 'running' ? { ...row, state: 'failed', endedMs: end.atMs, reason: end.reason } : row,
  );
}

/** Creates an empty log. */
export function createTaskLog(): TaskLog {
  const tasks = new Map<string, TaskRow>();
  let rows: readonly TaskRow[] = [];
  let forgottenCount = 0;

  /** A session that ends takes its tasks along. */
  function endAll(reason: string | undefined, atMs: number): void {
    for (const task of tasks.values()) {
      if (task.state !== 'running') continue;
      tasks.set(task.taskId, { ...task, state: 'failed', endedMs: atMs, reason: reason ?? 'its session ended' });
    }
  }

  function forgetOldest(): void {
    const ended = [...tasks.values()].find((task) => task.state !== 'running') ?? [...tasks.values()][0];
    if (ended === undefined) return;
    tasks.delete(ended.taskId);
    forgottenCount++;
  }

  function takeTask(taskId: string, change: StatusChange, atMs: number): void {
    const task = taskAfter(tasks.get(taskId), { ...change, taskId }, atMs);
    if (task === undefined) return;
    tasks.set(taskId, task);
    if (tasks.size > maxTasks) forgetOldest();
  }

  return {
    get rows() {
      return rows;
    },
    get forgottenCount() {
      return forgottenCount;
    },
    add(change, atMs) {
      if (change.taskId !== undefined) takeTask(change.taskId, change, atMs);
      else if (change.state === 'ended') endAll(change.reason, atMs);
      rows = [...tasks.values()].reverse();
    },
  };
}
