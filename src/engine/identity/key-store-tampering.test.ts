import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { performance } from 'node:perf_hooks';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { failure } from '../../../tests/support/expected-failure.ts';
import {
  addIdentity,
  createKeyStoreFolder,
  type KeyStoreFolder,
  passphrase,
  serials,
} from '../../../tests/support/key-store-fixture.ts';
import { createNoVault } from '../ports/vault.ts';
import type { FileKeyStore } from './file-key-store.ts';

type Header = { id: string; backend: string; version: number; format: string; slots: Record<string, unknown>[] };

let good: Buffer;
let place: KeyStoreFolder;
let copy: string;

/** The bytes of a store, made in a folder of its own. */
async function makeStore(change?: (store: FileKeyStore) => Promise<unknown>): Promise<Buffer> {
  const maker = createKeyStoreFolder();
  const store = maker.store();
  await store.create({ passphrase: passphrase() });
  await change?.(store);
  const bytes = readFileSync(maker.file);
  maker.dispose();
  return bytes;
}

beforeAll(async () => {
  good = await makeStore((store) => store.update(addIdentity(7)));
});
beforeEach(() => {
  place = createKeyStoreFolder();
  copy = `${place.file}.last-good`;
  mkdirSync(dirname(place.file), { recursive: true });
  for (const path of [place.file, copy]) writeFileSync(path, good);
});
afterEach(() => place.dispose());

const headerOf = (bytes: Buffer): Header => JSON.parse(bytes.subarray(0, bytes.indexOf(10)).toString());
const withHeader = (bytes: Buffer, header: object): Buffer =>
  Buffer.concat([Buffer.from(JSON.stringify(header)), bytes.subarray(bytes.indexOf(10))]);
const damagedFiles = () => [...place.files()].filter(([name]) => name.includes('.damaged-'));

describe('one changed bit', () => {
  it('I3 anywhere in the file: it does not open, the error is typed, and nothing is written', async () => {
    rmSync(copy);
    const store = place.store();
    for (let at = 0; at < good.length; at++) {
      const changed = Buffer.from(good);
      changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
      writeFileSync(place.file, changed);
      const error = await failure(store.unlock({}));
      expect(['corrupt', 'unsupported', 'recovery-needed', 'invalid-input']).toContain(error.code);
      expect(readFileSync(place.file)).toEqual(changed);
      expect(existsSync(copy)).toBe(false);
    }
    writeFileSync(place.file, good);
    await store.unlock({});
    expect(serials(store.read())).toEqual([7]);
  });

  it('I3 in the file or in its copy: the other opens, with a notice, and the damaged one is set aside', async () => {
    for (const path of [place.file, copy]) {
      for (let at = 5; at < good.length; at += 61) {
        writeFileSync(place.file, good);
        copyFileSync(place.file, copy);
        const changed = Buffer.from(good);
        changed[at] = (changed[at] ?? 0) ^ 0x80;
        writeFileSync(path, changed);
        const store = place.store();
        await store.unlock({});
        expect(serials(store.read())).toEqual([7]);
        expect(store.state().notices).toHaveLength(1);
        const [aside, ...more] = damagedFiles();
        expect(more).toEqual([]);
        expect(aside?.[1]).toEqual(changed);
        expect(readFileSync(copy)).toEqual(readFileSync(place.file));
        store.dispose();
        rmSync(`${place.folder}/keys/${aside?.[0]}`);
      }
    }
  });

  it('I3 in both: the state is corrupt, nothing is changed, and what is set aside by starting anew is both', async () => {
    const changed = Buffer.from(good);
    changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
    writeFileSync(place.file, changed);
    writeFileSync(copy, 'nothing');
    const before = place.files();
    const store = place.store();
    expect((await failure(store.unlock({}))).code).toBe('corrupt');
    expect((await failure(store.unlock({ passphrase: passphrase() }))).code).toBe('corrupt');
    expect(store.state()).toMatchObject({ kind: 'corrupt' });
    expect(store.state().reason).toContain(copy);
    expect(place.files()).toEqual(before);
    await store.startAnew({ confirmation: 'start anew' });
    const aside = [...place.files()].filter(([name]) => name.includes('.replaced-')).map(([, bytes]) => String(bytes));
    expect(aside.sort()).toEqual([changed, 'nothing'].map(String).sort());
  });
});

