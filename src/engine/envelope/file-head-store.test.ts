import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createScratchFolder } from '../../../tests/support/identity-fixture.ts';
import { createDisposer, type Disposer } from '../../shared/base/disposer.ts';
import type { VakError } from '../../shared/base/vak-error.ts';
import type { ChainHead } from '../../shared/protocol/chain-verdict.ts';
import { createFakeClock, type FakeClock } from '../ports/fake-clock.ts';
import { createSystemRandomness } from '../ports/randomness.ts';
import { profileFiles } from '../settings/profile-files.ts';
import { type FileHeadStore, openFileHeadStore } from './file-head-store.ts';

let disposer: Disposer;
let clock: FakeClock;
let path: string;
let reports: VakError[];
let stores: FileHeadStore[];

beforeEach(async () => {
  disposer = createDisposer();
  clock = createFakeClock();
  const folder = disposer.add(createScratchFolder()).path;
  path = profileFiles(folder).heads;
  reports = [];
  stores = [];
});

afterEach(async () => {
  for (const store of stores) await store.close();
  expect(clock.timerCount).toBe(0);
  disposer.dispose();
});

async function open(): Promise<FileHeadStore> {
  const report = (error: VakError): void => void reports.push(error);
  const store = await openFileHeadStore({ path, clock, randomness: createSystemRandomness(), report });
  stores.push(store);
  return store;
}

const headOf = (seq: number, session = 'ada-1-e'): ChainHead => {
  return { source: `vak://acme/ada/${session}`, seq, leaf: seq.toString(16).padStart(64, '0') };
};

/** The sequence numbers on disk by key. */
function onDisk(): Record<string, number> {
  if (!existsSync(path)) return {};
  const { heads } = JSON.parse(readFileSync(path, 'utf8')) as { heads: Record<string, ChainHead> };
  return Object.fromEntries(Object.entries(heads).map(([key, { seq }]) => [key, seq]));
}

