import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createJournalFolder, type JournalFolder, readEntries } from '../../../../tests/support/journal-folder.ts';
import { utf8 } from '../../../shared/base/bytes.ts';
import { isVakError, type VakError } from '../../../shared/base/vak-error.ts';
import { journalKey } from './journal-keys.ts';
import { defineJournalLaws } from './journal-laws.ts';

let place: JournalFolder;
beforeEach(() => {
  place = createJournalFolder();
});
afterEach(() => place.remove());

for (const durability of ['written', 'fsynced'] as const) {
  defineJournalLaws(
    (name, run) => it(`${name} (${durability})`, run),
    async () => {
      const own = createJournalFolder();
      return { journal: await own.open({ durability }), remove: own.remove };
    },
  );
}

const change = (seq: number, value: string) => ({ key: journalKey('m', seq), value: utf8(value) });

it('B6 what was kept is there when it is opened again, many times, and the folder is its owner’s alone', async () => {
  for (let round = 0; round < 5; round++) {
    const journal = await place.open();
    expect(journal.readOnlyReason).toBeUndefined();
    for (let seq = 0; seq < round; seq++) expect(await journal.get(journalKey('m', seq))).toEqual(utf8(`round ${seq}`));
    await journal.commit([change(round, `round ${round}`)]);
    await journal.close();
  }
  expect(statSync(place.folder).mode & 0o777).toBe(0o700);
});

it('B6 a folder that is open is refused with its name, and what to do', async () => {
  const journal = await place.open();
  await journal.commit([change(1, 'a')]);
  const error = await place.open().catch((thrown: unknown) => thrown);
  expect(isVakError(error, 'already-running')).toBe(true);
  expect(String(error)).toContain(place.folder);
  await journal.commit([change(2, 'b')]);
  expect(await journal.get(journalKey('m', 1))).toEqual(utf8('a'));
});

/** Changes the store behind the journal's back, as LevelDB itself does. */
async function behindItsBack(run: (level: ClassicLevel<Uint8Array, Uint8Array>) => Promise<void>): Promise<void> {
  const level = new ClassicLevel<Uint8Array, Uint8Array>(place.folder, {
    ...{ keyEncoding: 'view', valueEncoding: 'view', compression: false },
  });
  await run(level);
  await level.close();
}

async function refusal(): Promise<VakError> {
  const error: unknown = await place.open().then(
    () => 'it opened',
    (thrown: unknown) => thrown,
  );
  if (!isVakError(error)) throw error;
  expect(error.message).toContain(place.folder);
  return error;
}

it('B6 a later format is refused, and its version named', async () => {
  await (await place.open()).close();
  // Format 2, with the sum of key and value that a later version would write as well.
  const value = Buffer.from('0000000000000002' + '02e6809c', 'hex');
  await behindItsBack((level) => level.put(Uint8Array.of(0, 0), value));
  const error = await refusal();
  expect([error.code, error.details?.['format']]).toEqual(['unsupported', 2]);
});

it('B6 a LevelDB folder that is no journal is refused, and keeps what it holds', async () => {
  await behindItsBack((level) => level.put(utf8('mine'), utf8('kept')));
  expect((await refusal()).code).toBe('corrupt');
  await behindItsBack(async (level) => {
    expect(Buffer.from((await level.get(utf8('mine'))) ?? [])).toEqual(Buffer.from('kept'));
  });
});

it('B6 a creation that was killed before its first file was in place begins anew', async () => {
  mkdirSync(place.folder);
  for (const name of ['LOCK', 'LOG', 'MANIFEST-000001', '000001.dbtmp']) writeFileSync(join(place.folder, name), '');
  const journal = await place.open();
  expect(journal.readOnlyReason).toBeUndefined();
  await journal.commit([change(1, 'a')]);
});

it('B6 an entry that is not what was written is told when it is read, and at each start from then on', async () => {
  const first = await place.open();
  await first.commit([change(1, 'a'), change(2, 'b'), change(3, 'c')]);
  await first.close();
  await behindItsBack((level) => level.put(Uint8Array.of(1, ...journalKey('m', 2)), utf8('altered')));

  const second = await place.open();
  expect(second.readOnlyReason).toBeUndefined();
  expect(await second.get(journalKey('m', 1))).toEqual(utf8('a'));
  await expect(second.get(journalKey('m', 2))).rejects.toMatchObject({ code: 'corrupt' });
  expect(second.readOnlyReason).toContain(place.folder);
  await expect(readEntries(second)).rejects.toMatchObject({ code: 'corrupt' });
  await expect(second.commit([change(4, 'd')])).rejects.toMatchObject({ code: 'read-only' });
  await second.close();

  const third = await place.open();
  expect(third.readOnlyReason).toContain('damaged');
  expect([...(await readEntries(third)).values()]).toEqual(['61', '63']);
  await expect(third.get(journalKey('m', 2))).rejects.toMatchObject({ code: 'corrupt' });
});

it('B6 a folder that cannot be made is refused with its path', async () => {
  writeFileSync(join(place.folder, '..', 'file'), '');
  const folder = join(place.folder, '..', 'file', 'journal');
  await expect(place.open({ folder })).rejects.toMatchObject({ code: 'forbidden', details: { path: folder } });
});
