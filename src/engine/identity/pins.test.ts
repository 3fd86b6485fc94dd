import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { boxOf, cardWith, createScratchFolder, signerOf } from '../../../tests/support/identity-fixture.ts';
import { createDisposer, type Disposer } from '../../shared/base/disposer.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import { createFakeClock, type FakeClock } from '../ports/fake-clock.ts';
import { createSystemRandomness } from '../ports/randomness.ts';
import { openPins, type Pins } from './pins.ts';
import { openSerialFloor, type SerialFloor } from './serial-floor.ts';

const ada = { ws: 'acme', peer: 'ada' };
const oldKey = signerOf(1);
const newKey = signerOf(2);

let folder: string;
let clock: FakeClock;
let disposer: Disposer;
let floors: SerialFloor[];

beforeEach(() => {
  disposer = createDisposer();
  folder = disposer.add(createScratchFolder()).path;
  clock = createFakeClock();
  floors = [];
});

const settle = (): Promise<unknown> => Promise.all(floors.map((floor) => floor.settled()));

afterEach(async () => {
  await settle();
  disposer.dispose();
  expect(clock.timerCount).toBe(0);
});

const options = (name: string) => ({
  path: join(folder, name),
  clock,
  randomness: createSystemRandomness(),
  report: (error: unknown) => {
    throw error;
  },
});

/** Opens both files, as a process does when it starts; the ones before have written what they had to. */
async function open(pinFile = 'pins.json'): Promise<{ pins: Pins; floor: SerialFloor }> {
  await settle();
  const floor = disposer.add(await openSerialFloor(options('serials.json')));
  floors.push(floor);
  const pins = disposer.add(await openPins({ ...options(pinFile), floor }));
  return { pins, floor };
}

describe('I2 pins', () => {
  test('I2 first sight pins, and a restart remembers', async () => {
    const { pins } = await open();
    const card = cardWith();
    expect(pins.state(ada)).toEqual({ kind: 'unseen' });
    expect(await pins.see(card)).toBe('first');
    expect(await pins.see(card)).toBe('known');
    for (const one of [pins, (await open()).pins]) expect(one.state(ada)).toEqual({ kind: 'pinned', card });
    expect(pins.state({ ...ada, ws: 'other' })).toEqual({ kind: 'unseen' });
  });

  test('I2 a new box key or name under the same signing key with a higher serial is fine', async () => {
    const { pins, floor } = await open();
    await pins.see(cardWith());
    const renewed = cardWith({ box: boxOf(2), name: 'Ada L.', serial: 2 });
    expect(await pins.see(renewed)).toBe('renewed');
    expect(pins.state(ada)).toEqual({ kind: 'pinned', card: renewed });
    expect(floor.highest({ kind: 'card', ...ada })).toBe(2);
  });

  test('I2 I4 a lower serial, or another card under the same one, is a replay and changes nothing, after a restart too', async () => {
    const { pins } = await open();
    const pinned = cardWith({ serial: 5 });
    await pins.see(pinned);
    for (const one of [pins, (await open()).pins]) {
      expect(await one.see(cardWith({ serial: 4, box: boxOf(2) }))).toBe('replay');
      expect(await one.see(cardWith({ serial: 5, box: boxOf(2) }))).toBe('replay');
      expect(await one.see(cardWith({ serial: 5 }, newKey))).toBe('replay');
      expect(one.state(ada)).toEqual({ kind: 'pinned', card: pinned });
    }
  });

  test('I4 where the pins are lost, the floor still refuses a replay', async () => {
    const { pins } = await open();
    await pins.see(cardWith({ serial: 5 }));
    const { pins: anew } = await open('other-pins.json');
    expect(await anew.see(cardWith({ serial: 4 }))).toBe('replay');
    expect(anew.state(ada)).toEqual({ kind: 'unseen' });
    expect(await anew.see(cardWith({ serial: 5 }))).toBe('first');
  });

  test('I2 a changed signing key stays "changed" over a restart until the operator accepts that key', async () => {
    const { pins } = await open();
    const pinned = cardWith();
    const offered = cardWith({ serial: 9 }, newKey);
    await pins.see(pinned);
    let told = 0;
    disposer.add(pins.onChange(() => told++));
    expect(await pins.see(offered)).toBe('changed');
    expect(await pins.see(offered)).toBe('changed');
    expect(told).toBe(1);
    const { pins: later } = await open();
    expect(later.state(ada)).toEqual({ kind: 'changed', card: pinned, offered });
    // The old key's card once more does not hide the change.
    expect(await later.see(pinned)).toBe('known');
    expect(later.state(ada).kind).toBe('changed');
    await later.accept(ada, newKey.nkey);
    expect(later.state(ada)).toEqual({ kind: 'pinned', card: offered });
    expect(await later.see(pinned)).toBe('replay');
    expect(await later.see(cardWith({ serial: 8 }, oldKey))).toBe('replay');
    clock.advance(100);
    expect(pins.state(ada)).toEqual({ kind: 'pinned', card: offered });
  });

  test('I2 only the key that is offered now can be accepted', async () => {
    const { pins } = await open();
    const refused = async (sign: string): Promise<void> =>
      expect(await pins.accept(ada, sign).catch((error) => isVakError(error, 'not-found'))).toBe(true);
    await refused(newKey.nkey);
    await pins.see(cardWith());
    await refused(oldKey.nkey);
    await pins.see(cardWith({ serial: 2 }, newKey));
    // Swapped between the look and the click.
    await pins.see(cardWith({ serial: 3 }, signerOf(3)));
    await refused(newKey.nkey);
    expect(pins.state(ada)).toMatchObject({ kind: 'changed', card: { sign: oldKey.nkey } });
    await pins.accept(ada, signerOf(3).nkey);
    expect(pins.state(ada)).toMatchObject({ kind: 'pinned', card: { sign: signerOf(3).nkey } });
  });

  test('I2 a changed key that nobody accepted cannot lock the peer out with a huge serial', async () => {
    const { pins, floor } = await open();
    await pins.see(cardWith());
    await pins.see(cardWith({ serial: Number.MAX_SAFE_INTEGER }, newKey));
    expect(floor.highest({ kind: 'card', ...ada })).toBe(1);
    expect(await pins.see(cardWith({ serial: 2, box: boxOf(3) }))).toBe('renewed');
    expect(pins.state(ada)).toMatchObject({ kind: 'changed', card: { serial: 2 } });
  });

  test('I2 the pinned key speaking after the changed one ends the change', async () => {
    const { pins } = await open();
    await pins.see(cardWith());
    await pins.see(cardWith({ serial: 2 }, newKey));
    expect(await pins.see(cardWith({ serial: 3 }))).toBe('renewed');
    expect(pins.state(ada)).toMatchObject({ kind: 'pinned', card: { serial: 3 } });
  });
});

