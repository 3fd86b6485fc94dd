import { expect, test } from 'vitest';
import { keyOf, replay, told, topic, writeRoom } from '../../../tests/support/room-fixture.ts';
import { keyOf as roomKeyOf } from '../../../tests/support/room-key-fixture.ts';
import { toBase64Url } from '../../shared/base/base64url.ts';
import type { KeyStore } from '../identity/key-store.ts';
import { createRoomKeyring } from './room-keyring.ts';
import { commitRoomKey } from './room-keys.ts';

/** Entries, each of them signed; a third of them begin an epoch. */
const count = process.env['VAK_ENDURANCE'] === '1' ? 10_000 : 300;

test('R1 R31 a long log is read to the same state again, and the key of its last epoch follows from the first', () => {
  const commit = toBase64Url(commitRoomKey(roomKeyOf(1)));
  const written = writeRoom({ commit });
  const { write, log, room } = written;
  while (log.entries().length < count) {
    written.admit(2);
    write(2, { type: 'LEAVE' });
    write(1, topic(`topic ${log.entries().length}`));
  }
  const began = performance.now();
  const again = replay(written);
  const tookMs = performance.now() - began;
  expect(told(again)).toEqual(told(log));
  // A wrong order of growth takes minutes.
  expect(tookMs).toBeLessThan(count * 40);
  const roomKeys = new Map([[`${room}.0.${commit}`, roomKeyOf(1)]]);
  const store = { state: () => ({ kind: 'unlocked' }), read: () => ({ roomKeys }) } as unknown as KeyStore;
  const ring = createRoomKeyring(store, keyOf(1));
  const last = log.standing()?.epoch ?? 0;
  expect(last).toBeGreaterThan(count / 5);
  expect(ring.keyOf(log, last)).toBeDefined();
  expect(ring.keyOf(log, 1)).toBeDefined();
}, 300_000);
