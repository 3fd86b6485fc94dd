/**
 * Stores the dead letters of a peer (protocol.md W3, W4).
 * Law: one dead letter a task, whoever writes it and however often; what squats on its id hides nothing.
 */
import { isVakError, type VakError } from '../../shared/base/vak-error.ts';
import { buildSubject } from '../../shared/protocol/subject.ts';
import { childOf, readTraceContext, startTrace } from '../../shared/protocol/trace-context.ts';
import type { DurablePlane, StoredMessage } from '../bus/durable.ts';
import type { EnvelopeDraft } from '../envelope/envelope-author.ts';
import type { StoredJudge } from '../envelope/stored-judge.ts';
import type { DurablePeer } from '../outbox/durable-peer.ts';
import type { Randomness } from '../ports/randomness.ts';
import { type DeadLetterOptions, taskLeafOf, writeDeadLetter } from './dead-letter.ts';
import { judgeDeadLetter } from './dead-letter-judge.ts';

export type Burial = Pick<DeadLetterOptions, 'message' | 'reading' | 'death'>;

export interface DeadLetterOffice {
  /**
   * Resolves with true when the task's dead letter is stored, this one or an authorised one before it; with false if an earlier one
   * still waits to be stored: ask again later. Throws what storing throws.
   */
  bury(burial: Burial): Promise<boolean>;
}

interface StoredPlace {
  readonly stream: string;
  readonly seq: number;
}

/** Where the message lies that has the id already, as the outbox says it. */
function placeOf({ details }: VakError): StoredPlace | undefined {
  const [stream, seq] = [details?.['stream'], details?.['seq']];
  return typeof stream === 'string' && typeof seq === 'number' ? { stream, seq } : undefined;
}

export interface DeadLetterOfficeDeps {
  readonly workspace: string;
  readonly peer: string;
  readonly publisher: Pick<DurablePeer, 'publish'>;
  readonly durable: () => DurablePlane;
  /** Judges dead letters that are stored already. */
  readonly judge: StoredJudge;
  readonly randomness: Randomness;
}

/** Creates the office of a peer that may publish dead letters. */
export function createDeadLetterOffice(deps: DeadLetterOfficeDeps): DeadLetterOffice {
  const { workspace, peer, publisher, durable, judge, randomness } = deps;
  const subject = buildSubject({ plane: 'dlq', workspace, entity: peer, verb: 'failed' });

  async function draftOf({ message, reading, death }: Burial): Promise<EnvelopeDraft> {
    const payload = await writeDeadLetter({ message, reading, death, peer, durable: durable() });
    if (reading.kind !== 'envelope') return { subject, payload, trace: startTrace(randomness.bytes) };
    const { id: causationId, traceparent, tracestate } = reading.envelope;
    const context = readTraceContext(traceparent, tracestate);
    const trace = context === undefined ? startTrace(randomness.bytes) : childOf(context, randomness.bytes);
    return { subject, payload, trace, causationId };
  }

  /** Where a server does not let this peer look, what lies there proves nothing to it (A4). */
  async function look({ stream, seq }: StoredPlace): Promise<StoredMessage | undefined> {
    try {
      return await durable().stream(stream).get(seq);
    } catch (error) {
      if (isVakError(error, 'unauthorized')) return undefined;
      throw error;
    }
  }

  /** Whether what lies under the id is a dead letter of that task, by somebody who may write one (W3). */
  async function isAuthorised(stored: StoredPlace, taskLeaf: string): Promise<boolean> {
    const message = await look(stored);
    const verdict = message === undefined ? undefined : judgeDeadLetter(message, judge);
    return verdict?.kind === 'valid' && verdict.letter.taskLeaf === taskLeaf;
  }

  return {
    async bury(burial) {
      const leaf = taskLeafOf(burial.message, burial.reading);
      const draft = await draftOf(burial);
      try {
        const { stored } = await publisher.publish(draft, { messageId: `dlq:${leaf}` });
        await stored;
      } catch (error) {
        if (isVakError(error, 'exists')) return false;
        const place = isVakError(error, 'conflict') ? placeOf(error) : undefined;
        if (place === undefined) throw error;
        if (await isAuthorised(place, leaf)) return true;
        // Under an id of its own, which nobody can foresee.
        await (await publisher.publish(draft)).stored;
      }
      return true;
    },
  };
}
