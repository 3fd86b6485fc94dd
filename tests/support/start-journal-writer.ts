/** Starts tests/support/journal-writer.ts, if wished on a disk with little room. */
import { startTelling, type TellingProcess } from './telling-process.ts';

export interface JournalWriterOptions {
  readonly folder: string;
  readonly durability: 'written' | 'fsynced';
  /** Commits under way at a time. */
  readonly window: number;
  /** Of a value. */
  readonly bytes?: number;
  /** No file that it writes may become longer, KiB. */
  readonly fileLimitKib?: number;
}

/** `program`: path of the bundled one. */
export function startJournalWriter(program: string, options: JournalWriterOptions): TellingProcess {
  const { folder, durability, window, bytes = 300, fileLimitKib } = options;
  const args = [program, folder, durability, String(window), String(bytes)];
  if (fileLimitKib === undefined) return startTelling(process.execPath, args);
  // POSIX counts this limit in half KiB, bash in whole ones.
  const limited = 'ulimit -f "$0" && exec "$@"';
  return startTelling('/bin/sh', ['-c', limited, String(fileLimitKib * 2), process.execPath, ...args]);
}
