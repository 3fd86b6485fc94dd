/**
 * Approvals as a window sees them (product.md "Approvals").
 * Law: a request is shown whole or not at all: who is shown a part of a command would approve the rest unseen. What is left out is counted.
 */
import type { ApprovalReport, ApprovalsState, RefusedApproval } from '../../shared/contract/approvals-contract.ts';
import { type Approval, approvalState } from './approval-book.ts';
import type { GoneSearching } from './approval-gone.ts';
import type { WatchedWork } from './watched-work.ts';
import type { WorkWatch } from './work-watch.ts';

const maxListed = 200;
const maxPendingLength = 1024 * 1024;
const maxPastLength = 512 * 1024;
const maxRefused = 50;

/** Approvals by how they stand by themselves, as long as nothing changes and nothing expires. */
interface Sorted {
  readonly work: WatchedWork;
  readonly version: number;
  /** When the next one expires, ms since the epoch. */
  readonly untilMs: number;
  readonly waiting: readonly Approval[];
  /** Answered or expired, newest first. */
  readonly past: readonly Approval[];
  readonly idle: readonly RefusedApproval[];
}

type Gone = ReturnType<ReturnType<GoneSearching>>;

const expiresMsOf = ({ request }: Approval): number => Date.parse(request.expiresAt);
const endedMsOf = (one: Approval, gone?: Gone): number => one.verdict?.storedMs ?? gone?.atMs ?? expiresMsOf(one);

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
  return {
    ...{ work, version: book.version(), waiting, past },
    untilMs: waiting.map(expiresMsOf).reduce((least, one) => Math.min(least, one), Number.POSITIVE_INFINITY),
    idle: Array.from(book.idle(), ({ storedMs: atMs, ...one }) => ({ ...one, atMs })),
  };
}

function reportOf(approval: Approval, { work, nowMs, gone }: { work: WatchedWork; nowMs: number; gone: Gone }) {
  const { request, verdict } = approval;
  const { requestId, title, detail, command = null, peer, session, taskId = null, storedMs } = request;
  const { decision, by, reason = null, storedMs: atMs } = verdict ?? {};
  const state = approvalState(approval, nowMs, gone);
  return {
    ...{ requestId, title, detail, command, peer, session, taskId },
    queue: taskId === null ? null : work.queueOf(taskId),
    ...{ askedMs: storedMs, expiresMs: expiresMsOf(approval), state },
    gone: state === 'asker-gone' && gone !== undefined ? gone : null,
    verdict: decision === undefined || by === undefined || atMs === undefined ? null : { decision, by, reason, atMs },
  } satisfies ApprovalReport;
}

function refusedIn({ work, idle }: Sorted): Pick<ApprovalsState, 'refused' | 'refusedCount'> {
  const { refusedAnswers } = work;
  const refused = [...refusedAnswers.newest(), ...idle].sort((a, b) => b.seq - a.seq);
  return { refused: refused.slice(0, maxRefused), refusedCount: idle.length + refusedAnswers.count() };
}

export interface ApprovalsStateDeps {
  readonly watch: Pick<WorkWatch, 'work' | 'problem'>;
  readonly gone: GoneSearching;
}

/** Creates the reading of the approvals of the engine in use. `nowMs`: ms since the epoch. */
export function createApprovalsState({ watch, gone: search }: ApprovalsStateDeps): (nowMs: number) => ApprovalsState {
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
    const goneOf = search();
    // While one waits its asker may go at any time, and may be heard again.
    const waiting = now.waiting.map((one) => ({ one, gone: goneOf(one.request) }));
    const pending = waiting.filter(({ gone }) => gone === undefined).map(({ one }) => one);
    const left = waiting
      .filter(({ gone }) => gone !== undefined)
      .sort((a, b) => endedMsOf(b.one, b.gone) - endedMsOf(a.one, a.gone))
      .map(({ one }) => one);
    const shown = fitting(pending, maxPendingLength);
    const report = (one: Approval): ApprovalReport =>
      reportOf(one, { work, nowMs, gone: one.verdict === undefined ? goneOf(one.request) : undefined });
    return {
      ...{ readAtMs: work.approvalsAtMs(), problem, leftOutCount: pending.length - shown.length },
      pending: shown.map(report),
      past: fitting([...left, ...now.past], maxPastLength).map(report),
      ...refusedIn(now),
    };
  };
}
