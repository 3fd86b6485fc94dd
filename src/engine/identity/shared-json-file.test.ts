import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { failure } from '../../../tests/support/expected-failure.ts';
import { createDisposer, type Disposer } from '../../shared/base/disposer.ts';
import { isVakError, type VakError } from '../../shared/base/vak-error.ts';
import { createSystemClock } from '../ports/clock.ts';
import { createFakeClock, type FakeClock } from '../ports/fake-clock.ts';
import { createSystemRandomness } from '../ports/randomness.ts';
import { openSharedJsonFile, type SharedJsonFile } from './shared-json-file.ts';

const schema = z.strictObject({ v: z.literal(1), names: z.array(z.string()) });
type Names = z.infer<typeof schema>;

let folder: string;
let path: string;
let clock: FakeClock;
let reports: VakError[];
let disposer: Disposer;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vak-json-'));
  path = join(folder, 'profile', 'names.json');
  clock = createFakeClock();
  reports = [];
  disposer = createDisposer();
});

afterEach(() => {
  disposer.dispose();
  expect(clock.timerCount).toBe(0);
  rmSync(folder, { recursive: true, force: true });
});

async function open(
  ownClock: FakeClock | ReturnType<typeof createSystemClock> = clock,
): Promise<SharedJsonFile<Names>> {
  const file = await openSharedJsonFile<Names>({
    path,
    schema,
    empty: { v: 1, names: [] },
    clock: ownClock,
    randomness: createSystemRandomness(),
    report: (error) => reports.push(error),
  });
  return disposer.add(file);
}

const add =
  (name: string) =>
  ({ v, names }: Names): Names => ({ v, names: [...names, name] });

const asides = (): string[] => readdirSync(join(folder, 'profile')).filter((name) => name.includes('.damaged-'));

