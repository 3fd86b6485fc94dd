/**
 * The new task that retries a dead letter (protocol.md W5; docs/spec/triage.md D7, D9).
 * Law: the payload is the letter's, or the edited one; everything else is the engine's: a new id, the same trace, its cause the letter.
 */
import { decodePayload } from '../../shared/protocol/payloads.ts';
import { childOf, readTraceContext, startTrace } from '../../shared/protocol/trace-context.ts';
import type { DurablePlane } from '../bus/durable.ts';
import type { EnvelopeDraft } from '../envelope/envelope-author.ts';
import type { Randomness } from '../ports/randomness.ts';
import { openForTask } from '../work/enqueue-task.ts';
import { taskSubject } from '../work/work-queue.ts';
import type { CampaignItem } from './campaign-record.ts';
import { openHeldTask } from './held-task.ts';
import type { StoredLetterDeps } from './stored-letter.ts';

export interface RetryDrafts {
  /** Throws as {@link openHeldTask}, and `conflict`, `invalid-payload` for what the queue would not take. */
  of(item: CampaignItem): Promise<EnvelopeDraft>;
}

export interface RetryDraftsDeps extends StoredLetterDeps {
  readonly randomness: Randomness;
  /** Another queue than their own; null: none. */
  readonly queue: string | null;
  /** Instead of the letter's own; undefined: none. */
  readonly edited: Uint8Array | undefined;
}

/** Creates what drafts the retries of a campaign on one engine. */
export function createRetryDrafts(deps: RetryDraftsDeps): RetryDrafts {
  const { workspace, durable, randomness, queue: other, edited } = deps;
  const opened = new Map<string, Promise<void>>();

  /** Once for all letters of a queue that want the same of it; what failed is tried again. */
  function openQueueFor(queue: string, maxRetries: number | undefined): Promise<void> {
    const key = `${queue} ${maxRetries}`;
    const known = opened.get(key) ?? openFor(durable, { workspace, queue }, maxRetries);
    opened.set(key, known);
    known.catch(() => opened.delete(key));
    return known;
  }

  /** What its own queue once took it takes again. */
  function retriesWanted(payload: Uint8Array): number | undefined {
    if (other === null && edited === undefined) return undefined;
    return decodePayload('vak.work.task', payload).maxRetries;
  }

  return {
    async of(item) {
      const { letterId, envelope, payload: own } = await openHeldTask(item, deps);
      const payload = edited ?? own;
      const queue = other ?? item.queue;
      await openQueueFor(queue, retriesWanted(payload));
      const parent = readTraceContext(envelope.traceparent, envelope.tracestate);
      const contentType = envelope.seal === undefined ? envelope.datacontenttype : undefined;
      return {
        ...{ id: item.taskId, subject: taskSubject({ workspace, queue }), payload, causationId: letterId },
        ...{ trace: parent === undefined ? startTrace(randomness.bytes) : childOf(parent, randomness.bytes) },
        ...{ type: envelope.type, ...(contentType === undefined ? {} : { contentType }) },
      };
    },
  };
}

function openFor(
  durable: DurablePlane,
  place: { readonly workspace: string; readonly queue: string },
  maxRetries: number | undefined,
): Promise<void> {
  return openForTask(durable, place, { maxRetries, field: 'maxRetries' });
}
