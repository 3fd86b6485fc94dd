/** A worker on a queue whose tasks a function of the program does (protocol.md W1–W3, W6, W8, W9). */
import type { ApprovalGate } from '../../engine/work/approval-gate.ts';
import { boundedReason } from '../../engine/work/bounded-reason.ts';
import { createFunctionHandler, type FunctionTools } from '../../engine/work/function-handler.ts';
import type { SessionPublisher } from '../../engine/work/session-publisher.ts';
import type { AttemptResult, TaskHandler as EngineHandler, TaskAttempt } from '../../engine/work/task-attempt.ts';
import type { WorkPorts } from '../../engine/work/work-peer.ts';
import type { EventLog } from '../event-log.ts';
import { leaveWithinMs, startLoggedWork } from '../queue-worker.ts';
import type { RunningPeer } from '../work-peer.ts';
import { checkCount, checkFunction } from './calls.ts';
import type { CloseOptions, QueueWorker, Task, TaskContext, TaskHandler, WorkOptions } from './queue-api.ts';

export interface FunctionWorkDeps {
  readonly peer: RunningPeer;
  readonly ports: WorkPorts;
  readonly log: EventLog;
  /** Tells others on the live bus what becomes of attempts. */
  readonly session: SessionPublisher;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const standardFinishMs = 30_000;

function toTask({ taskId, taskLeaf, queue, task }: TaskAttempt): Task {
  const { input, command, cwd, env, timeoutMs } = task;
  return { id: taskId, leaf: taskLeaf, queue, input, command, cwd, env, timeoutMs };
}

function toContext({ attempt, maxAttempts }: TaskAttempt, { signal, approve }: FunctionTools): TaskContext {
  return {
    ...{ signal, attempt, maxAttempts },
    async approve({ title, detail, expiresInMs }) {
      const { by, reason } = await approve({ title, detail, ...(expiresInMs === undefined ? {} : { expiresInMs }) });
      return { by, reason };
    },
  };
}

/** Says on the live bus when an attempt begins and how it ended, as workers that run commands do. */
function telling(handler: EngineHandler, session: SessionPublisher): EngineHandler {
  const detailOf = (result: AttemptResult) =>
    result.kind === 'failed' ? { detail: { reason: boundedReason(result.reason) } } : {};
  return async (attempt) => {
    const { taskId, attempt: number, trace } = attempt;
    session.status({ state: 'claimed', taskId, attempt: number }, trace);
    const result = await handler(attempt);
    if (result.kind === 'returned') return result;
    session.status({ state: result.kind, taskId, attempt: number, ...detailOf(result) }, trace);
    return result;
  };
}

/** How long what runs may take to finish, as it was asked for. Throws `invalid-input`. */
export function finishMsOf({ finishWithinMs }: CloseOptions = {}): number {
  return checkCount(finishWithinMs, 'finishWithinMs', { min: 0, max: dayMs, standard: standardFinishMs });
}

/** Begins to work. Throws `invalid-input`, and what opening the queue throws. */
export async function startFunctionWork(
  { peer, ports, log, session }: FunctionWorkDeps,
  { queue, handler, options }: { queue: string; handler: TaskHandler; options: WorkOptions },
): Promise<QueueWorker> {
  checkFunction(handler, 'handler');
  const concurrency = checkCount(options.concurrency, 'concurrency', { min: 1, max: 64, standard: 1 });
  const within = { min: 1, max: 365 * dayMs, standard: hourMs };
  const approvalMs = checkCount(options.approveWithinMs, 'approveWithinMs', within);
  const { clock } = ports;
  const run = (attempt: TaskAttempt, tools: FunctionTools): unknown =>
    handler(toTask(attempt), toContext(attempt, tools));
  const createHandler = (approvals: ApprovalGate) => ({
    handle: telling(createFunctionHandler({ run, approvals, approvalMs, clock }), session),
  });
  const work = await startLoggedWork(peer, { queue, concurrency, log, createHandler }, ports);
  let closing: Promise<void> | undefined;
  function close(limits?: CloseOptions): Promise<void> {
    const finishWithinMs = finishMsOf(limits);
    closing ??= work.close({ finishWithinMs, leaveWithinMs });
    return closing;
  }
  return {
    queue,
    get runningCount() {
      return work.runningCount;
    },
    close: async (limits) => await close(limits),
    [Symbol.asyncDispose]: () => close(),
  };
}