describe('I2 verified and blocked', () => {
  test('I2 a compared key is verified until another one is accepted, over restarts, and says since when', async () => {
    const { pins } = await open();
    const firstSeenMs = clock.now();
    await pins.see(cardWith());
    clock.advance(500);
    const verifiedMs = clock.now();
    await pins.setVerified({ ...ada, sign: oldKey.nkey }, true);
    await pins.see(cardWith({ serial: 2, box: boxOf(2) }));
    const { pins: later } = await open();
    expect(later.find(ada)).toMatchObject({ firstSeenMs, verifiedMs, offered: null });
    clock.advance(500);
    await later.see(cardWith({ serial: 9 }, newKey));
    expect(later.find(ada)).toMatchObject({ verifiedMs, offered: { seenMs: clock.now() } });
    await later.accept(ada, newKey.nkey);
    expect(later.find(ada)).toMatchObject({ firstSeenMs, verifiedMs: null, offered: null });
  });

  test('I2 only the pinned key is verified, and none while another one is offered', async () => {
    const { pins } = await open();
    await pins.see(cardWith());
    const mark = (sign: string) =>
      pins.setVerified({ ...ada, sign }, true).catch((error) => isVakError(error, 'not-found'));
    expect(await mark(newKey.nkey)).toBe(true);
    await pins.see(cardWith({ serial: 2 }, newKey));
    expect(await mark(oldKey.nkey)).toBe(true);
    expect(pins.find(ada)?.verifiedMs).toBeNull();
  });

  test('I2 a mark is taken back, a block holds over a restart, and a peer never seen has neither', async () => {
    const { pins } = await open();
    await pins.see(cardWith());
    await pins.see(cardWith({ peer: 'aaron' }, signerOf(4)));
    await pins.setVerified({ ...ada, sign: oldKey.nkey }, true);
    await pins.setVerified({ ...ada, sign: oldKey.nkey }, false);
    await pins.setBlocked(ada, true);
    const { pins: later } = await open();
    expect(later.list('acme').map(({ card, verifiedMs, blockedMs }) => [card.peer, verifiedMs, blockedMs])).toEqual([
      ['aaron', null, null],
      ['ada', null, clock.now()],
    ]);
    await later.setBlocked(ada, false);
    expect(later.find(ada)?.blockedMs).toBeNull();
    expect(later.list('other')).toEqual([]);
    expect(
      await later.setBlocked({ ...ada, peer: 'nobody' }, true).catch((error) => isVakError(error, 'not-found')),
    ).toBe(true);
  });

  test('I2 a file of an older version, which knows neither, is read', async () => {
    const pin = { card: cardWith(), offered: null, pinnedMs: 7 };
    writeFileSync(join(folder, 'pins.json'), JSON.stringify({ v: 1, pins: [pin] }));
    const { pins } = await open();
    expect(pins.find(ada)).toMatchObject({ firstSeenMs: 7, verifiedMs: null, blockedMs: null });
  });
});
