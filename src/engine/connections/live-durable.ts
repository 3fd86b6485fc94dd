/**
 * The durable plane of whichever engine is present (protocol.md B3–B5).
 * Law: a handle is a name: each call finds its stream, consumer or bucket anew, and one that an exchange cut off is told as
 * `disconnected`, never as the end of the fabric.
 */
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import type { Consumer, Delivery, DurablePlane, KeyValueBucket, ObjectBucket, Stream } from '../bus/durable.ts';
import type { LiveWatches } from './live-watches.ts';

/** The durable plane of the present engine. */
export type PresentPlane = () => DurablePlane;

/** What became of a call whose engine has gone meanwhile. */
function cutOff(present: PresentPlane, plane: DurablePlane, error: unknown): unknown {
  if (!isVakError(error, 'closed') || present() === plane) return error;
  const message = 'the engine was exchanged while this ran; what it had stored is with the former engine';
  return new VakError('disconnected', message, { retryable: true, cause: error });
}

/** Runs a call on the present engine. */
async function onPresent<T>(present: PresentPlane, call: (plane: DurablePlane) => Promise<T>): Promise<T> {
  const plane = present();
  try {
    return await call(plane);
  } catch (error) {
    throw cutOff(present, plane, error);
  }
}

/** A delivery belongs to the engine that made it. */
function liveDelivery(present: PresentPlane, plane: DurablePlane, delivery: Delivery): Delivery {
  const end = async (run: () => Promise<void>): Promise<void> => {
    try {
      await run();
    } catch (error) {
      throw cutOff(present, plane, error);
    }
  };
  return {
    message: delivery.message,
    deliveryCount: delivery.deliveryCount,
    ack: () => end(() => delivery.ack()),
    nak: (delayMs) => end(() => delivery.nak(delayMs)),
    term: () => end(() => delivery.term()),
    working: () => end(() => delivery.working()),
  };
}

function liveConsumer(present: PresentPlane, stream: string, name: string): Consumer {
  return {
    pull: (options) =>
      onPresent(present, async (plane) => {
        const deliveries = await plane.stream(stream).consumer(name).pull(options);
        return deliveries.map((delivery) => liveDelivery(present, plane, delivery));
      }),
    state: () => onPresent(present, (plane) => plane.stream(stream).consumer(name).state()),
  };
}

function liveStream(present: PresentPlane, name: string): Stream {
  const run = <T>(call: (stream: Stream) => Promise<T>): Promise<T> =>
    onPresent(present, async (plane) => await call(plane.stream(name)));
  return {
    state: () => run((stream) => stream.state()),
    count: (subject) => run((stream) => stream.count(subject)),
    get: (seq) => run((stream) => stream.get(seq)),
    last: (subject) => run((stream) => stream.last(subject)),
    read: (options) => run((stream) => stream.read(options)),
    delete: (seq) => run((stream) => stream.delete(seq)),
    purge: (subject, upToSeq) => run((stream) => stream.purge(subject, upToSeq)),
    async ensureConsumer(spec) {
      await run((stream) => stream.ensureConsumer(spec));
      return liveConsumer(present, name, spec.name);
    },
    consumer: (consumer) => liveConsumer(present, name, consumer),
    consumers: () => run((stream) => stream.consumers()),
    deleteConsumer: (consumer) => run((stream) => stream.deleteConsumer(consumer)),
  };
}

function liveKeyValue(present: PresentPlane, name: string, watches: LiveWatches): KeyValueBucket {
  const run = <T>(call: (bucket: KeyValueBucket) => Promise<T>): Promise<T> =>
    onPresent(present, async (plane) => await call(plane.keyValue(name)));
  return {
    get: (key) => run((bucket) => bucket.get(key)),
    history: (key) => run((bucket) => bucket.history(key)),
    put: (key, value, options) => run((bucket) => bucket.put(key, value, options)),
    delete: (key) => run((bucket) => bucket.delete(key)),
    keys: () => run((bucket) => bucket.keys()),
    watch: (onChange, onReady) => watches.watch(name, onChange, onReady),
  };
}

function liveObjects(present: PresentPlane, name: string): ObjectBucket {
  const run = <T>(call: (bucket: ObjectBucket) => Promise<T>): Promise<T> =>
    onPresent(present, async (plane) => await call(plane.objects(name)));
  return {
    put: (object, chunks, options) => run((bucket) => bucket.put(object, chunks, options)),
    info: (object) => run((bucket) => bucket.info(object)),
    async *get(object, options) {
      const plane = present();
      try {
        yield* plane.objects(name).get(object, options);
      } catch (error) {
        throw cutOff(present, plane, error);
      }
    },
    delete: (object) => run((bucket) => bucket.delete(object)),
    list: () => run((bucket) => bucket.list()),
  };
}

export function createLiveDurable(present: PresentPlane, watches: LiveWatches): DurablePlane {
  return {
    ensureStream: (spec, options) => onPresent(present, (plane) => plane.ensureStream(spec, options)),
    streams: () => onPresent(present, (plane) => plane.streams()),
    stream: (name) => liveStream(present, name),
    deleteStream: (name) => onPresent(present, (plane) => plane.deleteStream(name)),
    append: (subject, data, options) => onPresent(present, (plane) => plane.append(subject, data, options)),
    async ensureKeyValue(spec, options) {
      const outcome = await onPresent(present, (plane) => plane.ensureKeyValue(spec, options));
      if (options?.dryRun !== true) watches.arrived(spec.name);
      return outcome;
    },
    keyValue: (name) => liveKeyValue(present, name, watches),
    limits: () => onPresent(present, (plane) => plane.limits()),
    ensureObjects: (name, options) => onPresent(present, (plane) => plane.ensureObjects(name, options)),
    objects: (name) => liveObjects(present, name),
  };
}
