/**
 * What is told when a message has exhausted its deliveries (protocol.md W3), as nats-server tells it.
 * Law: subject and fields are those of its `io.nats.jetstream.advisory.v1.max_deliver`.
 */
import { utf8 } from '../../../shared/base/bytes.ts';
import type { Clock } from '../../ports/clock.ts';
import { createUuid, type Randomness } from '../../ports/randomness.ts';
import type { MaxDeliveriesAdvisory } from '../durable.ts';

/** Subject of the advisories of a stream's consumer. */
export function advisorySubject(stream: string, consumer: string): string {
  return `$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.${stream}.${consumer}`;
}

/** Bytes of an advisory: JSON. */
export function encodeAdvisory(advisory: MaxDeliveriesAdvisory, clock: Clock, randomness: Randomness): Uint8Array {
  const { stream, consumer, streamSeq, deliveries } = advisory;
  const record = {
    type: 'io.nats.jetstream.advisory.v1.max_deliver',
    id: createUuid(clock, randomness),
    timestamp: new Date(clock.now()).toISOString(),
    ...{ stream, consumer, stream_seq: streamSeq, deliveries },
  };
  return utf8(JSON.stringify(record));
}
