import { describe, expect, it } from 'vitest';
import { toText, utf8 } from '../../shared/base/bytes.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import { createSystemClock } from '../ports/clock.ts';
import { createFakeClock } from '../ports/fake-clock.ts';
import { createSilentLogger } from '../ports/logger.ts';
import type { Bus, BusMetrics } from './bus.ts';
import { defineBusLaws } from './bus-laws.ts';
import { createLiveBus } from './live-bus.ts';
import { createMemoryBus } from './memory/memory-bus.ts';

const subject = 'vak.events.ws.s1.tokens';
const control = 'vak.control.ws.service.ask';
const logger = createSilentLogger();
const clock = createSystemClock();
const openEngine = (): Bus => createMemoryBus({ clock, logger });
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function settle(): Promise<void> {
  for (let i = 0; i < 4; i++) await turn();
}

const counts = ({ publishedCount, receivedCount, publishedBytes, receivedBytes, droppedCount }: BusMetrics) => [
  publishedCount,
  receivedCount,
  publishedBytes,
  receivedBytes,
  droppedCount,
];

/** A handler that works on its first batch until it is released. */
function createSlowHandler() {
  const seen: string[] = [];
  let running = 0;
  let most = 0;
  let release: () => void = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  return {
    seen,
    release: () => release(),
    mostAtOnce: () => most,
    async onBatch(messages: readonly { readonly data: Uint8Array }[]): Promise<void> {
      running++;
      most = Math.max(most, running);
      await gate;
      seen.push(...messages.map(({ data }) => toText(data)));
      running--;
    },
  };
}

/** A bus whose engine is being exchanged while a handler works on 1; 2 was published before, 3 since. */
async function exchangeAtWork() {
  const bus = createLiveBus(openEngine());
  const slow = createSlowHandler();
  const subscription = bus.subscribe(subject, { kind: 'drop-oldest', capacity: 10, onBatch: slow.onBatch });
  bus.publish(subject, utf8('1'));
  await settle();
  bus.publish(subject, utf8('2'));
  const exchanged = bus.exchange(openEngine());
  bus.publish(subject, utf8('3'));
  await settle();
  return { bus, slow, subscription, exchanged };
}

describe('live bus, never exchanged', () => {
  defineBusLaws(it, async () => {
    const bus = createLiveBus(openEngine());
    return { bus, settle, close: () => bus.close() };
  });
});

describe('live bus, exchanged before', () => {
  defineBusLaws(it, async () => {
    const bus = createLiveBus(openEngine());
    await bus.exchange(openEngine());
    return { bus, settle, close: () => bus.close() };
  });
});

describe('live bus, exchanged at each publish', () => {
  // Whatever subscribes first lives through an exchange, and what is published meanwhile reaches it.
  defineBusLaws(it, async () => {
    const live = createLiveBus(openEngine());
    let first = true;
    const bus: Bus = {
      ...live,
      metrics: live.metrics,
      publish(to, data) {
        live.publish(to, data);
        if (first) void live.exchange(openEngine());
        first = false;
      },
    };
    return { bus, settle, close: () => live.close() };
  });
});

it('live bus: subscriptions outlive exchanges; what is published before, while and after is there, once and in order', async () => {
  const bus = createLiveBus(openEngine());
  const [inline, batched]: [string[], string[]] = [[], []];
  bus.subscribe(subject, { kind: 'inline', onMessage: ({ data }) => inline.push(toText(data)) });
  bus.subscribe('vak.events.>', {
    kind: 'drop-oldest',
    capacity: 1000,
    onBatch: (messages) => void batched.push(...messages.map(({ data }) => toText(data))),
  });
  const sent: string[] = [];
  const send = (): void => {
    sent.push(String(sent.length));
    bus.publish(subject, utf8(sent.at(-1) as string));
  };
  for (let round = 0; round < 20; round++) {
    send();
    const exchanged = bus.exchange(openEngine());
    send();
    await turn();
    send();
    if (round % 3 !== 0) await exchanged;
  }
  await settle();
  expect(inline).toEqual(sent);
  expect(batched).toEqual(sent);
  expect(counts(bus.metrics())).toEqual([60, 120, expect.any(Number), expect.any(Number), 0]);
  await bus.close();
});

it('live bus: a handler that is at work gets the next batch when it is done, in order, from either engine', async () => {
  const { bus, slow, subscription, exchanged: first } = await exchangeAtWork();
  const second = bus.exchange(openEngine());
  bus.publish(subject, utf8('4'));
  await settle();
  expect(slow.seen).toEqual([]);
  slow.release();
  await Promise.all([first, second]);
  await settle();
  expect(slow.seen).toEqual(['1', '2', '3', '4']);
  expect(slow.mostAtOnce()).toBe(1);
  expect(subscription.stats()).toMatchObject({ deliveredCount: 4, droppedCount: 0, bufferedCount: 0 });
  await bus.close();
});

