import { createHash } from 'node:crypto';
import { appendFileSync, cpSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createJournalFolder, type JournalFolder, readEntries } from '../../../../tests/support/journal-folder.ts';
import { utf8 } from '../../../shared/base/bytes.ts';
import { isVakError } from '../../../shared/base/vak-error.ts';
import { journalKey } from './journal-keys.ts';

const flipCount = process.env['VAK_ENDURANCE'] === '1' ? 500 : 60;

let place: JournalFolder;
beforeEach(() => {
  place = createJournalFolder();
});
afterEach(() => place.remove());

const key = (seq: number): Uint8Array => journalKey('m', seq);
const change = (seq: number) => ({ key: key(seq), value: utf8(`${seq}:`.repeat(80)) });

/** Fills it over three starts: tables of two, and a log; gives what is in it. */
async function fill(): Promise<Map<string, string>> {
  for (let start = 0; start < 3; start++) {
    const journal = await place.open();
    for (let commit = 0; commit < 100; commit++) {
      const first = (start * 100 + commit) * 3;
      await journal.commit([change(first), change(first + 1), change(first + 2)]);
    }
    if (start === 2) {
      const entries = await readEntries(journal);
      await journal.close();
      return entries;
    }
    await journal.close();
  }
  throw new Error('unreachable');
}

function named(pattern: RegExp): string {
  const name = readdirSync(place.folder)
    .filter((one) => pattern.test(one))
    .sort()
    .at(-1);
  if (name === undefined) throw new Error(`no ${String(pattern)}`);
  return join(place.folder, name);
}

function flip(path: string, at: number, bit = 0): void {
  const bytes = readFileSync(path);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
  writeFileSync(path, bytes);
}

const codeOf = async (run: Promise<unknown>): Promise<string> => {
  const error: unknown = await run.then(
    () => 'nothing thrown',
    (thrown: unknown) => thrown,
  );
  return isVakError(error) ? error.code : String(error);
};

/** As texts: comparing bytes one by one takes long. */
function lines(entries: ReadonlyMap<string, string>): string {
  return [...entries].map((entry) => entry.join(' ')).join('\n');
}

function digests(): string[] {
  return [...place.files()].map(([name, bytes]) => `${name} ${createHash('sha256').update(bytes).digest('hex')}`);
}

/** Opens it, and expects: read-only with a reason, part of what was there and nothing else, refusals, and an unchanged folder. */
async function expectDamaged(before: Map<string, string>, atLeast: number): Promise<Map<string, string>> {
  const files = digests();
  const journal = await place.open();
  expect(journal.readOnlyReason).toContain(place.folder);
  expect(journal.readOnlyReason).toContain('restore it from a backup');
  const found = await readEntries(journal);
  expect([...found].filter(([one, value]) => value !== before.get(one))).toEqual([]);
  expect(found.size).toBeGreaterThanOrEqual(atLeast);
  expect(await codeOf(journal.commit([change(1)]))).toBe('read-only');
  await journal.close();
  expect(digests()).toEqual(files);
  return found;
}

/** Opens it, and expects everything. */
async function expectSound(before: Map<string, string>): Promise<void> {
  const journal = await place.open();
  expect(journal.readOnlyReason).toBeUndefined();
  expect(lines(await readEntries(journal))).toBe(lines(before));
  await journal.commit([change(9999)]);
  await journal.close();
}

it('B6 a torn last write, as a kill or a power cut leaves it, is dropped, and nothing else', async () => {
  await fill();
  const log = named(/\.log$/);
  const whole = readFileSync(log);
  const before = await (async () => {
    const copy = join(place.folder, '..', 'copy');
    cpSync(place.folder, copy, { recursive: true });
    const journal = await place.open({ folder: copy });
    const entries = await readEntries(journal);
    for (let seq = 897; seq < 900; seq++) entries.delete(Buffer.from(key(seq)).toString('hex'));
    await journal.close();
    return entries;
  })();
  const pristine = place.files();
  for (const cut of [1, 4, 8, 200, 300]) {
    for (const tail of [Buffer.alloc(0), Buffer.alloc(4096)]) {
      place.restore(pristine);
      writeFileSync(log, Buffer.concat([whole.subarray(0, whole.length - cut), tail]));
      // What a power cut did not write is zeros from the beginning of a sector on.
      if (tail.length > 0) zeroFrom(log, whole.length - cut);
      const journal = await place.open();
      expect([cut, tail.length, journal.readOnlyReason]).toEqual([cut, tail.length, undefined]);
      expect(lines(await readEntries(journal))).toBe(lines(before));
      await journal.close();
    }
  }
});

