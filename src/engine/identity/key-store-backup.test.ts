import { rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { failure } from '../../../tests/support/expected-failure.ts';
import {
  addIdentity,
  createKeyStoreFolder,
  type KeyStoreFolder,
  otherPassphrase,
  passphrase,
  plainContents,
  sampleContents,
  secretsOf,
  serials,
} from '../../../tests/support/key-store-fixture.ts';
import { startAnewPhrase } from '../../shared/contract/identity-contract.ts';
import { createNoVault } from '../ports/vault.ts';

let place: KeyStoreFolder;
beforeEach(() => {
  place = createKeyStoreFolder();
});
afterEach(() => place.dispose());

describe('backup, restore, starting anew', () => {
  it('I3 a backup restores elsewhere under a new key; the store that stood there is set aside', async () => {
    const store = place.store();
    await store.create({});
    await store.update(() => sampleContents());
    const backup = await store.backup(passphrase());
    expect(Buffer.from(backup).includes('SEED')).toBe(false);
    await store.update(addIdentity(99));
    const newest = place.files().get('store.vak');

    const wrong = { backupPassphrase: otherPassphrase() };
    expect((await failure(store.restore(backup, wrong))).code).toBe('wrong-passphrase');
    expect((await failure(store.restore(backup.subarray(0, -1), { backupPassphrase: passphrase() }))).code).toBe(
      'corrupt',
    );
    const [main = new Uint8Array()] = place.files().values();
    expect((await failure(store.restore(main, wrong))).code).toBe('corrupt');
    expect(place.files().get('store.vak')).toEqual(newest);
    expect(serials(store.read())).toContain(99);

    const given = secretsOf(store.read());
    await store.restore(backup, { backupPassphrase: passphrase(), passphrase: otherPassphrase() });
    expect(plainContents(store.read())).toEqual(plainContents(sampleContents()));
    expect(given.every(({ length }) => length === 0)).toBe(true);
    const aside = [...place.files()].filter(([name]) => name.startsWith('store.vak.replaced-'));
    expect(aside.map(([, bytes]) => bytes)).toEqual([newest]);
    store.lock();
    expect((await failure(store.unlock({ passphrase: passphrase() }))).code).toBe('wrong-passphrase');
    await store.unlock({ passphrase: otherPassphrase() });
  });

  it('I3 a restore that has nowhere to put the new key changes nothing', async () => {
    const store = place.store();
    await store.create({});
    const backup = await store.backup(passphrase());
    const before = place.files();
    const headless = place.store({ vault: createNoVault() });
    expect((await failure(headless.restore(backup, { backupPassphrase: passphrase() }))).code).toBe('invalid-input');
    expect(place.files()).toEqual(before);
    expect(store.state().kind).toBe('unlocked');
  });

  it('I3 what is in memory can be backed up when the disk has lost it', async () => {
    const store = place.store();
    await store.create({});
    await store.update(addIdentity(1));
    writeFileSync(place.file, 'damaged');
    rmSync(`${place.file}.last-good`);
    expect((await failure(store.update(addIdentity(2)))).code).toBe('corrupt');
    const backup = await store.backup(passphrase());
    await store.restore(backup, { backupPassphrase: passphrase() });
    expect(serials(store.read())).toEqual([1]);
    const aside = [...place.files()].filter(([name]) => name.includes('replaced-')).map(([, bytes]) => String(bytes));
    expect(aside).toEqual(['damaged']);
  });

  it('I3 starting anew wants the phrase, and sets both copies aside', async () => {
    const store = place.store();
    await store.create({});
    await store.update(addIdentity(1));
    const before = place.files();
    for (const confirmation of ['', 'Start anew', `${startAnewPhrase} `])
      expect((await failure(store.startAnew({ confirmation }))).code).toBe('invalid-input');
    expect(place.files()).toEqual(before);
    writeFileSync(`${place.file}.last-good`, 'something else');
    await store.startAnew({ confirmation: startAnewPhrase });
    expect(serials(store.read())).toEqual([]);
    const aside = [...place.files()].filter(([name]) => name.includes('replaced-')).map(([, bytes]) => bytes);
    expect(aside).toHaveLength(2);
    expect(aside).toContainEqual(before.get('store.vak'));
    expect(aside).toContainEqual(Buffer.from('something else'));
  });
});
