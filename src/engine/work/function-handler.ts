/**
 * Runs the tasks of a queue by a function of the program that works on it (protocol.md W1, W6, W8).
 * Law: what was not approved does not begin; what the function threw because its worker stops has not failed; a function that does not
 * heed its signal holds up nobody for longer than a grace.
 */
import { utf8 } from '../../shared/base/bytes.ts';
import { createDisposer, type Disposable } from '../../shared/base/disposer.ts';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import type { Clock } from '../ports/clock.ts';
import { createDeferred } from '../wait.ts';
import type { ApprovalAnswer, ApprovalGate } from './approval-gate.ts';
import { refusalOf } from './approval-refusal.ts';
import { boundedStack } from './bounded-reason.ts';
import { shortDuration } from './command-words.ts';
import { createOutputHash } from './output-hash.ts';
import { type AttemptResult, noOutputHash, type TaskAttempt, type TaskHandler } from './task-attempt.ts';
import { TaskFailure } from './task-failure.ts';

export interface FunctionQuestion {
  readonly title: string;
  /** More of it; the title unless told. */
  readonly detail?: string | undefined;
  /** How long it may be answered, ms; as long as the worker's approvals unless told. */
  readonly expiresInMs?: number;
}

/** What a function has besides its task. */
export interface FunctionTools {
  /** Aborted when its worker stops, or the task's own time is over; the reason is a VakError `aborted` or `timeout`. */
  readonly signal: AbortSignal;
  /** Resolves when an operator has approved. Throws `forbidden` if one denies, or nobody answers in time; `aborted`. */
  approve(question: FunctionQuestion): Promise<Extract<ApprovalAnswer, { kind: 'approved' | 'denied' }>>;
}

/** Gives the output, JSON or undefined. Whatever it throws is a failed attempt. */
export type TaskFunction = (attempt: TaskAttempt, tools: FunctionTools) => unknown;

export interface FunctionHandlerDeps {
  readonly run: TaskFunction;
  readonly approvals: ApprovalGate;
  /** How long an approval waits for its answer, ms. */
  readonly approvalMs: number;
  readonly clock: Clock;
}

/** A function whose time is over may still end by itself for so long, ms. */
const graceMs = 5_000;
/** Largest output that a receipt holds, in bytes of its JSON; of a larger one it has the hash (W6c). */
export const maxOutputBytes = 32 * 1024;
const maxClassLength = 256;

type Failed = AttemptResult & { readonly kind: 'failed' };

function failed(reason: string, errorClass: string, isFinal: boolean): Failed {
  const named = errorClass.slice(0, maxClassLength);
  return { kind: 'failed', reason, errorClass: named === '' ? 'failed' : named, isFinal, outputHash: noOutputHash };
}

/** The result of a function that has returned. */
function resultOf(output: unknown): AttemptResult {
  let text: string | undefined;
  try {
    text = JSON.stringify(output);
  } catch (error) {
    return failed(`its output is no JSON: ${error instanceof Error ? error.message : ''}`, 'invalid-output', true);
  }
  const hash = createOutputHash();
  if (text === undefined) return { kind: 'done', outputHash: hash.digest() };
  const bytes = utf8(text);
  hash.push('stdout', bytes);
  const done = { kind: 'done', outputHash: hash.digest() } as const;
  return bytes.length > maxOutputBytes ? done : { ...done, output: JSON.parse(text) };
}

/** What was thrown, as receipts tell it. */
function failureOf(thrown: unknown): Failed {
  if (thrown instanceof TaskFailure) return failed(thrown.message, thrown.errorClass, thrown.isFinal);
  if (isVakError(thrown)) return failed(thrown.message, thrown.code, false);
  if (!(thrown instanceof Error)) return failed(`it threw ${typeof thrown}, no error`, 'thrown', false);
  const { message, name, stack } = thrown;
  const told = failed(message === '' ? name : message, name, false);
  return stack === undefined ? told : { ...told, stack: boundedStack(stack) };
}

