import { afterEach, beforeEach, expect, test } from 'vitest';
import { boxOf, cardWith, signerOf } from '../../../tests/support/identity-fixture.ts';
import { openPlaneProfile, type PlaneProfile, planeWorkspace } from '../../../tests/support/plane-profile.ts';
import { createFakeClock, type FakeClock } from '../ports/fake-clock.ts';
import { type CardBoxes, createCardBoxes } from './card-boxes.ts';
import { takeRoomFileKey } from './room-file-key.ts';

let clock: FakeClock;
let plane: PlaneProfile;
let boxes: CardBoxes;

beforeEach(async () => {
  clock = createFakeClock();
  plane = await openPlaneProfile(clock);
  const { keyStore, records } = plane.profile;
  boxes = createCardBoxes({ workspace: planeWorkspace, keyStore, pins: records.pins, clock });
});
afterEach(() => plane.close());

const ben = (fields: object = {}, signer = signerOf(2)) =>
  cardWith({ peer: 'ben', box: boxOf(2), boxExpiresAt: Math.floor(clock.now() / 1000) + 60, ...fields }, signer);
const see = (card: ReturnType<typeof ben>) => plane.profile.records.pins.see(card);
const boxOfBen = (sign = signerOf(2).nkey) => boxes.boxOf('ben', sign);

test('R61 a key is sealed to the box of the pinned card that names the member’s key, as long as it holds', async () => {
  expect(boxOfBen()).toEqual({ reason: 'no-box-key' });
  await see(ben());
  expect(boxOfBen()).toEqual({ box: boxOf(2) });
  expect(boxOfBen(signerOf(3).nkey)).toEqual({ reason: 'blocked' });
  clock.advance(60_000);
  expect(boxOfBen()).toEqual({ reason: 'no-box-key' });
});

test('I2 R61 nothing is sealed to a peer that was blocked, or whose signing key has changed', async () => {
  await see(ben());
  const { pins } = plane.profile.records;
  await pins.setBlocked({ ws: planeWorkspace, peer: 'ben' }, true);
  expect(boxOfBen()).toEqual({ reason: 'blocked' });
  await pins.setBlocked({ ws: planeWorkspace, peer: 'ben' }, false);
  await see(ben({ serial: 2 }, signerOf(3)));
  expect(boxOfBen()).toEqual({ reason: 'blocked' });
  expect(boxes.find('ben')).toMatchObject({ state: 'changed', offered: { sign: signerOf(3).nkey } });
});

test('R61 the own card is told without anybody having pinned it; behind a lock there is none', () => {
  expect(boxes.find('ada')).toMatchObject({ peer: 'ada', kind: 'human', state: 'own', offered: null });
  plane.profile.keyStore.lock();
  expect(boxes.find('ada')).toBeUndefined();
});

test('R60 the key of the rooms’ files is made once, is no room’s, and a copy lives until whoever has it erases it', async () => {
  const { keyStore } = plane.profile;
  const { randomness } = plane.ports;
  const [first, second] = [await takeRoomFileKey(keyStore, randomness), await takeRoomFileKey(keyStore, randomness)];
  expect(first.reveal()).toEqual(second.reveal());
  expect([...keyStore.read().roomKeys.keys()]).toEqual(['files']);
  keyStore.lock();
  expect(first.reveal()).toHaveLength(32);
  await expect(takeRoomFileKey(keyStore, randomness)).rejects.toMatchObject({ code: 'locked' });
  for (const key of [first, second]) key.dispose();
});
