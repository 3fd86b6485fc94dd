/** Where a session's one time cursor can go, and what stood there. Pure; times in ms since the epoch. */
import type { TaskRow } from './task-log.ts';
import type { TelemetrySeries } from './telemetry-series.ts';

/** Times of events that are kept, in order. */
export const maxMoments = 20_000;

/** The tasks as they stood: what began later is not there, what ended later was running. */
export function tasksAt(rows: readonly TaskRow[], atMs: number | undefined): readonly TaskRow[] {
  if (atMs === undefined) return rows;
  const stood = (row: TaskRow): TaskRow | undefined => {
    if ((row.startedMs ?? row.endedMs ?? 0) > atMs) return undefined;
    if (row.endedMs === null || row.endedMs <= atMs) return row;
    return { ...row, state: 'running', endedMs: null, exitCode: undefined, signal: undefined, reason: undefined };
  };
  return rows.flatMap((row) => stood(row) ?? []);
}

/** Index of the last figure up to a time; −1: none. */
export function figureAt({ times }: TelemetrySeries, atMs: number | undefined): number {
  if (atMs === undefined) return times.length - 1;
  return times.findLastIndex((seconds) => seconds * 1000 <= atMs);
}

/** Times of tasks that failed, oldest first. */
export function errorTimes(rows: readonly TaskRow[]): readonly number[] {
  const failed = rows.filter((row) => row.state === 'failed' && row.endedMs !== null);
  return failed.map(({ endedMs }) => endedMs ?? 0).sort((left, right) => left - right);
}

/** The next of some times after (or before) the cursor; undefined: there is none. The cursor of a live view stands behind all. */
export function nextTime(times: readonly number[], atMs: number | undefined, isForward: boolean): number | undefined {
  if (isForward) return atMs === undefined ? undefined : times.find((time) => time > atMs);
  return times.findLast((time) => atMs === undefined || time < atMs);
}
