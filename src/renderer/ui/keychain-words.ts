/** What protects the key store on this machine, in words. Pure. */
import type { KeyStoreState } from '../../shared/contract/identity-contract.ts';

type Protection = Pick<KeyStoreState, 'keychain' | 'slots'>;

const names: Readonly<Record<string, string>> = {
  keychain: 'the macOS Keychain',
  gnome_libsecret: 'libsecret',
  kwallet: 'KWallet',
  kwallet5: 'KWallet',
  kwallet6: 'KWallet',
};

/** `the macOS Keychain`, `libsecret`; a backend that we have no name for keeps its own. */
export function keychainName({ name }: KeyStoreState['keychain']): string {
  return names[name] ?? name;
}

/** Where a store that is made now will have its key. */
export function whereKept({ keychain }: Pick<KeyStoreState, 'keychain'>): string {
  return keychain.isReal
    ? `in ${keychainName(keychain)}`
    : `under a passphrase, because this machine has no real keychain (${keychain.name})`;
}

/** Whether opening the store asks for its passphrase. */
export function asksPassphrase({ keychain, slots }: Protection): boolean {
  return !(keychain.isReal && slots.includes('keychain'));
}
