/**
 * Runs the commands of claimed tasks in a worker's sessions (protocol.md W1, W6, W8).
 * Law: what was not approved does not begin; what the worker itself ended is given back, and has not failed.
 */

import { utf8 } from '../../shared/base/bytes.ts';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import type { TaskPayload } from '../../shared/protocol/payloads.ts';
import type { ApprovalGate } from './approval-gate.ts';
import { refusalOf } from './approval-refusal.ts';
import type { CommandOutcome, TaskOutcome } from './command-outcome.ts';
import { shortCommand } from './command-words.ts';
import { type AttemptResult, noOutputHash, type TaskAttempt, type TaskHandler } from './task-attempt.ts';
import { checkRunnable } from './worker-requests.ts';
import type { WorkerSession } from './worker-session.ts';

/** Who follows what a worker is at. */
export interface TaskWatch {
  /** A task is at hand; told again when it has its approval and begins. */
  began(task: { readonly taskId: string; readonly command: readonly string[]; readonly isWaiting: boolean }): void;
  /** `returned`: it was not finished, and is for another worker. Also told of tasks that did not begin. */
  ended(taskId: string, outcome: TaskOutcome | 'returned'): void;
}

export interface CommandHandlerDeps {
  /** One for each task that may run at the same time. */
  readonly sessions: readonly Pick<WorkerSession, 'session' | 'start' | 'cancel' | 'isBusy'>[];
  readonly approvals: ApprovalGate;
  /** How long an approval waits for its answer, ms. */
  readonly approvalMs: number;
  /** Whether this worker asks before it runs such a command, although the task does not say so. */
  readonly mustAsk: (command: readonly string[]) => boolean;
  /** A shell command that takes tasks without a command: their input as JSON on its stdin. */
  readonly exec: string | undefined;
  readonly watch?: TaskWatch;
}