function zeroFrom(path: string, at: number): void {
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(0, Math.floor(at / 512) * 512));
}

it('B6 damage in the middle of the log is told; what is before and in the tables can be read', async () => {
  const before = await fill();
  const log = named(/\.log$/);
  flip(log, 5000);
  expect((await expectDamaged(before, 600)).size).toBeLessThan(900);
});

it('B6 a damaged last record that is whole is told: it may have been acknowledged', async () => {
  const before = await fill();
  const log = named(/\.log$/);
  flip(log, readFileSync(log).length - 1);
  await expectDamaged(before, 600);
});

it('B6 a lost log is told', async () => {
  const before = await fill();
  rmSync(named(/\.log$/));
  expect((await expectDamaged(before, 600)).size).toBe(600);
});

it('B6 a log that lost a middle block is told', async () => {
  const before = await fill();
  const log = named(/\.log$/);
  const bytes = readFileSync(log);
  writeFileSync(log, Buffer.concat([bytes.subarray(0, 32_768), bytes.subarray(65_536)]));
  await expectDamaged(before, 600);
});

it('B6 a lost, empty, cut or altered CURRENT is told, and the tables are read', async () => {
  const before = await fill();
  const current = join(place.folder, 'CURRENT');
  const content = readFileSync(current, 'latin1');
  for (const damaged of [undefined, '', 'MANIFEST-', content.trimEnd(), 'MANIFEST-999999\n', '../elsewhere\n']) {
    if (damaged === undefined) rmSync(current);
    else writeFileSync(current, damaged);
    expect((await expectDamaged(before, 900)).size).toBe(900);
  }
});

it('B6 a lost, empty or altered manifest is told, and the tables are read', async () => {
  const before = await fill();
  const manifest = named(/^MANIFEST/);
  const bytes = readFileSync(manifest);
  for (const at of [0, 5, 8, 40, bytes.length - 1]) {
    flip(manifest, at);
    await expectDamaged(before, 900);
    flip(manifest, at);
  }
  truncateSync(manifest, 0);
  await expectDamaged(before, 900);
  rmSync(manifest);
  await expectDamaged(before, 900);
});

it('B6 a lost, cut or altered table is told, and the rest is read', async () => {
  const before = await fill();
  const table = named(/\.ldb$/);
  const bytes = readFileSync(table);
  for (const at of [3, 1000, bytes.length - 60, bytes.length - 48, bytes.length - 1]) {
    flip(table, at);
    await expectDamaged(before, 300);
    flip(table, at);
  }
  truncateSync(table, bytes.length - 100);
  await expectDamaged(before, 300);
  appendFileSync(table, bytes.subarray(bytes.length - 100));
  await expectSound(before);
});

it('B6 a lost table is told, and the rest is read', async () => {
  const before = await fill();
  rmSync(named(/\.ldb$/));
  expect((await expectDamaged(before, 300)).size).toBeLessThan(900);
});

it(
  `B6 of ${flipCount} flipped bits anywhere in the store none passes unnoticed: all is there, or it is told`,
  async () => {
    const before = await fill();
    const pristine = place.files();
    const told = { sound: 0, damaged: 0 };
    for (let round = 0; round < flipCount; round++) {
      place.restore(pristine);
      const names = [...pristine.keys()];
      const name = names[round % names.length] ?? '';
      const at = Math.floor(Math.random() * (pristine.get(name)?.length ?? 0));
      flip(join(place.folder, name), at, round % 8);
      const journal = await place.open();
      const found = await readEntries(journal);
      if (journal.readOnlyReason === undefined) expect([name, at, lines(found)]).toEqual([name, at, lines(before)]);
      expect([name, at, [...found].filter(([one, value]) => value !== before.get(one))]).toEqual([name, at, []]);
      if (journal.readOnlyReason === undefined) told.sound++;
      else told.damaged++;
      await journal.close();
    }
    // Only the few bytes that nothing reads (padding of a table's foot) leave it sound.
    expect(told.damaged).toBeGreaterThan(flipCount * 0.9);
  },
  flipCount * 500,
);