describe('I4 a file that processes share', () => {
  test('I4 what was written is there after opening anew, for its owner alone', async () => {
    const file = await open();
    expect(file.read()).toEqual({ v: 1, names: [] });
    await file.update(add('a'));
    expect(file.read().names).toEqual(['a']);
    expect((await open()).read().names).toEqual(['a']);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(folder, 'profile'))).toEqual(['names.json']);
  });

  test('R79 changes that are asked for at a time are made in their order, and written once', async () => {
    const file = await open();
    let changeCount = 0;
    disposer.add(file.onChange(() => void changeCount++));
    const refused = file.update(() => {
      throw new TypeError('not this one');
    });
    const names = Array.from({ length: 200 }, (_, at) => `${at}`);
    const done = Promise.all(names.map((name) => file.update(add(name))));
    await expect(refused).rejects.toThrow('not this one');
    await done;
    expect(file.read().names).toEqual(names);
    expect((await open()).read().names).toEqual(names);
    expect(changeCount).toBe(1);
  });

  test('E22 who misses something looks at once, but not more than once in 10 ms', async () => {
    const [left, right] = [await open(), await open()];
    clock.advance(10);
    expect(right.refresh()).toBe(false);
    await left.update(add('a'));
    expect(right.refresh()).toBe(false);
    clock.advance(9);
    expect(right.refresh()).toBe(false);
    expect(right.read().names).toEqual([]);
    clock.advance(1);
    expect(right.refresh()).toBe(true);
    expect(right.read().names).toEqual(['a']);
    right.dispose();
    await left.update(add('b'));
    clock.advance(1000);
    expect(right.refresh()).toBe(false);
  });

  test('I4 one sees what the other wrote, when it reads and, told by its listener, when it does not', async () => {
    const [left, right] = [await open(), await open()];
    let told = 0;
    right.onChange(() => told++);
    await left.update(add('a'));
    clock.advance(100);
    expect(right.read().names).toEqual(['a']);
    expect(told).toBe(1);
    await left.update(add('b'));
    clock.advance(1000);
    expect(told).toBe(2);
    expect(right.read().names).toEqual(['a', 'b']);
    clock.advance(5000);
    expect(told).toBe(2);
  });

  test('I4 no change is lost when many are made at once by two who share it', async () => {
    const system = createSystemClock();
    const [left, right] = [await open(system), await open(system)];
    const wanted = Array.from({ length: 20 }, (_, n) => `n${n}`);
    await Promise.all(wanted.map((name, n) => (n % 2 === 0 ? left : right).update(add(name))));
    expect((await open()).read().names.toSorted()).toEqual(wanted.toSorted());
  });

  test('I4 a change that throws, or changes nothing, writes nothing, and the next one works', async () => {
    const file = await open();
    await file.update((value) => value);
    expect(statSync(path, { throwIfNoEntry: false })).toBeUndefined();
    await expect(
      file.update(() => {
        throw new RangeError('no');
      }),
    ).rejects.toThrow(RangeError);
    await file.update(add('a'));
    expect(file.read().names).toEqual(['a']);
  });

  test('I4 a damaged file is set aside whole at opening, said, and not written over', async () => {
    await (await open()).update(add('a'));
    const sound = readFileSync(path);
    const damages: Uint8Array[] = [
      sound.subarray(0, -3),
      Buffer.from(''),
      Buffer.from('[]'),
      Buffer.from('null'),
      Buffer.from('{"v":1,"names":[],"more":1}'),
      Buffer.from('{"v":1,"names":[1]}'),
      Buffer.from([0xff, 0xfe, 0x00]),
    ];
    for (const [index, damage] of damages.entries()) {
      writeFileSync(path, damage);
      const error = await failure(open());
      expect(error.code).toBe('corrupt');
      expect(asides()).toHaveLength(index + 1);
      expect(readFileSync(String(error.details?.['asidePath']))).toEqual(Buffer.from(damage));
      expect((await open()).read().names).toEqual([]);
    }
  });

  test('I4 fuzzed bytes: the file opens, or a typed error says why and the bytes are kept', async () => {
    await (await open()).update(add('name'));
    const sound = readFileSync(path);
    const edits = fc.array(fc.tuple(fc.nat(sound.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(edits, fc.nat(sound.length), async (changes, length) => {
        const bytes = Buffer.from(sound.subarray(0, length));
        for (const [at, byte] of changes) if (at < bytes.length) bytes[at] = byte;
        writeFileSync(path, bytes);
        try {
          (await open()).dispose();
          expect(readFileSync(path)).toEqual(bytes);
        } catch (error) {
          if (!isVakError(error)) throw error;
          expect(['corrupt', 'unsupported']).toContain(error.code);
          const kept = error.code === 'corrupt' ? String(error.details?.['asidePath']) : path;
          expect(readFileSync(kept)).toEqual(bytes);
        }
      }),
      { numRuns: 60 },
    );
  });

  test('I4 damaged while open: said once, the last sound value stays, and the next change keeps both', async () => {
    const file = await open();
    await file.update(add('a'));
    writeFileSync(path, 'damaged');
    clock.advance(100);
    expect(file.read().names).toEqual(['a']);
    clock.advance(5000);
    expect(file.read().names).toEqual(['a']);
    expect(reports.map(({ code }) => code)).toEqual(['corrupt']);
    expect(readFileSync(path, 'utf8')).toBe('damaged');
    await file.update(add('b'));
    expect((await open()).read().names).toEqual(['a', 'b']);
    const [aside = ''] = asides();
    expect(readFileSync(join(folder, 'profile', aside), 'utf8')).toBe('damaged');
  });

  test('I4 a file that vanished while open is written again by the next change', async () => {
    const file = await open();
    await file.update(add('a'));
    rmSync(path);
    clock.advance(100);
    expect(file.read().names).toEqual(['a']);
    await file.update(add('b'));
    expect((await open()).read().names).toEqual(['a', 'b']);
  });

  test('I4 a file of a later version is neither read nor touched', async () => {
    await (await open()).update(add('a'));
    const later = '{"v":2,"people":[]}';
    const file = await open();
    writeFileSync(path, later);
    expect((await failure(file.update(add('b')))).code).toBe('unsupported');
    expect((await failure(open())).code).toBe('unsupported');
    expect(readFileSync(path, 'utf8')).toBe(later);
    expect(asides()).toEqual([]);
  });

  test('I4 a folder at its place is an error that names it', async () => {
    path = folder;
    expect(await failure(open())).toMatchObject({ code: 'forbidden', details: { path: folder } });
    rmSync(`${folder}.lock`, { force: true });
  });
});