it('live bus: counters never go back, also while the old engine closes, and add up', async () => {
  const time = createFakeClock();
  const engine = (): Bus => createMemoryBus({ clock: time, logger });
  const bus = createLiveBus(engine());
  const slow = createSlowHandler();
  const subscription = bus.subscribe(subject, { kind: 'drop-oldest', capacity: 2, onBatch: slow.onBatch });
  bus.subscribe('>', {
    kind: 'inline',
    onMessage: () => {
      throw new Error('subscriber');
    },
  });
  let last = [0, 0, 0, 0, 0, 0, 0];
  const look = (): void => {
    const { deliveredCount, droppedCount } = subscription.stats();
    const now = [...counts(bus.metrics()), deliveredCount, droppedCount];
    now.forEach((count, index) => {
      expect(count).toBeGreaterThanOrEqual(last[index] as number);
    });
    last = now;
  };
  const publish = (count: number): void => {
    for (let i = 0; i < count; i++) {
      bus.publish(subject, utf8('xy'));
      time.runDeferred();
      look();
    }
  };
  publish(5);
  const exchanged = bus.exchange(engine());
  look();
  publish(5);
  await settle();
  look();
  // The handler never returns: the old engine gives up after its limit, and what waited there counts as dropped.
  time.advance(2_000);
  await exchanged;
  look();
  publish(3);
  // The first one reached the handler; 2 of each engine's wait, the rest gave way.
  expect(bus.metrics().waits.count).toBe(subscription.stats().deliveredCount);
  expect(counts(bus.metrics()).slice(0, 4)).toEqual([13, 26, 26, 52]);
  const { deliveredCount, droppedCount, bufferedCount, failedCount } = subscription.stats();
  expect(deliveredCount + droppedCount + bufferedCount).toBe(13);
  expect(failedCount).toBe(0);
  expect(bus.metrics().droppedCount).toBe(droppedCount);
  expect(bus.metrics().subscriptions.map((one) => one.failedCount)).toEqual([0, 13]);
  const closed = bus.close();
  await settle();
  time.advance(2_000);
  await closed;
  look();
});

it('live bus: a request under way on the old engine is refused with closed; a new one is answered', async () => {
  const bus = createLiveBus(openEngine());
  const asked: string[] = [];
  bus.subscribe(control, {
    kind: 'inline',
    onMessage({ data, respond }) {
      asked.push(toText(data));
      if (toText(data) === 'now') respond?.(utf8('yes'));
    },
  });
  const waiting = bus.request(control, utf8('later'), { timeoutMs: 60_000 });
  const refused = expect(waiting).rejects.toMatchObject({ code: 'closed' });
  await bus.exchange(openEngine());
  await refused;
  expect(toText(await bus.request(control, utf8('now'), { timeoutMs: 5_000 }))).toBe('yes');
  expect(asked).toEqual(['later', 'now']);
  await bus.close();
});

it('live bus: a subscription that is disposed during an exchange gets nothing more, from neither engine', async () => {
  const { bus, slow, subscription, exchanged } = await exchangeAtWork();
  subscription.dispose();
  slow.release();
  await exchanged;
  bus.publish(subject, utf8('4'));
  await settle();
  expect(slow.seen).toEqual(['1']);
  expect(bus.metrics().subscriptions).toEqual([]);
  await bus.close();
});

it('live bus: once closed it takes no other engine, and closes the one that it is given', async () => {
  const bus = createLiveBus(openEngine());
  let endOld: () => void = () => {};
  bus.subscribe(subject, {
    kind: 'drop-oldest',
    capacity: 1,
    onBatch: () =>
      new Promise((resolve) => {
        endOld = resolve;
      }),
  });
  bus.publish(subject, utf8('x'));
  await settle();
  const exchanged = bus.exchange(openEngine());
  let isClosed = false;
  const closed = bus.close().then(() => {
    isClosed = true;
  });
  const late = openEngine();
  await expect(bus.exchange(late)).rejects.toMatchObject({ code: 'closed' });
  expect(() => late.publish(subject, utf8('x'))).toThrow(/closed/);
  await settle();
  // The old engine still waits for its subscriber: closing waits for both.
  expect(isClosed).toBe(false);
  endOld();
  await Promise.all([exchanged, closed]);
});

it('live bus: an engine that takes not every subscription changes nothing, and is closed', async () => {
  const bus = createLiveBus(openEngine());
  let seen = 0;
  bus.subscribe(subject, { kind: 'inline', onMessage: () => seen++ });
  bus.subscribe(control, { kind: 'inline', onMessage: () => {} });
  const next = openEngine();
  let count = 0;
  const failing: Bus = {
    ...next,
    subscribe(pattern, delivery) {
      if (++count === 2) throw new TypeError('no');
      return next.subscribe(pattern, delivery);
    },
  };
  await expect(bus.exchange(failing)).rejects.toThrow(TypeError);
  bus.publish(subject, utf8('x'));
  expect(seen).toBe(1);
  try {
    next.publish(subject, utf8('x'));
    expect.unreachable();
  } catch (error) {
    expect(isVakError(error, 'closed')).toBe(true);
  }
  await bus.close();
});