export interface CommandHandler {
  readonly handle: TaskHandler;
  /**
   * Ends a task that is at hand, whether it runs or waits for its approval: it has failed for good, as cancelled (W2a). Resolves when
   * all of it is over; rejects with `not-found`.
   */
  cancel(taskId: string): Promise<void>;
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

function resultOf({ state, detail, outputHash, told }: CommandOutcome): AttemptResult {
  const { reason, cause, exitCode } = detail;
  const exit = exitCode === undefined ? {} : { exitCode };
  if (state === 'done') return { kind: 'done', reason, outputHash, ...exit };
  if (cause === 'worker-stopping' || cause === 'bus-closed') return { kind: 'returned' };
  const isFinal = cause === 'cancelled';
  const more = told === undefined ? {} : { ...told, openReason: reason };
  return { ...{ kind: 'failed', reason, errorClass: errorClassOf(detail), outputHash, isFinal }, ...exit, ...more };
}

/** How a result is counted. */
function outcomeOf(result: AttemptResult): TaskOutcome | 'returned' {
  return result.kind === 'failed' && result.errorClass === 'cancelled' ? 'cancelled' : result.kind;
}

/** A task that is at hand. */
interface AtHand {
  readonly cancelling: AbortController;
  readonly over: Promise<unknown>;
}

/** Creates the handler of one worker. */
export function createCommandHandler(deps: CommandHandlerDeps): CommandHandler {
  const { sessions, approvals, approvalMs, mustAsk, exec, watch } = deps;
  const taken = new Set<(typeof sessions)[number]>();
  const atHand = new Map<string, AtHand>();

  /** Undefined: it may run. `cancelled` is the operator's word. */
  async function ask(
    attempt: TaskAttempt,
    command: readonly string[],
    cancelled: AbortSignal,
  ): Promise<AttemptResult | undefined> {
    const { task, taskId, trace } = attempt;
    if (task.approval === undefined && !mustAsk(command)) return undefined;
    watch?.began({ taskId, command, isWaiting: true });
    const signal = AbortSignal.any([attempt.signal, cancelled]);
    const title = task.approval?.title ?? `Run ${shortCommand(command)}`;
    const detail =
      task.approval?.detail ?? `Queue ${attempt.queue}, attempt ${attempt.attempt}: ${shortCommand(command)}`;
    const answer = await approvals.ask({
      ...{ title, detail, command: [...command], expiresInMs: approvalMs, taskId, trace, signal },
    });
    const refusal = refusalOf(answer);
    if (refusal !== 'returned') {
      return refusal && { ...failed(refusal.reason, refusal.errorClass), isFinal: refusal.isFinal };
    }
    if (!cancelled.aborted) return { kind: 'returned', wasAsking: true };
    return failed('cancelled while it waited for its approval', 'cancelled');
  }

  /** Begins it; undefined: the session takes none any more. */
  function begin(session: (typeof sessions)[number], order: Parameters<WorkerSession['start']>[0]) {
    try {
      return session.start(order).outcome;
    } catch (error) {
      if (isVakError(error, 'closed') || isVakError(error, 'already-running')) return undefined;
      throw error;
    }
  }

  async function run(attempt: TaskAttempt, { task, stdin }: Runnable, cancelled: AbortSignal): Promise<AttemptResult> {
    const session = sessions.find((one) => !taken.has(one) && !one.isBusy);
    if (session === undefined) return { kind: 'returned' };
    taken.add(session);
    const { taskId, attempt: number, trace, signal } = attempt;
    const end = (cause: 'cancelled' | 'worker-stopping') => (): void =>
      void session.cancel(taskId, cause).catch(() => undefined);
    const [stop, cancel] = [end('worker-stopping'), end('cancelled')];
    try {
      const outcome = begin(session, {
        taskId,
        attempt: number,
        task,
        trace,
        ...(stdin === undefined ? {} : { stdin }),
      });
      if (outcome === undefined) return { kind: 'returned' };
      watch?.began({ taskId, command: task.command, isWaiting: false });
      signal.addEventListener('abort', stop);
      cancelled.addEventListener('abort', cancel);
      if (signal.aborted) stop();
      if (cancelled.aborted) cancel();
      const result = resultOf(await outcome);
      return result.kind === 'returned' ? result : { ...result, session: session.session };
    } finally {
      signal.removeEventListener('abort', stop);
      cancelled.removeEventListener('abort', cancel);
      taken.delete(session);
    }
  }

  async function attemptNow(attempt: TaskAttempt, cancelled: AbortSignal): Promise<AttemptResult> {
    let runnable: Runnable | undefined;
    try {
      runnable = runnableOf(attempt, exec);
    } catch (error) {
      if (isVakError(error)) return failed(error.message, 'not-runnable');
      throw error;
    }
    if (runnable === undefined)
      return failed('it has an input and no command, and this worker has no --exec', 'not-runnable');
    const refusal = await ask(attempt, runnable.task.command, cancelled);
    if (refusal !== undefined) return refusal;
    if (attempt.signal.aborted) return { kind: 'returned' };
    return await run(attempt, runnable, cancelled);
  }

  async function tellEnd(taskId: string, work: Promise<AttemptResult>): Promise<AttemptResult> {
    try {
      const result = await work;
      watch?.ended(taskId, outcomeOf(result));
      return result;
    } catch (thrown) {
      watch?.ended(taskId, 'failed');
      throw thrown;
    }
  }

  return {
    async handle(attempt) {
      const { taskId } = attempt;
      const cancelling = new AbortController();
      const work = tellEnd(taskId, attemptNow(attempt, cancelling.signal));
      const own: AtHand = { cancelling, over: work.catch(() => undefined) };
      atHand.set(taskId, own);
      try {
        return await work;
      } finally {
        if (atHand.get(taskId) === own) atHand.delete(taskId);
      }
    },
    async cancel(taskId) {
      const found = atHand.get(taskId);
      if (found === undefined) {
        const message = `cancel: this worker is not at task ${taskId}; it is over, or another worker has it`;
        throw new VakError('not-found', message);
      }
      found.cancelling.abort();
      await found.over;
    },
  };
}
