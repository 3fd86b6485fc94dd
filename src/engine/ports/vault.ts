/**
 * The operating system's keychain as the key store sees it (product.md "Configuration").
 * Law: a backend that is no real keychain says so, and is never asked to keep anything.
 */
import { VakError } from '../../shared/base/vak-error.ts';

/** What stands behind a vault now. */
export interface VaultBackend {
  /** The platform's own name: `keychain`, `gnome_libsecret`, `kwallet6`, `basic_text`, `none` … */
  readonly name: string;
  /** Whether it protects what it wraps from other users and programs. */
  readonly isReal: boolean;
}

export interface Vault {
  /** Asks the platform; may differ from start to start. Never throws: a platform that fails is `{name: 'unknown', isReal: false}`. */
  backend(): VaultBackend;
  /** Wraps a key for this user on this machine. Throws `unsupported` if the backend is not real or refuses. */
  wrap(key: Uint8Array): Promise<Uint8Array>;
  /** Unwraps what `wrap` gave. Throws `recovery-needed` if the backend refuses or has another key. */
  unwrap(wrapped: Uint8Array): Promise<Uint8Array>;
}

/** No keychain: headless peers and tests of the passphrase path. */
export function createNoVault(): Vault {
  return {
    backend: () => ({ name: 'none', isReal: false }),
    wrap: () => Promise.reject(new VakError('unsupported', 'there is no keychain here; use a passphrase')),
    unwrap: () => Promise.reject(new VakError('recovery-needed', 'there is no keychain here; use the passphrase')),
  };
}
