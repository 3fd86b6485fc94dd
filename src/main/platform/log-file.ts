/** The app's log on disk: one JSON line an event, two files of at most 5 MiB. */
import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';

const maxFileBytes = 5 * 1024 * 1024;

/** Opens the log in a folder, which is made if missing; returns the writer. A disk that refuses is not fatal: the line goes to stderr. */
export function openLogFile(folder: string): (line: string) => void {
  const file = join(folder, 'workbench.log');
  let sizeBytes = 0;
  try {
    mkdirSync(folder, { recursive: true });
    sizeBytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  } catch (thrown) {
    process.stderr.write(`log: cannot use ${folder}: ${thrown instanceof Error ? thrown.message : 'unknown'}\n`);
  }
  return (line) => {
    try {
      if (sizeBytes > maxFileBytes) {
        renameSync(file, join(folder, 'workbench.1.log'));
        sizeBytes = 0;
      }
      appendFileSync(file, `${line}\n`);
      sizeBytes += Buffer.byteLength(line) + 1;
    } catch {
      process.stderr.write(`${line}\n`);
    }
  };
}
