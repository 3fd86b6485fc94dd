import { afterEach, expect, it } from 'vitest';
import {
  createFabricFixture,
  media,
  oneChunk,
  provision,
  readText,
  receiptSubject,
  storedIn,
  taskSubject,
  turns,
  values,
  workConsumer,
} from '../../../tests/support/fabric-fixture.ts';
import { toText, utf8 } from '../../shared/base/bytes.ts';
import { toDisposable } from '../../shared/base/disposer.ts';
import type { BusStatus } from '../bus/bus-status.ts';
import type { Fabric } from '../bus/fabric.ts';
import { createEmbeddedFabric } from '../bus/memory/embedded-fabric.ts';
import { createFakeClock } from '../ports/fake-clock.ts';
import { createSilentLogger } from '../ports/logger.ts';
import { createSeededRandomness } from '../ports/randomness.ts';
import { createLiveFabric, type LiveFabric } from './live-fabric.ts';

const logger = createSilentLogger();
const fixture = createFabricFixture();
const lives: LiveFabric[] = [];
afterEach(async () => {
  for (const live of lives.splice(0)) await live.close();
  await fixture.end();
});

function liveOn(first: Fabric): LiveFabric {
  const live = createLiveFabric(first, { logger });
  lives.push(live);
  return live;
}

/** An engine whose status a test plays; `listeners` are those that it still has. */
function withStatus(fabric: Fabric, first: BusStatus) {
  const listeners = new Set<(status: BusStatus) => void>();
  let status = first;
  const played: Fabric = {
    ...fabric,
    status: () => status,
    onStatus(listener) {
      listeners.add(listener);
      return toDisposable(() => listeners.delete(listener));
    },
  };
  return {
    fabric: played,
    listeners,
    say(next: BusStatus) {
      status = next;
      for (const listener of [...listeners]) listener(next);
    },
  };
}

const connected = (sinceMs: number, server = 's'): BusStatus => ({ kind: 'connected', sinceMs, server, rttMs: null });
const reconnecting = (sinceMs: number): BusStatus => ({ kind: 'reconnecting', sinceMs, attempt: 1, error: null });

it('W10 counts of both engines add up across an exchange, what was appended and what waits too', async () => {
  const live = liveOn(await fixture.openProvisioned());
  const batched = live.bus.subscribe('vak.>', { kind: 'drop-oldest', capacity: 2, onBatch() {} });
  const say = async (appends: number, publishes: number): Promise<void> => {
    for (let i = 0; i < appends; i++) await live.durable.append(receiptSubject, utf8('123'), { messageId: `m${i}` });
    await turns();
    for (let i = 0; i < publishes; i++) live.bus.publish('vak.events.ws.s.tokens', utf8('12'));
  };
  await say(2, 3);
  await live.exchange(await fixture.openProvisioned());
  await say(1, 5);
  await turns();
  const { publishedCount, publishedBytes, receivedCount, receivedBytes, droppedCount, waits } = live.bus.metrics();
  expect([publishedCount, publishedBytes, receivedCount, receivedBytes]).toEqual([11, 25, 11, 25]);
  // Of three, and of five, two were kept.
  expect([droppedCount, waits.count]).toEqual([4, 7]);
  expect(batched.stats()).toMatchObject({ deliveredCount: 7, droppedCount: 4, bufferedCount: 0 });
});

it('B1 subscriptions outlive an exchange, and the durable plane is that of the present engine', async () => {
  const live = liveOn(await fixture.openProvisioned());
  const heard: string[] = [];
  live.bus.subscribe('vak.>', { kind: 'inline', onMessage: ({ data }) => heard.push(toText(data)) });
  const stream = live.durable.stream('VAK_RECEIPTS_ws');
  const bucket = live.durable.keyValue(values);
  const objects = live.durable.objects(media);
  await live.durable.append(receiptSubject, utf8('first'));
  await bucket.put('k', utf8('old'));
  await objects.put('o', oneChunk('old'));
  await live.exchange(await fixture.openProvisioned());
  expect((await stream.state()).messageCount).toBe(0);
  expect([await bucket.get('k'), await objects.info('o')]).toEqual([undefined, undefined]);
  await live.durable.append(receiptSubject, utf8('second'));
  await objects.put('o', oneChunk('new'));
  live.bus.publish('vak.events.ws.s.tokens', utf8('live'));
  expect((await storedIn(live)).map(({ data }) => toText(data))).toEqual(['second']);
  expect(await readText(objects.get('o'))).toBe('new');
  expect(heard).toEqual(['first', 'second', 'live']);
  expect(live.facts().kind).toBe('embedded');
  expect(await live.ping()).toBeGreaterThanOrEqual(0);
});

