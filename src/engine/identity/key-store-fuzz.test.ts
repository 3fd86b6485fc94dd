import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { failure } from '../../../tests/support/expected-failure.ts';
import {
  addIdentity,
  createKeyStoreFolder,
  passphrase,
  sampleContents,
  serials,
} from '../../../tests/support/key-store-fixture.ts';
import { utf8 } from '../../shared/base/bytes.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import { createSeededRandomness } from '../ports/randomness.ts';
import { decodeBody, encodeBody, toBody, toContents } from './contents-codec.ts';
import { createSecret } from './secret.ts';
import { parseStoreFile } from './store-format.ts';

/** Fuzzed inputs of each kind (quality.md §3). */
const count = process.env['VAK_ENDURANCE'] === '1' ? 100_000 : 10_000;
/** One file of so many has a good copy beside it, as mending takes milliseconds; odd, so that each kind of spoiling meets it. */
const copyEvery = 257;

function createFolderWith(folder: string, files: Readonly<Record<string, Uint8Array>>): void {
  for (const [name, bytes] of Object.entries(files)) {
    const path = join(folder, 'keys', name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, bytes);
  }
}

/** One way to spoil a file; `draw(n)` gives a whole number below n. */
type Mutation = (bytes: Buffer, draw: (below: number) => number) => Buffer;

const hostileValues = [
  null,
  true,
  0,
  -1,
  1e308,
  2 ** 40,
  '',
  'A'.repeat(70_000),
  [],
  {},
  [[]],
  { length: 9 },
  '__proto__',
];

/** Replaces one value somewhere in a JSON tree. */
function spoil(value: unknown, draw: (below: number) => number): unknown {
  if (typeof value !== 'object' || value === null || draw(4) === 0) return hostileValues[draw(hostileValues.length)];
  const keys = Object.keys(value);
  const key = keys[draw(keys.length)] ?? 'x';
  if (Array.isArray(value)) return value.map((inner, index) => (String(index) === key ? spoil(inner, draw) : inner));
  if (draw(6) === 0) return { ...value, [`x${draw(9)}`]: 1 };
  return { ...value, [key]: spoil((value as Record<string, unknown>)[key], draw) };
}

const mutations: readonly Mutation[] = [
  (bytes, draw) => {
    const changed = Buffer.from(bytes);
    for (let i = draw(8); i >= 0; i--) changed[draw(changed.length)] = draw(256);
    return changed;
  },
  (bytes, draw) => bytes.subarray(0, draw(bytes.length)),
  (bytes, draw) => bytes.subarray(1 + draw(bytes.length - 1)),
  (bytes, draw) => Buffer.concat([bytes, Buffer.alloc(1 + draw(99), draw(256))]),
  (bytes, draw) => {
    const at = draw(bytes.length);
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(Math.max(0, at - draw(50)))]);
  },
  (_bytes, draw) => Buffer.from(Array.from({ length: draw(400) }, () => draw(256))),
  (bytes, draw) => {
    const end = bytes.indexOf(10);
    const header: unknown = JSON.parse(bytes.subarray(0, end).toString());
    return Buffer.concat([Buffer.from(JSON.stringify(spoil(header, draw))), bytes.subarray(end)]);
  },
  (_bytes, draw) => Buffer.from(`${'['.repeat(draw(40_000))}\n`),
];

