import { copyFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { failure } from '../../../tests/support/expected-failure.ts';
import {
  addIdentity,
  createKeyStoreFolder,
  type KeyStoreFolder,
  otherPassphrase,
  passphrase,
  serials,
} from '../../../tests/support/key-store-fixture.ts';
import { createMemoryVault } from '../../../tests/support/memory-vault.ts';
import { createNoVault } from '../ports/vault.ts';
import { secretFromText } from './secret.ts';

let place: KeyStoreFolder;
beforeEach(() => {
  place = createKeyStoreFolder();
});
afterEach(() => place.dispose());

describe('passphrase', () => {
  it('I3 a wrong one is told by one text, whatever is wrong; the right one works after; nothing is written', async () => {
    const store = place.store({ vault: createNoVault() });
    await store.create({ passphrase: passphrase() });
    store.lock();
    const before = place.files();
    const errors = [];
    for (const wrong of ['correct horse batterx', '', 'x'])
      errors.push(await failure(store.unlock({ passphrase: secretFromText(wrong) })));
    expect(new Set(errors.map(({ code, message }) => `${code} ${message}`)).size).toBe(1);
    expect(errors[0]?.code).toBe('wrong-passphrase');
    expect(place.files()).toEqual(before);
    expect(store.state().kind).toBe('locked');
    await store.unlock({ passphrase: passphrase() });
    // A wrong one at an open store is a wrong one, and closes nothing.
    expect((await failure(store.unlock({ passphrase: otherPassphrase() }))).code).toBe('wrong-passphrase');
    expect(store.state().kind).toBe('unlocked');
  });

  it('I3 a new one replaces the old in both copies; each way in is the other’s spare', async () => {
    const store = place.store();
    await store.create({});
    await store.update(addIdentity(1));
    expect((await failure(store.setPassphrase(secretFromText('short')))).code).toBe('invalid-input');
    await store.setPassphrase(passphrase());
    await store.setPassphrase(otherPassphrase());
    store.lock();
    expect((await failure(store.unlock({ passphrase: passphrase() }))).code).toBe('wrong-passphrase');
    await store.unlock({ passphrase: otherPassphrase() });
    store.lock();
    await store.unlock({});
    expect(serials(store.read())).toEqual([1]);
    expect([...place.files().keys()]).toEqual(['store.vak', 'store.vak.last-good']);
  });

  it('I3 an earlier passphrase that still opens an older copy opens nothing, and nothing is set aside', async () => {
    const vault = createNoVault();
    const store = place.store({ vault });
    await store.create({ passphrase: passphrase() });
    const old = `${place.folder}/old`;
    copyFileSync(place.file, old);
    await store.setPassphrase(otherPassphrase());
    // As if it had been killed between the store and its copy.
    copyFileSync(old, `${place.file}.last-good`);
    const before = place.files();
    const again = place.store({ vault });
    expect((await failure(again.unlock({ passphrase: passphrase() }))).code).toBe('wrong-passphrase');
    expect(place.files()).toEqual(before);
    await again.unlock({ passphrase: otherPassphrase() });
    const after = place.files();
    expect(after.get('store.vak.last-good')).toEqual(after.get('store.vak'));
    expect(again.state().notices).toEqual([]);
  });

  it('a way in that the store does not have is said', async () => {
    const store = place.store();
    await store.create({});
    store.lock();
    expect((await failure(store.unlock({ passphrase: passphrase() }))).code).toBe('invalid-input');
    expect(store.state().kind).toBe('locked');
  });
});

describe('keychain', () => {
  it('I3 another backend, or one that refuses, opens a recovery and makes nothing anew; the passphrase wraps for the new one', async () => {
    await place.store().create({ passphrase: passphrase() });
    const before = place.files();
    const vault = createMemoryVault('kwallet6');
    const store = place.store({ vault });
    expect(store.state()).toMatchObject({ kind: 'recovery', slots: ['keychain', 'passphrase'] });
    expect(store.state().reason).toContain('gnome_libsecret');
    expect((await failure(store.unlock({}))).code).toBe('recovery-needed');
    expect((await failure(store.unlock({ passphrase: otherPassphrase() }))).code).toBe('wrong-passphrase');
    expect(place.files()).toEqual(before);
    expect(store.state().kind).toBe('recovery');
    await store.unlock({ passphrase: passphrase() });
    const again = place.store({ vault });
    expect(again.state()).toMatchObject({ kind: 'locked', slots: ['keychain', 'passphrase'] });
    await again.unlock({});
    // The very same backend with another key inside.
    vault.isRefusing = true;
    again.lock();
    expect((await failure(again.unlock({}))).code).toBe('recovery-needed');
    expect(again.state().kind).toBe('recovery');
    vault.isRefusing = false;
    await again.unlock({});
    expect(again.state().kind).toBe('unlocked');
  });

  it('I3 a keychain that is none any more costs its slot only after the passphrase worked, and comes back by itself', async () => {
    await place.store().create({ passphrase: passphrase() });
    const plain = createMemoryVault('basic_text');
    plain.isReal = false;
    const store = place.store({ vault: plain });
    expect(store.state().kind).toBe('recovery');
    await store.unlock({ passphrase: passphrase() });
    expect(place.store({ vault: plain }).state()).toMatchObject({ kind: 'locked', slots: ['passphrase'] });
    const back = place.store();
    expect(back.state().kind).toBe('locked');
    await back.unlock({ passphrase: passphrase() });
    expect(back.state().slots).toEqual(['keychain', 'passphrase']);
  });

  it('I3 a platform that does not answer now keeps its slot', async () => {
    await place.store().create({ passphrase: passphrase() });
    for (const name of ['unknown', 'gnome_libsecret']) {
      const silent = createMemoryVault(name);
      silent.isReal = false;
      const store = place.store({ vault: silent });
      expect(store.state().kind).toBe('recovery');
      await store.unlock({ passphrase: passphrase() });
      store.dispose();
    }
    const store = place.store();
    await store.unlock({});
    expect(store.state().slots).toEqual(['keychain', 'passphrase']);
  });

  it('I3 a process without a keychain says that only the keychain opens the store', async () => {
    await place.store().create({});
    const store = place.store({ vault: createNoVault() });
    expect(store.state()).toMatchObject({ kind: 'recovery', slots: ['keychain'] });
    expect((await failure(store.unlock({}))).code).toBe('recovery-needed');
  });
});
