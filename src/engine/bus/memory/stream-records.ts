/**
 * How streams and consumers lie in the journal (protocol.md B6): the keys by stream and number, and the values.
 * Law: what does not decode is `corrupt`, never skipped; a message's facts are small, so that starting reads no payloads.
 */
import { VakError } from '../../../shared/base/vak-error.ts';
import type { StreamSpec } from '../../../shared/protocol/stream-table.ts';
import type { ConsumerSpec } from '../durable.ts';
import { decodeU64, encodeU64, journalKey, prefixRange } from './journal-keys.ts';

/** Keys of the records of streams; a stream and a consumer have a number each, for names can come back. */
export const streamKeys = {
  /** Specification and number of a stream. */
  spec: (name: string) => journalKey('s/spec', name),
  specs: prefixRange('s/spec'),
  /** A deleted stream's number, while its messages are being removed. */
  gone: (stream: number) => journalKey('s/gone', stream),
  allGone: prefixRange('s/gone'),
  /** The last seq that a stream gave, and when. */
  end: (stream: number) => journalKey('s/end', stream),
  allFacts: (stream: number) => prefixRange('s/m', stream),
  consumer: (stream: number, name: string) => journalKey('s/c', stream, name),
  consumers: (stream: number) => prefixRange('s/c', stream),
  /** The first seq that a consumer never delivered. */
  cursor: (stream: number, consumer: number) => journalKey('s/k', stream, consumer),
  cursors: (stream: number) => prefixRange('s/k', stream),
  /** A message that a consumer delivered and nobody ended. */
  outstanding: (stream: number, consumer: number, seq: number) => journalKey('s/o', stream, consumer, seq),
  allOutstanding: (stream: number, consumer?: number) =>
    consumer === undefined ? prefixRange('s/o', stream) : prefixRange('s/o', stream, consumer),
} as const;

/** Keys of the two records of each message of a stream. */
export interface MessageKeys {
  facts(seq: number): Uint8Array;
  payload(seq: number): Uint8Array;
}

/** Makes the keys of a stream's messages: what they begin with is made once, for there are two a message. */
export function createMessageKeys(stream: number): MessageKeys {
  const keyBehind = (prefix: Uint8Array) => (seq: number) => {
    const key = Buffer.allocUnsafe(prefix.length + 8);
    key.set(prefix);
    key.writeUInt32BE(Math.floor(seq / 2 ** 32), prefix.length);
    key.writeUInt32BE(seq % 2 ** 32, prefix.length + 4);
    return key;
  };
  return { facts: keyBehind(journalKey('s/m', stream)), payload: keyBehind(journalKey('s/p', stream)) };
}

/** The number that a key ends with. Throws `corrupt`. */
export function lastNumber(key: Uint8Array): number {
  return decodeU64(key, Math.max(0, key.length - 8));
}

function corrupt(what: string, why: string): VakError {
  return new VakError('corrupt', `the journal's ${what}: ${why}; restore a backup of the store`, {
    details: { field: what },
  });
}

/** Reads numbers and text one after another; throws `corrupt` beyond the end. */
function createRecordReader(bytes: Uint8Array, what: string) {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = 0;
  function step(size: number): number {
    const from = at;
    at += size;
    if (at > view.length) throw corrupt(what, `${view.length} bytes are too few`);
    return from;
  }
  return {
    u8: () => view.readUInt8(step(1)),
    u32: () => view.readUInt32BE(step(4)),
    f64: () => view.readDoubleBE(step(8)),
    text(size: number): string {
      const from = step(size);
      return view.toString('latin1', from, from + size);
    },
    rest: () => bytes.subarray(at),
    restText: () => view.toString('latin1', at),
  };
}

/** What the journal says of a message without its payload. A tombstone only keeps its id for the dedupe window. */
export interface MessageFacts {
  readonly isTombstone: boolean;
  readonly storedMs: number;
  readonly sizeBytes: number;
  readonly messageId: string | undefined;
  readonly subject: string;
}

/** Bytes of the facts; id and subject are ASCII, the id at most 255 characters. */
export function encodeFacts(facts: MessageFacts): Uint8Array {
  const id = facts.messageId ?? '';
  const value = Buffer.allocUnsafe(14 + id.length + facts.subject.length);
  value.writeUInt8(facts.isTombstone ? 0 : 1, 0);
  value.writeDoubleBE(facts.storedMs, 1);
  value.writeUInt32BE(facts.sizeBytes, 9);
  value.writeUInt8(id.length, 13);
  value.write(id, 14, 'latin1');
  value.write(facts.subject, 14 + id.length, 'latin1');
  return value;
}

