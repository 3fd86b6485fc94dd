/** A profile of a workspace for programs that use the library: key store behind a passphrase, root, operator. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFileKeyStore } from '../../src/engine/identity/file-key-store.ts';
import { createFirstIdentity, updateAndErase } from '../../src/engine/identity/operator-identity.ts';
import { secretFromText } from '../../src/engine/identity/secret.ts';
import { createSystemClock } from '../../src/engine/ports/clock.ts';
import { createSilentLogger } from '../../src/engine/ports/logger.ts';
import { createSystemRandomness } from '../../src/engine/ports/randomness.ts';
import { createNoVault } from '../../src/engine/ports/vault.ts';
import { profileFiles } from '../../src/engine/settings/profile-files.ts';
import { passphrase } from './vak-program.ts';

const ports = { clock: createSystemClock(), randomness: createSystemRandomness(), logger: createSilentLogger() };

export interface LibraryProfile {
  readonly profile: string;
  /** Holds its passphrase. */
  readonly passphraseFile: string;
  /** Writes a file and gives its path. */
  file(name: string, content: string, mode: number): string;
  remove(): void;
}

/** Makes one for the workspace `default`. */
export async function makeLibraryProfile(): Promise<LibraryProfile> {
  const folder = mkdtempSync(join(tmpdir(), 'vak-library-'));
  const profile = join(folder, 'profile');
  const file: LibraryProfile['file'] = (name, content, mode) => {
    const path = join(folder, name);
    writeFileSync(path, content);
    chmodSync(path, mode);
    return path;
  };
  const store = { ...ports, file: profileFiles(profile).keyStore, vault: createNoVault(), idleLockMinutes: 0 };
  const keyStore = createFileKeyStore(store);
  try {
    await keyStore.create({ passphrase: secretFromText(passphrase) });
    const first = { ...ports, workspace: 'default', peer: 'operator', name: 'operator' };
    await updateAndErase(keyStore, (contents) => createFirstIdentity({ ...first, contents }).contents);
  } finally {
    keyStore.dispose();
  }
  const passphraseFile = file('pass', passphrase, 0o600);
  return { profile, passphraseFile, file, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
