/**
 * Queues and approvals as a window sees them (product.md "Queues", "Approvals").
 * Law: it only says what is known; what peers wrote goes out as they wrote it, for the page to make visible.
 */
import type { ApprovalReport, ApprovalsState, RefusedApproval } from '../../shared/contract/approvals-contract.ts';
import type { QueueState, QueuesState, TaskAttempt, TaskReport } from '../../shared/contract/queues-contract.ts';
import { type Approval, type ApprovalState, approvalState } from './approval-book.ts';
import { sampleMs, trendOf } from './lag-history.ts';
import { drainMsOf } from './queue-figures.ts';
import type { TaskRecord } from './task-book.ts';
import type { WatchedQueue, WatchedWork } from './watched-work.ts';
import type { WorkWatch } from './work-watch.ts';

type Watching = Pick<WorkWatch, 'work' | 'problem'>;

function queueState({ figures, health, flag, lagHistory }: WatchedQueue, work: WatchedWork): QueueState {
  const { queue, lag } = figures;
  const rate = work.rates.of(queue);
  return {
    ...{ ...figures, ...rate, drainMs: drainMsOf(lag, rate.inPerSec, rate.outPerSec) },
    ...{ lastClaimMs: health.lastClaimMs, health: health.state, healthSinceMs: health.sinceMs },
    paused: flag?.isPaused === true ? { by: flag.by, sinceMs: flag.atMs } : null,
    ...{ lagHistory, trend: trendOf(lagHistory) },
    outcomes: work.book.countsOf(queue),
    workers: work.workers.of(queue),
  };
}

/** The queues of the engine in use. */
export function queuesState(watch: Watching, supervisor: QueuesState['supervisor']): QueuesState {
  const work = watch.work();
  return {
    readAtMs: work?.readAtMs() ?? null,
    problem: watch.problem(),
    sampleMs,
    queues: (work?.queues() ?? []).map((one) => queueState(one, work as WatchedWork)),
    leftOutCount: work?.leftOutCount() ?? 0,
    supervisor,
  };
}

const maxPast = 200;
const maxRefused = 50;

function approvalReport({ request, verdict }: Approval, state: ApprovalState, queue: string | null): ApprovalReport {
  const { requestId, title, detail, command = null, peer, session, taskId = null, storedMs, expiresAt } = request;
  return {
    ...{ requestId, title, detail, command, peer, session, taskId, queue },
    ...{ askedMs: storedMs, expiresMs: Date.parse(expiresAt), state },
    verdict:
      verdict === undefined
        ? null
        : { decision: verdict.decision, by: verdict.by, reason: verdict.reason ?? null, atMs: verdict.storedMs },
  };
}

const endedMs = ({ verdict, expiresMs }: ApprovalReport): number => verdict?.atMs ?? expiresMs;

function refusedOf(work: WatchedWork): RefusedApproval[] {
  const idle = Array.from(work.approvals.book.idle(), ({ storedMs: atMs, ...one }) => ({ ...one, atMs }));
  return [...work.refusedAnswers.newest(), ...idle].sort((a, b) => b.seq - a.seq);
}

/** The approvals of the engine in use. */
export function approvalsState(watch: Watching, nowMs: number): ApprovalsState {
  const work = watch.work();
  if (work === undefined) {
    return { readAtMs: null, problem: watch.problem(), pending: [], past: [], refusedCount: 0, refused: [] };
  }
  const all = Array.from(work.approvals.book.all(), (one) => {
    const { taskId } = one.request;
    return approvalReport(one, approvalState(one, nowMs), taskId === undefined ? null : work.queueOf(taskId));
  });
  const refused = refusedOf(work);
  const unlisted = work.refusedAnswers.count() - work.refusedAnswers.newest().length;
  return {
    readAtMs: work.readAtMs(),
    problem: watch.problem(),
    pending: all.filter(({ state }) => state === 'pending'),
    past: all
      .filter(({ state }) => state !== 'pending')
      .sort((a, b) => endedMs(b) - endedMs(a))
      .slice(0, maxPast),
    refusedCount: refused.length + unlisted,
    refused: refused.slice(0, maxRefused),
  };
}

function attemptOf(receipt: TaskRecord['receipts'][number]): TaskAttempt {
  const { attempt, workerId, outcome, startedAt, endedAt, exitCode = null, reason = null } = receipt;
  return {
    ...{ attempt, workerId, outcome, exitCode, reason, errorClass: receipt.errorClass ?? null },
    ...{ startedMs: Date.parse(startedAt), endedMs: Date.parse(endedAt) },
  };
}

/** When something was last heard of a task, ms since the epoch. */
export function changedMsOf({ place, receipts, deadLetter, goneMs }: TaskRecord): number {
  const said = receipts.map(({ storedMs }) => storedMs);
  return Math.max(place?.storedMs ?? 0, deadLetter?.storedMs ?? 0, goneMs ?? 0, ...said);
}

/** What is known of a task. */
export function taskReport(record: TaskRecord): TaskReport {
  const { leaf, taskId, queue, place, receipts, deadLetter, state } = record;
  return {
    ...{ leaf, taskId, queue, outcome: state, storedMs: place?.storedMs ?? null, changedMs: changedMsOf(record) },
    attempts: receipts.map(attemptOf),
    deadLetter:
      deadLetter === undefined
        ? null
        : { seq: deadLetter.seq, atMs: deadLetter.storedMs, reason: deadLetter.reason, by: deadLetter.by },
  };
}
