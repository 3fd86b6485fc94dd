/**
 * What is told when a message has exhausted its deliveries (protocol.md W3), as nats-server tells it and `VAK_ADV_<ws>` keeps it.
 * Law: what is not exactly such an advisory is not one: anybody may publish on the subject.
 */
import { utf8 } from '../../shared/base/bytes.ts';
import type { Clock } from '../ports/clock.ts';
import { createUuid, type Randomness } from '../ports/randomness.ts';
import type { MaxDeliveriesAdvisory } from './durable.ts';

const advisoryType = 'io.nats.jetstream.advisory.v1.max_deliver';
const maxAdvisoryBytes = 16 * 1024;
const nameForm = /^[A-Za-z0-9_-]{1,240}$/;

/** Subject of the advisories of a stream's consumer. */
export function advisorySubject(stream: string, consumer: string): string {
  return `$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.${stream}.${consumer}`;
}

/** Bytes of an advisory: JSON. */
export function encodeMaxDeliveries(advisory: MaxDeliveriesAdvisory, clock: Clock, randomness: Randomness): Uint8Array {
  const { stream, consumer, streamSeq, deliveries } = advisory;
  const record = {
    ...{ type: advisoryType, id: createUuid(clock, randomness), timestamp: new Date(clock.now()).toISOString() },
    ...{ stream, consumer, stream_seq: streamSeq, deliveries },
  };
  return utf8(JSON.stringify(record));
}

/** Undefined if it is none, or a malformed one. */
export function decodeMaxDeliveries(data: Uint8Array): MaxDeliveriesAdvisory | undefined {
  if (data.length > maxAdvisoryBytes) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(data));
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { type, stream, consumer, stream_seq: streamSeq, deliveries } = value as Readonly<Record<string, unknown>>;
  const isName = (text: unknown): text is string => typeof text === 'string' && nameForm.test(text);
  const isCount = (count: unknown): count is number => Number.isSafeInteger(count) && (count as number) >= 1;
  if (type !== advisoryType || !isName(stream) || !isName(consumer)) return undefined;
  if (!isCount(streamSeq) || !isCount(deliveries)) return undefined;
  return { stream, consumer, streamSeq, deliveries };
}
