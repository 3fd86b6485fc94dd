/**
 * The laws that every journal keeps (protocol.md B6), as a suite that each implementation runs.
 * Law: nothing here knows which journal it runs against.
 */
import assert from 'node:assert/strict';
import { toText, utf8 } from '../../../shared/base/bytes.ts';
import { isVakError } from '../../../shared/base/vak-error.ts';
import type { Journal, JournalChange, JournalRange } from './journal.ts';
import { everyKey, journalKey, numberRange, prefixRange } from './journal-keys.ts';

/** Runs one law; the test runner's own `it`. */
export type DefineLaw = (name: string, run: () => Promise<void>) => void;

/** An empty journal under test. */
export interface JournalUnderTest {
  readonly journal: Journal;
  /** Ends what the test made around it; the journal may be closed already. */
  remove(): Promise<void>;
}

const put = (key: Uint8Array, value: string): JournalChange => ({ key, value: utf8(value) });
const drop = (key: Uint8Array): JournalChange => ({ key, value: undefined });
const message = (seq: number): Uint8Array => journalKey('message', 'VAK_WORK_ws', seq);
const isClosed = (thrown: unknown): boolean => isVakError(thrown, 'closed');

async function readAll(journal: Journal, range: JournalRange = everyKey): Promise<[string, string][]> {
  const found: [string, string][] = [];
  for await (const { key, value } of journal.entries(range)) {
    found.push([Buffer.from(key).toString('latin1'), toText(value)]);
  }
  return found;
}

async function readValues(journal: Journal, range?: JournalRange): Promise<string[]> {
  return (await readAll(journal, range)).map(([, value]) => value);
}

/** Defines the laws of a journal. */
export function defineJournalLaws(law: DefineLaw, open: () => Promise<JournalUnderTest>): void {
  const withJournal = (name: string, run: (journal: Journal) => Promise<void>): void =>
    law(name, async () => {
      const test = await open();
      try {
        await run(test.journal);
      } finally {
        await test.journal.close();
        await test.remove();
      }
    });

  defineCommitLaws(withJournal);
  defineRangeLaws(withJournal);
  defineOwnershipLaws(withJournal);
}

type WithJournal = (name: string, run: (journal: Journal) => Promise<void>) => void;

function defineCommitLaws(withJournal: WithJournal): void {
  withJournal(
    'B6 what a commit has answered is there; a later change of a key replaces the earlier one',
    async (journal) => {
      assert.equal(journal.readOnlyReason, undefined);
      assert.equal(await journal.get(message(1)), undefined);
      await journal.commit([put(message(1), 'a'), put(message(2), 'b')]);
      await journal.commit([put(message(2), 'c'), drop(message(1)), put(message(3), '')]);
      assert.equal(await journal.get(message(1)), undefined);
      assert.deepEqual(await journal.get(message(2)), utf8('c'));
      assert.deepEqual(await journal.get(message(3)), new Uint8Array(0));
      assert.deepEqual(await readValues(journal), ['c', '']);
    },
  );

  withJournal('B6 within one commit changes count in their order', async (journal) => {
    await journal.commit([put(message(1), 'a'), drop(message(1)), put(message(1), 'b')]);
    await journal.commit([put(message(2), 'a'), drop(message(2))]);
    assert.deepEqual(await readValues(journal), ['b']);
  });

  withJournal(
    'B6 commits of one turn, and of turns while one is written, count in the order of the calls',
    async (journal) => {
      const answered: number[] = [];
      const commits: Promise<unknown>[] = [];
      for (let index = 0; index < 1000; index++) {
        const commit = journal.commit([put(message(0), String(index)), put(message(index + 1), String(index))]);
        commits.push(commit.then(() => answered.push(index)));
        if (index % 100 === 0) await commit;
      }
      await Promise.all(commits);
      const order = Array.from({ length: 1000 }, (_, index) => index);
      assert.deepEqual(answered, order);
      assert.deepEqual(await readValues(journal), ['999', ...order.map(String)]);
    },
  );

  withJournal('B6 a commit without changes, and a large one, are answered in their turn', async (journal) => {
    const answered: string[] = [];
    const large = new Uint8Array(5 * 1024 * 1024).fill(7);
    await Promise.all([
      journal.commit([put(message(1), 'a')]).then(() => answered.push('first')),
      journal.commit([]).then(() => answered.push('empty')),
      journal.commit([{ key: message(2), value: large }]).then(() => answered.push('large')),
      journal.commit([put(message(3), 'b')]).then(() => answered.push('last')),
    ]);
    assert.deepEqual(answered, ['first', 'empty', 'large', 'last']);
    assert.equal(Buffer.compare((await journal.get(message(2))) ?? new Uint8Array(0), large), 0);
  });
}

