/** Journals on disk in a scratch folder, and what their files hold. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Journal } from '../../src/engine/bus/memory/journal.ts';
import { everyKey } from '../../src/engine/bus/memory/journal-keys.ts';
import { type LevelJournalOptions, openLevelJournal } from '../../src/engine/bus/memory/level-journal.ts';
import { createSystemClock } from '../../src/engine/ports/clock.ts';
import { createSilentLogger } from '../../src/engine/ports/logger.ts';

export interface JournalFolder {
  readonly folder: string;
  open(options?: Partial<LevelJournalOptions>): Promise<Journal>;
  /** Every file that the store is made of, by its name; not the lock and LevelDB's own notes. */
  files(): Map<string, Buffer>;
  /** Puts the store back as `files` gave it. */
  restore(files: ReadonlyMap<string, Buffer>): void;
  /** Closes what is open and removes the folder. */
  remove(): Promise<void>;
}

export function createJournalFolder(): JournalFolder {
  const outer = mkdtempSync(join(tmpdir(), 'vak-journal-test-'));
  const folder = join(outer, 'journal');
  const opened: Journal[] = [];
  return {
    folder,
    async open(options = {}) {
      const journal = await openLevelJournal({
        ...{ folder, durability: 'written', clock: createSystemClock(), logger: createSilentLogger() },
        ...options,
      });
      opened.push(journal);
      return journal;
    },
    files() {
      const names = readdirSync(folder).filter((name) => !['LOCK', 'LOG', 'LOG.old'].includes(name));
      return new Map(names.sort().map((name) => [name, readFileSync(join(folder, name))]));
    },
    restore(files) {
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder);
      for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes);
    },
    async remove() {
      for (const journal of opened) await journal.close();
      rmSync(outer, { recursive: true, force: true });
    },
  };
}

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** Every entry of a journal, key and value in hex. */
export async function readEntries(journal: Journal): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for await (const { key, value } of journal.entries(everyKey)) found.set(hexOf(key), hexOf(value));
  return found;
}

/** Changes a byte of each file of a closed journal that holds entries. */
export function damageJournal(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const bytes = /\.(?:ldb|log)$/.test(name) ? readFileSync(path) : Buffer.alloc(0);
    if (bytes.length < 100) continue;
    bytes[60] = (bytes[60] ?? 0) ^ 0x10;
    writeFileSync(path, bytes);
  }
}
