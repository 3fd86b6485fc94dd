/**
 * The live plane on core NATS (protocol.md B1, B2, B5, B8).
 * Law: what is published while there is no connection is dropped and counted, never queued; subscriptions live through outages.
 */
import { createDisposer } from '../../../shared/base/disposer.ts';
import { VakError } from '../../../shared/base/vak-error.ts';
import { requestMark } from '../../../shared/protocol/reader-names.ts';
import { checkPattern, checkSubject, matches } from '../../../shared/protocol/subject.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Randomness } from '../../ports/randomness.ts';
import { type Bus, maxMessageBytes, type Subscription } from '../bus.ts';
import { type BusCounters, countPublished, createBusCounters, toBusMetrics } from '../bus-counters.ts';
import { checkMessageSize } from '../check-message.ts';
import { createSubscriptionSink, type SubscriptionSink } from '../subscription-sink.ts';
import type { NatsConnection } from './nats-connection.ts';
import { deniedError } from './nats-errors.ts';
import { createInflow } from './nats-inflow.ts';
import type { Denied } from './nats-options.ts';
import { createOutflow } from './nats-outflow.ts';
import { createRequests } from './nats-requests.ts';

/** How long `close` waits for the server, and then for subscribers that are at work. */
const drainLimitMs = 2_000;
/** Subjects that are remembered as checked and as published by this bus. */
const maxKnownSubjects = 4_096;
/** Of a message on the wire besides its data. */
const frameBytes = 32;

export interface NatsBusDeps {
  readonly connection: NatsConnection;
  readonly inboxPrefix: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly randomness: Randomness;
  /** Where it counts; others may add to it. */
  readonly counters?: BusCounters;
  /** What the server refused when no caller waits for it. */
  readonly onError?: ((error: VakError) => void) | undefined;
}

function withinMs(clock: Clock, limitMs: number, work: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const timer = clock.setTimer(limitMs, resolve);
    const done = (): void => {
      timer.dispose();
      resolve();
    };
    work.then(done, done);
  });
}

/** Subjects that fit the table and were published; forgets all when there are too many. */
function createKnownSubjects() {
  const known = new Set<string>();
  return {
    check(subject: string): void {
      if (known.has(subject)) return;
      checkSubject(subject);
      if (known.size >= maxKnownSubjects) known.clear();
      known.add(subject);
    },
    has: (subject: string) => known.has(subject),
  };
}

/** Creates the bus on a connection, which stays open when the bus is closed. */
export function createNatsBus(deps: NatsBusDeps): Bus {
  const { connection, clock, logger, randomness, counters = createBusCounters(deps.clock), onError } = deps;
  const { client } = connection;
  const held = createDisposer();
  const subjects = createKnownSubjects();
  const sinks = new Set<SubscriptionSink>();
  const requests = createRequests({
    ...{ connection, clock, randomness, prefix: `${deps.inboxPrefix}.${requestMark}` },
    onSent: (sizeBytes) => countPublished(counters, sizeBytes),
  });
  const outflow = createOutflow({ clock, isUp: connection.isUp, confirm: () => client.flush() });
  let isClosed = false;

  function checkOpen(doing: string): void {
    if (isClosed || client.isClosed()) throw new VakError('closed', `${doing}: the bus is closed`);
  }
  function checkSize(subject: string, data: Uint8Array): void {
    checkMessageSize(subject, data);
    const limit = connection.info().max_payload;
    if (data.length <= limit || limit >= maxMessageBytes) return;
    const message = `publish ${subject}: ${data.length} bytes, the server takes ${limit}; send a reference, or raise max_payload`;
    throw new VakError('limit-exceeded', message, { details: { sizeBytes: data.length, limitBytes: limit } });
  }
  /** Hands it to the socket, or drops and counts it. */
  function send(subject: string, data: Uint8Array): void {
    const bytes = subject.length + data.length + frameBytes;
    if (!connection.isUp() || !outflow.hasRoom(bytes)) {
      counters.droppedCount++;
      return;
    }
    client.publish(subject, data);
    outflow.add(bytes);
  }
  const inflow = createInflow({
    client,
    logger,
    respond(reply, data) {
      if (isClosed || client.isClosed()) return;
      checkSize('an answer', data);
      send(reply, data);
    },
    onMessage({ data }, listeners) {
      counters.receivedCount += listeners;
      counters.receivedBytes += data.length * listeners;
    },
  });

  const isSubscribed = (subject: string): boolean =>
    Array.from(sinks, (sink) => sink.stats().pattern).some((own) => own === subject || matches(own, subject));

  function onDenied({ operation, subject }: Denied): void {
    if (subject === undefined) {
      onError?.(new VakError('unauthorized', `${operation}: the server does not let these credentials; see its log`));
      return;
    }
    if (operation === 'publish') {
      // What others publish over this connection is theirs to hear of.
      if (requests.deny(subject) || !subjects.has(subject)) return;
      counters.droppedCount++;
    } else if (!isSubscribed(subject)) return;
    onError?.(deniedError(operation, subject));
  }
  held.add(connection.onDenied(onDenied));
  held.add(connection.onLost(() => outflow.reset()));
  held.add(connection.onUp(() => inflow.renew()));
  // Refused for good: nobody may wait for it any longer.
  void client.closed().then(() => {
    requests.dispose();
    outflow.dispose();
  });

  return {
    publish(subject, data) {
      if (isClosed || client.isClosed()) checkOpen(`publish ${subject}`);
      checkSize(subject, data);
      subjects.check(subject);
      countPublished(counters, data.length);
      send(subject, data);
    },
    subscribe(pattern, delivery): Subscription {
      checkOpen(`subscribe ${pattern}`);
      const sink = createSubscriptionSink(delivery, { pattern: checkPattern(pattern), counters, clock, logger });
      const end = inflow.add(pattern, sink);
      sinks.add(sink);
      return {
        stats: () => sink.stats(),
        dispose() {
          if (!sinks.delete(sink)) return;
          end();
          sink.stop();
        },
      };
    },
    async request(subject, data, options) {
      checkOpen(`request ${subject}`);
      checkSize(subject, data);
      subjects.check(subject);
      return requests.ask(subject, data, options);
    },
    whenWritable: () => outflow.whenWritable(),
    metrics: () => toBusMetrics(counters, sinks),
    async close() {
      if (isClosed) return;
      isClosed = true;
      if (connection.isUp()) await withinMs(clock, drainLimitMs, Promise.all([inflow.drain(), client.flush()]));
      await withinMs(clock, drainLimitMs, Promise.all(Array.from(sinks, (sink) => sink.drain())));
      inflow.dispose();
      requests.dispose();
      outflow.dispose();
      for (const sink of sinks) sink.stop();
      sinks.clear();
      held.dispose();
    },
  };
}
