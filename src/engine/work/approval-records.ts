/**
 * Requests for approval and verdicts as they lie in their stream (protocol.md W8, A2).
 * Law: who may ask and who may answer is judged by the subject (A2); what is neither of the two is refused with its reason.
 */
import { utf8 } from '../../shared/base/bytes.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import { decodePayload, type PayloadOf } from '../../shared/protocol/payloads.ts';
import { buildSubject, parseSubject } from '../../shared/protocol/subject.ts';
import type { TraceContext } from '../../shared/protocol/trace-context.ts';
import type { StoredMessage } from '../bus/durable.ts';
import type { EnvelopeDraft } from '../envelope/envelope-author.ts';
import type { StoredJudge } from '../envelope/stored-judge.ts';
import type { ApprovalRequest, ApprovalVerdict } from './approval-book.ts';
import { shortDuration } from './command-words.ts';

export type ApprovalRecord =
  | { readonly kind: 'request'; readonly request: ApprovalRequest }
  | { readonly kind: 'verdict'; readonly verdict: ApprovalVerdict }
  | { readonly kind: 'invalid'; readonly why: string; readonly isFinal: boolean }
  | { readonly kind: 'locked' };

/** What was asked for a moment only may expire on its way, ms. */
const maxLateMs = 1_000;

/** Subject on which the verdicts for a session come. */
export function verdictSubject(workspace: string, session: string): string {
  return buildSubject({ plane: 'approvals', workspace, entity: session, verb: 'verdict' });
}

/** An operator's answer, bound to the request by its leaf. */
export function draftVerdict(
  { requestId, leaf, session }: ApprovalRequest,
  answer: Pick<PayloadOf<'vak.approvals.verdict'>, 'decision' | 'reason'>,
  { workspace, trace }: { readonly workspace: string; readonly trace: TraceContext },
): EnvelopeDraft {
  const payload = { requestId, requestLeaf: leaf, ...answer } satisfies PayloadOf<'vak.approvals.verdict'>;
  const subject = verdictSubject(workspace, session);
  return { subject, payload: utf8(JSON.stringify(payload)), trace, causationId: requestId };
}

/** Reads a message of the stream of approvals. */
export function readApproval(message: StoredMessage, judge: StoredJudge): ApprovalRecord {
  const verdict = judge(message);
  if (verdict.kind === 'locked') return verdict;
  if (verdict.kind === 'refused') return { kind: 'invalid', why: verdict.refusal.why, isFinal: verdict.isFinal };
  const { envelope, leaf, payload, queues } = verdict;
  const { entity: session } = parseSubject(message.subject);
  const { seq, storedMs } = message;
  const { agentid: peer, id, causationid: taskId } = envelope;
  const signer = envelope.signed?.signer;
  try {
    if (envelope.type === 'vak.approvals.request') {
      const request = decodePayload('vak.approvals.request', payload);
      const late = storedMs - Date.parse(request.expiresAt);
      if (late > maxLateMs) {
        const why = `It had expired ${shortDuration(late)} before it was stored, so nobody could answer it: the clock of ${peer} is behind, or it waited for the server.`;
        return { kind: 'invalid', why, isFinal: true };
      }
      const said = { ...request, requestId: id, leaf, peer, session, taskId, queues, signer };
      return { kind: 'request', request: { ...said, seq, storedMs } };
    }
    if (envelope.type === 'vak.approvals.verdict') {
      const said = decodePayload('vak.approvals.verdict', payload);
      return { kind: 'verdict', verdict: { ...said, by: peer, session, seq, storedMs, signer } };
    }
  } catch (error) {
    if (isVakError(error)) return { kind: 'invalid', why: `${error.message}.`, isFinal: true };
    throw error;
  }
  return { kind: 'invalid', why: `It is of type ${envelope.type}, not an approval.`, isFinal: true };
}