/** Reads facts; throws `corrupt`. */
export function decodeFacts(value: Uint8Array): MessageFacts {
  const reader = createRecordReader(value, 'message');
  const isTombstone = reader.u8() === 0;
  const storedMs = reader.f64();
  const sizeBytes = reader.u32();
  const id = reader.text(reader.u8());
  return { isTombstone, storedMs, sizeBytes, messageId: id === '' ? undefined : id, subject: reader.restText() };
}

/** What a journal keeps of a message beside its facts. */
export interface Payload {
  readonly messageId: string | undefined;
  readonly data: Uint8Array;
}

/** Bytes of a payload: length of the id, the id, the data. */
export function encodePayload({ messageId = '', data }: Payload): Uint8Array {
  const value = Buffer.allocUnsafe(1 + messageId.length + data.length);
  value.writeUInt8(messageId.length, 0);
  value.write(messageId, 1, 'latin1');
  value.set(data, 1 + messageId.length);
  return value;
}

/** Reads a payload without a copy of its data; throws `corrupt`. */
export function decodePayload(value: Uint8Array): Payload {
  const reader = createRecordReader(value, 'payload');
  const id = reader.text(reader.u8());
  return { messageId: id === '' ? undefined : id, data: reader.rest() };
}

/** The end of a stream: the last seq that it gave, and when it stored that message, ms since the epoch. */
export interface StreamEnd {
  readonly lastSeq: number;
  readonly lastMs: number;
}

/** Bytes of a stream's end. */
export function encodeEnd({ lastSeq, lastMs }: StreamEnd): Uint8Array {
  const value = Buffer.allocUnsafe(16);
  value.set(encodeU64(lastSeq));
  value.writeDoubleBE(lastMs, 8);
  return value;
}

/** Reads an end; throws `corrupt`. */
export function decodeEnd(value: Uint8Array): StreamEnd {
  if (value.length !== 16) throw corrupt('stream end', `${value.length} bytes`);
  return { lastSeq: decodeU64(value), lastMs: Buffer.from(value).readDoubleBE(8) };
}

/** What a consumer keeps of a message that it delivered: how often, and whether it gave it up. */
export interface KeptDelivery {
  readonly deliveries: number;
  readonly isExhausted: boolean;
}

/** Bytes of a delivery. */
export function encodeDelivery({ deliveries, isExhausted }: KeptDelivery): Uint8Array {
  const value = Buffer.allocUnsafe(5);
  value.writeUInt32BE(deliveries, 0);
  value.writeUInt8(isExhausted ? 1 : 0, 4);
  return value;
}

/** Reads a delivery; throws `corrupt`. */
export function decodeDelivery(value: Uint8Array): KeptDelivery {
  const reader = createRecordReader(value, 'delivery');
  return { deliveries: reader.u32(), isExhausted: reader.u8() === 1 };
}

/** A specification as it is kept, with the number under which its records lie. */
export interface KeptSpec<Spec> {
  readonly number: number;
  readonly spec: Spec;
}

/** Bytes of a stream's or a consumer's specification. */
export function encodeSpec(kept: KeptSpec<StreamSpec> | KeptSpec<ConsumerSpec>): Uint8Array {
  return Buffer.from(JSON.stringify(kept));
}

/** Reads a specification that `encodeSpec` wrote; throws `corrupt`. Whether it makes sense is for the caller to check. */
export function decodeSpec<Spec extends { readonly name: string }>(value: Uint8Array, what: string): KeptSpec<Spec> {
  let kept: Partial<KeptSpec<Spec>> | null;
  try {
    kept = JSON.parse(Buffer.from(value).toString('utf8'));
  } catch (cause) {
    throw new VakError('corrupt', `the journal's ${what} is no JSON; restore a backup of the store`, { cause });
  }
  const { number, spec } = kept ?? {};
  if (!Number.isSafeInteger(number) || typeof spec?.name !== 'string') throw corrupt(what, 'not as it is written');
  return { number: number as number, spec };
}
