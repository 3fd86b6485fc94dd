import { describe, expect, it } from 'vitest';
import { asksPassphrase, keychainName, whereKept } from './keychain-words.ts';

const real = { name: 'gnome_libsecret', isReal: true };
const basic = { name: 'basic_text', isReal: false };

describe('words for what protects the key store', () => {
  it('says where the key will be', () => {
    expect(whereKept({ keychain: { name: 'keychain', isReal: true } })).toBe('in the macOS Keychain');
    expect(whereKept({ keychain: real })).toBe('in libsecret');
    expect(whereKept({ keychain: basic })).toBe(
      'under a passphrase, because this machine has no real keychain (basic_text)',
    );
  });

  it('keeps the name of a backend that it does not know', () => {
    expect(keychainName({ name: 'new_backend', isReal: true })).toBe('new_backend');
  });

  it.each([
    [real, ['keychain'], false],
    [real, ['keychain', 'passphrase'], false],
    [real, ['passphrase'], true],
    [basic, ['keychain', 'passphrase'], true],
    [basic, ['passphrase'], true],
  ] as const)('with %j and slots %j asks for the passphrase: %s', (keychain, slots, expected) => {
    expect(asksPassphrase({ keychain, slots })).toBe(expected);
  });
});
