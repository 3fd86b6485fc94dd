/**
 * The local swarm: worker peers in processes of their own that run real commands.
 * Law: every process that ends is accounted for in the snapshot, with its cause.
 */
import { z } from 'zod';
import { taskPayload } from '../protocol/payloads.ts';
import { call, snapshot } from './define-contract.ts';

/** Most workers that one swarm may have. */
export const maxWorkers = 64;

/** A command that a worker runs now. */
export interface RunningTask {
  readonly taskId: string;
  readonly command: readonly string[];
  readonly startedMs: number;
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
  readonly pid: number | null;
  readonly state: 'starting' | 'idle' | 'busy' | 'stopping' | 'ended' | 'dead';
  readonly task: RunningTask | null;
  readonly death: WorkerDeath | null;
  readonly doneCount: number;
  readonly failedCount: number;
  /** Commands that somebody ended; they are not among the failed ones. */
  readonly cancelledCount: number;
}

export interface SwarmState {
  readonly state: 'stopped' | 'starting' | 'running' | 'stopping';
  readonly workers: readonly WorkerSummary[];
}

export const swarmContract = {
  /** Starts `workers` workers that run a mix of sample commands until stopped; `already-running` if it runs. */
  start: call(z.object({ workers: z.int().min(1).max(maxWorkers) }))<void>(),
  /** Drains and ends every worker; nothing that they started is left. */
  stop: call(z.object({}))<void>(),
  /** Gives a command line to an idle worker, or to a new one; answers once the worker has taken it. */
  run: call(taskPayload)<{ readonly taskId: string; readonly peer: string; readonly session: string }>(),
  /** Ends a running command and everything that it started; `not-found` if it is over. */
  cancel: call(z.object({ taskId: z.string().min(1).max(64) }))<void>(),
  /** Ends one worker's process at once, as a crash would. */
  kill: call(z.object({ peer: z.string().min(1).max(64) }))<void>(),
  state: snapshot<SwarmState>(),
} as const;
