/**
 * A peer's end of the bus over its private channel (protocol.md §5).
 * Law: at most 1 MiB waits unacknowledged before `whenWritable` holds the publisher; what is pushed past 4 MiB is dropped and counted.
 */
import { createDisposer } from '../../../shared/base/disposer.ts';
import { VakError } from '../../../shared/base/vak-error.ts';
import { checkPattern, checkSubject } from '../../../shared/protocol/subject.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Bus, Message, Subscription } from '../bus.ts';
import { type BusCounters, countPublished, createBusCounters, toBusMetrics } from '../bus-counters.ts';
import { checkMessageSize } from '../check-message.ts';
import { createPendingRequest, type PendingRequest } from '../pending-request.ts';
import { createSubscriptionSink, deliverTo, type SubscriptionSink } from '../subscription-sink.ts';
import {
  type HostFrame,
  hardLimitBytes,
  type PeerFrame,
  readHostFrame,
  type WireMessage,
  weightOf,
  windowBytes,
} from './channel-frames.ts';
import type { ChannelPort } from './channel-port.ts';

/** Bound at main for a subscription that is delivered inline here. */
const inlineCapacity = 1024;

/** What a peer's bus is made of. */
export interface ChannelBusDeps {
  readonly port: ChannelPort;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Where it counts; others may add to it. */
  readonly counters?: BusCounters;
}

/** Creates the peer's bus; it closes by itself when the other side has gone. */
export function createChannelBus(deps: ChannelBusDeps): Bus {
  const { port, clock, logger, counters = createBusCounters(deps.clock) } = deps;
  const held = createDisposer();
  const sinks = new Map<number, SubscriptionSink>();
  const requests = new Map<number, PendingRequest>();
  let writers: { resolve: () => void; reject: (error: VakError) => void }[] = [];
  let unacknowledged = 0;
  let nextId = 1;
  let isClosed = false;

  const post = (frame: PeerFrame): void => port.post(frame);
  const closedError = (doing: string): VakError => new VakError('closed', `${doing}: the channel to the bus is closed`);
  const checkOpen = (doing: string): void => {
    if (isClosed) throw closedError(doing);
  };

  function end(): void {
    if (isClosed) return;
    isClosed = true;
    held.dispose();
    for (const request of [...requests.values()]) request.dispose();
    for (const sink of sinks.values()) sink.stop();
    sinks.clear();
    const waiting = writers;
    writers = [];
    for (const writer of waiting) writer.reject(closedError('publish'));
  }

  function onCredit(bytes: number): void {
    unacknowledged = Math.max(0, unacknowledged - bytes);
    if (unacknowledged > windowBytes) return;
    const waiting = writers;
    writers = [];
    for (const writer of waiting) writer.resolve();
  }

  function toMessage({ subject, data, request }: WireMessage): Message {
    if (request === undefined) return { subject, data };
    return { subject, data, respond: (answer) => post({ kind: 'respond', id: request, data: answer }) };
  }

  async function onBatch(id: number, messages: readonly WireMessage[], dropped: number): Promise<void> {
    const sink = sinks.get(id);
    if (sink === undefined) return;
    sink.countDrops(dropped);
    for (const wire of messages) {
      counters.receivedCount++;
      counters.receivedBytes += wire.data.length;
      deliverTo([sink], toMessage(wire));
    }
    await sink.drain();
    post({ kind: 'batch-done', id });
  }

  function onFrame(frame: HostFrame): void {
    if (frame.kind === 'credit') onCredit(frame.bytes);
    else if (frame.kind === 'batch') void onBatch(frame.id, frame.messages, frame.dropped);
    else if (frame.kind === 'reply') requests.get(frame.id)?.resolve(frame.data);
    else requests.get(frame.id)?.reject(VakError.fromShape(frame.error));
  }

  held.add(
    port.onMessage((value) => {
      const reading = readHostFrame(value);
      if (typeof reading === 'object') onFrame(reading.frame);
      else if (reading === 'malformed') logger.warn('channel.malformed-frame', { side: 'peer' });
    }),
  );
  held.add(port.onClose(end));

  return {
    publish(subject, data) {
      checkOpen(`publish ${subject}`);
      checkMessageSize(subject, data);
      checkSubject(subject);
      countPublished(counters, data.length);
      const weight = weightOf({ subject, data });
      if (unacknowledged + weight > hardLimitBytes) {
        counters.droppedCount++;
        return;
      }
      unacknowledged += weight;
      post({ kind: 'publish', subject, data });
    },
    subscribe(pattern, delivery): Subscription {
      checkOpen(`subscribe ${pattern}`);
      const sink = createSubscriptionSink(delivery, { pattern: checkPattern(pattern), counters, clock, logger });
      const id = nextId++;
      sinks.set(id, sink);
      const isInline = delivery.kind === 'inline';
      post({
        kind: 'subscribe',
        id,
        pattern,
        policy: isInline ? 'drop-oldest' : delivery.kind,
        capacity: isInline ? inlineCapacity : delivery.capacity,
      });
      return {
        stats: () => sink.stats(),
        dispose() {
          if (!sinks.delete(id)) return;
          sink.stop();
          post({ kind: 'unsubscribe', id });
        },
      };
    },
    async request(subject, data, options) {
      checkOpen(`request ${subject}`);
      checkMessageSize(subject, data);
      checkSubject(subject);
      const id = nextId++;
      const request = createPendingRequest(subject, { ...options, clock }, () => {
        if (requests.delete(id) && !isClosed) post({ kind: 'request-abort', id });
      });
      requests.set(id, request);
      post({ kind: 'request', id, subject, data, timeoutMs: options.timeoutMs });
      countPublished(counters, data.length);
      return request.answer;
    },
    whenWritable() {
      if (isClosed) return Promise.reject(closedError('publish'));
      if (unacknowledged <= windowBytes) return Promise.resolve();
      return new Promise((resolve, reject) => writers.push({ resolve, reject }));
    },
    metrics: () => toBusMetrics(counters, new Set(sinks.values())),
    async close() {
      await Promise.all(Array.from(sinks.values(), (sink) => sink.drain()));
      end();
      port.close();
    },
  };
}
