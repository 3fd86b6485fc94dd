/**
 * Queues: how much waits, who works, what became of tasks (product.md "Queues", protocol.md W1–W9).
 * Law: figures are the engine's own; what is shown of a task says whether it counts, and nothing is claimed to show it.
 */
import { z } from 'zod';
import type { ErrorShape } from '../base/vak-error.ts';
import { workTaskPayload } from '../protocol/payloads.ts';
import { call, snapshot } from './define-contract.ts';
import type { OpenedPayload, SignatureReport } from './trust-report.ts';

/**
 * `ok`: tasks are worked on. `idle`: nothing stands in it. `paused`: by an operator's word. `stuck`: something is claimed, tasks wait,
 * and nothing moves. `waiting`: tasks wait, none was claimed lately, and nobody asks for one. `no-consumer`: that, for 10 s or more.
 */
export type QueueHealth = 'ok' | 'idle' | 'paused' | 'stuck' | 'waiting' | 'no-consumer';

/** A worker that has spoken of this queue's tasks, from its receipts that count. Times in ms since the epoch. */
export interface QueueWorker {
  readonly peer: string;
  readonly doneCount: number;
  readonly failedCount: number;
  readonly lastMs: number;
}

/** What became of a task; see the engine's task book. */
export type TaskOutcome = 'queued' | 'refused' | 'retrying' | 'done' | 'dead' | 'finished-late' | 'lost' | 'purged';

export interface QueueState {
  readonly queue: string;
  /** Not delivered yet. */
  readonly pendingCount: number;
  /** Claimed, or waiting for their next attempt. */
  readonly inFlightCount: number;
  readonly redeliveredCount: number;
  /** Pending and in flight. */
  readonly lag: number;
  /** When the oldest task that stands in it was stored, ms since the epoch; null: none does. */
  readonly oldestMs: number | null;
  /** Tasks a second, over the last minute. */
  readonly inPerSec: number;
  readonly outPerSec: number;
  /** At these rates; null: never. */
  readonly drainMs: number | null;
  /** Deliveries of a task at most. */
  readonly maxDeliver: number;
  /** Its one consumer: claims that wait for a task now, and when one was last delivered (ms since the epoch; null: not seen). */
  readonly waitingCount: number;
  readonly lastClaimMs: number | null;
  readonly health: QueueHealth;
  /** Since when it is so, ms since the epoch. */
  readonly healthSinceMs: number;
  /** Who paused it; null: it is not paused. */
  readonly paused: { readonly by: string; readonly sinceMs: number } | null;
  /** The flag that lies there now and does not count: why, a sentence; who signed it, as far as that can be told. Null: it counts, or there is none. */
  readonly refusedFlag: { readonly why: string; readonly by: string | null; readonly atMs: number } | null;
  /** One figure a sample, oldest first, all of the same length. */
  readonly lagHistory: readonly number[];
  /** Over the last half of the history. */
  readonly trend: 'rising' | 'falling' | 'steady';
  /** Tasks that are remembered, by what became of them. */
  readonly outcomes: Readonly<Record<TaskOutcome, number>>;
  readonly workers: readonly QueueWorker[];
}

/** A purge that is under way. */
export interface QueuePurgeProgress {
  readonly operationId: string;
  readonly queue: string;
  /** Tasks that have gone. */
  readonly doneCount: number;
  /** Tasks that stood in the queue when it began, those that came after the place up to which it goes too; null: not counted yet. */
  readonly totalCount: number | null;
  /** It was cancelled, and ends after the part that is under way (at most 500 tasks). */
  readonly isStopping: boolean;
}

export interface QueuesState {
  /** When the figures were read, ms since the epoch; null: never on this connection. */
  readonly readAtMs: number | null;
  /** Why they could not be read last; the former ones stand. */
  readonly problem: ErrorShape | null;
  readonly sampleMs: number;
  /** By name; at most 200. */
  readonly queues: readonly QueueState[];
  /** Queues beyond that. */
  readonly leftOutCount: number;
  /** Those of this app, in the order in which they began. */
  readonly purges: readonly QueuePurgeProgress[];
  /** The dead-letter supervisor of this app. */
  readonly supervisor: { readonly kind: 'off' | 'running' | 'failed'; readonly why: string | null };
}

