import { describe, expect, it, test } from 'vitest';
import { openWorkPlace, workEngines } from '../../../tests/support/work-fixture.ts';
import { createFakeClock } from '../ports/fake-clock.ts';
import { drainMsOf, readQueueFigures } from './queue-figures.ts';
import { createQueueRates } from './queue-rates.ts';

test.each(workEngines)('W9 on the engine %s the figures of a queue equal what was put into it', async (engine) => {
  const place = await openWorkPlace(engine);
  const rates = createQueueRates(createFakeClock());
  const read = () => readQueueFigures({ workspace: 'acme', durable: place.fabric.durable, rates });
  const empty = { pendingCount: 0, inFlightCount: 0, redeliveredCount: 0, lag: 0, oldestMs: null, drainMs: 0 };
  const fresh = { deliveredCount: 0, lastActiveMs: null, lastEndedMs: null, ackWaitMs: 30_000 };
  expect(await read()).toEqual([
    { queue: 'q', ...empty, ...fresh, inPerSec: 0, outPerSec: 0, waitingCount: 0, maxDeliver: 4 },
  ]);
  for (let i = 0; i < 5; i++) await place.submit({ command: [`${i}`] });
  const [first] = (await place.fabric.durable.stream('VAK_WORK_acme').read({ limit: 1 })).messages;
  expect(await read()).toMatchObject([
    { pendingCount: 5, inFlightCount: 0, lag: 5, oldestMs: first?.storedMs, drainMs: null },
  ]);
  const claimed = await place.consumer.pull({ batch: 2, waitMs: 5_000 });
  await claimed[0]?.ack();
  await claimed[1]?.nak();
  await place.consumer.pull({ batch: 1, waitMs: 5_000 });
  expect(await read()).toMatchObject([
    { pendingCount: 3, inFlightCount: 1, redeliveredCount: 1, lag: 4, deliveredCount: 3 },
  ]);
  const [{ lastActiveMs, lastEndedMs } = fresh] = await read();
  expect(lastActiveMs).toBeGreaterThanOrEqual(lastEndedMs ?? Number.NaN);
  expect(lastEndedMs).toBeGreaterThanOrEqual(first?.storedMs ?? Number.NaN);
  const waiting = new AbortController();
  await place.consumer.pull({ batch: 3, waitMs: 5_000 });
  const pull = place.consumer.pull({ batch: 1, waitMs: 30_000, signal: waiting.signal }).catch(() => []);
  await expect.poll(async () => (await read())[0]?.waitingCount, { timeout: 10_000 }).toBe(1);
  waiting.abort();
  await pull;
  await place.close();
});

describe('rates', () => {
  it('W9 each task counts once in and once out, over the last minute', () => {
    const clock = createFakeClock();
    const rates = createQueueRates(clock);
    rates.note({ queue: 'q', state: 'queued' }, undefined);
    clock.advance(30_000);
    for (let i = 0; i < 60; i++) rates.note({ queue: 'q', state: 'queued' }, undefined);
    for (let i = 0; i < 30; i++) {
      rates.note({ queue: 'q', state: 'retrying' }, 'queued');
      rates.note({ queue: 'q', state: 'dead' }, 'retrying');
      rates.note({ queue: 'q', state: 'finished-late' }, 'dead');
    }
    expect(rates.of('q')).toEqual({ inPerSec: 2, outPerSec: 1 });
    expect(rates.of('other')).toEqual({ inPerSec: 0, outPerSec: 0 });
    clock.advance(30_000);
    expect(rates.of('q')).toEqual({ inPerSec: 1, outPerSec: 0.5 });
    clock.advance(31_000);
    expect(rates.of('q')).toEqual({ inPerSec: 0, outPerSec: 0 });
  });

  it('W9 what an operator purged was not worked off; what a worker finishes after all was', () => {
    const clock = createFakeClock();
    const rates = createQueueRates(clock);
    clock.advance(10_000);
    for (let i = 0; i < 60; i++) rates.note({ queue: 'q', state: 'purged' }, 'queued');
    expect(rates.of('q').outPerSec).toBe(0);
    rates.note({ queue: 'q', state: 'done' }, 'purged');
    expect(rates.of('q').outPerSec).toBe(0.1);
  });

  it.each([
    [0, 5, 1, 0],
    [100, 1, 3, 50_000],
    [100, 3, 3, null],
    [100, 4, 3, null],
  ])('W9 a lag of %i at %i in and %i out a second is worked off in %s ms', (lag, inPerSec, outPerSec, drainMs) => {
    expect(drainMsOf(lag, inPerSec, outPerSec)).toBe(drainMs);
  });
});
