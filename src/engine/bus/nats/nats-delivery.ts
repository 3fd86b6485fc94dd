/**
 * A message that was claimed, and what is said of it to its consumer (protocol.md W1, B4).
 * Law: one end, confirmed by the server before its promise resolves; an unconfirmed one may be said again.
 */
import type { Msg } from 'nats';
import { isVakError, VakError } from '../../../shared/base/vak-error.ts';
import { checkDelay } from '../check-durable.ts';
import type { Delivery } from '../durable.ts';
import type { NatsAsks } from './nats-asks.ts';
import type { Pulled } from './nats-pull.ts';
import { storedOf } from './nats-stored-message.ts';

const encoder = new TextEncoder();
const words = {
  ack: encoder.encode('+ACK'),
  nak: encoder.encode('-NAK'),
  working: encoder.encode('+WPI'),
  // Plain: with a reason nats-server 2.9 delivers it again.
  term: encoder.encode('+TERM'),
} as const;
const nanosPerMs = 1_000_000;

/** Gives a message back that nobody will handle. The server may not be there; then its ack wait does it. */
export function giveBack(asks: NatsAsks, { reply }: Msg): void {
  try {
    if (reply !== undefined) asks.tell(reply, words.nak);
  } catch (thrown) {
    if (!isVakError(thrown)) throw thrown;
  }
}

function nakWord(delayMs: number): Uint8Array {
  checkDelay(delayMs);
  return delayMs === 0 ? words.nak : encoder.encode(`-NAK {"delay": ${delayMs * nanosPerMs}}`);
}

/** The port's view of a pulled message. */
export function deliveryOf(asks: NatsAsks, pulled: Pulled, timeoutMs: number): Delivery {
  const { message, place } = pulled;
  const stored = storedOf(message, place);
  const where = `message ${place.streamSeq} of ${place.stream}`;
  let end: Promise<void> | undefined;

  const say = async (word: Uint8Array): Promise<void> => {
    const answer = await asks.ask(message.reply ?? '', word, { timeoutMs });
    if (answer.headers?.code === 503) {
      throw new VakError('not-found', `${where}: its consumer has gone, so nobody notes what became of it`);
    }
  };
  const endWith = (word: Uint8Array): Promise<void> => {
    end ??= say(word).catch((error: unknown) => {
      if (isVakError(error) && error.retryable) end = undefined;
      throw error;
    });
    return end;
  };
  return {
    message: stored,
    deliveryCount: place.deliveryCount,
    ack: () => endWith(words.ack),
    nak: async (delayMs = 0) => endWith(nakWord(delayMs)),
    term: () => endWith(words.term),
    working: async () => {
      if (end === undefined) await say(words.working);
    },
  };
}