/** A task as it stands in its queue; it is not claimed by being looked at. */
export interface PeekedTask {
  /** Place in the stream of tasks. */
  readonly seq: number;
  readonly storedMs: number;
  readonly sizeBytes: number;
  /** Null: it is no envelope. */
  readonly taskId: string | null;
  readonly leaf: string;
  /** Who it says it is of. */
  readonly peer: string | null;
  readonly isSealed: boolean;
  readonly signature: SignatureReport;
  /** Why no worker will run it; null: nothing speaks against it. */
  readonly refusal: string | null;
  /** Attempts that are told by receipts that count. */
  readonly attemptCount: number;
  readonly outcome: TaskOutcome;
}

export interface TaskAttempt {
  readonly attempt: number;
  readonly workerId: string;
  readonly outcome: 'done' | 'attempt-failed';
  readonly startedMs: number;
  readonly endedMs: number;
  readonly exitCode: number | null;
  readonly reason: string | null;
  readonly errorClass: string | null;
}

/** What is known of a task, whether it stands in its queue or is gone. */
export interface TaskReport {
  readonly leaf: string;
  readonly taskId: string | null;
  readonly queue: string;
  readonly outcome: TaskOutcome;
  /** When it was stored; null: it was gone before it was seen. */
  readonly storedMs: number | null;
  readonly changedMs: number;
  /** Of `refused`: why no worker will run it, a sentence. */
  readonly refusal: string | null;
  /** Receipts that count, the last 32. */
  readonly attempts: readonly TaskAttempt[];
  readonly deadLetter: {
    readonly seq: number;
    readonly atMs: number;
    readonly reason: string;
    readonly by: string;
  } | null;
}

const queue = z.string().min(1).max(64);
const seq = z.int().positive();

export const queuesContract = {
  /** Tasks that stand in a queue, oldest first, from a place of the stream on. Throws `not-found`, `disconnected`. */
  peek: call(z.object({ queue, fromSeq: seq.optional(), limit: z.int().min(1).max(100) }))<{
    readonly tasks: readonly PeekedTask[];
    /** Where the next page begins; null: there is none. */
    readonly nextSeq: number | null;
  }>(),
  /** Opens the payload of a task that stands in its queue; `not-found` once it has left. */
  open: call(z.object({ queue, seq }))<OpenedPayload>(),
  /** Tasks of a queue that something was heard of, newest change first. */
  tasks: call(z.object({ queue, limit: z.int().min(1).max(500) }))<readonly TaskReport[]>(),
  /** Publishes a task as the operator, sealed and signed, once its stream has stored it. Throws `invalid-payload`, `locked`, `read-only` … */
  enqueue: call(z.object({ queue, task: workTaskPayload }))<{
    readonly taskId: string;
    readonly leaf: string;
    readonly seq: number;
  }>(),
  pause: call(z.object({ queue }))<void>(),
  resume: call(z.object({ queue }))<void>(),
  /**
   * Takes every task out of the queue that stands in it up to `lastSeq`, which the operator has seen, with a signed record of it (`vak.audit.action`).
   * `confirmedName`: what was typed; throws `invalid-input` unless it is the queue's name. `environment`: name of the context that was shown;
   * throws `conflict` if it is another by now. It goes in parts of 500 tasks, and `purges` of the state says how far it is. Cancelled, it ends
   * after the part that is under way, with `aborted` and the number that went as `purgedCount` in its details. Answers how many went.
   */
  purge: call(
    z.object({
      ...{ queue, confirmedName: z.string().max(64), environment: z.string().max(256).optional() },
      ...{ lastSeq: seq, reason: z.string().max(1024).optional() },
    }),
  )<{
    readonly purgedCount: number;
  }>(),
  /**
   * Ends a purge that this app is at, whichever window began it, after the part that is under way: whoever asked for it is told as if it had
   * cancelled. Throws `not-found` if it is over.
   */
  stopPurge: call(z.object({ operationId: z.uuid() }))<void>(),
  /** What a purge would take: how many tasks stand in the queue, and the place of the last. */
  standing: call(z.object({ queue }))<{ readonly count: number; readonly lastSeq: number }>(),
  state: snapshot<QueuesState>(),
} as const;
