/** A keychain that a test plays: real cryptography under a key of its own, and as many moods as a platform has. */
import { createHash } from 'node:crypto';
import { openBytes, sealBytes } from '../../src/engine/identity/body-cipher.ts';
import { createSystemRandomness } from '../../src/engine/ports/randomness.ts';
import type { Vault } from '../../src/engine/ports/vault.ts';
import { VakError } from '../../src/shared/base/vak-error.ts';

export interface MemoryVault extends Vault {
  name: string;
  isReal: boolean;
  /** Refuses both ways, as a keychain that was reset or is locked. */
  isRefusing: boolean;
}

/** Vaults of one name open what each other wrapped, in any process. */
export function createMemoryVault(name = 'gnome_libsecret'): MemoryVault {
  const randomness = createSystemRandomness();
  const parts = () => ({ key: createHash('sha256').update(vault.name).digest(), bound: new Uint8Array() });
  const vault: MemoryVault = {
    name,
    isReal: true,
    isRefusing: false,
    backend: () => ({ name: vault.name, isReal: vault.isReal }),
    async wrap(key) {
      if (vault.isRefusing) throw new VakError('unsupported', 'refused');
      return sealBytes(key, randomness, parts());
    },
    async unwrap(wrapped) {
      const key = vault.isRefusing ? undefined : openBytes(wrapped, parts());
      if (key === undefined) throw new VakError('recovery-needed', 'refused');
      return key;
    },
  };
  return vault;
}