it('B4 a consumer’s handle finds its consumer at each call; what an exchange cuts off is disconnected, not closed', async () => {
  const live = liveOn(await fixture.openProvisioned());
  const consumer = await live.durable.stream('VAK_WORK_ws').ensureConsumer(workConsumer);
  await live.durable.append(taskSubject, utf8('old'));
  const [claimed] = await consumer.pull({ batch: 1, waitMs: 0 });
  const waiting = consumer.pull({ batch: 1, waitMs: 60_000 }).catch((error: unknown) => error);
  await turns();
  await live.exchange(await fixture.openProvisioned());
  expect(await waiting).toMatchObject({ code: 'disconnected', retryable: true });
  await expect(claimed?.ack()).rejects.toMatchObject({ code: 'disconnected' });
  await live.durable.stream('VAK_WORK_ws').ensureConsumer(workConsumer);
  await live.durable.append(taskSubject, utf8('new'));
  const [next] = await consumer.pull({ batch: 1, waitMs: 0 });
  expect(toText(next?.message.data ?? utf8(''))).toBe('new');
  await next?.ack();
  expect(await consumer.state()).toMatchObject({ pendingCount: 0, inFlightCount: 0 });
});

it('B5 a watch follows to the next engine: it is ready once, hears of new values, and of what is not there any more', async () => {
  const [first, second, third] = [
    await fixture.openProvisioned(),
    await fixture.openProvisioned(),
    await fixture.open(),
  ];
  await first.durable.keyValue(values).put('both', utf8('1'));
  await first.durable.keyValue(values).put('gone', utf8('1'));
  await second.durable.keyValue(values).put('both', utf8('2'));
  const live = liveOn(first);
  const told: string[] = [];
  const watch = live.durable.keyValue(values).watch(
    ({ key, entry }) => told.push(`${key} ${entry === undefined ? 'deleted' : toText(entry.value)}`),
    () => told.push('ready'),
  );
  await turns(10);
  expect(told.splice(0)).toEqual(['both 1', 'gone 1', 'ready']);
  await live.exchange(second);
  await turns(10);
  expect(told.splice(0)).toEqual(['both 2', 'gone deleted']);
  await live.exchange(third);
  await turns(10);
  expect(told.splice(0)).toEqual(['both deleted']);
  await live.durable.ensureKeyValue({ name: values, history: 1 });
  await live.durable.keyValue(values).put('late', utf8('3'));
  await turns(10);
  expect(told.splice(0)).toEqual(['late 3']);
  watch.dispose();
  await live.durable.keyValue(values).put('late', utf8('4'));
  await turns(10);
  expect(told).toEqual([]);
});

it('B5 a watch hears nothing of a former engine any more, also while that one closes', async () => {
  const [first, second] = [await fixture.openProvisioned(), await fixture.openProvisioned()];
  const live = liveOn(first);
  const told: string[] = [];
  live.durable.keyValue(values).watch(({ key }) => told.push(key));
  await turns(10);
  const leaving = first.durable.keyValue(values).put('late', utf8('x'));
  const exchanging = live.exchange(second);
  await Promise.all([leaving, exchanging]);
  expect(told).toEqual([]);
});

it('B8 status is one union over engines: each change once, the end of a former engine is none', async () => {
  const one = withStatus(await fixture.open(), connected(1));
  const two = withStatus(await fixture.open(), connected(2, 'other'));
  const live = liveOn(one.fabric);
  const told: string[] = [];
  live.onStatus((status) => told.push(status.kind));
  one.say({ kind: 'stale', sinceMs: 10 });
  one.say(reconnecting(12));
  one.say({ ...reconnecting(12), kind: 'reconnecting', attempt: 2, error: null });
  one.say(connected(20));
  expect(told.splice(0)).toEqual(['stale', 'reconnecting', 'connected']);
  await live.exchange(two.fabric);
  one.say({ kind: 'closed', sinceMs: 30, error: null });
  expect([told.splice(0), live.status()]).toEqual([['connected'], connected(2, 'other')]);
  await live.exchange(withStatus(await fixture.open(), connected(3, 'other')).fabric);
  expect(told).toEqual([]);
});

