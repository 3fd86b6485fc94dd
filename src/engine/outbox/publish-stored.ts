/**
 * Publishes durably and waits until the stream has it, or for as long as anybody would (protocol.md B8).
 * Law: what is not answered in time is told as not acknowledged, never as not published: it waits on disk, and is sent.
 */
import { type ErrorShape, VakError } from '../../shared/base/vak-error.ts';
import type { Appended } from '../bus/durable.ts';
import type { EnvelopeDraft } from '../envelope/envelope-author.ts';
import type { Clock } from '../ports/clock.ts';
import { pause } from '../wait.ts';
import type { DurablePublished } from './durable-author.ts';
import type { OperatorOutbox } from './operator-outbox.ts';

export interface StoredPublishing {
  readonly publish: (draft: EnvelopeDraft) => Promise<DurablePublished>;
  /** Why the outbox's last try failed. */
  readonly lastError: () => ErrorShape | undefined;
  readonly clock: Clock;
  /** What becomes of what was not acknowledged, given its id. */
  readonly advice: (id: string) => string;
  readonly signal: AbortSignal;
}

/** How long the stream's answer is waited for; the outbox goes on asking meanwhile. */
const patienceMs = 15_000;

/** What is told is how long it was waited, not how long one of the outbox's questions did. */
function whyUnanswered(
  lastError: ErrorShape | undefined,
  { aborted }: AbortSignal,
): { readonly code: 'aborted' | 'disconnected' | 'timeout'; readonly why: string } {
  if (aborted) return { code: 'aborted', why: 'interrupted before its stream answered' };
  const within = `within ${patienceMs / 1000} s`;
  if (lastError === undefined || lastError.code === 'timeout') return { code: 'timeout', why: `no answer ${within}` };
  const code = lastError.code === 'disconnected' ? 'disconnected' : 'timeout';
  return { code, why: `no answer ${within}; the last try: ${lastError.message}` };
}

/**
 * Publishes a draft through an outbox. Throws what publishing throws, why the stream refused it for good, and `disconnected`, `timeout`
 * or `aborted` when there is no answer yet.
 */
export async function publishStored(
  draft: EnvelopeDraft,
  { publish, lastError, clock, advice, signal }: StoredPublishing,
): Promise<Pick<DurablePublished, 'envelope'> & { readonly appended: Appended }> {
  const { envelope, stored } = await publish(draft);
  const answered = new AbortController();
  try {
    const appended = await Promise.race([stored, pause(clock, patienceMs, AbortSignal.any([signal, answered.signal]))]);
    if (appended !== undefined) return { envelope, appended };
  } finally {
    answered.abort();
  }
  const { code, why } = whyUnanswered(lastError(), signal);
  const message = `publish ${draft.subject}: not acknowledged (${why}); ${advice(envelope.id)}`;
  throw new VakError(code, message, { retryable: false, details: { id: envelope.id } });
}

export interface OperatorPublishing {
  readonly outbox: Pick<OperatorOutbox, 'publish' | 'waiting'>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** As {@link publishStored}, through the app's own outbox. */
export function publishAsOperator(draft: EnvelopeDraft, { outbox, clock, signal }: OperatorPublishing) {
  return publishStored(draft, {
    ...{ clock, signal, publish: outbox.publish },
    lastError: () => outbox.waiting()?.lastError,
    advice: (id) => `it waits in the outbox as ${id} and is sent when the server answers: do not do it again`,
  });
}
