/**
 * How a command ended, as a status that people and machines read.
 * Law: `done` means exit code 0 by itself and all output kept; everything else is `failed` with its reason and, where somebody ended
 * it, the cause: what was cancelled is told apart by that.
 */
import type { StatusPayload, TaskPayload } from '../../shared/protocol/payloads.ts';
import { wasCancelled } from '../../shared/protocol/stop-causes.ts';
import { processCount, shortDuration } from './command-words.ts';
import { createOutputHash } from './output-hash.ts';
import type { LastWords } from './output-tail.ts';

/** Why a command was made to end. */
export type StopCause = 'cancelled' | 'timeout' | 'output-limit' | 'worker-stopping' | 'bus-closed';

/** How a task is counted: what was cancelled was asked for, and has not failed. */
export type TaskOutcome = 'done' | 'failed' | 'cancelled';

/** The final status of a command. */
export interface CommandOutcome {
  readonly state: 'done' | 'failed';
  readonly detail: NonNullable<StatusPayload['detail']> & { readonly reason: string };
  /** As {@link CommandEnd.outputHash}; of what did not begin that of no output. */
  readonly outputHash: string;
  /** What receipts tell besides (W6d); undefined: it is done, or printed nothing. Not for a status, nor for a log. */
  readonly told?: { readonly reason: string; readonly stack: string };
}

/** What is known when a command is over. */
export interface CommandEnd {
  /** Undefined: it ended by itself. */
  readonly cause: StopCause | undefined;
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Processes that outlived the command and had to be ended. */
  readonly leftBehindCount: number;
  /** Processes that could not be ended. */
  readonly remainingPids: readonly number[];
  /** False: the pipes were cut, because somebody unknown kept them open. */
  readonly isOutputWhole: boolean;
  /** Of all of its output that was handed over (`createOutputHash`), 64 lower hex digits. */
  readonly outputHash: string;
  readonly lastWords: LastWords | undefined;
}

/** Signals by which others end a process; the rest is its own fault. */
const endedFromOutside: ReadonlySet<string> = new Set(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT']);

/** What a final status counts as. */
export function taskOutcomeOf({ state, detail }: CommandOutcome): TaskOutcome {
  return state === 'failed' && wasCancelled(detail) ? 'cancelled' : state;
}

/** The outcome of a command that did not begin, or whose running broke. */
export function failedOutcome(reason: string): CommandOutcome {
  return { state: 'failed', detail: { reason }, outputHash: createOutputHash().digest() };
}

function firstReason({ cause, exitCode, signal }: CommandEnd, task: TaskPayload): string {
  switch (cause) {
    case 'cancelled':
      return 'cancelled';
    case 'timeout':
      return `timed out after ${shortDuration(task.timeoutMs ?? 0)} and was ended`;
    case 'output-limit':
      return `output limit of ${task.outputLimitBytes} bytes reached: the rest was not kept and the command was ended`;
    case 'worker-stopping':
      return 'ended because its worker is stopping';
    case 'bus-closed':
      return 'ended because the channel to the bus is closed';
    case undefined:
      if (exitCode !== null) return `exit code ${exitCode}`;
      return signal === null ? 'did not end although it was killed' : `ended by ${signal}`;
  }
}

/** Whether what it said last says why it ended: not of what somebody else ended. */
const saysWhy = ({ cause, signal }: CommandEnd): boolean =>
  cause === undefined && (signal === null || !endedFromOutside.has(signal));

/** Puts the end of a command into words and codes. */
export function outcomeOf(end: CommandEnd, task: TaskPayload): CommandOutcome {
  const first = firstReason(end, task);
  const more: string[] = [];
  if (end.leftBehindCount > 0) {
    more.push(
      `${processCount(end.leftBehindCount)} that it left behind ${end.leftBehindCount === 1 ? 'was' : 'were'} ended`,
    );
  }
  if (!end.isOutputWhole) more.push('its output was cut, because a process outside its group kept it open');
  if (end.remainingPids.length > 0) more.push(`could not be ended: pid ${end.remainingPids.join(', ')}`);
  const state = end.cause === undefined && end.exitCode === 0 ? 'done' : 'failed';
  const { lastWords: { text = '', line = '' } = {} } = end;
  const why = saysWhy(end) && line !== '' ? `${first}: ${line}` : first;
  return {
    ...{ state, outputHash: end.outputHash },
    ...(state === 'done' || text === '' ? {} : { told: { reason: [why, ...more].join('; '), stack: text } }),
    detail: {
      reason: [first, ...more].join('; '),
      ...(end.cause === undefined ? {} : { cause: end.cause }),
      ...(end.exitCode === null ? {} : { exitCode: end.exitCode }),
      ...(end.signal === null ? {} : { signal: end.signal }),
    },
  };
}
