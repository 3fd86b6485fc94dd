/**
 * Approvals as a window sees them (product.md "Approvals").
 * Law: a request is shown whole or not at all: who is shown a part of a command would approve the rest unseen. What is left out is counted.
 */
import type { ApprovalReport, ApprovalsState, RefusedApproval } from '../../shared/contract/approvals-contract.ts';
import { type Approval, approvalState } from './approval-book.ts';
import type { WatchedWork } from './watched-work.ts';
import type { WorkWatch } from './work-watch.ts';

const maxListed = 200;
const maxPendingLength = 1024 * 1024;
const maxPastLength = 512 * 1024;
const maxRefused = 50;

/** Approvals by how they stand, as long as nothing changes and nothing expires. */
interface Sorted {
  readonly work: WatchedWork;
  readonly version: number;
  /** When the next one expires, ms since the epoch. */
  readonly untilMs: number;
  readonly pending: readonly Approval[];
  readonly waitingCount: number;
  readonly past: readonly Approval[];
  readonly idle: readonly RefusedApproval[];
}

const expiresMsOf = ({ request }: Approval): number => Date.parse(request.expiresAt);
const endedMsOf = (one: Approval): number => one.verdict?.storedMs ?? expiresMsOf(one);

function lengthOf({ request, verdict }: Approval): number {
  const { title, detail, command = [] } = request;
  return [title, detail, verdict?.reason ?? '', ...command].reduce((sum, text) => sum + text.length, 0);
}

/** The first ones, as far as they fit. */
function fitting(all: readonly Approval[], maxLength: number): Approval[] {
  const found: Approval[] = [];
  let length = 0;
  for (const one of all) {
    length += lengthOf(one);
    if (found.length === maxListed || (length > maxLength && found.length > 0)) return found;
    found.push(one);
  }
  return found;
}

function sort(work: WatchedWork, nowMs: number): Sorted {
  const { book } = work.approvals;
  const all = [...book.all()];
  const isWaiting = (one: Approval): boolean => approvalState(one, nowMs) === 'pending';
  const waiting = all.filter(isWaiting);
  const past = all.filter((one) => !isWaiting(one)).sort((a, b) => endedMsOf(b) - endedMsOf(a));
  const expiries = waiting.map(expiresMsOf);
  return {
    ...{ work, version: book.version(), waitingCount: expiries.length },
    untilMs: expiries.reduce((least, one) => Math.min(least, one), Number.POSITIVE_INFINITY),
    pending: fitting(waiting, maxPendingLength),
    past: fitting(past, maxPastLength),
    idle: Array.from(book.idle(), ({ storedMs: atMs, ...one }) => ({ ...one, atMs })),
  };
}

function reportOf(approval: Approval, work: WatchedWork, nowMs: number): ApprovalReport {
  const { request, verdict } = approval;
  const { requestId, title, detail, command = null, peer, session, taskId = null, storedMs } = request;
  const { decision, by, reason = null, storedMs: atMs } = verdict ?? {};
  return {
    ...{ requestId, title, detail, command, peer, session, taskId },
    queue: taskId === null ? null : work.queueOf(taskId),
    ...{ askedMs: storedMs, expiresMs: expiresMsOf(approval), state: approvalState(approval, nowMs) },
    verdict: decision === undefined || by === undefined || atMs === undefined ? null : { decision, by, reason, atMs },
  };
}

function refusedIn({ work, idle }: Sorted): Pick<ApprovalsState, 'refused' | 'refusedCount'> {
  const { refusedAnswers } = work;
  const refused = [...refusedAnswers.newest(), ...idle].sort((a, b) => b.seq - a.seq);
  return { refused: refused.slice(0, maxRefused), refusedCount: idle.length + refusedAnswers.count() };
}

/** Creates the reading of the approvals of the engine in use. `nowMs`: ms since the epoch. */
export function createApprovalsState(watch: Pick<WorkWatch, 'work' | 'problem'>): (nowMs: number) => ApprovalsState {
  let sorted: Sorted | undefined;

  function sortedFor(work: WatchedWork, nowMs: number): Sorted {
    const isFresh =
      sorted?.work === work && sorted.version === work.approvals.book.version() && nowMs <= sorted.untilMs;
    if (isFresh && sorted !== undefined) return sorted;
    sorted = sort(work, nowMs);
    return sorted;
  }

  return (nowMs) => {
    const work = watch.work();
    const problem = watch.problem();
    if (work === undefined) {
      sorted = undefined;
      const nothing = { pending: [], leftOutCount: 0, past: [], refused: [], refusedCount: 0 };
      return { readAtMs: null, problem, ...nothing };
    }
    const now = sortedFor(work, nowMs);
    const { pending, past, waitingCount } = now;
    const report = (one: Approval): ApprovalReport => reportOf(one, work, nowMs);
    return {
      ...{ readAtMs: work.approvalsAtMs(), problem, leftOutCount: waitingCount - pending.length },
      ...{ pending: pending.map(report), past: past.map(report), ...refusedIn(now) },
    };
  };
}
