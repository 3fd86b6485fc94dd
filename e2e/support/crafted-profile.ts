/** Profiles in states that this machine does not reach by itself, made by the product's own code. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFileKeyStore } from '../../src/engine/identity/file-key-store.ts';
import { createFirstIdentity, updateAndErase } from '../../src/engine/identity/operator-identity.ts';
import { secretFromText } from '../../src/engine/identity/secret.ts';
import { createSystemClock } from '../../src/engine/ports/clock.ts';
import { createSilentLogger } from '../../src/engine/ports/logger.ts';
import { createSystemRandomness } from '../../src/engine/ports/randomness.ts';
import { profileFiles } from '../../src/engine/settings/profile-files.ts';
import { createMemoryVault } from '../../tests/support/memory-vault.ts';

/** A key store that was made on a machine whose keychain was libsecret; `passphrase`: it opens by that, too. */
export async function makeKeychainProfile(profile: string, passphrase?: string): Promise<void> {
  const ports = { clock: createSystemClock(), randomness: createSystemRandomness() };
  const keyStore = createFileKeyStore({
    ...{ ...ports, file: profileFiles(profile).keyStore, vault: createMemoryVault('gnome_libsecret') },
    ...{ logger: createSilentLogger(), idleLockMinutes: 0 },
  });
  try {
    await keyStore.create({});
    const first = { ...ports, peer: 'operator', name: 'Operator', workspace: 'default' };
    await updateAndErase(keyStore, (contents) => createFirstIdentity({ ...first, contents }).contents);
    if (passphrase !== undefined) await keyStore.setPassphrase(secretFromText(passphrase));
  } finally {
    keyStore.dispose();
  }
}

/** The key store's files by name: the store, its last good copy, what was set aside. */
export function keyStoreFiles(profile: string): ReadonlyMap<string, Buffer> {
  const names = readdirSync(profile).filter((name) => name.startsWith('key-store.json') && !name.endsWith('.lock'));
  return new Map(names.sort().map((name) => [name, readFileSync(join(profile, name))]));
}

/** Contents of the settings file. */
export function readSettings(profile: string): unknown {
  const file = profileFiles(profile).settings;
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}
