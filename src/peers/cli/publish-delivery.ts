/** Hands one envelope to a server and waits until it has it (protocol.md W1, B8). */
import type { Fabric } from '../../engine/bus/fabric.ts';
import type { EnvelopeAuthor, EnvelopeDraft } from '../../engine/envelope/envelope-author.ts';
import { leafOf } from '../../engine/envelope/hashing.ts';
import type { DurablePeer } from '../../engine/outbox/durable-peer.ts';
import type { Clock } from '../../engine/ports/clock.ts';
import { pause } from '../../engine/wait.ts';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';

/** What was sent; `stream` and `seq` of a durable one. */
export interface Sent {
  readonly id: string;
  readonly leaf: string;
  readonly stream?: string;
  readonly seq?: number;
}

/** How long the stream's answer is waited for; the outbox goes on asking meanwhile. */
const patienceMs = 15_000;

/** Publishes an ephemeral one; two pings later the server has taken it, and has said if it refused. */
export async function publishFlushed(author: EnvelopeAuthor, draft: EnvelopeDraft, fabric: Fabric): Promise<Sent> {
  const envelope = author.publish(draft, (bytes) => fabric.bus.publish(draft.subject, bytes));
  if (fabric.bus.metrics().droppedCount > 0) {
    throw new VakError('disconnected', `publish ${draft.subject}: the server cannot be reached now`, {
      retryable: true,
    });
  }
  await fabric.ping();
  await fabric.ping();
  return { id: envelope.id, leaf: leafOf(envelope) };
}

/** What is told is how long the command waited, not how long one of the outbox's questions did. */
function whyUnanswered(
  lastError: ReturnType<DurablePeer['waiting']>['lastError'],
  { aborted }: AbortSignal,
): { readonly code: 'aborted' | 'disconnected' | 'timeout'; readonly why: string } {
  if (aborted) return { code: 'aborted', why: 'interrupted before its stream answered' };
  const within = `within ${patienceMs / 1000} s`;
  if (lastError === undefined || lastError.code === 'timeout') return { code: 'timeout', why: `no answer ${within}` };
  const code = lastError.code === 'disconnected' ? 'disconnected' : 'timeout';
  return { code, why: `no answer ${within}; the last try: ${lastError.message}` };
}

export interface Waiting {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Publishes a durable one through the outbox. Throws why the stream refused it for good; `disconnected`, `timeout` or `aborted` when
 * there is no answer yet: then it waits on disk.
 */
export async function publishDurably(durable: DurablePeer, draft: EnvelopeDraft, waiting: Waiting): Promise<Sent> {
  const { envelope, stored } = await durable.publish(draft);
  const answered = new AbortController();
  const signal = AbortSignal.any([waiting.signal, answered.signal]);
  try {
    const appended = await Promise.race([stored, pause(waiting.clock, patienceMs, signal)]);
    if (appended !== undefined) {
      return { id: envelope.id, leaf: leafOf(envelope), stream: appended.stream, seq: appended.seq };
    }
  } finally {
    answered.abort();
  }
  const { code, why } = whyUnanswered(durable.waiting().lastError, waiting.signal);
  const advice = `it waits in the outbox as ${envelope.id}, and vak outbox send or the next durable publish there sends it: do not publish it again`;
  const message = `publish ${draft.subject}: not acknowledged (${why}); ${advice}`;
  throw new VakError(code, message, { retryable: false, details: { id: envelope.id } });
}

/** There was no connection: whoever reads of the outbox must not wait for it. */
export function nothingKept(error: unknown): unknown {
  if (!isVakError(error, 'disconnected') && !isVakError(error, 'timeout')) return error;
  const message = `${error.message}; nothing was published, and nothing kept: publish it again`;
  return new VakError(error.code, message, { cause: error, retryable: true });
}
