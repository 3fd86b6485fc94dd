/**
 * Whether a stored message is a dead letter that counts (protocol.md W3, W4).
 * Law: it counts only from who may end that queue's tasks: a worker of the queue, a supervisor, a coordinator or an operator.
 */
import { isVakError } from '../../shared/base/vak-error.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import { decodePayload, type PayloadOf } from '../../shared/protocol/payloads.ts';
import type { StoredMessage } from '../bus/durable.ts';
import type { SoundMessage, StoredJudge } from '../envelope/stored-judge.ts';

export type DeadLetter = PayloadOf<'vak.dlq.failed'>;

/** `locked`: nobody can tell yet. */
export type DeadLetterVerdict =
  | { readonly kind: 'valid'; readonly letter: DeadLetter; readonly envelope: Envelope }
  | { readonly kind: 'invalid'; readonly why: string; readonly isFinal: boolean }
  | { readonly kind: 'locked' };

/** Roles that may end tasks of any queue. */
const anyQueue = ['dlq-supervisor', 'coordinator', 'operator'];

/** Whether who is granted that may end tasks of some queue. */
export function mayEndTasks({ roles, queues }: Pick<SoundMessage, 'roles' | 'queues'>): boolean {
  return (roles.includes('worker') && queues.length > 0) || roles.some((role) => anyQueue.includes(role));
}

const invalid = (why: string, isFinal = true) => ({ kind: 'invalid', why, isFinal }) as const;

/** Judges a stored message as a dead letter. */
export function judgeDeadLetter(message: StoredMessage, judge: StoredJudge): DeadLetterVerdict {
  const verdict = judge(message);
  if (verdict.kind === 'locked') return verdict;
  if (verdict.kind === 'refused') return invalid(verdict.refusal.why, verdict.isFinal);
  return judgeSaidLetter(verdict);
}

/** Judges what a sound message says as a dead letter. */
export function judgeSaidLetter({
  envelope,
  payload,
  roles,
  queues,
}: SoundMessage): Exclude<DeadLetterVerdict, { kind: 'locked' }> {
  if (envelope.type !== 'vak.dlq.failed') return invalid(`It is of type ${envelope.type}, not a dead letter.`);
  let letter: DeadLetter;
  try {
    letter = decodePayload('vak.dlq.failed', payload);
  } catch (error) {
    if (isVakError(error)) return invalid(`${error.message}.`);
    throw error;
  }
  const isItsWorker = roles.includes('worker') && queues.includes(letter.queue);
  if (isItsWorker || roles.some((role) => anyQueue.includes(role))) return { kind: 'valid', letter, envelope };
  return invalid(`${envelope.agentid} may not end tasks of queue ${letter.queue}.`, false);
}