/** The end of an attempt from outside: its worker stops, or its own time is over. */
function watchEnd({ task: { timeoutMs }, signal }: TaskAttempt, clock: Clock) {
  const held = createDisposer();
  const controller = new AbortController();
  const overdue = createDeferred<'overdue'>();
  let isTimedOut = false;
  const stop = (): void => controller.abort(new VakError('aborted', 'the worker stops'));
  signal.addEventListener('abort', stop);
  held.defer(() => signal.removeEventListener('abort', stop));
  if (signal.aborted) stop();
  if (timeoutMs !== undefined) {
    held.add(
      clock.setTimer(timeoutMs, () => {
        isTimedOut = true;
        held.add(clock.setTimer(graceMs, () => overdue.resolve('overdue')));
        controller.abort(new VakError('timeout', `the task's time of ${shortDuration(timeoutMs)} is over`));
      }),
    );
  }
  return {
    signal: controller.signal,
    overdue: overdue.promise,
    isTimedOut: () => isTimedOut,
    dispose: () => held.dispose(),
  };
}

type End = ReturnType<typeof watchEnd> & Disposable;

/** Creates the handler of one worker. */
export function createFunctionHandler({ run, approvals, approvalMs, clock }: FunctionHandlerDeps): TaskHandler {
  /** Asks, and says what an answer that is no approval makes of the attempt. */
  async function ask(
    { taskId, trace }: TaskAttempt,
    { title, detail = title, expiresInMs = approvalMs }: FunctionQuestion,
    signal: AbortSignal,
  ) {
    const answer = await approvals.ask({ title, detail, expiresInMs, taskId, trace, signal });
    return { answer, refusal: refusalOf(answer) };
  }

  /** What an error that was thrown for want of an approval makes of the attempt; the function may catch it and do something else. */
  function createTools(attempt: TaskAttempt, { signal }: End) {
    const refusals = new WeakMap<object, Failed>();
    const tools: FunctionTools = {
      signal,
      async approve(question) {
        const { answer, refusal } = await ask(attempt, question, signal);
        if (answer.kind === 'approved') return answer;
        if (refusal === 'returned' || refusal === undefined) throw signal.reason;
        const error = new VakError('forbidden', `${question.title}: ${refusal.reason}`);
        refusals.set(error, failed(refusal.reason, refusal.errorClass, refusal.isFinal));
        throw error;
      },
    };
    return { tools, refusalOf: (thrown: unknown) => (thrown instanceof Error ? refusals.get(thrown) : undefined) };
  }

  function timedOut({ task: { timeoutMs = 0 } }: TaskAttempt): Failed {
    return failed(`timed out after ${shortDuration(timeoutMs)}`, 'timeout', false);
  }

  async function begin(attempt: TaskAttempt, end: End): Promise<AttemptResult> {
    const { tools, refusalOf: refusalFor } = createTools(attempt, end);
    try {
      const running = (async () => resultOf(await run(attempt, tools)))();
      const result = await Promise.race([running, end.overdue]);
      if (result !== 'overdue') return result;
      // What it still does, or throws, is nobody's business any more.
      running.catch(() => undefined);
      return timedOut(attempt);
    } catch (thrown) {
      if (attempt.signal.aborted) return { kind: 'returned' };
      if (end.isTimedOut()) return timedOut(attempt);
      return refusalFor(thrown) ?? failureOf(thrown);
    }
  }

  return async (attempt) => {
    const { approval } = attempt.task;
    if (approval !== undefined) {
      const { refusal } = await ask(attempt, approval, attempt.signal);
      if (refusal === 'returned') return { kind: 'returned', wasAsking: true };
      if (refusal !== undefined) return failed(refusal.reason, refusal.errorClass, refusal.isFinal);
    }
    if (attempt.signal.aborted) return { kind: 'returned' };
    const end = watchEnd(attempt, clock);
    try {
      return await begin(attempt, end);
    } finally {
      end.dispose();
    }
  };
}
