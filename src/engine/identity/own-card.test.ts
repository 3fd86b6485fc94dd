import { afterEach, beforeEach, expect, test } from 'vitest';
import { createDirectoryPlace, type DirectoryPlace } from '../../../tests/support/directory-place.ts';
import { cardWith, signerOf } from '../../../tests/support/identity-fixture.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import type { DurablePlane, KeyValueBucket } from '../bus/durable.ts';
import { createSilentLogger } from '../ports/logger.ts';
import { keepOwnCard } from './own-card.ts';

let at: DirectoryPlace;
const logger = createSilentLogger();
const card = cardWith({ peer: 'bob', serial: 5 }, signerOf(2));
const serialThere = async (): Promise<unknown> => (await at.lies('card', 'bob'))?.['serial'];

beforeEach(async () => {
  at = await createDirectoryPlace();
});
afterEach(async () => {
  await at.close();
  expect(at.clock.timerCount).toBe(0);
});

/** Keeps the card on the engine, whose puts go through `put`. */
function keep(put: KeyValueBucket['put'] | undefined = undefined) {
  const { durable: inner, onStatus } = at.fabric;
  const durable: DurablePlane = {
    ...inner,
    keyValue: (name) => ({ ...inner.keyValue(name), ...(put === undefined ? {} : { put }) }),
  };
  return keepOwnCard({ card, fabric: { durable, onStatus }, clock: at.clock, logger });
}

test('I1 a peer puts its own card where there is none, an older one, garbage, or another key under its name', async () => {
  for (const there of [
    undefined,
    cardWith({ peer: 'bob', serial: 4 }, signerOf(2)),
    'garbage',
    cardWith({ peer: 'bob', serial: 9 }, signerOf(9)),
  ]) {
    if (there !== undefined) await at.put('card', 'bob', there);
    const keeping = keep();
    await at.until(async () => (await serialThere()) === 5);
    keeping.dispose();
  }
});

test('I1 I22 nothing goes over a newer card of the same key', async () => {
  await at.put('card', 'bob', cardWith({ peer: 'bob', serial: 6 }, signerOf(2)));
  let puts = 0;
  const keeping = keep(async () => ++puts);
  for (let n = 0; n < 20; n++) await at.fabric.ping();
  expect([puts, await serialThere()]).toEqual([0, 6]);
  keeping.dispose();
});

test('I1 A10 what fails is tried again, and what it has no right to is not', async () => {
  let puts = 0;
  const failing = keep(() => {
    puts++;
    return Promise.reject(new VakError(puts < 3 ? 'timeout' : 'forbidden', 'put: refused'));
  });
  await at.until(() => puts === 3, 30_000);
  at.clock.advance(600_000);
  for (let n = 0; n < 20; n++) await at.fabric.ping();
  expect(puts).toBe(3);
  failing.dispose();
});
