/**
 * Finds the envelope that caused a task in the streams, when nobody here has heard it (docs/spec/triage.md D12).
 * Law: it looks where its id says that it was made, at a bounded number of messages; what does not count is not found.
 */
import { isVakError } from '../../shared/base/vak-error.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import type { DurablePlane, ReadOptions, StoredMessage, Stream } from '../bus/durable.ts';
import type { StoredJudge } from '../envelope/stored-judge.ts';

export interface StoredCauses {
  /** Undefined: it is not there, or lies beyond what is looked at. Never throws for what a stream answers. */
  find(id: string): Promise<Envelope | undefined>;
}

export interface StoredCausesDeps {
  readonly workspace: string;
  readonly durable: DurablePlane;
  readonly judge: StoredJudge;
}

/** Planes that a cause may lie in, the likely ones first. */
const planes = ['RECEIPTS', 'WORK', 'DLQ', 'INBOX', 'APPROVALS', 'AUDIT', 'ROOMS'] as const;
const pageLimit = 128;
/** Messages that are looked at for one letter altogether, and of one stream for one cause. */
const maxMessages = 8_192;
const maxOfStream = 1_024;
/** Clocks may differ by so much, ms; in an outbox it may have waited for as long as `afterMs`. */
const [beforeMs, afterMs] = [60_000, 30 * 60_000];
const uuid7 = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-/;

/** When an id was made, ms since the epoch (E1: version 7). */
function madeMs(id: string): number | undefined {
  const found = uuid7.exec(id);
  return found === null ? undefined : Number.parseInt(`${found[1]}${found[2]}`, 16);
}

/** Creates it for one letter: what is looked at for one cause is not there for the next. */
export function createStoredCauses({ workspace, durable, judge }: StoredCausesDeps): StoredCauses {
  let left = maxMessages;

  function envelopeIn(message: StoredMessage, id: string): Envelope | undefined {
    const { buffer, byteOffset, length } = message.data;
    if (!Buffer.from(buffer, byteOffset, length).includes(id)) return undefined;
    const verdict = judge(message);
    return verdict.kind === 'accepted' && verdict.envelope.id === id ? verdict.envelope : undefined;
  }

  async function lookIn(stream: Stream, id: string, atMs: number): Promise<Envelope | undefined> {
    let from: Pick<ReadOptions, 'fromMs' | 'fromSeq'> | undefined = { fromMs: Math.max(0, atMs - beforeMs) };
    for (let seen = 0; from !== undefined && seen < maxOfStream && left > 0; ) {
      const page = await stream.read({ ...from, limit: Math.min(pageLimit, left) });
      seen += page.messages.length;
      left -= page.messages.length;
      for (const message of page.messages) {
        const found = envelopeIn(message, id);
        if (found !== undefined) return found;
      }
      const isPast = (page.messages.at(-1)?.storedMs ?? Number.POSITIVE_INFINITY) > atMs + afterMs;
      from = isPast || page.nextSeq === undefined ? undefined : { fromSeq: page.nextSeq };
    }
    return undefined;
  }

  return {
    async find(id) {
      const atMs = madeMs(id);
      if (atMs === undefined) return undefined;
      for (const plane of planes) {
        try {
          const found = await lookIn(durable.stream(`VAK_${plane}_${workspace}`), id, atMs);
          if (found !== undefined) return found;
        } catch (error) {
          // It was not made, may not be read, or is not reachable now: the others may tell.
          if (!isVakError(error)) throw error;
        }
      }
      return undefined;
    },
  };
}
