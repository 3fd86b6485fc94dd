/**
 * What main asks of one worker, and what it makes of the answer (S5).
 * Law: each task is asked for in a new trace (E4), each request names the worker's session, and none outlives the process.
 */
import { VakError } from '../../shared/base/vak-error.ts';
import type { TaskPayload } from '../../shared/protocol/payloads.ts';
import { childOf, startTrace, type TraceContext } from '../../shared/protocol/trace-context.ts';
import type { Randomness } from '../ports/randomness.ts';
import { checkAnswer, encodeRequest } from '../work/worker-requests.ts';
import type { SwarmCommander, WorkerOrder } from './swarm-commander.ts';

const runLimitMs = 5_000;
/** Cancelling takes the command's grace and kill. */
const cancelLimitMs = 15_000;

/** What a requester is made of. */
export interface WorkerRequesterDeps {
  readonly commander: Pick<SwarmCommander, 'ask'>;
  readonly randomness: Randomness;
  readonly peer: string;
  readonly session: string;
  /** Resolves when the worker is on the engine in use and hears what it is asked there; throws why not. */
  readonly reached: () => Promise<void>;
  /** Aborted when the worker's process has ended. */
  readonly gone: AbortSignal;
}

/** Both throw what the worker answers, `timeout`, and `closed` if it ends first. */
export interface WorkerRequester {
  /** Resolves once the worker has taken the task. */
  run(taskId: string, task: TaskPayload): Promise<void>;
  /** Resolves when all of the task is over. */
  cancel(taskId: string): Promise<void>;
}

/** Creates the requester of one worker. */
export function createWorkerRequester(deps: WorkerRequesterDeps): WorkerRequester {
  const { commander, randomness, peer, session, reached, gone } = deps;
  /** Of the task that was asked for last. */
  let trace: TraceContext | undefined;

  async function ask(order: Pick<WorkerOrder, 'verb' | 'payload' | 'trace' | 'timeoutMs'>): Promise<void> {
    try {
      await reached();
      checkAnswer(await commander.ask({ ...order, worker: peer, signal: gone }));
    } catch (error) {
      if (!gone.aborted) throw error;
      throw new VakError('closed', `${order.verb}: worker ${peer} ended before it answered; try again`, {
        cause: error,
        retryable: true,
      });
    }
  }

  return {
    async run(taskId, task) {
      const payload = encodeRequest({ taskId, session, task });
      trace = startTrace(randomness.bytes);
      await ask({ verb: 'run', payload, trace, timeoutMs: runLimitMs });
    },
    async cancel(taskId) {
      const payload = encodeRequest({ taskId, session });
      const span = trace === undefined ? startTrace(randomness.bytes) : childOf(trace, randomness.bytes);
      await ask({ verb: 'cancel', payload, trace: span, timeoutMs: cancelLimitMs });
    },
  };
}
