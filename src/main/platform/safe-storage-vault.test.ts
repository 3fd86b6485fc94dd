import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { failure } from '../../../tests/support/expected-failure.ts';
import {
  addIdentity,
  createKeyStoreFolder,
  type KeyStoreFolder,
  passphrase,
  serials,
} from '../../../tests/support/key-store-fixture.ts';
import { createSafeStorageVault, type SafeStorage } from './safe-storage-vault.ts';

/** Encrypts as a platform does: under a key of its own, without telling a wrong one by more than nonsense. */
function scramble(bytes: Uint8Array, key: string): Buffer {
  const pad = createHash('sha512').update(key).digest();
  return Buffer.from(bytes.map((byte, index) => byte ^ (pad[index % pad.length] ?? 0)));
}

interface Played {
  readonly backend: string;
  readonly key?: string;
  readonly isAvailable?: boolean;
}

/** Electron 33: synchronous calls only. */
function playSync({ backend, key = backend, isAvailable = true }: Played): SafeStorage {
  return {
    isEncryptionAvailable: () => isAvailable,
    encryptString: (text) => scramble(Buffer.from(text), key),
    decryptString: (bytes) => scramble(bytes, key).toString(),
    getSelectedStorageBackend: () => backend,
  };
}

/** A later Electron: asynchronous calls only. */
function playAsync({ backend, key = backend, isAvailable = true }: Played): SafeStorage {
  return {
    isAsyncEncryptionAvailable: async () => isAvailable,
    encryptStringAsync: async (text) => scramble(Buffer.from(text), key),
    decryptStringAsync: async (bytes) => ({ result: scramble(bytes, key).toString() }),
    getSelectedStorageBackend: () => backend,
  };
}

const explode = (): never => {
  throw new Error('CANARY of the platform');
};
const throwing: SafeStorage = {
  isEncryptionAvailable: explode,
  encryptString: explode,
  decryptString: explode,
  getSelectedStorageBackend: explode,
};

let place: KeyStoreFolder;
beforeEach(() => {
  place = createKeyStoreFolder();
});
afterEach(() => place.dispose());

const start = (safeStorage: SafeStorage, platform: NodeJS.Platform = 'linux') =>
  place.store({ vault: createSafeStorageVault({ safeStorage, platform }) });

describe.each([
  ['Electron 33', playSync],
  ['a later Electron', playAsync],
])('safeStorage of %s', (_name, play) => {
  it.each(['gnome_libsecret', 'kwallet', 'kwallet5', 'kwallet6'])(
    'I3 %s keeps the key: no passphrase is asked',
    async (backend) => {
      const store = start(play({ backend }));
      await store.create({});
      await store.update(addIdentity(1));
      expect(store.state()).toMatchObject({ keychain: { name: backend, isReal: true }, slots: ['keychain'] });
      const again = start(play({ backend }));
      expect(again.state().kind).toBe('locked');
      await again.unlock({});
      expect(serials(again.read())).toEqual([1]);
    },
  );

  it('I3 the macOS Keychain keeps the key, and is not asked which backend it is', async () => {
    const { getSelectedStorageBackend: _, ...mac } = play({ backend: 'keychain' });
    const store = start(mac, 'darwin');
    await store.create({});
    expect(store.state().keychain).toEqual({ name: 'keychain', isReal: true });
    await start(mac, 'darwin').unlock({});
  });

  it.each(['basic_text', 'unknown'])(
    'I3 %s is no keychain: it gets no key, a passphrase is needed',
    async (backend) => {
      const store = start(play({ backend }));
      expect((await failure(store.create({}))).code).toBe('invalid-input');
      expect(store.state()).toMatchObject({ kind: 'absent', keychain: { name: backend, isReal: false } });
      await store.create({ passphrase: passphrase() });
      expect(store.state().slots).toEqual(['passphrase']);
      expect(String(place.files().get('store.vak'))).not.toContain('"keychain"');
      const again = start(play({ backend }));
      expect(again.state().kind).toBe('locked');
      await again.unlock({ passphrase: passphrase() });
    },
  );

  it('I3 one whose key was made anew asks for recovery, never gives nonsense as a key, and makes nothing', async () => {
    await start(play({ backend: 'kwallet5', key: 'old' })).create({ passphrase: passphrase() });
    const before = place.files();
    const store = start(play({ backend: 'kwallet5', key: 'new' }));
    expect((await failure(store.unlock({}))).code).toBe('recovery-needed');
    expect(store.state()).toMatchObject({ kind: 'recovery' });
    expect(place.files()).toEqual(before);
    await store.unlock({ passphrase: passphrase() });
    await start(play({ backend: 'kwallet5', key: 'new' })).unlock({});
  });
});

it('I3 a platform that throws is no keychain, whatever it says comes nowhere, and it is asked again at the next start', async () => {
  const healthy = playSync({ backend: 'gnome_libsecret' });
  await start(healthy).create({ passphrase: passphrase() });
  const before = place.files();
  const store = start(throwing);
  expect(store.state()).toMatchObject({ kind: 'recovery', keychain: { name: 'unknown', isReal: false } });
  const error = await failure(store.unlock({}));
  expect(error.code).toBe('recovery-needed');
  expect(`${error.stack} ${String(error.cause)} ${JSON.stringify(store.state())}`).not.toContain('CANARY');
  await store.unlock({ passphrase: passphrase() });
  expect(place.files()).toEqual(before);
  await start(healthy).unlock({});
});

it('I3 one that throws only when it is used asks for recovery or a passphrase', async () => {
  const broken = { ...playSync({ backend: 'kwallet6' }), encryptString: explode, decryptString: explode };
  const store = start(broken);
  expect((await failure(store.create({}))).code).toBe('invalid-input');
  await start(playSync({ backend: 'kwallet6' })).create({});
  expect((await failure(start(broken).unlock({}))).code).toBe('recovery-needed');
});

it('I3 a backend that changes between starts opens a recovery each time, and the passphrase settles it', async () => {
  await start(playSync({ backend: 'gnome_libsecret' })).create({ passphrase: passphrase() });
  for (const backend of ['kwallet6', 'basic_text', 'kwallet']) {
    const hadSlot = start(playSync({ backend })).state().slots.includes('keychain');
    const store = start(playSync({ backend }));
    expect(store.state().kind).toBe(hadSlot ? 'recovery' : 'locked');
    await failure(store.unlock({}));
    await store.unlock({ passphrase: passphrase() });
    expect(store.state().slots.includes('keychain')).toBe(backend !== 'basic_text');
    expect(start(playSync({ backend })).state().kind).toBe('locked');
  }
});

it('I3 a real backend that is not available now is not real now', async () => {
  const store = start(playSync({ backend: 'gnome_libsecret', isAvailable: false }));
  expect(store.state().keychain).toEqual({ name: 'gnome_libsecret', isReal: false });
  expect((await failure(start(playAsync({ backend: 'kwallet', isAvailable: false })).create({}))).code).toBe(
    'invalid-input',
  );
  expect(start(playSync({ backend: 'x' }), 'win32').state().keychain).toEqual({ name: 'dpapi', isReal: false });
  expect(start(playSync({ backend: 'a b' })).state().keychain.name).toBe('unknown');
});

it('I3 what the synchronous calls wrapped the asynchronous ones open, where a platform has both', async () => {
  const both = { ...playAsync({ backend: 'kwallet6' }), ...playSync({ backend: 'kwallet6' }) };
  await start(both).create({});
  await start(playSync({ backend: 'kwallet6' })).unlock({});
  await start({ ...both, decryptString: explode }).unlock({});
});
