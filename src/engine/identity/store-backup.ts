/**
 * Backups of a key store: the same file format, under a key and a passphrase slot of its own.
 * Law: a backup is checked whole before anybody acts on it, and says nothing of why a passphrase failed.
 */
import { VakError } from '../../shared/base/vak-error.ts';
import type { Randomness } from '../ports/randomness.ts';
import { createNoVault } from '../ports/vault.ts';
import { keyBytes } from './body-cipher.ts';
import { type StoreBody, toBody } from './contents-codec.ts';
import type { OpenStore } from './open-store.ts';
import { openPassphraseSlot } from './passphrase-slot.ts';
import type { Secret } from './secret.ts';
import { parseStoreFile, slotLabel, slotOf } from './store-format.ts';
import { makeHeader } from './store-header.ts';
import { wrongPassphrase } from './store-opening.ts';
import { openStore, sealStore } from './store-seal.ts';

/** The body of a backup. Throws `corrupt`, `unsupported`, `wrong-passphrase`. */
export async function openBackup(bytes: Uint8Array, passphrase: Secret): Promise<StoreBody> {
  const file = parseStoreFile(bytes, 'vak-backup');
  const slot = slotOf(file.header, 'passphrase');
  if (slot === undefined) throw new VakError('corrupt', 'the backup has no passphrase slot');
  const key = await openPassphraseSlot(slot, slotLabel(file.header), passphrase);
  if (key === undefined) throw wrongPassphrase();
  try {
    const body = openStore(file, key);
    if (body === undefined) throw new VakError('corrupt', 'the backup was changed or damaged');
    return body;
  } finally {
    key.fill(0);
  }
}

/** The contents of an open store as a backup's bytes. Throws `locked` if it is closed meanwhile, `invalid-input` for a short passphrase. */
export async function sealBackup(open: OpenStore, passphrase: Secret, randomness: Randomness): Promise<Uint8Array> {
  const masterKey = randomness.bytes(keyBytes);
  try {
    const header = await makeHeader({
      ...{ format: 'vak-backup', masterKey, passphrase, randomness },
      vault: createNoVault(),
    });
    return sealStore({ header, masterKey, body: toBody(open.contents(), 1), randomness });
  } finally {
    masterKey.fill(0);
  }
}
