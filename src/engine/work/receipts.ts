/**
 * Receipts: what a worker signs about each attempt, and whether one counts (protocol.md W6).
 * Law: it counts only if signed by a key that is granted `worker` of the very queue that it names, under that worker's own name.
 */
import { utf8 } from '../../shared/base/bytes.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import { checkPayload, decodePayload, type PayloadOf } from '../../shared/protocol/payloads.ts';
import { buildSubject } from '../../shared/protocol/subject.ts';
import type { TraceContext } from '../../shared/protocol/trace-context.ts';
import type { StoredMessage } from '../bus/durable.ts';
import type { EnvelopeDraft } from '../envelope/envelope-author.ts';
import type { SoundMessage, StoredJudge } from '../envelope/stored-judge.ts';

export type Receipt = PayloadOf<'vak.receipts.completed'>;

/** `locked`: nobody can tell yet. */
export type ReceiptVerdict =
  | { readonly kind: 'valid'; readonly receipt: Receipt; readonly envelope: Envelope }
  | { readonly kind: 'invalid'; readonly why: string; readonly isFinal: boolean }
  | { readonly kind: 'locked' };

/** The draft of a receipt, told by a session of kind d. `trace`: of the task. Throws `invalid-payload` for what breaks W6's bounds. */
export function draftReceipt(
  receipt: Receipt,
  { workspace, session, trace }: { readonly workspace: string; readonly session: string; readonly trace: TraceContext },
): EnvelopeDraft {
  checkPayload('vak.receipts.completed', receipt);
  const subject = buildSubject({ plane: 'receipts', workspace, entity: session, verb: 'completed' });
  return { subject, payload: utf8(JSON.stringify(receipt)), trace, causationId: receipt.taskId };
}

const invalid = (why: string, isFinal = true) => ({ kind: 'invalid', why, isFinal }) as const;

/** Judges a stored message as a receipt. Whether its leaf is that of the task is for who knows the task. */
export function judgeReceipt(message: StoredMessage, judge: StoredJudge): ReceiptVerdict {
  const verdict = judge(message);
  if (verdict.kind === 'locked') return verdict;
  if (verdict.kind === 'refused') return invalid(verdict.refusal.why, verdict.isFinal);
  return judgeSaidReceipt(verdict);
}

/** Judges what a sound message says as a receipt. */
export function judgeSaidReceipt({
  envelope,
  payload,
  roles,
  queues,
}: SoundMessage): Exclude<ReceiptVerdict, { kind: 'locked' }> {
  if (envelope.type !== 'vak.receipts.completed') return invalid(`It is of type ${envelope.type}, not a receipt.`);
  let receipt: Receipt;
  try {
    receipt = decodePayload('vak.receipts.completed', payload);
  } catch (error) {
    if (isVakError(error)) return invalid(`${error.message}.`);
    throw error;
  }
  const { workerId, queue } = receipt;
  if (workerId !== envelope.agentid) return invalid(`It speaks for ${workerId}, and is signed by ${envelope.agentid}.`);
  if (!roles.includes('worker') || !queues.includes(queue)) {
    return invalid(`${workerId} is not granted worker of queue ${queue}.`, false);
  }
  return { kind: 'valid', receipt, envelope };
}
