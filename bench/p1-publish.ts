/** P1: publish on an exact subject through the real bus, against a bare map with a loop, eventemitter2 and nats.js. */
import EventEmitter2 from 'eventemitter2';
import { connect } from 'nats';
import { createMemoryBus } from '../src/engine/bus/memory/memory-bus.ts';
import { type NatsServer, startNatsServer } from '../tests/support/nats-server.ts';
import { payload, ports, tokensSubject } from './engines.ts';
import type { Comparison, Group, Side } from './rounds.ts';
import { asyncRateOf, createArrivals, rateOf } from './timed-work.ts';

const unit = 'deliveries/s';
/** Publishes between two looks at the clock, and between two turns of the loop for what is buffered. */
const burst = 256;
const subscriberCounts = [8, 100] as const;

interface Counter {
  readonly receive: () => void;
  count(): number;
}

function createCounter(): Counter {
  let received = 0;
  return {
    receive: () => {
      received++;
    },
    count: () => received,
  };
}

/** Publishes in bursts, and looks that each subscriber got each message. */
function burstSide(subscribers: number, counters: readonly Counter[], publish: () => void): Side {
  return {
    unit,
    async measure() {
      const before = counters.reduce((sum, counter) => sum + counter.count(), 0);
      let published = 0;
      const rate = rateOf(() => {
        for (let at = 0; at < burst; at++) publish();
        published += burst;
      }, burst * subscribers);
      const received = counters.reduce((sum, counter) => sum + counter.count(), -before);
      if (received !== published * subscribers) throw new Error(`${received} deliveries of ${published} publishes`);
      return rate;
    },
  };
}

const countersFor = (subscribers: number): Counter[] => Array.from({ length: subscribers }, createCounter);

function bareSide(subscribers: number): Side {
  const counters = countersFor(subscribers);
  type Handler = (subject: string, data: Uint8Array) => void;
  const handlers = new Map<string, Handler[]>([[tokensSubject, counters.map(({ receive }) => receive)]]);
  return burstSide(subscribers, counters, () => {
    const found = handlers.get(tokensSubject);
    if (found !== undefined) for (const handler of found) handler(tokensSubject, payload);
  });
}

function callbackSide(subscribers: number): Side {
  const counters = countersFor(subscribers);
  const bus = createMemoryBus(ports);
  for (const { receive } of counters) bus.subscribe(tokensSubject, { kind: 'inline', onMessage: receive });
  return burstSide(subscribers, counters, () => bus.publish(tokensSubject, payload));
}

function bufferedSide(subscribers: number): Side {
  const bus = createMemoryBus(ports);
  const arrivals = createArrivals('buffered deliveries');
  for (let at = 0; at < subscribers; at++) {
    bus.subscribe(tokensSubject, {
      ...{ kind: 'drop-oldest', capacity: burst },
      onBatch(messages, dropped) {
        if (dropped > 0) throw new Error(`${dropped} messages gave way`);
        arrivals.count(messages.length);
      },
    });
  }
  return {
    unit,
    measure: () =>
      asyncRateOf(async () => {
        for (let at = 0; at < burst; at++) bus.publish(tokensSubject, payload);
        await arrivals.next(burst * subscribers);
      }, burst * subscribers),
  };
}

function emitterSide(subscribers: number): Side {
  const counters = countersFor(subscribers);
  const emitter = new EventEmitter2({ wildcard: true, delimiter: '.', maxListeners: 0 });
  for (const { receive } of counters) emitter.on(tokensSubject, receive);
  return burstSide(subscribers, counters, () => emitter.emit(tokensSubject, payload));
}

async function natsSide(server: NatsServer, subscribers: number): Promise<Side & { close(): Promise<void> }> {
  const [publisher, subscriber] = await Promise.all([
    connect({ servers: server.url }),
    connect({ servers: server.url }),
  ]);
  const arrivals = createArrivals('nats.js deliveries');
  const subject = `${tokensSubject}.${subscribers}`;
  for (let at = 0; at < subscribers; at++) subscriber.subscribe(subject, { callback: () => arrivals.count() });
  await subscriber.flush();
  // Enough on the way that a round trip a burst does not count.
  const publishes = Math.ceil(20_000 / subscribers);
  return {
    unit,
    measure: () =>
      asyncRateOf(async () => {
        for (let at = 0; at < publishes; at++) publisher.publish(subject, payload);
        await arrivals.next(publishes * subscribers);
      }, publishes * subscribers),
    async close() {
      await publisher.close();
      await subscriber.close();
    },
  };
}

const callbackTargets = { 8: { bare: 0.5, emitter: 5 }, 100: { bare: undefined, emitter: 1.5 } } as const;
const bufferedTargets = { 8: 0.25, 100: 0.15 } as const;

function comparisonsOf(count: (typeof subscriberCounts)[number]): Comparison[] {
  const { bare, emitter } = callbackTargets[count];
  return [
    {
      ...{ title: `callbacks, ${count} subscribers : bare map and loop`, ours: `callbacks ${count}` },
      ...{ peer: `bare ${count}`, ...(bare === undefined ? {} : { target: { atLeast: bare } }) },
    },
    {
      ...{ title: `callbacks, ${count} subscribers : eventemitter2 with wildcards`, ours: `callbacks ${count}` },
      ...{ peer: `eventemitter2 ${count}`, target: { atLeast: emitter } },
    },
    {
      ...{ title: `callbacks, ${count} subscribers : nats.js on loopback`, ours: `callbacks ${count}` },
      ...{ peer: `nats.js ${count}`, target: { atLeast: 50 } },
    },
    {
      ...{ title: `buffered, ${count} subscribers : bare map and loop`, ours: `buffered ${count}` },
      ...{ peer: `bare ${count}`, target: { atLeast: bufferedTargets[count] } },
    },
    {
      ...{ title: `buffered, ${count} subscribers : nats.js on loopback`, ours: `buffered ${count}` },
      ...{ peer: `nats.js ${count}`, target: { atLeast: 50 } },
    },
  ];
}

export async function openPublishGroup(): Promise<Group> {
  const server = await startNatsServer({ jetStream: false });
  const nats = await Promise.all(subscriberCounts.map((count) => natsSide(server, count)));
  const sides = subscriberCounts.flatMap((count, at): [string, Side | undefined][] => [
    [`callbacks ${count}`, callbackSide(count)],
    [`bare ${count}`, bareSide(count)],
    [`eventemitter2 ${count}`, emitterSide(count)],
    [`nats.js ${count}`, nats[at]],
    [`buffered ${count}`, bufferedSide(count)],
  ]);
  return {
    plan: 'P1',
    sides: Object.fromEntries(sides.filter((side): side is [string, Side] => side[1] !== undefined)),
    comparisons: subscriberCounts.flatMap(comparisonsOf),
    async close() {
      for (const side of nats) await side.close();
      await server.stop();
    },
  };
}
