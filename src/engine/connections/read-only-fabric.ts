/**
 * A fabric through which nothing can be changed: that of a read-only context (product.md "Configuration").
 * Law: reading and listening stay; whatever publishes, stores, claims or deletes is refused before it reaches the engine.
 */
import { VakError } from '../../shared/base/vak-error.ts';
import type { Bus, Message, Delivery as MessageDelivery } from '../bus/bus.ts';
import type { Consumer, DurablePlane, KeyValueBucket, ObjectBucket, Stream } from '../bus/durable.ts';
import type { Fabric } from '../bus/fabric.ts';

/** Makes the refusal of an action. */
type Refuse = (action: string) => VakError;

/** The right to answer goes with the right to publish. */
function withoutAnswer(message: Message): Message {
  return message.respond === undefined ? message : { subject: message.subject, data: message.data };
}

function silenced(delivery: MessageDelivery): MessageDelivery {
  if (delivery.kind === 'inline') {
    return { kind: 'inline', onMessage: (message) => delivery.onMessage(withoutAnswer(message)) };
  }
  return { ...delivery, onBatch: (messages, dropped) => delivery.onBatch(messages.map(withoutAnswer), dropped) };
}

function readOnlyBus(bus: Bus, refuse: Refuse): Bus {
  return {
    publish() {
      throw refuse('publish');
    },
    subscribe: (pattern, delivery) => bus.subscribe(pattern, silenced(delivery)),
    // Whoever is asked may change something.
    request: () => Promise.reject(refuse('request')),
    whenWritable: () => bus.whenWritable(),
    metrics: () => bus.metrics(),
    close: () => bus.close(),
  };
}

function readOnlyConsumer(consumer: Consumer, refuse: Refuse): Consumer {
  return {
    // A claim takes the message from those who would work on it.
    pull: () => Promise.reject(refuse('pull')),
    state: () => consumer.state(),
  };
}

function readOnlyStream(stream: Stream, refuse: Refuse): Stream {
  return {
    state: () => stream.state(),
    count: (subject) => stream.count(subject),
    get: (seq) => stream.get(seq),
    last: (subject) => stream.last(subject),
    read: (options) => stream.read(options),
    delete: () => Promise.reject(refuse('delete')),
    purge: () => Promise.reject(refuse('purge')),
    ensureConsumer: () => Promise.reject(refuse('ensureConsumer')),
    consumer: (name) => readOnlyConsumer(stream.consumer(name), refuse),
    consumers: () => stream.consumers(),
    deleteConsumer: () => Promise.reject(refuse('deleteConsumer')),
  };
}

function readOnlyKeyValue(bucket: KeyValueBucket, refuse: Refuse): KeyValueBucket {
  return {
    get: (key) => bucket.get(key),
    history: (key) => bucket.history(key),
    put: () => Promise.reject(refuse('put')),
    delete: () => Promise.reject(refuse('delete')),
    keys: () => bucket.keys(),
    watch: (onChange, onReady) => bucket.watch(onChange, onReady),
  };
}

function readOnlyObjects(bucket: ObjectBucket, refuse: Refuse): ObjectBucket {
  return {
    put: () => Promise.reject(refuse('put')),
    info: (name) => bucket.info(name),
    get: (name, options) => bucket.get(name, options),
    delete: () => Promise.reject(refuse('delete')),
    list: () => bucket.list(),
  };
}

function readOnlyPlane(plane: DurablePlane, refuse: Refuse): DurablePlane {
  /** A dry run only looks. */
  const unlessReal = <T>(
    action: string,
    options: { readonly dryRun?: boolean } | undefined,
    look: () => Promise<T>,
  ): Promise<T> => (options?.dryRun === true ? look() : Promise.reject(refuse(action)));
  return {
    ensureStream: (spec, options) =>
      unlessReal('ensureStream', options, () => plane.ensureStream(spec, { dryRun: true })),
    streams: () => plane.streams(),
    stream: (name) => readOnlyStream(plane.stream(name), refuse),
    deleteStream: () => Promise.reject(refuse('deleteStream')),
    append: () => Promise.reject(refuse('append')),
    ensureKeyValue: (spec, options) =>
      unlessReal('ensureKeyValue', options, () => plane.ensureKeyValue(spec, { dryRun: true })),
    keyValue: (name) => readOnlyKeyValue(plane.keyValue(name), refuse),
    limits: () => plane.limits(),
    ensureObjects: (name, options) =>
      unlessReal('ensureObjects', options, () => plane.ensureObjects(name, { dryRun: true })),
    objects: (name) => readOnlyObjects(plane.objects(name), refuse),
  };
}

/** The refusal of an action in a read-only context. */
export function readOnlyRefusal(context: string, action: string): VakError {
  const message = `${action}: the context "${context}" is read-only; use another one, or set its readOnly to false`;
  return new VakError('read-only', message, { details: { context, action } });
}

/** Wraps an engine, which it owns from then on; `context` is the name that the refusals (`read-only`) give. */
export function createReadOnlyFabric(fabric: Fabric, context: string): Fabric {
  const refuse: Refuse = (action) => readOnlyRefusal(context, action);
  return {
    bus: readOnlyBus(fabric.bus, refuse),
    durable: readOnlyPlane(fabric.durable, refuse),
    status: () => fabric.status(),
    onStatus: (listener) => fabric.onStatus(listener),
    facts: () => fabric.facts(),
    ping: () => fabric.ping(),
    close: () => fabric.close(),
  };
}
