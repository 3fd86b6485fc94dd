/**
 * Takes the tasks out of a queue that stood there when the operator looked (product.md "Queues", protocol.md §3, W7).
 * Law: what is taken out is put on record first, signed, by its places; what came later stays.
 *
 * It goes in parts. A part that is on record and was not taken out, because everything ended in between, still stands, and is nothing
 * but a task that waits: only what is gone and on record is purged.
 */
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import { maxAuditPlaces } from '../../shared/protocol/payload-audit.ts';
import type { PayloadOf } from '../../shared/protocol/payloads.ts';
import type { DurablePlane, StoredMessage } from '../bus/durable.ts';
import { purgeAction } from './purge-records.ts';
import { taskSubject, workStreamOf } from './work-queue.ts';

type Action = PayloadOf<'vak.audit.action'>;

export interface PurgeRequest {
  readonly queue: string;
  /** The place of the last task that may go. */
  readonly lastSeq: number;
  readonly reason: string | undefined;
  /** Ends it after the part that is under way. */
  readonly signal: AbortSignal;
}

export interface QueuePurgeDeps {
  readonly workspace: string;
  readonly durable: DurablePlane;
  readonly operationId: string;
  /** Tasks of one part, at most {@link maxAuditPlaces}; 500 unless told. */
  readonly partLimit?: number;
  /** Told when it begins and after each part: tasks that have gone, of those that stood there when it began. */
  readonly onProgress: (doneCount: number, totalCount: number) => void;
  /** Puts an action on record; resolves when its stream has stored it. */
  readonly record: (action: Action) => Promise<void>;
}

const usualPartLimit = 500;

/** Places of tasks as ranges; those of other queues between them are in none. */
export function rangesOf(messages: readonly Pick<StoredMessage, 'seq'>[]): [number, number][] {
  const ranges: [number, number][] = [];
  for (const { seq } of messages) {
    const last = ranges.at(-1);
    if (last?.[1] === seq - 1) last[1] = seq;
    else ranges.push([seq, seq]);
  }
  return ranges;
}

/**
 * Purges; gives how many tasks went. Throws `aborted`, and what reading, recording and purging throw; the message says how many had gone
 * by then.
 */
export async function purgeQueue(request: PurgeRequest, deps: QueuePurgeDeps): Promise<number> {
  const { workspace, durable, operationId, record, onProgress, partLimit = usualPartLimit } = deps;
  const { queue, lastSeq, reason, signal } = request;
  const stream = durable.stream(workStreamOf(workspace));
  const subject = taskSubject({ workspace, queue });
  let purgedCount = 0;

  const tell = (said: Pick<Action, 'count' | 'outcome'> & Partial<Action>): Promise<void> =>
    record({
      ...{ operationId, action: purgeAction, target: queue, scope: `tasks up to place ${lastSeq}` },
      ...(reason === undefined ? {} : { reason }),
      ...said,
    });

  /** Takes out the next part; gives where to go on, undefined at the end. */
  async function takePart(fromSeq: number): Promise<number | undefined> {
    const page = await stream.read({ fromSeq, subject, limit: Math.min(partLimit, maxAuditPlaces) });
    const part = page.messages.filter(({ seq }) => seq <= lastSeq);
    const last = part.at(-1);
    if (last === undefined) return undefined;
    await tell({ count: part.length, outcome: 'begun', places: rangesOf(part) });
    purgedCount += await stream.purge(subject, last.seq);
    return page.nextSeq !== undefined && last.seq < lastSeq ? last.seq + 1 : undefined;
  }

  async function takeAll(): Promise<'done' | 'stopped'> {
    const stood = await stream.count(subject);
    let fromSeq: number | undefined = 1;
    while (fromSeq !== undefined) {
      onProgress(purgedCount, Math.max(stood, purgedCount));
      if (signal.aborted) return 'stopped';
      fromSeq = await takePart(fromSeq);
    }
    return 'done';
  }

  const sofar = (): string => `${purgedCount} ${purgedCount === 1 ? 'task' : 'tasks'} had been taken out by then`;
  try {
    const outcome = await takeAll();
    await tell({ count: purgedCount, outcome });
    if (outcome === 'done') return purgedCount;
  } catch (error) {
    if (!isVakError(error)) throw error;
    const { code, message, retryable } = error;
    throw new VakError(code, `${message}; ${sofar()}, purge again for the rest`, {
      ...{ retryable, cause: error, details: { purgedCount } },
    });
  }
  throw new VakError('aborted', `purge: it was stopped; ${sofar()}, purge again for the rest`, {
    details: { purgedCount },
  });
}
