/** Hands one envelope to a server and waits until it has it (protocol.md W1, B8). */
import type { Fabric } from '../../engine/bus/fabric.ts';
import type { EnvelopeAuthor, EnvelopeDraft } from '../../engine/envelope/envelope-author.ts';
import { leafOf } from '../../engine/envelope/hashing.ts';
import type { DurablePeer } from '../../engine/outbox/durable-peer.ts';
import { publishStored } from '../../engine/outbox/publish-stored.ts';
import type { Clock } from '../../engine/ports/clock.ts';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';

/** What was sent; `stream` and `seq` of a durable one. */
export interface Sent {
  readonly id: string;
  readonly leaf: string;
  readonly stream?: string;
  readonly seq?: number;
}

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

export interface Waiting {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Publishes a durable one through the outbox. Throws as {@link publishStored}. */
export async function publishDurably(durable: DurablePeer, draft: EnvelopeDraft, waiting: Waiting): Promise<Sent> {
  const { envelope, appended } = await publishStored(draft, {
    ...waiting,
    publish: (one) => durable.publish(one),
    lastError: () => durable.waiting().lastError,
    advice: (id) =>
      `it waits in the outbox as ${id}, and vak outbox send or the next durable publish there sends it: do not publish it again`,
  });
  return { id: envelope.id, leaf: leafOf(envelope), stream: appended.stream, seq: appended.seq };
}

/** There was no connection: whoever reads of the outbox must not wait for it. */
export function nothingKept(error: unknown): unknown {
  if (!isVakError(error, 'disconnected') && !isVakError(error, 'timeout')) return error;
  const message = `${error.message}; nothing was published, and nothing kept: publish it again`;
  return new VakError(error.code, message, { cause: error, retryable: true });
}
