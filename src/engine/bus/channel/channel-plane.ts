/**
 * A peer's durable plane over its private channel (protocol.md B3–B5).
 * Law: what a promise acknowledges main's engine has acknowledged; a channel that closes ends everything with `closed`.
 */
import { checkSubject } from '../../../shared/protocol/subject.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import { checkMessageSize } from '../check-message.ts';
import type { Consumer, Delivery, DurablePlane, Stream } from '../durable.ts';
import { type ChannelCalls, createChannelCalls } from './channel-calls.ts';
import { createChannelObjects } from './channel-objects.ts';
import type { ChannelPort } from './channel-port.ts';
import { createChannelValues } from './channel-values.ts';
import type { CallOf, WireDelivery } from './durable-calls.ts';

/** What a peer's durable plane is made of. */
export interface ChannelPlaneDeps {
  readonly port: ChannelPort;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface ChannelPlane {
  readonly durable: DurablePlane;
  /** Ends everything with `closed`; the port stays open. Deliveries that were not ended come again after their ack wait. */
  close(): void;
}

/** One end: what comes later shares it, unless it failed. */
function toDelivery(calls: ChannelCalls, { delivery, message, deliveryCount }: WireDelivery): Delivery {
  let ending: Promise<void> | undefined;
  function end(call: CallOf<'ack' | 'nak' | 'term'>): Promise<void> {
    ending ??= calls.ask(call).catch((error: unknown) => {
      ending = undefined;
      throw error;
    });
    return ending;
  }
  return {
    message,
    deliveryCount,
    ack: () => end({ method: 'ack', delivery }),
    nak: (delayMs) => end({ method: 'nak', delivery, ...(delayMs === undefined ? {} : { delayMs }) }),
    term: () => end({ method: 'term', delivery }),
    async working() {
      if (ending === undefined) await calls.ask({ method: 'working', delivery });
    },
  };
}

function createChannelConsumer(calls: ChannelCalls, stream: string, consumer: string): Consumer {
  return {
    async pull({ batch, waitMs, signal }) {
      const pulled = await calls.ask({ method: 'pull', stream, consumer, batch, waitMs }, { signal });
      return pulled.map((delivery) => toDelivery(calls, delivery));
    },
    state: () => calls.ask({ method: 'consumer-state', stream, consumer }),
  };
}

function createChannelStream(calls: ChannelCalls, stream: string): Stream {
  return {
    state: () => calls.ask({ method: 'stream-state', stream }),
    count: (subject) => calls.ask({ method: 'stream-count', stream, subject }),
    get: (seq) => calls.ask({ method: 'stream-get', stream, seq }),
    last: (subject) => calls.ask({ method: 'stream-last', stream, subject }),
    read: ({ signal, ...options }) => calls.ask({ method: 'stream-read', stream, options }, { signal }),
    delete: (seq) => calls.ask({ method: 'stream-delete', stream, seq }),
    purge: (subject, upToSeq) =>
      calls.ask({
        ...{ method: 'stream-purge', stream },
        ...(subject === undefined ? {} : { subject }),
        ...(upToSeq === undefined ? {} : { upToSeq }),
      }),
    async ensureConsumer(spec) {
      await calls.ask({ method: 'ensure-consumer', stream, spec });
      return createChannelConsumer(calls, stream, spec.name);
    },
    consumer: (name) => createChannelConsumer(calls, stream, name),
    consumers: () => calls.ask({ method: 'consumers', stream }),
    deleteConsumer: (consumer) => calls.ask({ method: 'delete-consumer', stream, consumer }),
  };
}

/** Creates the peer's durable plane; it closes by itself when the other side has gone. */
export function createChannelPlane({ port, clock, logger }: ChannelPlaneDeps): ChannelPlane {
  const calls = createChannelCalls({ port, logger });
  const durable: DurablePlane = {
    limits: () => calls.ask({ method: 'limits' }),
    ensureStream: (spec, options = {}) => calls.ask({ method: 'ensure-stream', spec, options }),
    streams: () => calls.ask({ method: 'streams' }),
    stream: (name) => createChannelStream(calls, name),
    deleteStream: (stream) => calls.ask({ method: 'delete-stream', stream }),
    async append(subject, data, { signal, ...options } = {}) {
      checkSubject(subject);
      checkMessageSize(subject, data);
      return calls.ask({ method: 'append', subject, data, options }, { signal });
    },
    ensureKeyValue: (spec, options = {}) => calls.ask({ method: 'ensure-values', spec, options }),
    keyValue: (bucket) => createChannelValues({ calls, clock, logger }, bucket),
    ensureObjects: (bucket, options = {}) => calls.ask({ method: 'ensure-objects', bucket, options }),
    objects: (bucket) => createChannelObjects(calls, bucket),
  };
  return { durable, close: calls.close };
}
