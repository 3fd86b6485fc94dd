/** Every secret that lies in a profile's key store, read by the product's own code after the app has ended. */
import { join } from 'node:path';
import { createFileKeyStore } from '../../src/engine/identity/file-key-store.ts';
import type { KeyStoreContents } from '../../src/engine/identity/key-store.ts';
import { decodeNkeySeed } from '../../src/engine/identity/nkey.ts';
import { type Secret, secretFromText } from '../../src/engine/identity/secret.ts';
import { createSystemClock } from '../../src/engine/ports/clock.ts';
import { createSilentLogger } from '../../src/engine/ports/logger.ts';
import { createSystemRandomness } from '../../src/engine/ports/randomness.ts';
import { createNoVault } from '../../src/engine/ports/vault.ts';
import { profileFiles } from '../../src/engine/settings/profile-files.ts';
import type { KnownSecret } from '../../tests/support/secret-search.ts';

const copyOf = (name: string, secret: Secret): KnownSecret => ({ name, bytes: secret.reveal().slice() });

/** A seed as text, and the 32 bytes that it stands for. */
const seedForms = (name: string, seed: Secret): readonly KnownSecret[] => [
  copyOf(`${name} as text`, seed),
  { name: `${name} as bytes`, bytes: decodeNkeySeed(seed.reveal(), name).slice() },
];

function secretsIn({ identities, workspaces, credentials, roomKeys }: KeyStoreContents): readonly KnownSecret[] {
  return [
    ...identities.flatMap(({ peer, signSeed, boxKeys }) => [
      ...seedForms(`seed of ${peer}`, signSeed),
      ...boxKeys.map(({ secret }, index) => copyOf(`box key ${index} of ${peer}`, secret)),
    ]),
    ...workspaces.flatMap(({ workspace, rootSeed, secrets }) => [
      ...(rootSeed === null ? [] : seedForms(`root seed of ${workspace}`, rootSeed)),
      ...secrets.map(({ id, secret }) => copyOf(`secret ${id} of ${workspace}`, secret)),
    ]),
    ...[...credentials].map(([name, secret]) => copyOf(name, secret)),
    ...[...roomKeys].map(([name, secret]) => copyOf(`room key ${name}`, secret)),
  ];
}

/** Reads them; the passphrase is that of the key store as it is now. */
export async function storedSecrets(profile: string, passphrase: string): Promise<readonly KnownSecret[]> {
  const keyStore = createFileKeyStore({
    ...{ file: join(profileFiles(profile).keyStore), vault: createNoVault(), clock: createSystemClock() },
    ...{ randomness: createSystemRandomness(), logger: createSilentLogger(), idleLockMinutes: 0 },
  });
  const given = secretFromText(passphrase);
  try {
    await keyStore.unlock({ passphrase: given });
    return secretsIn(keyStore.read());
  } finally {
    given.dispose();
    keyStore.dispose();
  }
}
