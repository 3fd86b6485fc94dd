/**
 * Queues and tasks as a window sees them (product.md "Queues").
 * Law: it only says what is known; what peers wrote goes out as they wrote it, for the page to make visible.
 */
import type { QueueState, QueuesState, TaskAttempt, TaskReport } from '../../shared/contract/queues-contract.ts';
import { sampleMs, trendOf } from './lag-history.ts';
import { drainMsOf } from './queue-figures.ts';
import type { TaskRecord } from './task-book.ts';
import type { WatchedQueue } from './watched-queues.ts';
import type { WatchedWork } from './watched-work.ts';
import type { WorkWatch } from './work-watch.ts';

type Watching = Pick<WorkWatch, 'work' | 'problem'>;

function refusedFlagOf(queue: string, work: WatchedWork): QueueState['refusedFlag'] {
  const refused = work.queues.refusedFlagOf(queue);
  return refused === undefined ? null : { why: refused.why, by: refused.by, atMs: refused.atMs };
}

function queueState({ figures, health, flag, lagHistory }: WatchedQueue, work: WatchedWork): QueueState {
  const { queue, lag } = figures;
  const rate = work.rates.of(queue);
  return {
    ...{ ...figures, ...rate, drainMs: drainMsOf(lag, rate.inPerSec, rate.outPerSec) },
    ...{ lastClaimMs: health.lastClaimMs, health: health.state, healthSinceMs: health.sinceMs },
    paused: flag?.isPaused === true ? { by: flag.by, sinceMs: flag.atMs } : null,
    refusedFlag: refusedFlagOf(queue, work),
    ...{ lagHistory, trend: trendOf(lagHistory) },
    outcomes: work.book.countsOf(queue),
    workers: work.workers.of(queue),
  };
}

/** The queues of the engine in use; `beside`: what else of the app is said with them. */
export function queuesState(watch: Watching, beside: Pick<QueuesState, 'supervisor' | 'purges'>): QueuesState {
  const work = watch.work();
  return {
    readAtMs: work?.queues.readAtMs() ?? null,
    problem: watch.problem(),
    sampleMs,
    queues: (work?.queues.all() ?? []).map((one) => queueState(one, work as WatchedWork)),
    leftOutCount: work?.queues.leftOutCount() ?? 0,
    ...beside,
  };
}

function attemptOf(receipt: TaskRecord['receipts'][number]): TaskAttempt {
  const { attempt, workerId, outcome, startedAt, endedAt, exitCode = null, reason = null } = receipt;
  return {
    ...{ attempt, workerId, outcome, exitCode, reason, errorClass: receipt.errorClass ?? null },
    ...{ startedMs: Date.parse(startedAt), endedMs: Date.parse(endedAt) },
  };
}

const maxAttempts = 32;

/** When something was last heard of a task, ms since the epoch. */
export function changedMsOf({ place, receipts, deadLetter, goneMs }: TaskRecord): number {
  const said = receipts.map(({ storedMs }) => storedMs);
  return Math.max(place?.storedMs ?? 0, deadLetter?.storedMs ?? 0, goneMs ?? 0, ...said);
}

/** What is known of a task. */
export function taskReport(record: TaskRecord): TaskReport {
  const { leaf, taskId, queue, place, receipts, deadLetter, state, refusal } = record;
  return {
    ...{ leaf, taskId, queue, outcome: state, storedMs: place?.storedMs ?? null, changedMs: changedMsOf(record) },
    refusal: state === 'refused' && refusal !== undefined ? refusal : null,
    attempts: receipts.slice(-maxAttempts).map(attemptOf),
    deadLetter:
      deadLetter === undefined
        ? null
        : { seq: deadLetter.seq, atMs: deadLetter.storedMs, reason: deadLetter.reason, by: deadLetter.by },
  };
}
