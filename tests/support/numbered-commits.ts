/** What tests/support/journal-writer.ts has written, as a journal shows it. */
import type { Journal } from '../../src/engine/bus/memory/journal.ts';
import { decodeU64, journalKey, prefixRange, readJournalKey } from '../../src/engine/bus/memory/journal-keys.ts';

/** The numbers of the commits that are there, in order. Throws if one of them is there in part. */
export async function readNumbered(journal: Journal): Promise<readonly number[]> {
  const numbers: number[] = [];
  for await (const { key, value } of journal.entries(prefixRange('numbered'))) {
    const [, number] = readJournalKey(key, ['text', 'number']);
    if (decodeU64(value) !== number) throw new Error(`commit ${number} has another's number`);
    numbers.push(number);
  }
  const bodies: number[] = [];
  for await (const { key, value } of journal.entries(prefixRange('body'))) {
    const [, number] = readJournalKey(key, ['text', 'number']);
    if (value.some((byte) => byte !== number % 251)) throw new Error(`commit ${number} has another's body`);
    bodies.push(number);
  }
  if (bodies.join() !== numbers.join()) throw new Error(`${numbers.length} numbers, ${bodies.length} bodies`);
  const last = numbers.at(-1);
  if (last !== undefined && (await journal.get(journalKey('mark', last))) === undefined)
    throw new Error(`no mark of ${last}`);
  return numbers;
}