it('B8 an outage is from the first late answer to the new connection, told once each way; late answers alone are none', async () => {
  const one = withStatus(await fixture.open(), connected(1));
  const live = liveOn(one.fabric);
  const told: unknown[] = [];
  live.onOutage((outage) => told.push(outage));
  one.say({ kind: 'stale', sinceMs: 10 });
  one.say(connected(11));
  expect(live.outages()).toEqual([]);
  one.say({ kind: 'stale', sinceMs: 20 });
  one.say(reconnecting(23));
  expect(live.outages()).toEqual([{ fromMs: 20, toMs: null }]);
  one.say(connected(30));
  one.say(reconnecting(40));
  one.say({ kind: 'closed', sinceMs: 41, error: { code: 'unauthorized', message: 'x', retryable: false } });
  expect(told).toEqual([
    { fromMs: 20, toMs: null },
    { fromMs: 20, toMs: 30 },
    { fromMs: 40, toMs: null },
  ]);
  // The next engine was there before the outage began.
  await live.exchange(withStatus(await fixture.open(), connected(35)).fabric);
  expect(live.outages()).toEqual([
    { fromMs: 20, toMs: 30 },
    { fromMs: 40, toMs: 40 },
  ]);
});

it('B8 the record of outages is bounded; the oldest give way', async () => {
  const one = withStatus(await fixture.open(), connected(0));
  const live = liveOn(one.fabric);
  for (let i = 1; i <= 103; i++) {
    one.say(reconnecting(i * 10));
    one.say(connected(i * 10 + 1));
  }
  expect([live.outages().length, live.outages()[0], live.outages().at(-1)]).toEqual([
    ...[100, { fromMs: 40, toMs: 41 }, { fromMs: 1030, toMs: 1031 }],
  ]);
});

it('B8 an engine that refuses what is subscribed changes nothing, and is closed', async () => {
  const first = await fixture.openProvisioned();
  const live = liveOn(first);
  const heard: string[] = [];
  live.bus.subscribe('vak.>', { kind: 'inline', onMessage: ({ data }) => heard.push(toText(data)) });
  const dead = await fixture.open();
  await dead.bus.close();
  await expect(live.exchange(dead)).rejects.toMatchObject({ code: 'closed' });
  expect(dead.status().kind).toBe('closed');
  await live.durable.append(receiptSubject, utf8('x'));
  expect([heard, (await storedIn(first)).length, live.status().kind]).toEqual([['x'], 1, 'connected']);
  await live.close();
  const late = await fixture.open();
  await expect(live.exchange(late)).rejects.toMatchObject({ code: 'closed' });
  expect([late.status().kind, live.status().kind, first.status().kind]).toEqual(['closed', 'closed', 'closed']);
});

it('B8 nothing is left of 50 engines: no timer, no listener, no watch, no subscription', async () => {
  const clock = createFakeClock();
  const randomness = createSeededRandomness(1);
  const former: { readonly listeners: { readonly size: number }; readonly inner: Fabric }[] = [];
  const open = async (): Promise<Fabric> => {
    const inner = await createEmbeddedFabric({ clock, randomness, logger, folder: undefined, durability: 'written' });
    await provision(inner);
    const { fabric, listeners } = withStatus(inner, connected(0));
    former.push({ listeners, inner });
    return fabric;
  };
  /** The fake clock moves only here. */
  const moving = async (work: Promise<void>): Promise<void> => {
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
    });
    while (!isDone) {
      clock.runDeferred();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await done;
  };
  const live = liveOn(await open());
  const heard: string[] = [];
  live.bus.subscribe('vak.>', { kind: 'inline', onMessage: ({ data }) => heard.push(toText(data)) });
  live.bus.subscribe('vak.>', { kind: 'drop-oldest', capacity: 8, onBatch: () => {} });
  live.durable.keyValue(values).watch(() => {});
  await moving(live.exchange(await open()));
  const timers = clock.timerCount;
  for (let i = 0; i < 50; i++) {
    await moving(live.exchange(await open()));
    await moving(live.durable.append(receiptSubject, utf8(`${i}`)).then(() => {}));
  }
  expect(heard).toEqual(Array.from({ length: 50 }, (_, i) => `${i}`));
  expect(clock.timerCount).toBe(timers);
  expect(live.bus.metrics().subscriptions.length).toBe(2);
  for (const { listeners, inner } of former.slice(0, -1)) {
    expect([listeners.size, inner.status().kind, inner.bus.metrics().subscriptions.length]).toEqual([0, 'closed', 0]);
  }
  expect(former.at(-1)?.listeners.size).toBe(1);
  await moving(live.close());
  expect([clock.timerCount, former.at(-1)?.listeners.size, former.at(-1)?.inner.status().kind]).toEqual([
    0,
    0,
    'closed',
  ]);
});
