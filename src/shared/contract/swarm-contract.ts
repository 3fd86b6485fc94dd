/**
 * The local swarm: worker peers in processes of their own that run real commands.
 * Law: every process that ends is accounted for in the snapshot, with its cause.
 */
import { z } from 'zod';
import { taskPayload } from '../protocol/payloads.ts';
import { call, snapshot } from './define-contract.ts';

/** Most workers that one swarm may have. */
export const maxWorkers = 64;

/** A command that a worker is at now. One from a queue is hostile until it is made visible, and cut off if it is long. */
export interface RunningTask {
  readonly taskId: string;
  readonly command: readonly string[];
  readonly startedMs: number;
  /** It has not begun: an operator has to approve it first. */
  readonly isWaiting: boolean;
}

/** How a worker's process ended when nobody asked it to. */
export interface WorkerDeath {
  readonly atMs: number;
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** For people: what happened, and what became of its command's processes. */
  readonly reason: string;
}

export interface WorkerSummary {
  readonly peer: string;
  readonly session: string;
  /** `queue`: it claims tasks of the swarm's queue. `command`: it runs what it is given by hand. */
  readonly kind: 'queue' | 'command';
  readonly pid: number | null;
  readonly state: 'starting' | 'idle' | 'busy' | 'stopping' | 'ended' | 'dead';
  readonly task: RunningTask | null;
  readonly death: WorkerDeath | null;
  /** Why it claims nothing, though it could work; null: nothing keeps it. */
  readonly problem: string | null;
  /** Commands; of tasks each attempt. */
  readonly doneCount: number;
  readonly failedCount: number;
  /** Commands that somebody ended; they are not among the failed ones. */
  readonly cancelledCount: number;
}

/** The peer that puts tasks into the swarm's queue. `off`: the swarm does not run, or there is no engine to put them into. */
export interface CoordinatorState {
  readonly kind: 'off' | 'running' | 'failed';
  /** Why it puts none in, if it should. */
  readonly why: string | null;
}

export interface SwarmState {
  readonly state: 'stopped' | 'starting' | 'running' | 'stopping';
  readonly workers: readonly WorkerSummary[];
  /** Where its queue workers get their tasks. */
  readonly queue: string;
  readonly coordinator: CoordinatorState;
  /** Why workers that have died are not replaced; null: they are. */
  readonly problem: string | null;
  /** Its peers that the server of the connection does not let in, and what that said of the first; null: none. */
  readonly keptOut: { readonly peers: readonly string[]; readonly why: string } | null;
}

export const swarmContract = {
  /**
   * Starts `workers` workers of queue `local`, and the coordinator that puts a mix of tasks into it, until stopped; a worker that dies is
   * replaced. `already-running` if it runs.
   */
  start: call(z.object({ workers: z.int().min(1).max(maxWorkers) }))<void>(),
  /** Drains and ends every worker; nothing that they started is left. Tasks that are not done stay in the queue. */
  stop: call(z.object({}))<void>(),
  /** Gives a command line to an idle worker that takes no tasks of a queue, or to a new one; answers once the worker has taken it. */
  run: call(taskPayload)<{ readonly taskId: string; readonly peer: string; readonly session: string }>(),
  /**
   * Ends a running command and everything that it started; a task of the queue, also one that waits for its approval, has failed for good
   * then, as cancelled (W2a). `not-found` if it is over.
   */
  cancel: call(z.object({ taskId: z.string().min(1).max(64) }))<void>(),
  /** Ends one worker's process at once, as a crash would; the task that it had claimed comes again. */
  kill: call(z.object({ peer: z.string().min(1).max(64) }))<void>(),
  state: snapshot<SwarmState>(),
} as const;
