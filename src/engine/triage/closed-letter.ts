/**
 * A dead letter whose own key is gone: what is known of it without opening it (docs/spec/triage.md D2).
 * Law: it is listed only if who may end tasks signed it; nothing is said of it but what stands in its envelope.
 */
import type { Envelope } from '../../shared/protocol/envelope.ts';
import type { StoredMessage } from '../bus/durable.ts';
import type { StoredJudge, StoredVerdict } from '../envelope/stored-judge.ts';
import { type DeadLetter, type DeadLetterVerdict, judgeSaidLetter, mayEndTasks } from '../work/dead-letter-judge.ts';

interface ClosedLetter {
  /** In the form of one that opens; what is not known is empty, and the reason is why it does not open. */
  readonly letter: DeadLetter;
  /** Of the letter itself. */
  readonly envelope: Envelope;
  /** A sentence for people. */
  readonly why: string;
  /** Nothing that may yet become known opens it. */
  readonly isFinal: boolean;
}

type Judged = Exclude<DeadLetterVerdict, { kind: 'locked' }> | ({ readonly kind: 'closed' } & ClosedLetter);

/** Class under which those that do not open stand together. */
const closedClass = 'sealed';

function closedLetter({ time, causationid }: Envelope, why: string): DeadLetter {
  return {
    ...{ envelopeId: causationid ?? null, taskLeaf: '', subject: '', queue: '', attempts: 0, history: [] },
    ...{ reason: why, errorClass: closedClass, failedAt: time, workerId: null, envelope: '' },
  };
}

/** Reads a verdict about a message of the stream of dead letters; `closed`: it is listed, and cannot be opened. */
export function listedLetter(verdict: Exclude<StoredVerdict, { kind: 'locked' }>): Judged {
  if (verdict.kind === 'accepted') return judgeSaidLetter(verdict);
  const { reading, refusal, isFinal, signer } = verdict;
  const { why } = refusal;
  const isDeath = reading.kind === 'envelope' && reading.envelope.type === 'vak.dlq.failed';
  if (!isDeath || signer === undefined || !mayEndTasks(signer)) return { kind: 'invalid', why, isFinal };
  const { envelope } = reading;
  return { kind: 'closed', letter: closedLetter(envelope, why), envelope, why, isFinal };
}

/** Judges a stored message as a dead letter that is listed. */
export function judgeListedLetter(message: StoredMessage, judge: StoredJudge): Judged | { readonly kind: 'locked' } {
  const verdict = judge(message);
  return verdict.kind === 'locked' ? verdict : listedLetter(verdict);
}
