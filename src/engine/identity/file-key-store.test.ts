import { chmodSync, existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { failure } from '../../../tests/support/expected-failure.ts';
import {
  addIdentity,
  createKeyStoreFolder,
  type KeyStoreFolder,
  passphrase,
  plainContents,
  sampleContents,
  sampleIdentity,
  serials,
} from '../../../tests/support/key-store-fixture.ts';
import { createLineLogger } from '../../../tests/support/line-logger.ts';
import { createMemoryVault } from '../../../tests/support/memory-vault.ts';
import { startAnewPhrase } from '../../shared/contract/identity-contract.ts';
import { createNoVault } from '../ports/vault.ts';
import type { KeyStoreContents } from './key-store.ts';
import { secretFromText } from './secret.ts';

let place: KeyStoreFolder;
beforeEach(() => {
  place = createKeyStoreFolder();
});
afterEach(() => place.dispose());

describe('contents', () => {
  it('I3 everything comes back after a lock, and after a new start, by keychain and by passphrase', async () => {
    const store = place.store();
    expect(store.state()).toMatchObject({ kind: 'absent', slots: [], reason: null });
    await store.create({ passphrase: passphrase() });
    expect(store.state()).toMatchObject({ kind: 'unlocked', slots: ['keychain', 'passphrase'] });
    await store.update(() => sampleContents());
    const expected = plainContents(sampleContents());
    expect(plainContents(store.read())).toEqual(expected);
    store.lock();
    await store.unlock({});
    expect(plainContents(store.read())).toEqual(expected);
    const again = place.store({ vault: createNoVault() });
    expect(again.state()).toMatchObject({ kind: 'locked', keychain: { name: 'none', isReal: false } });
    await again.unlock({ passphrase: passphrase() });
    expect(plainContents(again.read())).toEqual(expected);
    expect(again.state().slots).toEqual(['keychain', 'passphrase']);
    expect([...place.files().keys()]).toEqual(['store.vak', 'store.vak.last-good']);
  });

  it('I3 nobody else may read file, copy and folder, and no secret stands in them', async () => {
    const store = place.store();
    await store.create({});
    await store.update(() => sampleContents());
    expect(statSync(dirname(place.file)).mode & 0o777).toBe(0o700);
    for (const [name, bytes] of place.files()) {
      expect(statSync(`${dirname(place.file)}/${name}`).mode & 0o777).toBe(0o600);
      expect(bytes.includes('SEED')).toBe(false);
      expect(bytes.includes('mira')).toBe(false);
    }
  });

  it.each<[string, (contents: KeyStoreContents) => unknown]>([
    [
      'identities.0.boxKeys.0.secret',
      (all) => ({
        ...all,
        identities: [
          { ...sampleIdentity('a', 1), boxKeys: [{ secret: secretFromText('CANARY'), createdMs: 0, expiresMs: 0 }] },
        ],
      }),
    ],
    ['identities.0.cardSerial', (all) => ({ ...all, identities: [sampleIdentity('a', 1.5)] })],
    ['identities.0.kind', (all) => ({ ...all, identities: [{ ...sampleIdentity('a', 1), kind: 'CANARY' }] })],
    ['credentials.0.1', (all) => ({ ...all, credentials: new Map([['CANARY', secretFromText('')]]) })],
  ])('I3 what cannot be read again is not written, and the error names %s and no value', async (field, change) => {
    const store = place.store();
    await store.create({});
    const before = place.files();
    const error = await failure(store.update((all) => change(all) as KeyStoreContents));
    expect(error.code).toBe('invalid-input');
    expect(error.message).toContain(field);
    expect(error.message).not.toContain('CANARY');
    expect(place.files()).toEqual(before);
    await store.update(addIdentity(1));
  });

  it('a change that throws changes nothing, and the lock is free again', async () => {
    const store = place.store();
    await store.create({});
    const before = place.files();
    await expect(
      store.update(() => {
        throw new RangeError('mine');
      }),
    ).rejects.toThrowError('mine');
    expect(place.files()).toEqual(before);
    await store.update(addIdentity(1));
    expect(serials(store.read())).toEqual([1]);
  });
});

describe('creation', () => {
  it('I3 without a real keychain a passphrase of 10 characters is wanted, after NFKC', async () => {
    const store = place.store({ vault: createNoVault() });
    expect((await failure(store.create({}))).code).toBe('invalid-input');
    expect((await failure(store.create({ passphrase: secretFromText('123456789') }))).code).toBe('invalid-input');
    expect(existsSync(place.file)).toBe(false);
    // Ten characters as typed; nine once e and its accent are one.
    expect((await failure(store.create({ passphrase: secretFromText('12345678e\u0301') }))).code).toBe('invalid-input');
    await store.create({ passphrase: secretFromText('é234567890') });
    store.lock();
    await store.unlock({ passphrase: secretFromText('e\u0301234567890') });
    expect(store.state()).toMatchObject({ kind: 'unlocked', slots: ['passphrase'] });
  });

  it('I3 a keychain that takes a key and does not give it back is not trusted with one', async () => {
    const vault = createMemoryVault();
    const forgetful = { ...vault, unwrap: async () => new Uint8Array(32) };
    const store = place.store({ vault: forgetful });
    expect((await failure(store.create({}))).code).toBe('invalid-input');
    expect(store.state().kind).toBe('absent');
    await store.create({ passphrase: passphrase() });
    expect(store.state().slots).toEqual(['passphrase']);
  });

  it('I3 never makes a second store over a first, not even over a damaged one or one of which only the copy is left', async () => {
    const store = place.store();
    await store.create({});
    expect((await failure(place.store().create({}))).code).toBe('exists');
    writeFileSync(place.file, 'damaged');
    expect((await failure(place.store().create({}))).code).toBe('exists');
    rmSync(place.file);
    expect((await failure(place.store().create({}))).code).toBe('exists');
    expect(place.store().state().kind).toBe('locked');
  });

  it('what does not exist cannot be unlocked or read', async () => {
    const store = place.store();
    expect((await failure(store.unlock({}))).code).toBe('not-found');
    expect(() => store.read()).toThrowError('locked');
    expect((await failure(store.update((all) => all))).code).toBe('locked');
  });
});

describe('two processes', () => {
  it('I3 each change begins from what the other wrote, and refresh takes it over', async () => {
    const a = place.store();
    const b = place.store();
    await a.create({});
    await b.unlock({});
    await a.update(addIdentity(1));
    expect(serials(b.read())).toEqual([]);
    let told = 0;
    b.onChange(() => told++);
    await b.refresh();
    expect(serials(b.read())).toEqual([1]);
    await b.refresh();
    expect(told).toBe(1);
    await a.update(addIdentity(2));
    await b.update(addIdentity(3));
    expect(serials(b.read())).toEqual([1, 2, 3]);
  });

  it('I3 whoever lost the lock while it worked writes nothing', async () => {
    const store = place.store();
    await store.create({});
    const before = place.files().get('store.vak');
    const error = await failure(
      store.update((contents) => {
        writeFileSync(`${place.file}.lock`, 'of another');
        return addIdentity(1)(contents);
      }),
    );
    expect(error).toMatchObject({ code: 'timeout', retryable: true });
    expect(place.files().get('store.vak')).toEqual(before);
    expect(serials(store.read())).toEqual([]);
  });

  it('I3 a store that another process replaced locks here, and loses nothing of the new one', async () => {
    const a = place.store();
    const b = place.store();
    await a.create({});
    await b.unlock({});
    await a.startAnew({ confirmation: startAnewPhrase });
    await a.update(addIdentity(5));
    const before = place.files();
    expect((await failure(b.update(addIdentity(6)))).code).toBe('locked');
    expect(b.state().kind).toBe('locked');
    expect(place.files()).toEqual(before);
    await b.unlock({});
    expect(serials(b.read())).toEqual([5]);
  });
});

it('I3 no log line, state or error holds a secret', async () => {
  const lines: string[] = [];
  const logger = createLineLogger(lines);
  const store = place.store({ logger });
  await store.create({ passphrase: passphrase() });
  await store.update(() => sampleContents());
  const shown = [JSON.stringify(store.state()), JSON.stringify(store.read()), String(store.read().credentials)];
  chmodSync(place.file, 0o400);
  writeFileSync(`${place.file}.last-good`, '{"SEED');
  store.lock();
  await store.unlock({});
  shown.push(JSON.stringify(store.state()), ...lines);
  const error = await failure(store.unlock({ passphrase: secretFromText('SEED wrong one') }));
  shown.push(`${error.message} ${error.stack} ${String(error.cause)}`);
  expect(store.state().notices).toHaveLength(1);
  expect(shown.join('\n')).not.toMatch(/SEED|correct horse/);
});