it(
  `I3 ${count} spoiled files: a typed error or the good copy, and what was found is never overwritten`,
  async () => {
    const place = createKeyStoreFolder();
    const copy = `${place.file}.last-good`;
    const maker = place.store();
    await maker.create({ passphrase: passphrase() });
    await maker.update(addIdentity(7));
    const backup = Buffer.from(await maker.backup(passphrase()));
    const good = readFileSync(place.file);
    maker.dispose();
    const random = createSeededRandomness(20_260_102);
    const draw = (below: number): number => new DataView(random.bytes(4).buffer).getUint32(0) % below;
    let failed = 0;
    let hadCopy = true;
    for (let round = 0; round < count; round++) {
      const mutate = mutations[round % mutations.length] ?? ((bytes) => bytes);
      const spoiled = mutate(good, draw);
      const hasCopy = round % copyEvery === 0;
      if (spoiled.equals(good)) continue;
      if (hasCopy || hadCopy) rmSync(`${place.folder}/keys`, { recursive: true });
      hadCopy = hasCopy;
      createFolderWith(
        place.folder,
        hasCopy ? { 'store.vak': spoiled, 'store.vak.last-good': good } : { 'store.vak': spoiled },
      );
      const store = place.store();
      expect(['locked', 'recovery', 'corrupt']).toContain(store.state().kind);
      const error: unknown = await store.unlock({}).catch((thrown: unknown) => thrown);
      if (error === undefined) {
        expect(hasCopy).toBe(true);
        expect(serials(store.read())).toEqual([7]);
        const aside = [...place.files()].filter(([name]) => name.includes('.damaged-'));
        expect(aside.map(([, bytes]) => bytes.equals(spoiled))).toEqual([true]);
      } else {
        failed++;
        if (!isVakError(error)) throw error;
        expect(readFileSync(place.file).equals(spoiled)).toBe(true);
        if (hasCopy) expect(readFileSync(copy).equals(good)).toBe(true);
        expect(readdirSync(dirname(place.file))).toHaveLength(hasCopy ? 2 : 1);
      }
      store.dispose();
      // The same spoiling of a backup: a typed error before anything is derived, or a wrong passphrase.
      if (round % 8 !== 6) {
        const bytes = mutate(backup, draw);
        try {
          parseStoreFile(bytes, 'vak-backup');
        } catch (thrown) {
          if (!isVakError(thrown)) throw thrown;
        }
      }
    }
    expect(failed).toBeGreaterThan(count / 2);
    place.dispose();
  },
  count * 100,
);

it(
  `I3 ${count} authentic bodies that are none: corrupt, and no error quotes anything of it`,
  () => {
    const body = toBody(sampleContents(), 3);
    expect(toBody(toContents(body, createSecret), 3)).toEqual(body);
    expect(decodeBody(encodeBody(body))).toEqual(body);
    const random = createSeededRandomness(7);
    const draw = (below: number): number => new DataView(random.bytes(4).buffer).getUint32(0) % below;
    for (let round = 0; round < count; round++) {
      const spoiled = spoil(JSON.parse(JSON.stringify(body)), draw);
      expectBodyOrCorrupt(utf8(JSON.stringify(spoiled)));
    }
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array(), fc.json().map(utf8), fc.string().map(utf8)), (bytes) => {
        expectBodyOrCorrupt(bytes);
      }),
      { numRuns: count },
    );
    for (const twice of ['credentials', 'roomKeys'] as const) {
      const spoiled = {
        ...body,
        [twice]: [
          ['CANARY', 'AAAA'],
          ['CANARY', 'BBBB'],
        ],
      };
      expect(() => decodeBody(utf8(JSON.stringify(spoiled)))).toThrowError(`${twice}: a name twice`);
    }
  },
  count * 10,
);

function expectBodyOrCorrupt(bytes: Uint8Array): void {
  try {
    decodeBody(bytes);
  } catch (error) {
    if (!isVakError(error, 'corrupt')) throw error;
    expect(error.cause).toBeUndefined();
    // Seeds of the sample in base64 begin so.
    expect(error.message).not.toMatch(/U1V[A-Za-z0-9]|SEED|SU[a-z]/);
  }
}

it('I3 what is no regular file, too large or unreadable is said and left alone', async () => {
  const place = createKeyStoreFolder();
  createFolderWith(place.folder, { 'store.vak': Buffer.alloc(17 * 1024 * 1024, 65) });
  const store = place.store();
  expect((await failure(store.unlock({}))).message).toContain('larger than');
  rmSync(place.file);
  createFolderWith(place.folder, { 'store.vak/inner': Buffer.from('x') });
  expect((await failure(store.unlock({}))).message).toContain('no file');
  expect(store.state().kind).toBe('corrupt');
  await store.startAnew({ confirmation: 'start anew' });
  expect(store.state().kind).toBe('unlocked');
  place.dispose();
});
