/**
 * Takes a refused write out of LevelDB's log: part of it, or all of it if only the flush failed, may stand there.
 * Law: nothing that was acknowledged is cut, and what was refused is not there at the next start (docs/spec/errors.md `disk-full`).
 */
import { readdir, readFile, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { writeNumberOf } from './level-entry.ts';
import { levelFileNumber } from './level-inspection.ts';
import { scanLevelLog } from './level-log.ts';

/** Cuts the newest log behind the last write that counts; `lastWrite`: its number. */
export async function cutRefusedWrite(folder: string, lastWrite: number): Promise<void> {
  const logs = (await readdir(folder))
    .flatMap((name) => ({ name, number: levelFileNumber(name, 'log') ?? -1 }))
    .filter(({ number }) => number >= 0)
    .sort((a, b) => a.number - b.number);
  const newest = logs.at(-1);
  if (newest === undefined) return;
  const path = join(folder, newest.name);
  const bytes = await readFile(path);
  const { records } = scanLevelLog(bytes);
  const refused = records.find(({ payload }) => (writeNumberOf(payload) ?? 0) > lastWrite);
  const end = refused?.start ?? records.at(-1)?.end ?? 0;
  if (end < bytes.length) await truncate(path, end);
}
