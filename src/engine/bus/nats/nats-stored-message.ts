/**
 * Messages as a server hands them out: from a stream by number, or through a consumer (protocol.md B3, B4).
 * Law: place and time come from the server's own words about the message, never from its content.
 */
import type { Msg } from 'nats';
import { VakError } from '../../../shared/base/vak-error.ts';
import type { StoredMessage } from '../durable.ts';
import { type JsonRecord, numberIn, recordIn, textIn } from './nats-jetstream-api.ts';

/** What a consumer says of a message on its reply subject. */
export interface DeliveryPlace {
  readonly stream: string;
  readonly deliveryCount: number;
  readonly streamSeq: number;
  /** Place in what this consumer delivered: without a gap, nothing was lost on the way. */
  readonly consumerSeq: number;
  readonly storedMs: number;
  /** Not delivered yet after this one; redeliveries do not count. */
  readonly pendingCount: number;
}

export const messageIdHeader = 'Nats-Msg-Id';

/** Milliseconds of a count of nanoseconds, in text because it exceeds a double. */
const millisOfNanos = (nanos: string): number => Number(nanos.slice(0, -6));

/** Reads `$JS.ACK.…`, of 9 parts or, with domain and account, of 11 and more. Undefined: no delivery. */
export function placeOf(reply: string | undefined): DeliveryPlace | undefined {
  const parts = reply?.split('.') ?? [];
  if (parts[0] !== '$JS' || parts[1] !== 'ACK') return undefined;
  const skipped = parts.length === 9 ? 2 : 4;
  const [stream, , deliveries, streamSeq, consumerSeq, nanos, pending] = parts.slice(skipped);
  if (stream === undefined || nanos === undefined || pending === undefined) return undefined;
  return {
    stream,
    deliveryCount: Number(deliveries),
    streamSeq: Number(streamSeq),
    consumerSeq: Number(consumerSeq),
    storedMs: millisOfNanos(nanos),
    pendingCount: Number(pending),
  };
}

/** The same bytes, not as the `Buffer` that the socket gave. */
export const plainBytes = (data: Uint8Array): Uint8Array =>
  new Uint8Array(data.buffer, data.byteOffset, data.byteLength);

/** A delivered message as it lies in its stream. */
export function storedOf(message: Msg, place: DeliveryPlace): StoredMessage {
  const messageId = message.headers?.get(messageIdHeader) ?? '';
  return {
    stream: place.stream,
    seq: place.streamSeq,
    subject: message.subject,
    data: plainBytes(message.data),
    storedMs: place.storedMs,
    messageId: messageId === '' ? undefined : messageId,
  };
}

/** A message that was read by its number, with the text of its headers. */
export interface RawStored {
  readonly stored: StoredMessage;
  readonly headers: string;
}

/** The first value of a header in the text of all. */
export function headerIn(headers: string, name: string): string | undefined {
  const start = `${name.toLowerCase()}:`;
  const line = headers.split('\r\n').find((one) => one.toLowerCase().startsWith(start));
  return line?.slice(start.length).trim();
}

/** Reads the answer of `DIRECT.GET`: the message as it is, with headers that say where it lies. Throws `corrupt`. */
export function storedInDirect({ data, headers }: Msg, stream: string): RawStored {
  const lines = (headers?.keys() ?? []).map((name) => `${name}: ${headers?.get(name) ?? ''}`).join('\r\n');
  const seq = Number(headerIn(lines, 'Nats-Sequence'));
  const storedMs = Date.parse(headerIn(lines, 'Nats-Time-Stamp') ?? '');
  if (!Number.isSafeInteger(seq) || seq < 1 || Number.isNaN(storedMs)) {
    throw new VakError('corrupt', `stream ${stream}: the server gave a message without number or time`);
  }
  const subject = headerIn(lines, 'Nats-Subject') ?? '';
  const messageId = headerIn(lines, messageIdHeader);
  return { headers: lines, stored: { ...{ stream, seq, storedMs, subject, messageId }, data: plainBytes(data) } };
}

/** Reads the answer of `STREAM.MSG.GET`. Throws `corrupt`. */
export function storedInAnswer(answer: JsonRecord, stream: string): RawStored {
  const where = `stream ${stream}`;
  const message = recordIn(answer, 'message', where);
  const seq = numberIn(message, 'seq');
  const storedMs = Date.parse(textIn(message, 'time'));
  if (seq < 1 || Number.isNaN(storedMs)) {
    throw new VakError('corrupt', `${where}: the server gave a message without number or time`);
  }
  const headers = Buffer.from(textIn(message, 'hdrs'), 'base64').toString('utf8');
  return {
    headers,
    stored: {
      ...{ stream, seq, storedMs },
      subject: textIn(message, 'subject'),
      data: new Uint8Array(Buffer.from(textIn(message, 'data'), 'base64')),
      messageId: headerIn(headers, messageIdHeader),
    },
  };
}
