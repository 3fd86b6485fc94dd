/**
 * What one message of a trace says, as far as it counts (docs/spec/trace.md T2, T3).
 * Law: what is refused keeps its place and its reason, and says nothing.
 */
import { isVakError } from '../../shared/base/vak-error.ts';
import { visibleText } from '../../shared/base/visible-text.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import { decodePayload, type PayloadOf } from '../../shared/protocol/payloads.ts';
import { parseTraceparent } from '../../shared/protocol/trace-context.ts';
import type { StoredMessage } from '../bus/durable.ts';
import type { EnvelopeReader } from '../envelope/envelope-reader.ts';
import type { SoundMessage, StoredJudge } from '../envelope/stored-judge.ts';
import { type DeadLetter, judgeSaidLetter } from '../work/dead-letter-judge.ts';
import { judgeSaidReceipt, type Receipt } from '../work/receipts.ts';

export type TraceSaying =
  | { readonly kind: 'task'; readonly queue: string; readonly leaf: string }
  | { readonly kind: 'attempt'; readonly receipt: Receipt }
  | { readonly kind: 'letter'; readonly letter: DeadLetter }
  | { readonly kind: 'request' | 'verdict'; readonly words: string }
  | { readonly kind: 'message' }
  | { readonly kind: 'refused'; readonly why: string };

export interface TraceRecord {
  readonly envelope: Envelope;
  readonly subject: string;
  /** When it was published by its sender's word, ms since the epoch. */
  readonly saidMs: number;
  /** Null: it was heard only. */
  readonly storedMs: number | null;
  /** Where the buffer holds it; null: it is not there. */
  readonly heardSeq: number | null;
  readonly spanId: string;
  readonly saying: TraceSaying;
}

/** What a message is read with. */
export interface TraceReading {
  readonly traceId: string;
  readonly reader: EnvelopeReader;
  readonly judge: StoredJudge;
}

/** Whether a message may be of the trace, without decoding it. */
export function mayHold(data: Uint8Array, needle: Buffer): boolean {
  return Buffer.from(data.buffer, data.byteOffset, data.length).includes(needle);
}

const plainly = (why: string): TraceSaying => ({ kind: 'refused', why: visibleText(why) });

function sayingOf(sound: SoundMessage & { readonly leaf: string }, subject: string): TraceSaying {
  const { type } = sound.envelope;
  if (type === 'vak.work.task') return { kind: 'task', queue: subject.split('.')[3] ?? '', leaf: sound.leaf };
  if (type === 'vak.receipts.completed') {
    const verdict = judgeSaidReceipt(sound);
    return verdict.kind === 'valid' ? { kind: 'attempt', receipt: verdict.receipt } : plainly(verdict.why);
  }
  if (type === 'vak.dlq.failed') {
    const verdict = judgeSaidLetter(sound);
    return verdict.kind === 'valid' ? { kind: 'letter', letter: verdict.letter } : plainly(verdict.why);
  }
  if (type === 'vak.approvals.request')
    return { kind: 'request', words: decodePayload('vak.approvals.request', sound.payload).title };
  if (type === 'vak.approvals.verdict') return { kind: 'verdict', words: verdictWords(sound.payload) };
  return { kind: 'message' };
}

function verdictWords(payload: Uint8Array): string {
  const { decision }: PayloadOf<'vak.approvals.verdict'> = decodePayload('vak.approvals.verdict', payload);
  return decision === 'approve' ? 'approved' : 'denied';
}

function judged(message: StoredMessage, judge: StoredJudge): TraceSaying {
  const verdict = judge(message);
  if (verdict.kind === 'locked') return plainly('The key store is locked.');
  if (verdict.kind === 'refused') return plainly(verdict.refusal.why);
  try {
    return sayingOf(verdict, message.subject);
  } catch (error) {
    if (isVakError(error)) return plainly(`${error.message}.`);
    throw error;
  }
}

/** Reads a stored message, or one that was heard (`isStored` false: `storedMs` is when it came); undefined: it is not of the trace. */
export function readTraced(
  message: StoredMessage,
  { traceId, reader, judge }: TraceReading,
  { isStored, heardSeq = null }: { readonly isStored: boolean; readonly heardSeq?: number | null },
): TraceRecord | undefined {
  const reading = reader.read(message.data);
  if (reading.kind !== 'envelope') return undefined;
  const { envelope } = reading;
  const parent = envelope.traceparent === undefined ? undefined : parseTraceparent(envelope.traceparent);
  if (parent?.traceId !== traceId) return undefined;
  const { subject, storedMs } = message;
  return {
    ...{ envelope, subject, heardSeq, spanId: parent.spanId, saidMs: Date.parse(envelope.time) },
    storedMs: isStored ? storedMs : null,
    saying: judged(message, judge),
  };
}
