/** Hands one envelope to a server and waits until it has it (protocol.md W1, B8). */
import type { Appended } from '../../engine/bus/durable.ts';
import type { Fabric } from '../../engine/bus/fabric.ts';
import type { EnvelopeAuthor, EnvelopeDraft } from '../../engine/envelope/envelope-author.ts';
import { leafOf } from '../../engine/envelope/hashing.ts';
import { messageIdOf } from '../../engine/outbox/durable-author.ts';
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

export interface Sending {
  readonly author: EnvelopeAuthor;
  readonly draft: EnvelopeDraft;
  readonly fabric: Fabric;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** How long an answer is sought, in all; the message id makes a second try harmless. */
const patienceMs = 15_000;
const pauseMs = 300;
/** What may pass, and leaves open whether it was stored. */
const doubtful: ReadonlySet<string> = new Set(['timeout', 'disconnected', 'closed', 'aborted']);

/** Publishes an ephemeral one; two pings later the server has taken it, and has said if it refused. */
export async function publishFlushed({ author, draft, fabric }: Sending): Promise<Sent> {
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

/** Asks until there is an answer, or patience or the signal ends. `onDoubt` is told of a failure that leaves open whether it was stored. */
async function appendPatiently(
  append: () => Promise<Appended>,
  sending: Sending,
  onDoubt: () => void,
): Promise<Appended> {
  const { clock, signal } = sending;
  const endMs = clock.monotonic() + patienceMs;
  for (;;) {
    try {
      return await append();
    } catch (error) {
      if (!isVakError(error)) throw error;
      if (doubtful.has(error.code)) onDoubt();
      const mayPass = error.retryable || error.code === 'timeout' || error.code === 'disconnected';
      if (!mayPass || signal.aborted || clock.monotonic() >= endMs) throw error;
    }
    await pause(clock, pauseMs, signal);
  }
}

/** Appends a durable one. What may have been stored takes its place in the chain, as nobody can tell. */
export async function appendFirmly(sending: Sending): Promise<Sent> {
  const { author, draft, fabric, signal } = sending;
  const written = author.write(draft);
  const { envelope, bytes, head } = written;
  const options = { messageId: messageIdOf(envelope.id, head.leaf), signal };
  let isDoubtful = false;
  const onDoubt = (): void => {
    isDoubtful = true;
  };
  try {
    const append = (): Promise<Appended> => fabric.durable.append(draft.subject, bytes, options);
    const { stream, seq } = await appendPatiently(append, sending, onDoubt);
    written.commit();
    return { id: envelope.id, leaf: head.leaf, stream, seq };
  } catch (error) {
    if (!isDoubtful || !isVakError(error)) throw error;
    written.commit();
    const advice = `it may have been stored as ${envelope.id}: look with vak stream view before publishing it again`;
    throw new VakError(error.code, `${error.message}; ${advice}`, { cause: error });
  } finally {
    written.discard();
  }
}
