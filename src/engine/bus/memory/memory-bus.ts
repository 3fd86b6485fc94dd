/**
 * The embedded engine's ephemeral plane (protocol.md B1, B2, B5, B7).
 * Law: a publish made by a subscriber waits for the one that it saw, so that everybody sees one order.
 */
import { createRingBuffer } from '../../../shared/base/ring-buffer.ts';
import { isVakError, VakError } from '../../../shared/base/vak-error.ts';
import { checkPattern, checkSubject } from '../../../shared/protocol/subject.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Bus, Message, Subscription } from '../bus.ts';
import { countPublished, createBusCounters, toBusMetrics } from '../bus-counters.ts';
import { checkMessageSize } from '../check-message.ts';
import { createPendingRequest, type PendingRequest } from '../pending-request.ts';
import { createSubscriptionSink, deliverTo, type SubscriptionSink } from '../subscription-sink.ts';
import { createSubjectRouter } from './subject-router.ts';

/** Most messages that subscribers may publish from inside one delivery. */
const maxNestedPublishes = 65_536;

/** How long `close` waits for subscribers that are at work. */
const drainLimitMs = 2_000;

function withinMs(clock: Clock, limitMs: number, work: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const timer = clock.setTimer(limitMs, resolve);
    void work.then(() => {
      timer.dispose();
      resolve();
    });
  });
}

/** What the embedded bus is made of. */
export interface MemoryBusDeps {
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Creates an embedded bus; it holds nothing outside this process. */
export function createMemoryBus({ clock, logger }: MemoryBusDeps): Bus {
  const router = createSubjectRouter<SubscriptionSink>(checkSubject);
  const sinks = new Set<SubscriptionSink>();
  const requests = new Set<PendingRequest>();
  const counters = createBusCounters(clock);
  const nested = createRingBuffer<Message>(maxNestedPublishes);
  let isDelivering = false;
  let isClosed = false;

  function checkOpen(doing: string): void {
    if (isClosed) throw new VakError('closed', `${doing}: the bus is closed`);
  }

  function deliver(message: Message, targets: readonly SubscriptionSink[]): void {
    const size = message.data.length;
    countPublished(counters, size);
    counters.receivedCount += targets.length;
    counters.receivedBytes += size * targets.length;
    deliverTo(targets, message);
  }

  function send(message: Message, targets: readonly SubscriptionSink[]): void {
    if (isDelivering) {
      if (nested.size === nested.capacity) {
        throw new VakError('limit-exceeded', `publish ${message.subject}: ${nested.capacity} publishes wait already`);
      }
      nested.push(message);
      return;
    }
    isDelivering = true;
    try {
      deliver(message, targets);
      while (nested.size > 0) {
        const next = nested.shift() as Message;
        deliver(next, router.route(next.subject));
      }
    } finally {
      isDelivering = false;
    }
  }

  return {
    publish(subject, data) {
      if (isClosed) checkOpen(`publish ${subject}`);
      checkMessageSize(subject, data);
      const targets = router.route(subject);
      send({ subject, data }, targets);
    },
    subscribe(pattern, delivery): Subscription {
      checkOpen(`subscribe ${pattern}`);
      const sink = createSubscriptionSink(delivery, { pattern: checkPattern(pattern), counters, clock, logger });
      const remove = router.add(pattern, sink);
      sinks.add(sink);
      return {
        stats: () => sink.stats(),
        dispose() {
          if (!sinks.delete(sink)) return;
          remove();
          sink.stop();
        },
      };
    },
    async request(subject, data, options) {
      checkOpen(`request ${subject}`);
      checkMessageSize(subject, data);
      const targets = router.route(subject);
      if (targets.length === 0) {
        countPublished(counters, data.length);
        throw new VakError('no-responders', `request ${subject}: nobody listens there`, { retryable: true });
      }
      const request = createPendingRequest(subject, { ...options, clock }, (ended) => requests.delete(ended));
      requests.add(request);
      try {
        send({ subject, data, respond: (answer) => request.resolve(answer) }, targets);
      } catch (thrown) {
        request.reject(isVakError(thrown) ? thrown : new VakError('internal', `request ${subject}: could not be sent`));
      }
      return request.answer;
    },
    whenWritable: () => (isClosed ? Promise.reject(new VakError('closed', 'the bus is closed')) : Promise.resolve()),
    metrics: () => toBusMetrics(counters, sinks),
    async close() {
      if (isClosed) return;
      isClosed = true;
      await withinMs(clock, drainLimitMs, Promise.all(Array.from(sinks, (sink) => sink.drain())));
      for (const request of [...requests]) request.dispose();
      for (const sink of sinks) sink.stop();
      sinks.clear();
    },
  };
}
