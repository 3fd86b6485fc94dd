/**
 * Runs the commands of claimed tasks in a worker's sessions (protocol.md W1, W6, W8).
 * Law: what was not approved does not begin; what the worker itself ended is given back, and has not failed.
 */

import { utf8 } from '../../shared/base/bytes.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import type { TaskPayload } from '../../shared/protocol/payloads.ts';
import type { ApprovalGate } from './approval-gate.ts';
import { refusalOf } from './approval-refusal.ts';
import type { CommandOutcome } from './command-outcome.ts';
import { shortCommand } from './command-words.ts';
import { type AttemptResult, noOutputHash, type TaskAttempt, type TaskHandler } from './task-attempt.ts';
import { checkRunnable } from './worker-requests.ts';
import type { WorkerSession } from './worker-session.ts';

export interface CommandHandlerDeps {
  /** One for each task that may run at the same time. */
  readonly sessions: readonly Pick<WorkerSession, 'start' | 'cancel' | 'isBusy'>[];
  readonly approvals: ApprovalGate;
  /** How long an approval waits for its answer, ms. */
  readonly approvalMs: number;
  /** Whether this worker asks before it runs such a command, although the task does not say so. */
  readonly mustAsk: (command: readonly string[]) => boolean;
  /** A shell command that takes tasks without a command: their input as JSON on its stdin. */
  readonly exec: string | undefined;
}

interface Runnable {
  readonly task: TaskPayload;
  readonly stdin?: Uint8Array;
}

const failed = (reason: string, errorClass: string): AttemptResult & { kind: 'failed' } => ({
  ...{ kind: 'failed', reason, errorClass, isFinal: true, outputHash: noOutputHash },
});

/** What is run for a task; throws `invalid-payload` for what this worker cannot run. */
function runnableOf({ task }: TaskAttempt, exec: string | undefined): Runnable | undefined {
  if (task.command !== undefined) return { task: checkRunnable(task) };
  if (exec === undefined) return undefined;
  const { input, ...rest } = task;
  return {
    task: checkRunnable({ ...rest, command: ['sh', '-c', exec] }),
    stdin: utf8(JSON.stringify(input)),
  };
}

/** The class of a failure: what may be told apart by programs. */
function errorClassOf({ cause, exitCode, signal }: CommandOutcome['detail']): string {
  if (cause !== undefined) return cause;
  if (exitCode !== undefined) return `exit.${exitCode}`;
  return signal === undefined ? 'not-started' : `signal.${signal}`;
}

function resultOf({ state, detail, outputHash }: CommandOutcome): AttemptResult {
  const { reason, cause, exitCode } = detail;
  const exit = exitCode === undefined ? {} : { exitCode };
  if (state === 'done') return { kind: 'done', reason, outputHash, ...exit };
  if (cause === 'worker-stopping' || cause === 'bus-closed') return { kind: 'returned' };
  const isFinal = cause === 'cancelled';
  return { ...{ kind: 'failed', reason, errorClass: errorClassOf(detail), outputHash, isFinal }, ...exit };
}

/** Creates the handler of one worker. */
export function createCommandHandler(deps: CommandHandlerDeps): TaskHandler {
  const { sessions, approvals, approvalMs, mustAsk, exec } = deps;
  const taken = new Set<(typeof sessions)[number]>();

  /** Undefined: it may run. */
  async function ask(attempt: TaskAttempt, command: readonly string[]): Promise<AttemptResult | undefined> {
    const { task, taskId, trace, signal } = attempt;
    if (task.approval === undefined && !mustAsk(command)) return undefined;
    const title = task.approval?.title ?? `Run ${shortCommand(command)}`;
    const detail =
      task.approval?.detail ?? `Queue ${attempt.queue}, attempt ${attempt.attempt}: ${shortCommand(command)}`;
    const answer = await approvals.ask({
      ...{ title, detail, command: [...command], expiresInMs: approvalMs, taskId, trace, signal },
    });
    const refusal = refusalOf(answer);
    if (refusal === 'returned') return { kind: 'returned' };
    return refusal && failed(refusal.reason, refusal.errorClass);
  }

  async function run(attempt: TaskAttempt, { task, stdin }: Runnable): Promise<AttemptResult> {
    const session = sessions.find((one) => !taken.has(one) && !one.isBusy);
    if (session === undefined) return { kind: 'returned' };
    taken.add(session);
    const { taskId, attempt: number, trace, signal } = attempt;
    const stop = (): void => void session.cancel(taskId, 'worker-stopping').catch(() => undefined);
    try {
      const order = { taskId, attempt: number, task, trace, ...(stdin === undefined ? {} : { stdin }) };
      const { outcome } = session.start(order);
      signal.addEventListener('abort', stop);
      if (signal.aborted) stop();
      return resultOf(await outcome);
    } finally {
      signal.removeEventListener('abort', stop);
      taken.delete(session);
    }
  }

  return async (attempt) => {
    let runnable: Runnable | undefined;
    try {
      runnable = runnableOf(attempt, exec);
    } catch (error) {
      if (isVakError(error)) return failed(error.message, 'not-runnable');
      throw error;
    }
    if (runnable === undefined)
      return failed('it has an input and no command, and this worker has no --exec', 'not-runnable');
    const refusal = await ask(attempt, runnable.task.command);
    if (refusal !== undefined) return refusal;
    if (attempt.signal.aborted) return { kind: 'returned' };
    return await run(attempt, runnable);
  };
}
