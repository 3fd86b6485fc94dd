import { expect, test } from 'vitest';
import { keyOf as memberOf, writeRoom } from '../../../tests/support/room-fixture.ts';
import { bytes32, keyOf } from '../../../tests/support/room-key-fixture.ts';
import { toBase64Url } from '../../shared/base/base64url.ts';
import { toHex } from '../../shared/base/bytes.ts';
import { emptyContents } from '../identity/contents-codec.ts';
import type { KeyStore, KeyStoreContents } from '../identity/key-store.ts';
import { createSecret } from '../identity/secret.ts';
import { createRoomKeyring } from './room-keyring.ts';
import { commitRoomKey } from './room-keys.ts';

function makeStore() {
  let contents: KeyStoreContents = emptyContents;
  let isLocked = false;
  const store = {
    state: () => ({ kind: isLocked ? 'locked' : 'unlocked' }) as ReturnType<KeyStore['state']>,
    read: () => contents,
    async update(change: (before: KeyStoreContents) => KeyStoreContents) {
      const next = change(contents);
      const roomKeys = new Map(
        Array.from(next.roomKeys, ([name, key]) => [
          name,
          contents.roomKeys.get(name) === key ? key : createSecret(key.reveal().slice()),
        ]),
      );
      contents = { ...next, roomKeys };
    },
  };
  const lock = (is: boolean): void => {
    isLocked = is;
  };
  return { store, lock, names: () => [...contents.roomKeys.keys()] };
}

const commitOf = (n: number): string => toBase64Url(commitRoomKey(keyOf(n)));

test('R24 R52 two keys that are made for one epoch do not overwrite each other: the one that the log names is that epoch’s', async () => {
  const { store, names } = makeStore();
  const { room, log, write } = writeRoom({ commit: commitOf(1) });
  const ring = createRoomKeyring(store, memberOf(1));
  await ring.keep({ room, epoch: 0, commit: commitOf(1) }, keyOf(1));
  await ring.keep({ room, epoch: 1, commit: commitOf(2) }, keyOf(2));
  await ring.keep({ room, epoch: 1, commit: commitOf(3) }, keyOf(3));
  expect(ring.keyOf(log, 1)).toBeUndefined();
  write(1, { type: 'REKEY', commit: commitOf(2), cause: 'hand' });
  expect(toHex(ring.keyOf(log, 1)?.reveal() ?? new Uint8Array())).toBe(toHex(bytes32(2)));
  await ring.tidy(log);
  expect(names()).toEqual([`${room}.0.${commitOf(1)}`, `${room}.1.${commitOf(2)}`]);
});

test('R4 a key that the log does not name is none', async () => {
  const { store } = makeStore();
  const { room, log } = writeRoom({ commit: commitOf(1) });
  const ring = createRoomKeyring(store, memberOf(1));
  await ring.keep({ room, epoch: 0, commit: commitOf(1) }, keyOf(2));
  expect(ring.keyOf(log, 0)).toBeUndefined();
});

test('R31 while the key store is locked there is no key, and what was worked out is erased with it', async () => {
  const { store, lock } = makeStore();
  const { room, log, admit } = writeRoom({ commit: commitOf(1) });
  admit(2, 3);
  const ring = createRoomKeyring(store, memberOf(1));
  await ring.keep({ room, epoch: 0, commit: commitOf(1) }, keyOf(1));
  const stepped = ring.keyOf(log, 2);
  lock(true);
  await ring.tidy(log);
  expect(ring.keyOf(log, 2)).toBeUndefined();
  ring.erase();
  expect(() => stepped?.reveal()).toThrow(expect.objectContaining({ code: 'locked' }));
  lock(false);
  expect(ring.keyOf(log, 2)).toBeDefined();
});

test('R52 a member that rotates without end fills nobody’s key store: of a room the newest 2 000 keys are kept', async () => {
  const { store, names } = makeStore();
  const ring = createRoomKeyring(store, memberOf(1));
  await ring.keep({ room: 'other', epoch: 0, commit: undefined }, keyOf(1));
  for (let epoch = 0; epoch < 2_010; epoch++) await ring.keep({ room: 'flooded', epoch, commit: undefined }, keyOf(2));
  expect(names()).toHaveLength(2_001);
  expect(names()).toEqual(expect.arrayContaining(['other.0', 'flooded.2009', 'flooded.10']));
});
