/** How a trace is said: states, times, what was not looked at. Pure. */
import type { TraceReport, TraceRow, TraceRowState, TraceSkew } from '../../../shared/contract/trace-contract.ts';
import { formatCount, formatDuration } from '../../ui/format.ts';

const states: Readonly<Record<TraceRowState, string>> = {
  waiting: 'waits',
  working: 'is worked on',
  done: 'done',
  failed: 'failed',
  dead: 'given up',
  late: 'done late',
  refused: 'does not count',
  said: '',
};

export const stateWords = (state: TraceRowState): string => states[state];

/** How long a row took; a moment took nothing. */
export function tookWords({ fromMs, toMs }: TraceRow, nowMs: number): string {
  if (toMs === null) return `${formatDuration(Math.max(0, nowMs - fromMs))} so far`;
  return toMs === fromMs ? '' : formatDuration(toMs - fromMs);
}

export function skewWords({ peer, offsetMs, isContradictory }: TraceSkew): string {
  if (isContradictory) return `what ${peer} says of time contradicts itself`;
  return `the clock of ${peer} is ${offsetMs < 0 ? 'ahead' : 'behind'} by at least ${formatDuration(Math.abs(offsetMs))}`;
}

/** What was found, and what waiting and working came to. */
export function summaryWords({ rows, waitMs, workMs }: TraceReport): string {
  const taskCount = rows.filter(({ kind }) => kind === 'task').length;
  const tasks = `${formatCount(taskCount)} ${taskCount === 1 ? 'task' : 'tasks'}`;
  return `${tasks} · waited ${formatDuration(waitMs)} · worked ${formatDuration(workMs)}`;
}

/** What of the bus was not looked at, in sentences. */
export function limitsOf({ searches, isHeardWhole, heardCount, leftOutCount }: TraceReport): string[] {
  return [
    ...searches
      .filter(({ isWhole, problem }) => !isWhole && problem === null)
      .map(
        ({ stream, readCount }) => `Only the newest ${formatCount(readCount)} messages of ${stream} were looked at.`,
      ),
    ...searches.flatMap(({ stream, problem }) => (problem === null ? [] : [`${stream} was not read: ${problem}.`])),
    ...(isHeardWhole ? [] : [`Only the newest ${formatCount(heardCount)} messages that were heard were looked at.`]),
    ...(leftOutCount === 0 ? [] : [`${formatCount(leftOutCount)} more messages of the trace are not shown.`]),
  ];
}
