/**
 * An operator's answer to a request, and whether it counted (protocol.md W8).
 * Law: nothing is sent that could not count any more; an answer is told only when it was the one that decided.
 */
import { VakError } from '../../shared/base/vak-error.ts';
import { visibleText } from '../../shared/base/visible-text.ts';
import { checkPayload } from '../../shared/protocol/payloads.ts';
import { startTrace } from '../../shared/protocol/trace-context.ts';
import type { EnvelopeDraft } from '../envelope/envelope-author.ts';
import type { Clock } from '../ports/clock.ts';
import type { Randomness } from '../ports/randomness.ts';
import { type Approval, type ApprovalRequest, type AskerGone, approvalState } from './approval-book.ts';
import type { ApprovalReading } from './approval-reading.ts';
import { draftVerdict } from './approval-records.ts';

export interface ApprovalAnswering {
  readonly requestId: string;
  readonly decision: 'approve' | 'deny';
  readonly reason: string | undefined;
}

/** How who answers is spoken to: where it sees all requests, and what its reason is called. */
export interface AnswerWords {
  readonly list: string;
  readonly reason: string;
}

export interface AnswerDeps {
  readonly workspace: string;
  readonly reading: Pick<ApprovalReading, 'read'> & { readonly book: Pick<ApprovalReading['book'], 'get'> };
  /** Publishes it as the operator; gives its place once its stream has stored it. */
  readonly publish: (draft: EnvelopeDraft) => Promise<number>;
  /** Whether nobody waits for the answer any more, as far as is known; undefined: somebody does. */
  readonly goneOf: (request: ApprovalRequest) => AskerGone | undefined | Promise<AskerGone | undefined>;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly words: AnswerWords;
}

/** Throws `invalid-input` for a denial without a reason, `invalid-payload` for what breaks the bounds of a verdict. */
export function checkAnswering({ requestId, decision, reason }: ApprovalAnswering, words: AnswerWords): void {
  if (decision === 'deny' && (reason ?? '') === '') {
    throw new VakError('invalid-input', `${words.reason}: missing; say why it is denied`, {
      details: { field: 'reason' },
    });
  }
  checkPayload('vak.approvals.verdict', { requestId, requestLeaf: '0'.repeat(64), decision, reason });
}

/** Throws why a request cannot be answered any more, or never could: `not-found`, `conflict`. */
async function checkPending(id: string, approval: Approval | undefined, deps: AnswerDeps): Promise<Approval> {
  const { goneOf, clock, words } = deps;
  if (approval === undefined) {
    throw new VakError('not-found', `${id}: there is no request of this id that counts; see ${words.list}`);
  }
  const { verdict, request } = approval;
  if (verdict !== undefined) {
    const by = `${visibleText(verdict.by)} has answered it already (${verdict.decision})`;
    throw new VakError('conflict', `${id}: ${by}; one answer counts`);
  }
  const gone = await goneOf(request);
  const state = approvalState(approval, clock.now(), gone);
  if (state === 'asker-gone') {
    const why = visibleText(gone?.why ?? '').replace(/\.$/, '');
    throw new VakError('conflict', `${id}: who asked is gone: ${why}; nobody waits for an answer`);
  }
  if (state === 'expired') {
    throw new VakError('conflict', `${id}: it has expired at ${request.expiresAt}; an answer would not count`);
  }
  return approval;
}

/**
 * Answers a request, and makes sure that it was this answer that counted. Throws `not-found`, `conflict` (answered before, expired,
 * who asked is gone, somebody was first), and what reading and publishing throw.
 */
export async function answerApproval(answering: ApprovalAnswering, deps: AnswerDeps): Promise<void> {
  const { workspace, reading, publish, randomness, words } = deps;
  const { requestId, decision, reason } = answering;
  await reading.read();
  const { request } = await checkPending(requestId, reading.book.get(requestId), deps);
  const said = { decision, ...(reason === undefined ? {} : { reason }) };
  const seq = await publish(draftVerdict(request, said, { workspace, trace: startTrace(randomness.bytes) }));
  await reading.read();
  const counted = reading.book.get(requestId)?.verdict;
  if (counted?.seq === seq) return;
  const why = counted === undefined ? 'it came too late' : `${visibleText(counted.by)} was first (${counted.decision})`;
  throw new VakError('conflict', `${requestId}: the answer does not count, ${why}; see ${words.list}`);
}
