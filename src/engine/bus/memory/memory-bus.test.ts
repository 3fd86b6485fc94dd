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