describe('a forged header', () => {
  let foreign: Header;
  let backup: Header;
  beforeAll(async () => {
    const twin = await makeStore(async (store) => {
      backup = headerOf(Buffer.from(await store.backup(passphrase())));
    });
    foreign = headerOf(twin);
  });

  it.each<[string, (own: Header) => object]>([
    ['both slots of another store', (own) => ({ ...own, slots: foreign.slots })],
    ['the passphrase slot of another store', (own) => ({ ...own, slots: [own.slots[0], foreign.slots[1]] })],
    ['the keychain slot of another store', (own) => ({ ...own, slots: [foreign.slots[0], own.slots[1]] })],
    ['slots the other way round', (own) => ({ ...own, slots: [own.slots[1], own.slots[0]] })],
    ['a slot less', (own) => ({ ...own, slots: [own.slots[1]] })],
    ['the slot of a backup', (own) => ({ ...own, slots: [own.slots[0], backup.slots[0]] })],
    ['the id of another store', (own) => ({ ...own, id: foreign.id })],
    ['the header of another store', () => foreign],
  ])('I3 %s: it does not fit the body, and nothing is written', async (_, forge) => {
    rmSync(copy);
    writeFileSync(place.file, withHeader(good, forge(headerOf(good))));
    const before = place.files();
    for (const options of [{}, { passphrase: passphrase() }]) {
      const error = await failure(place.store().unlock(options));
      expect(['corrupt', 'wrong-passphrase', 'invalid-input']).toContain(error.code);
    }
    expect(place.files()).toEqual(before);
  });

  it('I3 another backend, or the format of a backup, does not fit the body', async () => {
    rmSync(copy);
    const own = headerOf(good);
    writeFileSync(place.file, withHeader(good, { ...own, backend: 'kwallet' }));
    expect((await failure(place.store().unlock({ passphrase: passphrase() }))).code).toBe('corrupt');
    writeFileSync(place.file, withHeader(good, { ...own, format: 'vak-backup' }));
    expect(place.store().state().kind).toBe('corrupt');
  });

  it('I3 a changed slot and a wrong passphrase are told by the same text', async () => {
    rmSync(copy);
    const texts = new Set<string>();
    for (const field of ['salt', 'key'] as const) {
      const header = headerOf(good);
      const slot = header.slots[1] as Record<string, string>;
      slot[field] = `${slot[field]?.startsWith('A') ? 'B' : 'A'}${slot[field]?.slice(1)}`;
      writeFileSync(place.file, withHeader(good, header));
      texts.add(String(await failure(place.store().unlock({ passphrase: passphrase() }))));
    }
    expect([...texts]).toEqual(['VakError: the passphrase does not open it']);
  });

  it('I3 a file that asks for 64 GiB is refused at once', async () => {
    rmSync(copy);
    for (const cost of [{ n: 2 ** 26 }, { n: 2 ** 20, r: 32 }, { p: 1e9 }, { n: 1e308 }]) {
      const header = headerOf(good);
      Object.assign(header.slots[1] ?? {}, cost);
      writeFileSync(place.file, withHeader(good, header));
      const store = place.store({ vault: createNoVault() });
      const beganMs = performance.now();
      expect((await failure(store.unlock({ passphrase: passphrase() }))).code).toBe('corrupt');
      expect(performance.now() - beganMs).toBeLessThan(1000);
      expect(store.state().kind).toBe('corrupt');
    }
  });

  it('I3 a file of a later version is left to later programs', async () => {
    writeFileSync(place.file, withHeader(good, { ...headerOf(good), version: 2, more: true }));
    const before = place.files();
    const store = place.store();
    expect((await failure(store.unlock({}))).code).toBe('unsupported');
    expect(store.state()).toMatchObject({ kind: 'corrupt' });
    expect(store.state().reason).toContain('newer');
    expect(place.files()).toEqual(before);
  });
});

it('I3 a store of which only the copy is left opens and is made whole', async () => {
  rmSync(place.file);
  const store = place.store();
  expect(store.state().kind).toBe('locked');
  await store.unlock({});
  expect(serials(store.read())).toEqual([7]);
  expect(readFileSync(place.file)).toEqual(readFileSync(copy));
});

it('I3 the newer copy wins, whichever it is', async () => {
  const store = place.store();
  await store.unlock({});
  await store.update(addIdentity(8));
  const newer = readFileSync(place.file);
  writeFileSync(place.file, good);
  writeFileSync(copy, newer);
  const again = place.store();
  await again.unlock({});
  expect(serials(again.read())).toEqual([7, 8]);
});
