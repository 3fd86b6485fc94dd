/**
 * Looks at tasks that stand in their queue (product.md "Queues": peek without consuming).
 * Law: a task is read by its place in the stream; nothing is claimed, and no consumer is made.
 */
import { VakError } from '../../shared/base/vak-error.ts';
import type { PeekedTask } from '../../shared/contract/queues-contract.ts';
import type { OpenedPayload, SignatureReport } from '../../shared/contract/trust-report.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import type { DurablePlane, StoredMessage } from '../bus/durable.ts';
import type { EnvelopeReader } from '../envelope/envelope-reader.ts';
import type { EnvelopeOpener } from '../envelope/open-envelope.ts';
import type { StoredJudge } from '../envelope/stored-judge.ts';
import { taskLeafOf } from './dead-letter.ts';
import type { TaskBook } from './task-book.ts';
import { judgeTask } from './task-refusal.ts';
import { taskSubject, workStreamOf } from './work-queue.ts';

export interface QueuePeekDeps {
  readonly workspace: string;
  readonly durable: DurablePlane;
  readonly judge: StoredJudge;
  readonly reader: EnvelopeReader;
  readonly opener: Pick<EnvelopeOpener, 'open'>;
  readonly checkSignature: (envelope: Envelope, subject: string, atMs: number) => SignatureReport | undefined;
  /** What is known of the tasks; undefined: nothing yet. */
  readonly book: () => TaskBook | undefined;
}

/** A part of a queue. `nextSeq`: null if there is nothing more. */
export interface PeekedPage {
  readonly tasks: readonly PeekedTask[];
  readonly nextSeq: number | null;
}

export interface QueuePeek {
  /** Throws `not-found` (there is no stream of tasks), `invalid-subject`, and what reading throws. */
  page(request: {
    readonly queue: string;
    readonly fromSeq: number | undefined;
    readonly limit: number;
    readonly signal: AbortSignal;
  }): Promise<PeekedPage>;
  /** Opens one task. Throws `not-found` once it has left its queue. */
  open(queue: string, seq: number): Promise<OpenedPayload>;
}

/** Creates it over the streams of a workspace. */
export function createQueuePeek(deps: QueuePeekDeps): QueuePeek {
  const { workspace, durable, judge, reader, opener, checkSignature, book } = deps;

  function refusalOf(message: StoredMessage): string | null {
    const refusal = judgeTask(message, judge);
    return refusal.kind === 'refused' ? refusal.why : null;
  }

  function peeked(message: StoredMessage): PeekedTask {
    const { seq, storedMs, subject, data } = message;
    const reading = reader.read(data);
    const leaf = taskLeafOf(message, reading);
    const known = book()?.get(leaf);
    const envelope = reading.kind === 'envelope' ? reading.envelope : undefined;
    const signature = envelope && checkSignature(envelope, subject, storedMs);
    return {
      ...{ seq, storedMs, sizeBytes: data.length, leaf, refusal: refusalOf(message) },
      ...{ taskId: envelope?.id ?? null, peer: envelope?.agentid ?? null, isSealed: envelope?.seal !== undefined },
      signature: signature ?? { kind: 'none' },
      ...{ attemptCount: known?.receipts.length ?? 0, outcome: known?.state ?? 'queued' },
    };
  }

  return {
    async page({ queue, fromSeq, limit, signal }) {
      const stream = durable.stream(workStreamOf(workspace));
      const from = fromSeq === undefined ? {} : { fromSeq };
      const page = await stream.read({ ...from, subject: taskSubject({ workspace, queue }), limit, signal });
      return { tasks: page.messages.map(peeked), nextSeq: page.nextSeq ?? null };
    },
    async open(queue, seq) {
      const message = await durable.stream(workStreamOf(workspace)).get(seq);
      if (message === undefined || message.subject !== taskSubject({ workspace, queue })) {
        throw new VakError('not-found', `task ${seq}: it does not stand in queue ${queue} any more; look again`);
      }
      const reading = reader.read(message.data);
      if (reading.kind !== 'envelope') return { kind: 'opened', bytes: message.data, wasSealed: false };
      return opener.open(reading.envelope);
    },
  };
}
