import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { createJournalFolder, type JournalFolder } from '../../../../tests/support/journal-folder.ts';
import { readNumbered } from '../../../../tests/support/numbered-commits.ts';
import { type JournalWriterOptions, startJournalWriter } from '../../../../tests/support/start-journal-writer.ts';
import type { TellingProcess } from '../../../../tests/support/telling-process.ts';
import { buildTestPrograms } from '../../../../tests/support/test-programs.ts';
import { isVakError } from '../../../shared/base/vak-error.ts';
import type { JournalDurability } from './journal.ts';

/** Stores, and kills of each: with each durability as many as they come to together. */
const stores = process.env['VAK_ENDURANCE'] === '1' ? 10 : 1;
const kills = 5;
const window = 64;

let writer: string;
let place: JournalFolder;
beforeAll(async () => {
  ({ journalWriter: writer } = await buildTestPrograms());
}, 60_000);
beforeEach(() => {
  place = createJournalFolder();
});
afterEach(() => place.remove());

/** Starts a writer in the folder. */
function startWriter(options: Omit<JournalWriterOptions, 'folder'>): TellingProcess {
  return startJournalWriter(writer, { folder: place.folder, ...options });
}

/** What is there, as the next start sees it. */
async function reopen(): Promise<readonly number[]> {
  const journal = await place.open();
  expect(journal.readOnlyReason).toBeUndefined();
  const numbers = await readNumbered(journal);
  await journal.close();
  return numbers;
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** Kills it at a random moment of its work (now and then while it opens); how many commits are there afterwards. */
async function killOnce(round: number, durability: JournalDurability, before: number): Promise<number> {
  // Large values fill LevelDB's memory, so that some kills meet it while it writes a table.
  const run = startWriter({ durability, window, bytes: round % 3 === 2 ? 20_000 : 300 });
  if (round % 5 === 4) await wait(40 + Math.random() * 100);
  else {
    await run.toldAtLeast(2);
    await wait(Math.random() * 120);
  }
  run.process.kill('SIGKILL');
  const { lines, errors, signal } = await run.ended;
  expect([errors, signal]).toEqual(['', 'SIGKILL']);
  const [opened, ...told] = lines;
  if (opened !== undefined) expect(opened).toBe(`opened ${before}`);

  const numbers = await reopen();
  // In order, each once, without a gap: what was not answered may be there, whole, behind what was.
  expect(numbers).toEqual(upTo(numbers.length));
  expect(told.map(Number)).toEqual(upTo(told.length).map((index) => before + index));
  expect(numbers.length).toBeGreaterThanOrEqual(before + told.length);
  expect(numbers.length).toBeLessThanOrEqual(before + told.length + window + 1);
  return numbers.length;
}

for (const durability of ['written', 'fsynced'] as const) {
  it(
    `B6 kill −9 at ${stores * kills} random moments of writing: what was answered is there, in order, once, the rest whole or not (${durability})`,
    async () => {
      for (let store = 0; store < stores; store++) {
        let count = 0;
        for (let round = 0; round < kills; round++) count = await killOnce(round, durability, count);
        expect(count).toBeGreaterThan(kills);
        await place.remove();
        place = createJournalFolder();
      }
    },
    stores * kills * 4000,
  );
}

it('B6 while another process has the folder open it is refused, and that process writes on', async () => {
  const run = startWriter({ durability: 'written', window, bytes: 20_000 });
  await run.toldAtLeast(500);
  for (let attempt = 0; attempt < 5; attempt++) {
    const error = await place.open().catch((thrown: unknown) => thrown);
    expect([isVakError(error, 'already-running'), String(error)]).toEqual([
      true,
      expect.stringContaining(place.folder),
    ]);
  }
  await run.toldAtLeast(1500);
  run.process.kill('SIGKILL');
  const { lines } = await run.ended;
  expect((await reopen()).length).toBeGreaterThanOrEqual(lines.length - 1);
}, 30_000);

for (const durability of ['written', 'fsynced'] as const) {
  it(`B6 a full disk refuses with its cause, keeps nothing of what it refused, and all that was answered (${durability})`, async () => {
    const run = startWriter({ durability, window, bytes: 5000, fileLimitKib: 2048 });
    const { lines, errors } = await run.ended;
    expect(errors).toBe('');
    const told = lines.filter((line) => /^\d+$/.test(line));
    expect(told.length).toBeGreaterThan(100);
    expect(lines).toContain('refused disk-full');
    expect(lines).toContain('later read-only');
    expect(lines).toContain(`readable ${told.length}`);
    expect(lines.at(-1)).toMatch(
      /^reason the disk .* is full: nothing more is kept; make room: it can be written when it is opened next/,
    );
    // With room again it goes on from what was answered.
    expect(await reopen()).toEqual(upTo(told.length));
  }, 30_000);
}

it('B6 a store whose disk has no room to open it starts read-only with all that is in it, unchanged, and says so', async () => {
  const run = startWriter({ durability: 'written', window, bytes: 5000 });
  await run.toldAtLeast(300);
  run.process.kill('SIGKILL');
  await run.ended;
  const files = place.files();
  const full = startWriter({ durability: 'written', window: 1, fileLimitKib: 64 });
  const { lines, errors } = await full.ended;
  expect(errors).toBe('');
  const [, opened] = /^opened (\d+)$/.exec(lines[0] ?? '') ?? [];
  expect(Number(opened)).toBeGreaterThanOrEqual(299);
  expect(lines.slice(1)).toEqual([
    'refused read-only',
    'later read-only',
    `readable ${opened}`,
    expect.stringMatching(
      /^reason the disk .* is full: nothing more is kept; make room: it can be written when it is opened next/,
    ),
  ]);
  const log = [...files.keys()].find((name) => name.endsWith('.log')) ?? '';
  expect(files.get(log)?.equals(place.files().get(log) ?? Buffer.alloc(0))).toBe(true);
  expect((await reopen()).length).toBe(Number(opened));
}, 30_000);
