/**
 * The key that what a profile keeps of its rooms is sealed with (docs/spec/rooms.md R60).
 * Law: it is random, made once, and lies in the key store alone; whoever asks gets a copy, which is its own to erase.
 */
import { VakError } from '../../shared/base/vak-error.ts';
import type { KeyStore } from '../identity/key-store.ts';
import { createSecret, type Secret } from '../identity/secret.ts';
import type { Randomness } from '../ports/randomness.ts';

/** Its name among the room keys: those are named `<room>.<epoch>`, so none of them can have it. */
const fileKeyName = 'files';
const fileKeyBytes = 32;

/** Gives a copy of the key, making it first if there is none yet. Throws `locked`, and what changing the key store throws. */
export async function takeRoomFileKey(
  keyStore: Pick<KeyStore, 'read' | 'update'>,
  randomness: Randomness,
): Promise<Secret> {
  if (!keyStore.read().roomKeys.has(fileKeyName)) {
    const fresh = createSecret(randomness.bytes(fileKeyBytes));
    try {
      await keyStore.update((contents) =>
        // Another process of the profile may have been faster.
        contents.roomKeys.has(fileKeyName)
          ? contents
          : { ...contents, roomKeys: new Map([...contents.roomKeys, [fileKeyName, fresh]]) },
      );
    } finally {
      fresh.dispose();
    }
  }
  const kept = keyStore.read().roomKeys.get(fileKeyName);
  if (kept === undefined)
    throw new VakError('locked', 'rooms: the key of their files is not there; unlock the key store');
  return createSecret(kept.reveal().slice());
}
