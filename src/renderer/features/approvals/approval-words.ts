/** What is said of approvals, everywhere in the same words. Pure; texts of peers are made visible where they are said. */
import { visibleText } from '../../../shared/base/visible-text.ts';
import type {
  ApprovalReport,
  ApprovalStanding,
  ApprovalsState,
  RefusedApproval,
} from '../../../shared/contract/approvals-contract.ts';
import type { ConnectionsState } from '../../../shared/contract/connections-contract.ts';
import { publishLack } from '../../ui/connection-words.ts';
import { countdownWords } from '../../ui/countdown-words.ts';
import { formatCount, formatRelative } from '../../ui/format.ts';

/** What it is now: one whose time is over is expired, whether that was told yet or not. */
export function standingOf(
  { state, expiresMs }: Pick<ApprovalReport, 'state' | 'expiresMs'>,
  nowMs: number,
): ApprovalStanding {
  return state === 'pending' && nowMs > expiresMs ? 'expired' : state;
}

export const standingWords: Readonly<Record<ApprovalStanding, string>> = {
  pending: 'waits',
  approved: 'approved',
  denied: 'denied',
  expired: 'expired',
  'asker-gone': 'asker gone',
};

/** `expires in 41 s`, or that it has. */
export function expiryWords(expiresMs: number, nowMs: number): string {
  const left = countdownWords(expiresMs - nowMs);
  return left === undefined ? 'expired' : `expires in ${left}`;
}

/** Who wrote what does not count, as far as it says: `worker-2`, `says it is of worker-2`, `nobody is named`. */
export function authorWords(author: RefusedApproval['author']): string {
  if (author === null) return 'nobody is named';
  const peer = visibleText(author.peer);
  return author.isProven ? peer : `says it is of ${peer}`;
}

/** All that wait, listed or not. */
function pendingCount({ pending, leftOutCount }: Pick<ApprovalsState, 'pending' | 'leftOutCount'>): number {
  return pending.length + leftOutCount;
}

/** Beside the title. */
export function summaryWords(state: Pick<ApprovalsState, 'pending' | 'leftOutCount'>, nowMs: number): string {
  const oldest = state.pending[0];
  const waiting = pendingCount(state);
  if (oldest === undefined) return 'nothing waits';
  const count = `${formatCount(waiting)} ${waiting === 1 ? 'waits' : 'wait'}`;
  return `${count} · ${waiting === 1 ? '' : 'the oldest was '}asked ${formatRelative(Math.min(oldest.askedMs, nowMs), nowMs)}`;
}

/** A request by its id, wherever it stands. */
export function findApproval(
  state: Pick<ApprovalsState, 'pending' | 'past'> | undefined,
  requestId: string | undefined,
): ApprovalReport | undefined {
  const isIt = (one: ApprovalReport): boolean => one.requestId === requestId;
  return state?.pending.find(isIt) ?? state?.past.find(isIt);
}

export interface AnswerSituation {
  readonly connection: ConnectionsState | undefined;
  /** Undefined: none is selected. */
  readonly approval: ApprovalReport | undefined;
  readonly nowMs: number;
}

/** Why a request cannot be answered now; undefined: it can. */
export function whyNotAnswer({ connection, approval, nowMs }: AnswerSituation): string | undefined {
  if (approval === undefined) return 'select a request that waits first';
  const standing = standingOf(approval, nowMs);
  if (standing === 'expired') return 'its time is over';
  if (standing === 'asker-gone') return 'nobody waits for the answer any more';
  if (standing !== 'pending') return `it is ${standing} already`;
  return publishLack(connection);
}
