import { describe, expect, it } from 'vitest';
import { utf8 } from '../../../shared/base/bytes.ts';
import { isVakError } from '../../../shared/base/vak-error.ts';
import { createSystemClock } from '../../ports/clock.ts';
import { createFakeClock } from '../../ports/fake-clock.ts';
import { createSilentLogger } from '../../ports/logger.ts';
import { defineBusLaws } from '../bus-laws.ts';
import { createMemoryBus } from './memory-bus.ts';
import { createSubjectRouter } from './subject-router.ts';

const logger = createSilentLogger();
const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
};

describe('memory bus', () => {
  defineBusLaws(it, async () => {
    const bus = createMemoryBus({ clock: createSystemClock(), logger });
    return { bus, settle: () => turns(4), close: () => bus.close() };
  });

  it('B5 a request times out when the answer does not come, and holds no timer after', async () => {
    const clock = createFakeClock();
    const bus = createMemoryBus({ clock, logger });
    bus.subscribe('vak.control.ws.a.b', { kind: 'inline', onMessage: () => {} });
    const answer = bus.request('vak.control.ws.a.b', utf8('x'), { timeoutMs: 1000 });
    clock.advance(999);
    expect(clock.timerCount).toBe(1);
    clock.advance(1);
    await expect(answer).rejects.toSatisfy((error) => isVakError(error, 'timeout'));
    expect(clock.timerCount).toBe(0);
  });

  it('B7 two runs of one seed give one history', () => {
    const run = (): string[] => {
      const clock = createFakeClock();
      const bus = createMemoryBus({ clock, logger });
      const log: string[] = [];
      bus.subscribe('vak.events.ws.>', { kind: 'inline', onMessage: ({ subject }) => log.push(`inline ${subject}`) });
      bus.subscribe('vak.events.ws.*.tokens', {
        kind: 'drop-oldest',
        capacity: 3,
        onBatch: (batch, dropped) => void log.push(`${clock.monotonic()} batch ${batch.length} dropped ${dropped}`),
      });
      for (let step = 0; step < 20; step++) {
        bus.publish(`vak.events.ws.s${step % 3}.tokens`, new Uint8Array(step));
        if (step % 5 === 4) clock.advance(step);
      }
      clock.runDeferred();
      return log;
    };
    const history = run();
    expect(history.filter((line) => line.includes('dropped 2'))).toHaveLength(4);
    expect(run()).toEqual(history);
  });

  it('B1 fan-out hands the very same bytes to every subscriber', () => {
    const bus = createMemoryBus({ clock: createFakeClock(), logger });
    const seen: Uint8Array[] = [];
    for (let index = 0; index < 3; index++)
      bus.subscribe('>', { kind: 'inline', onMessage: ({ data }) => seen.push(data) });
    const data = utf8('shared');
    bus.publish('vak.events.ws.s.tokens', data);
    expect(seen.every((bytes) => bytes === data)).toBe(true);
    expect(seen).toHaveLength(3);
  });

  it('B2 closing does not wait for ever for a handler that never ends', async () => {
    const clock = createFakeClock();
    const bus = createMemoryBus({ clock, logger });
    bus.subscribe('>', { kind: 'drop-oldest', capacity: 1, onBatch: () => new Promise(() => {}) });
    bus.publish('vak.events.ws.s.tokens', utf8('x'));
    clock.runDeferred();
    const closing = bus.close();
    clock.advance(2_000);
    await closing;
    expect(clock.timerCount).toBe(0);
  });

  it('W10 what was received was delivered, gave way, or waits; what waits when a subscription ends is dropped', async () => {
    const clock = createFakeClock();
    const bus = createMemoryBus({ clock, logger });
    const publish = (count: number): void => {
      for (let i = 0; i < count; i++) bus.publish('vak.events.ws.s.tokens', utf8('x'));
    };
    const stuck = bus.subscribe('>', { kind: 'drop-oldest', capacity: 10, onBatch: () => new Promise(() => {}) });
    const latest = bus.subscribe('>', { kind: 'latest', capacity: 10, onBatch() {} });
    publish(3);
    clock.runDeferred();
    publish(25);
    expect(stuck.stats()).toMatchObject({ deliveredCount: 3, droppedCount: 15, bufferedCount: 10 });
    expect(latest.stats()).toMatchObject({ deliveredCount: 1, droppedCount: 26, bufferedCount: 1 });
    expect(bus.metrics()).toMatchObject({ receivedCount: 56, droppedCount: 41 });
    stuck.dispose();
    expect(stuck.stats()).toMatchObject({ deliveredCount: 3, droppedCount: 25, bufferedCount: 0 });
    expect(bus.metrics()).toMatchObject({ receivedCount: 56, droppedCount: 51, subscriptionCount: 1 });
    const closing = bus.close();
    clock.runDeferred();
    await closing;
    expect(bus.metrics()).toMatchObject({ receivedCount: 56, droppedCount: 51, subscriptionCount: 0 });
    expect(latest.stats()).toMatchObject({ deliveredCount: 2, droppedCount: 26 });
  });

  it('W10 the wait of each message is from its turn to its handler, of those that gave way none is counted', async () => {
    const clock = createFakeClock();
    const bus = createMemoryBus({ clock, logger });
    let release = (): void => {};
    const onBatch = (): Promise<void> =>
      new Promise((resolve) => {
        release = resolve;
      });
    bus.subscribe('vak.events.ws.*.tokens', { kind: 'drop-oldest', capacity: 10, onBatch });
    bus.subscribe('vak.events.ws.*.telemetry', { kind: 'latest', capacity: 10, onBatch() {} });
    const publish = (verb: string, count = 1): void => {
      for (let i = 0; i < count; i++) bus.publish(`vak.events.ws.s.${verb}`, utf8('x'));
    };
    publish('tokens');
    publish('telemetry', 3);
    clock.runDeferred();
    expect(bus.metrics().waits).toEqual({ count: 2, sumUs: 0, maxUs: 0, buckets: [{ toUs: 1, count: 2 }] });
    // While its handler works 4 come now, 4 after 30 ms, 4 after 50 ms: the first 2 give way.
    publish('tokens', 4);
    clock.advance(30);
    publish('tokens', 4);
    clock.advance(20);
    publish('tokens', 4);
    clock.advance(10);
    release();
    for (let turn = 0; turn < 3; turn++) await Promise.resolve();
    clock.runDeferred();
    const waited = { count: 12, sumUs: 2 * 60_000 + 4 * 30_000 + 4 * 10_000, maxUs: 60_000 };
    expect(bus.metrics().waits).toEqual({
      ...waited,
      buckets: [1, 10_000, 30_000, 60_000].map((toUs, at) => ({ toUs, count: [2, 4, 4, 2][at] })),
    });
  });

  it('W10 what handlers publish is measured too, also what comes to a subscription in the turn of its handler', () => {
    const clock = createFakeClock();
    const bus = createMemoryBus({ clock, logger });
    const publish = (verb: string): void => bus.publish(`vak.events.ws.s.${verb}`, utf8('x'));
    let left = 3;
    const onBatch = (): void => {
      left--;
      if (left > 0) publish('tokens');
    };
    const first = bus.subscribe('vak.events.ws.s.status', {
      ...{ kind: 'drop-oldest', capacity: 9 },
      onBatch: () => publish('tokens'),
    });
    const second = bus.subscribe('vak.events.ws.s.tokens', { kind: 'drop-oldest', capacity: 9, onBatch });
    publish('status');
    publish('tokens');
    clock.runDeferred();
    const delivered = first.stats().deliveredCount + second.stats().deliveredCount;
    expect([delivered, bus.metrics().waits.count]).toEqual([5, 5]);
  });

  it('W10 of many subscriptions those are listed that drop most', () => {
    const clock = createFakeClock();
    const bus = createMemoryBus({ clock, logger });
    const subscribe = (capacity: number) =>
      bus.subscribe('vak.events.ws.s.tokens', { kind: 'drop-oldest', capacity, onBatch() {} });
    for (let i = 0; i < 300; i++) subscribe(100);
    subscribe(5);
    subscribe(2);
    for (let i = 0; i < 8; i++) bus.publish('vak.events.ws.s.tokens', utf8('x'));
    const { subscriptionCount, subscriptions, droppedCount } = bus.metrics();
    expect([subscriptionCount, subscriptions.length, droppedCount]).toEqual([302, 256, 9]);
    expect(subscriptions.slice(0, 3).map((one) => one.droppedCount)).toEqual([6, 3, 0]);
  });

  it('B2 endless publishing inside one delivery is refused, not queued without bound', () => {
    const bus = createMemoryBus({ clock: createFakeClock(), logger });
    let thrown: unknown;
    let accepted = 0;
    const subscription = bus.subscribe('>', {
      kind: 'inline',
      onMessage: () => {
        if (accepted > 0) return;
        try {
          for (;;) {
            bus.publish('vak.events.ws.s.tokens', utf8('x'));
            accepted++;
          }
        } catch (error) {
          thrown = error;
        }
      },
    });
    bus.publish('vak.events.ws.s.tokens', utf8('first'));
    expect(isVakError(thrown, 'limit-exceeded')).toBe(true);
    expect(accepted).toBe(65_536);
    expect(subscription.stats().deliveredCount).toBe(accepted + 1);
  });
});

describe('subject router', () => {
  it('B1 sees a change of subscriptions at the next publish, though subjects are remembered', () => {
    const router = createSubjectRouter<string>(() => {});
    expect(router.route('a.b')).toEqual([]);
    const remove = router.add('a.*', 'first');
    expect(router.route('a.b')).toEqual(['first']);
    router.add('>', 'second');
    expect(router.route('a.b')).toEqual(['first', 'second']);
    remove();
    expect(router.route('a.b')).toEqual(['second']);
  });

  it('B1 checks a subject once while it is remembered, and remembers a bounded number', () => {
    let checks = 0;
    const router = createSubjectRouter<string>(() => checks++);
    for (let round = 0; round < 3; round++) for (let index = 0; index < 100; index++) router.route(`a.${index}`);
    expect(checks).toBe(100);
    for (let index = 0; index < 50_000; index++) router.route(`b.${index}`);
    expect(checks).toBe(50_100);
    router.route('a.1');
    expect(checks).toBe(50_101);
  });
});
