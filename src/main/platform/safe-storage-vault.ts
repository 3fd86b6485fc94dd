/**
 * The operating system's keychain through Electron's safeStorage.
 * Law: only what is known to protect counts as real, a platform that throws protects nothing, and it may answer otherwise next time.
 */
import type { Vault, VaultBackend } from '../../engine/ports/vault.ts';
import { fromBase64, toBase64 } from '../../shared/base/bytes.ts';
import { VakError } from '../../shared/base/vak-error.ts';

/** What is used of safeStorage. Electron 33 has the synchronous calls alone, 45 has both and will drop them. */
export interface SafeStorage {
  isEncryptionAvailable?(): boolean;
  encryptString?(plainText: string): Uint8Array;
  decryptString?(encrypted: Buffer): string;
  isAsyncEncryptionAvailable?(): Promise<boolean>;
  encryptStringAsync?(plainText: string): Promise<Uint8Array>;
  decryptStringAsync?(encrypted: Buffer): Promise<{ readonly result: string }>;
  /** On Linux only. */
  getSelectedStorageBackend?(): string;
}

/** What the vault stands on. Only to be asked after the app is ready: before that the platform answers `unknown`. */
export interface SafeStorageVaultOptions {
  readonly safeStorage: SafeStorage;
  readonly platform: NodeJS.Platform;
}

/** Linux backends whose key lies in a keychain. `basic_text` has a key that is the same everywhere. */
const realOnLinux = new Set(['gnome_libsecret', 'kwallet', 'kwallet5', 'kwallet6']);
const unknown: VaultBackend = { name: 'unknown', isReal: false };
/** Begins what is wrapped: a wrong key that happens to decrypt to some text is told by it. */
const mark = 'vak-master-key-1:';

function readBackend({ safeStorage, platform }: SafeStorageVaultOptions): VaultBackend {
  // Where there are asynchronous calls only, whether it is available shows when it is used.
  const isAvailable = safeStorage.isEncryptionAvailable?.() ?? safeStorage.encryptStringAsync !== undefined;
  if (platform === 'darwin') return { name: 'keychain', isReal: isAvailable };
  if (platform === 'win32') return { name: 'dpapi', isReal: false };
  if (platform !== 'linux') return unknown;
  const name = safeStorage.getSelectedStorageBackend?.() ?? 'unknown';
  return /^\w{1,64}$/.test(name) ? { name, isReal: isAvailable && realOnLinux.has(name) } : unknown;
}

/** The synchronous call first: what it encrypts, every version of Electron decrypts. */
async function encrypt(safeStorage: SafeStorage, text: string): Promise<Uint8Array | undefined> {
  if (safeStorage.encryptString !== undefined) return safeStorage.encryptString(text);
  const isAvailable = await safeStorage.isAsyncEncryptionAvailable?.();
  return isAvailable === false ? undefined : await safeStorage.encryptStringAsync?.(text);
}

async function decryptAsync(safeStorage: SafeStorage, wrapped: Buffer): Promise<string | undefined> {
  return (await safeStorage.decryptStringAsync?.(wrapped))?.result;
}

/** Either call may know the key that the other does not. */
async function decrypt(safeStorage: SafeStorage, wrapped: Buffer): Promise<string | undefined> {
  if (safeStorage.decryptString === undefined) return await decryptAsync(safeStorage, wrapped);
  try {
    return safeStorage.decryptString(wrapped);
  } catch {
    return await decryptAsync(safeStorage, wrapped);
  }
}

/** Creates the vault. */
export function createSafeStorageVault(options: SafeStorageVaultOptions): Vault {
  const { safeStorage } = options;

  function backend(): VaultBackend {
    try {
      return readBackend(options);
    } catch {
      return unknown;
    }
  }

  return {
    backend,
    async wrap(key) {
      const { name, isReal } = backend();
      if (!isReal) throw new VakError('unsupported', `${name} is no real keychain; use a passphrase`);
      let wrapped: Uint8Array | undefined;
      try {
        wrapped = await encrypt(safeStorage, mark + toBase64(key));
      } catch {
        // Said below: the platform's text may quote what it was given.
      }
      if (wrapped === undefined) throw new VakError('unsupported', `the keychain ${name} refuses; use a passphrase`);
      return new Uint8Array(wrapped);
    },
    async unwrap(wrapped) {
      const { name, isReal } = backend();
      if (!isReal) throw new VakError('recovery-needed', `${name} is no real keychain; use the passphrase`);
      try {
        const text = await decrypt(safeStorage, Buffer.from(wrapped));
        if (text?.startsWith(mark)) return fromBase64(text.slice(mark.length), 'key');
      } catch {
        // The same as another key's text: said below.
      }
      throw new VakError('recovery-needed', `the keychain ${name} does not give the key back; use the passphrase`);
    },
  };
}
