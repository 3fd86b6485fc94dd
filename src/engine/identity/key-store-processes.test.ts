import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import {
  addIdentity,
  createKeyStoreFolder,
  type KeyStoreFolder,
  serials,
} from '../../../tests/support/key-store-fixture.ts';
import { startTelling, type TellingProcess } from '../../../tests/support/telling-process.ts';
import { buildTestPrograms } from '../../../tests/support/test-programs.ts';
import { createSystemClock } from '../ports/clock.ts';

const lanes = 4;
const killsALane = process.env['VAK_ENDURANCE'] === '1' ? 250 : 25;

let writer: string;
let places: KeyStoreFolder[];
beforeAll(async () => {
  ({ keyStoreWriter: writer } = await buildTestPrograms());
}, 60_000);
beforeEach(() => {
  places = [];
});
afterEach(() => {
  for (const place of places) place.dispose();
});

async function createPlace(): Promise<KeyStoreFolder> {
  const place = createKeyStoreFolder();
  places.push(place);
  const store = place.store();
  await store.create({});
  await store.update(addIdentity(0));
  store.dispose();
  return place;
}

/** Opens the store as the next start would; what it holds. */
async function openSerial(place: KeyStoreFolder): Promise<number> {
  const store = place.store({ clock: createSystemClock() });
  await store.unlock({});
  const [serial = -1] = serials(store.read());
  expect(store.state().notices).toEqual([]);
  store.dispose();
  return serial;
}

/** Starts a writer on a store; it stops by itself after `count` changes, if that is given. */
function startWriter(file: string, ...count: readonly number[]): TellingProcess {
  return startTelling(process.execPath, [writer, file, ...count.map(String)]);
}

/** Kills writers at random moments of their work, some before their first change; the number of writes seen in all. */
async function killAgainAndAgain(place: KeyStoreFolder): Promise<number> {
  let known = 0;
  for (let kill = 0; kill < killsALane; kill++) {
    const run = startWriter(place.file);
    if (kill % 8 === 0) await wait(60 + Math.random() * 80);
    else {
      await run.toldAtLeast(1);
      await wait(Math.random() * 40);
    }
    run.process.kill('SIGKILL');
    const { lines, errors, signal } = await run.ended;
    expect(errors).toBe('');
    expect(signal).toBe('SIGKILL');
    const acknowledged = Number(lines.at(-1) ?? known);
    const found = await openSerial(place);
    // The one in flight may have reached the disk; no other one can have.
    expect(found).toBeGreaterThanOrEqual(acknowledged);
    expect(found).toBeLessThanOrEqual(acknowledged + 1);
    known = found;
  }
  return known;
}

it(
  'I3 kill −9 at 100 random moments of writing: it opens, and holds what was acknowledged last or the one in flight',
  async () => {
    const all = await Promise.all(Array.from({ length: lanes }, async () => killAgainAndAgain(await createPlace())));
    expect(Math.min(...all)).toBeGreaterThan(killsALane);
    for (const place of places) {
      // Nothing is left but the two copies and what the last writer had in hand.
      const left = [...place.files().keys()].filter((name) => !['store.vak', 'store.vak.last-good'].includes(name));
      expect(left.length).toBeLessThanOrEqual(3);
    }
  },
  lanes * killsALane * 1500,
);

it('I3 two processes that change it at the same time lose no change of each other', async () => {
  const place = await createPlace();
  const runs = [startWriter(place.file, 60), startWriter(place.file, 60)];
  const [first, second] = await Promise.all(runs.map((run) => run.ended));
  expect([first?.errors, second?.errors]).toEqual(['', '']);
  const told = [...(first?.lines ?? []), ...(second?.lines ?? [])].map(Number);
  expect(told.sort((a, b) => a - b)).toEqual(Array.from({ length: 120 }, (_, index) => index + 1));
  expect(await openSerial(place)).toBe(120);
  expect([...place.files().keys()]).toEqual(['store.vak', 'store.vak.last-good']);
});