function defineRangeLaws(withJournal: WithJournal): void {
  withJournal(
    'B6 entries come in the order of their keys’ bytes, from the first included to the last excluded',
    async (journal) => {
      const keys = ['00', '0001', '01', '7f', '80', '80ff', 'fe'].map((hex) => new Uint8Array(Buffer.from(hex, 'hex')));
      await journal.commit(keys.toReversed().map((key) => put(key, Buffer.from(key).toString('hex'))));
      assert.deepEqual(await readValues(journal), ['00', '0001', '01', '7f', '80', '80ff', 'fe']);
      const part = { from: Uint8Array.of(0, 1), to: Uint8Array.of(0x80) };
      assert.deepEqual(await readValues(journal, part), ['0001', '01', '7f']);
      assert.deepEqual(await readValues(journal, { from: part.to, to: part.from }), []);
      assert.deepEqual(await readValues(journal, { from: part.to, to: part.to }), []);
    },
  );

  withJournal(
    'B6 a stream’s numbers are read in order, without those of a stream whose name begins alike',
    async (journal) => {
      const numbers = [1, 2, 255, 256, 65_536, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1];
      for (const stream of ['A', 'A_', 'AB']) {
        await journal.commit(numbers.toReversed().map((seq) => put(journalKey('m', stream, seq), `${stream}${seq}`)));
      }
      const prefix = prefixRange('m', 'A');
      assert.deepEqual(
        await readValues(journal, prefix),
        numbers.map((seq) => `A${seq}`),
      );
      assert.deepEqual(await readValues(journal, numberRange(prefix, 255, 2 ** 32)), [
        'A255',
        'A256',
        'A65536',
        'A4294967295',
      ]);
      assert.deepEqual(await readValues(journal, numberRange(prefix, 2 ** 32)), ['A4294967296', 'A9007199254740991']);
    },
  );

  withJournal(
    'B6 a range shows what was there when it was asked for, whatever is changed while it is read',
    async (journal) => {
      const seqs = Array.from({ length: 3000 }, (_, index) => index);
      await journal.commit(seqs.map((seq) => put(message(seq), String(seq))));
      const range = journal.entries(everyKey);
      await journal.commit([put(message(5000), 'late'), ...seqs.slice(1000).map((seq) => drop(message(seq)))]);
      const seen: string[] = [];
      for await (const { value } of range) {
        seen.push(toText(value));
        if (seen.length === 10) await journal.commit([put(message(500), 'changed'), drop(message(700))]);
      }
      assert.deepEqual(seen, seqs.map(String));
      assert.equal((await readAll(journal)).length, 1000);
    },
  );

  withJournal('B6 a reader may stop in the middle of a range', async (journal) => {
    await journal.commit(Array.from({ length: 500 }, (_, seq) => put(message(seq), String(seq))));
    for await (const { value } of journal.entries(everyKey)) if (toText(value) === '3') break;
    assert.equal((await readAll(journal)).length, 500);
  });
}

function defineOwnershipLaws(withJournal: WithJournal): void {
  withJournal('B6 bytes belong to their owners: nobody’s later change of them reaches the other', async (journal) => {
    const key = message(1);
    const value = utf8('kept');
    const commit = journal.commit([{ key, value }]);
    key.fill(0);
    value.fill(0);
    await commit;
    (await journal.get(message(1)))?.fill(0);
    for await (const entry of journal.entries(everyKey)) {
      entry.key.fill(0);
      entry.value.fill(0);
    }
    assert.deepEqual(await readAll(journal), [[Buffer.from(message(1)).toString('latin1'), 'kept']]);
  });

  withJournal('B6 closing keeps what was asked for before, and refuses what comes after', async (journal) => {
    const commit = journal.commit([put(message(1), 'a')]);
    const range = journal.entries(everyKey);
    const closing = journal.close();
    await assert.rejects(journal.commit([put(message(2), 'b')]), isClosed);
    await Promise.all([commit, closing, journal.close()]);
    await assert.rejects(journal.commit([]), isClosed);
    await assert.rejects(journal.get(message(1)), isClosed);
    assert.throws(() => journal.entries(everyKey), isClosed);
    await assert.rejects(async () => {
      for await (const _ of range);
    }, isClosed);
  });
}
