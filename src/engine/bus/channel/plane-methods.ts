/**
 * What each call of a peer does on main's durable plane, flows apart (protocol.md B3–B5).
 * Law: one call of the peer is one call of the plane, begun at once; what is handed back lies in memory of its own.
 */
import type { Delivery, DurablePlane, KeyValueEntry, StoredMessage } from '../durable.ts';
import { alone } from './channel-frames.ts';
import type { CallOf, DurableCall, DurableMethod, DurableResults } from './durable-calls.ts';
import type { OpenDeliveries } from './open-deliveries.ts';
import type { FlowMethod } from './plane-flows.ts';

/** What a call has beside itself. */
export interface CallScope {
  readonly plane: DurablePlane;
  readonly deliveries: OpenDeliveries;
  /** Aborted when the peer gives the call up, and when the channel closes. */
  readonly signal: AbortSignal;
}

type PlainMethod = Exclude<DurableMethod, FlowMethod>;
type Methods = {
  readonly [M in PlainMethod]: (call: CallOf<M>, scope: CallScope) => Promise<DurableResults[M]>;
};

function own({ stream, seq, subject, data, storedMs, messageId }: StoredMessage): StoredMessage {
  return { stream, seq, subject, data: alone(data), storedMs, messageId };
}

function ownEntry({ key, value, revision, storedMs }: KeyValueEntry): KeyValueEntry {
  return { key, value: alone(value), revision, storedMs };
}

async function nothing(work: Promise<unknown>): Promise<undefined> {
  await work;
}

/** Ends a delivery; one that could not be ended stays open. */
async function end(
  { delivery }: { readonly delivery: number },
  { deliveries }: CallScope,
  how: (delivery: Delivery) => Promise<void>,
): Promise<undefined> {
  await how(deliveries.find(delivery));
  deliveries.remove(delivery);
}

const methods: Methods = {
  limits: (_, { plane }) => plane.limits(),
  streams: (_, { plane }) => plane.streams(),
  'ensure-stream': ({ spec, options }, { plane }) => plane.ensureStream(spec, options),
  'delete-stream': ({ stream }, { plane }) => plane.deleteStream(stream),
  append: ({ subject, data, options }, { plane, signal }) => plane.append(subject, alone(data), { ...options, signal }),
  'stream-state': ({ stream }, { plane }) => plane.stream(stream).state(),
  'stream-count': ({ stream, subject }, { plane }) => plane.stream(stream).count(subject),
  async 'stream-get'({ stream, seq }, { plane }) {
    const message = await plane.stream(stream).get(seq);
    return message && own(message);
  },
  async 'stream-last'({ stream, subject }, { plane }) {
    const message = await plane.stream(stream).last(subject);
    return message && own(message);
  },
  async 'stream-read'({ stream, options }, { plane, signal }) {
    const { messages, nextSeq } = await plane.stream(stream).read({ ...options, signal });
    return { messages: messages.map(own), nextSeq };
  },
  'stream-delete': ({ stream, seq }, { plane }) => plane.stream(stream).delete(seq),
  'stream-purge': ({ stream, subject, upToSeq }, { plane }) => plane.stream(stream).purge(subject, upToSeq),
  'ensure-consumer': ({ stream, spec }, { plane }) => nothing(plane.stream(stream).ensureConsumer(spec)),
  consumers: ({ stream }, { plane }) => plane.stream(stream).consumers(),
  'delete-consumer': ({ stream, consumer }, { plane }) => plane.stream(stream).deleteConsumer(consumer),
  'consumer-state': ({ stream, consumer }, { plane }) => plane.stream(stream).consumer(consumer).state(),
  async pull({ stream, consumer, batch, waitMs }, { plane, deliveries, signal }) {
    const pulled = await plane.stream(stream).consumer(consumer).pull({ batch, waitMs, signal });
    return pulled.map((delivery) => {
      const { message, deliveryCount } = delivery;
      return { delivery: deliveries.add(delivery), message: own(message), deliveryCount };
    });
  },
  ack: (call, scope) => end(call, scope, (delivery) => delivery.ack()),
  nak: (call, scope) => end(call, scope, (delivery) => delivery.nak(call.delayMs)),
  term: (call, scope) => end(call, scope, (delivery) => delivery.term()),
  working: ({ delivery }, { deliveries }) => nothing(deliveries.find(delivery).working()),
  'ensure-values': ({ spec, options }, { plane }) => plane.ensureKeyValue(spec, options),
  async 'value-get'({ bucket, key }, { plane }) {
    const entry = await plane.keyValue(bucket).get(key);
    return entry && ownEntry(entry);
  },
  async 'value-history'({ bucket, key }, { plane }) {
    return (await plane.keyValue(bucket).history(key)).map(ownEntry);
  },
  'value-put': ({ bucket, key, data, options }, { plane }) => plane.keyValue(bucket).put(key, alone(data), options),
  'value-delete': ({ bucket, key }, { plane }) => nothing(plane.keyValue(bucket).delete(key)),
  'value-keys': ({ bucket }, { plane }) => plane.keyValue(bucket).keys(),
  'ensure-objects': ({ bucket, options }, { plane }) => plane.ensureObjects(bucket, options),
  'object-info': ({ bucket, name }, { plane }) => plane.objects(bucket).info(name),
  'object-delete': ({ bucket, name }, { plane }) => plane.objects(bucket).delete(name),
  'object-list': ({ bucket }, { plane }) => plane.objects(bucket).list(),
};

/** Does what the call asks for. Throws what the plane throws, at once or later. */
export function runMethod(call: Extract<DurableCall, { method: PlainMethod }>, scope: CallScope): Promise<unknown> {
  const run = methods[call.method] as (call: DurableCall, scope: CallScope) => Promise<unknown>;
  return run(call, scope);
}