describe('E12 heads in a file', () => {
  test('E12 what was kept is there at once, and after the next start', async () => {
    const store = await open();
    expect(store.previous('ada', 'e')).toBeUndefined();
    store.keep('ada', 'e', headOf(3));
    expect(store.previous('ada', 'e')).toEqual(headOf(3));
    expect(store.previous('ada', 'd')).toBeUndefined();
    expect(store.previous('bob', 'e')).toBeUndefined();
    await store.close();
    expect((await open()).previous('ada', 'e')).toEqual(headOf(3));
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('E12 ephemeral heads are written at most once a second, the newest of each', async () => {
    const store = await open();
    store.keep('ada', 'e', headOf(0));
    clock.advance(0);
    await store.settled();
    expect(onDisk()).toEqual({ 'ada.e': 0 });
    for (let seq = 1; seq <= 9; seq++) {
      store.keep('ada', 'e', headOf(seq));
      clock.advance(100);
    }
    await store.settled();
    expect(onDisk()).toEqual({ 'ada.e': 0 });
    clock.advance(100);
    await store.settled();
    expect(onDisk()).toEqual({ 'ada.e': 9 });
    store.keep('ada', 'e', headOf(10));
    store.keep('bob', 'e', headOf(0));
    clock.advance(999);
    await store.settled();
    expect(onDisk()).toEqual({ 'ada.e': 9 });
    clock.advance(1);
    await store.settled();
    expect(onDisk()).toEqual({ 'ada.e': 10, 'bob.e': 0 });
  });

  test('E12 what is kept while a write is under way is not lost', async () => {
    const store = await open();
    store.keep('ada', 'e', headOf(0));
    clock.advance(0);
    await Promise.resolve();
    store.keep('ada', 'e', headOf(1));
    store.keep('bob', 'e', headOf(5));
    await store.settled();
    expect(onDisk()).toEqual({ 'ada.e': 0 });
    expect([store.previous('ada', 'e'), store.previous('bob', 'e')]).toEqual([headOf(1), headOf(5)]);
    clock.advance(1000);
    await store.settled();
    expect(onDisk()).toEqual({ 'ada.e': 1, 'bob.e': 5 });
  });

  test('E12 the other kinds do not wait for the second', async () => {
    const store = await open();
    store.keep('ada', 'd', headOf(0));
    clock.advance(0);
    await store.settled();
    expect(onDisk()).toEqual({ 'ada.d': 0 });
    store.keep('ada', 'e', headOf(1));
    store.keep('ada', 'q', headOf(1));
    clock.advance(0);
    await store.settled();
    expect(onDisk()).toEqual({ 'ada.d': 0, 'ada.e': 1, 'ada.q': 1 });
  });

  test('E12 closing writes what is left; what is kept afterwards is lost, and nothing throws', async () => {
    const store = await open();
    store.keep('ada', 'e', headOf(0));
    clock.advance(0);
    store.keep('ada', 'e', headOf(1));
    await store.close();
    expect(onDisk()).toEqual({ 'ada.e': 1 });
    store.keep('ada', 'e', headOf(2));
    clock.advance(5000);
    await store.close();
    expect(onDisk()).toEqual({ 'ada.e': 1 });
    expect(reports).toEqual([]);
  });

  test('E12 two processes of one profile keep each other’s heads', async () => {
    const [one, other] = [await open(), await open()];
    one.keep('ada', 'e', headOf(1));
    other.keep('bob', 'd', headOf(2));
    await one.close();
    await other.close();
    expect(onDisk()).toEqual({ 'ada.e': 1, 'bob.d': 2 });
  });

  test('E12 the file is bounded: the entry kept longest ago gives way', async () => {
    const store = await open();
    for (let n = 0; n < 4098; n++) store.keep(`p${n}`, 'e', headOf(n));
    store.keep('p0', 'e', headOf(7));
    await store.close();
    const heads = onDisk();
    expect(Object.keys(heads)).toHaveLength(4096);
    expect([heads['p0.e'], heads['p1.e'], heads['p2.e'], heads['p3.e']]).toEqual([7, undefined, undefined, 3]);
  });

  test.each([
    '',
    '{"v":1}',
    '{"v":1,"heads":{"ada.e":{"source":"s","seq":-1,"leaf":"x"}}}',
    '{"v":1,"heads":{"a b.e":1}}',
  ])('E12 a damaged file is set aside, said, and begun anew: %s', async (text) => {
    writeFileSync(path, text);
    const store = await open();
    expect(store.previous('ada', 'e')).toBeUndefined();
    expect(reports.map(({ code }) => code)).toEqual(['corrupt']);
    expect(readFileSync(String(reports[0]?.details?.['asidePath']), 'utf8')).toBe(text);
    store.keep('ada', 'e', headOf(1));
    await store.close();
    expect(onDisk()).toEqual({ 'ada.e': 1 });
    expect(readdirSync(join(path, '..')).filter((name) => name.includes('damaged'))).toHaveLength(1);
  });

  test('E12 a file that a later version wrote is not touched', async () => {
    writeFileSync(path, '{"v":2}');
    await expect(open()).rejects.toThrow(expect.objectContaining({ code: 'unsupported' }));
    expect(readFileSync(path, 'utf8')).toBe('{"v":2}');
  });

  test('E12 a disk that refuses is reported, stops nothing, and is tried again', async () => {
    const store = await open();
    writeFileSync(path, '{"v":2}');
    store.keep('ada', 'd', headOf(1));
    clock.advance(0);
    await store.settled();
    expect(reports.map(({ code }) => code)).toEqual(['unsupported']);
    expect(store.previous('ada', 'd')).toEqual(headOf(1));
    writeFileSync(path, '{"v":1,"heads":{}}');
    store.keep('bob', 'd', headOf(2));
    await store.close();
    expect(onDisk()).toEqual({ 'ada.d': 1, 'bob.d': 2 });
  });

  test('E12 a folder in its place is an error when opening', async () => {
    await mkdir(path);
    await expect(open()).rejects.toThrow(expect.objectContaining({ code: 'forbidden' }));
  });
});
