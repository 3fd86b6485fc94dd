/**
 * A program that writes numbered commits through the journal on disk until it is killed, and tells each one that was answered.
 * `journal-writer <folder> <durability> <window> [<bytes>]`: so many commits under way at a time, values of so many bytes.
 */
import { writeSync } from 'node:fs';
import { encodeU64, journalKey } from '../../src/engine/bus/memory/journal-keys.ts';
import { openLevelJournal } from '../../src/engine/bus/memory/level-journal.ts';
import { createSystemClock } from '../../src/engine/ports/clock.ts';
import { createSilentLogger } from '../../src/engine/ports/logger.ts';
import { isVakError } from '../../src/shared/base/vak-error.ts';
import { readNumbered } from './numbered-commits.ts';

const [folder = '', durability = '', window = '1', bytes = '300'] = process.argv.slice(2);
const journal = await openLevelJournal({
  ...{ folder, durability: durability === 'fsynced' ? 'fsynced' : 'written' },
  ...{ clock: createSystemClock(), logger: createSilentLogger() },
});
let next = (await readNumbered(journal)).length;
writeSync(1, `opened ${next}\n`);

/** A commit is three entries that belong together, and takes one away that an earlier one put there. */
async function commit(number: number): Promise<void> {
  const value = new Uint8Array(Number(bytes) + (number % 97)).fill(number % 251);
  await journal.commit([
    { key: journalKey('numbered', number), value: encodeU64(number) },
    { key: journalKey('body', number), value },
    { key: journalKey('mark', number), value: new Uint8Array(0) },
    { key: journalKey('mark', Math.max(0, number - 1)), value: undefined },
  ]);
  writeSync(1, `${number}\n`);
}

async function writeOn(): Promise<void> {
  for (;;) await commit(next++);
}

try {
  await Promise.all(Array.from({ length: Number(window) }, writeOn));
} catch (error) {
  writeSync(1, `refused ${isVakError(error) ? error.code : String(error)}\n`);
  const later = await journal
    .commit([{ key: journalKey('late'), value: undefined }])
    .catch((thrown: unknown) => thrown);
  writeSync(1, `later ${isVakError(later) ? later.code : String(later)}\n`);
  writeSync(1, `readable ${(await readNumbered(journal)).length}\n`);
  writeSync(1, `reason ${journal.readOnlyReason ?? ''}\n`);
  await journal.close();
}
