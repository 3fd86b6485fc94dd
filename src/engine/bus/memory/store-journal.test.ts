import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createJournalFolder, readEntries } from '../../../../tests/support/journal-folder.ts';
import { utf8 } from '../../../shared/base/bytes.ts';
import { createFakeClock } from '../../ports/fake-clock.ts';
import { createSilentLogger } from '../../ports/logger.ts';
import type { Journal } from './journal.ts';
import { journalKey } from './journal-keys.ts';
import type { LevelChange } from './level-entry.ts';
import { createStoreJournal, type LevelStore, type StoreJournalOptions } from './store-journal.ts';

interface PlayedStore extends LevelStore {
  readonly batches: { readonly changes: readonly LevelChange[]; readonly sync: boolean }[];
  failure: Error | undefined;
}

function levelError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

function createPlayedStore(): PlayedStore {
  const store: PlayedStore = {
    ...{ batches: [], failure: undefined },
    get: async () => {
      if (store.failure) throw store.failure;
      return undefined;
    },
    async batch(changes, { sync }) {
      if (store.failure) throw store.failure;
      store.batches.push({ changes, sync });
    },
    iterator: () => ({ async *[Symbol.asyncIterator]() {}, close: async () => {} }),
    close: async () => {},
  };
  return store;
}

function journalOver(store: LevelStore, options: Partial<StoreJournalOptions> = {}): Journal {
  const ports = { clock: createFakeClock(), logger: createSilentLogger() };
  return createStoreJournal({
    ...{ folder: '/nowhere', store, durability: 'written', readOnlyReason: undefined, lastWrite: 41, ...ports },
    ...options,
  });
}

const change = (seq: number, bytes = 1) => ({ key: journalKey('m', seq), value: new Uint8Array(bytes) });
const commits = (journal: Journal, count: number, bytes?: number) =>
  Promise.allSettled(Array.from({ length: count }, (_, seq) => journal.commit([change(seq, bytes)])));

it('B6 commits of one turn are one write, flushed if the setting says so, and each write has the next number', async () => {
  for (const durability of ['written', 'fsynced'] as const) {
    const store = createPlayedStore();
    const journal = journalOver(store, { durability });
    await commits(journal, 256);
    await commits(journal, 2);
    expect(store.batches.map(({ changes, sync }) => [changes.length, sync])).toEqual([
      [257, durability === 'fsynced'],
      [3, durability === 'fsynced'],
    ]);
    const numbers = store.batches.map(
      ({ changes: [first] }) => first?.type === 'put' && Buffer.from(first.value).readBigUInt64BE(),
    );
    expect(numbers).toEqual([42n, 43n]);
  }
});

it('B6 a write has at most 256 commits and 4 MiB', async () => {
  const store = createPlayedStore();
  const journal = journalOver(store);
  await commits(journal, 600);
  expect(store.batches.map(({ changes }) => changes.length - 1)).toEqual([256, 256, 88]);
  await commits(journal, 8, 1024 * 1024);
  expect(store.batches.slice(3).map(({ changes }) => changes.length - 1)).toEqual([3, 3, 2]);
});

it('B6 the commits of a refused write have its cause, later ones are refused unwritten', async () => {
  const causes = [
    ['LEVEL_IO_ERROR', 'IO error: /nowhere/000003.log: No space left on device', 'disk-full'],
    ['LEVEL_IO_ERROR', 'IO error: /nowhere/000003.log: Disk quota exceeded', 'disk-full'],
    ['LEVEL_IO_ERROR', 'IO error: /nowhere/000003.log: Input/output error', 'corrupt'],
    ['LEVEL_CORRUPTION', 'Corruption: block checksum mismatch', 'corrupt'],
  ] as const;
  for (const [code, message, expected] of causes) {
    const store = createPlayedStore();
    const journal = journalOver(store);
    await commits(journal, 1);
    store.failure = levelError(code, message);
    const outcomes = (await commits(journal, 300)).map((one) => (one.status === 'rejected' ? one.reason.code : 'kept'));
    expect([...new Set(outcomes.slice(0, 256)), ...new Set(outcomes.slice(256))]).toEqual([expected, 'read-only']);
    store.failure = undefined;
    await expect(journal.commit([change(1)])).rejects.toMatchObject({
      code: 'read-only',
      details: { folder: '/nowhere' },
    });
    expect(journal.readOnlyReason).toContain('/nowhere');
    expect(await journal.get(utf8('a'))).toBeUndefined();
    expect(store.batches.length).toBe(1);
    await journal.close();
  }
});

it('B6 a read that the disk refuses has its cause, and nothing more is kept', async () => {
  const store = createPlayedStore();
  const journal = journalOver(store);
  store.failure = levelError('LEVEL_IO_ERROR', 'IO error: Input/output error');
  await expect(journal.get(utf8('a'))).rejects.toMatchObject({ code: 'corrupt', cause: store.failure });
  store.failure = undefined;
  await expect(journal.commit([change(1)])).rejects.toMatchObject({ code: 'read-only' });
});

it('B6 what a refused write left in the log is cut out, at once and after closing; what was answered stays', async () => {
  const place = createJournalFolder();
  try {
    const writing = await place.open();
    for (const seq of [1, 2, 3]) await writing.commit([change(seq, 40_000)]);
    await writing.close();
    const log = [...place.files().keys()].find((name) => name.endsWith('.log')) ?? '';
    const path = join(place.folder, log);
    const whole = readFileSync(path);

    // As if the third write had been refused after all of it, then part of it, had reached the log.
    for (const length of [whole.length, whole.length - 1, whole.length - 39_000]) {
      writeFileSync(path, whole.subarray(0, length));
      const store = createPlayedStore();
      store.failure = levelError('LEVEL_IO_ERROR', 'IO error: No space left on device');
      const journal = journalOver(store, { folder: place.folder, lastWrite: 2 });
      await expect(journal.commit([change(3)])).rejects.toMatchObject({ code: 'disk-full' });
      const cut = readFileSync(path);
      expect(cut.equals(whole.subarray(0, cut.length))).toBe(true);
      // LevelDB holds the rest of what it could not write, and writes it when it closes.
      writeFileSync(path, whole.subarray(0, length));
      await journal.close();
      expect(readFileSync(path).equals(cut)).toBe(true);

      const copy = join(place.folder, '..', `copy-${length}`);
      cpSync(place.folder, copy, { recursive: true });
      const reading = await place.open({ folder: copy });
      expect(reading.readOnlyReason).toBeUndefined();
      expect((await readEntries(reading)).size).toBe(2);
    }
  } finally {
    await place.remove();
  }
});
