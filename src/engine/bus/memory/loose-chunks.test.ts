import { describe, expect, it } from 'vitest';
import { turns } from '../../../../tests/support/fabric-fixture.ts';
import { createHeldJournal } from '../../../../tests/support/held-journal.ts';
import {
  countObjectRows,
  digestOf,
  openObjectBucket,
  openObjectStore,
  pieces,
  readAll,
  someBytes,
} from '../../../../tests/support/object-fixture.ts';
import { utf8 } from '../../../shared/base/bytes.ts';
import { VakError } from '../../../shared/base/vak-error.ts';
import { hasCode } from '../laws/durable-law.ts';
import type { Journal } from './journal.ts';
import { journalKey } from './journal-keys.ts';
import { createMemoryJournal } from './memory-journal.ts';

describe('loose chunks', () => {
  it('B6 what an interrupted put has written is removed when it is opened again, and its number is not used again', async () => {
    const inner = createMemoryJournal();
    const journal = createHeldJournal(inner);
    const bucket = await openObjectBucket(journal);
    const kept = await bucket.put('kept', pieces(someBytes(300_000)));
    const keys = await countObjectRows(inner);
    await expect(
      bucket.put(
        'a',
        (async function* () {
          yield someBytes(2_500_000);
          journal.failCommits(new Error('killed'));
          yield someBytes(2_500_000);
        })(),
      ),
    ).rejects.toThrow('killed');
    await turns();
    expect(await countObjectRows(inner)).toBeGreaterThan(keys);
    const again = (await openObjectStore(inner)).bucket('M');
    expect(await again.list()).toEqual([kept]);
    expect(await countObjectRows(inner)).toBe(keys);
    const bytes = someBytes(1_000_000, 3);
    await again.put('b', pieces(bytes));
    expect(digestOf(await readAll(again.get('kept')))).toBe(kept.sha256);
    expect(digestOf(await readAll(again.get('b')))).toBe(digestOf(bytes));
  });

  it('B6 the chunks of what was replaced are removed when it is opened again, if they could not be before', async () => {
    const inner = createMemoryJournal();
    let commitsLeft = 3;
    const journal: Journal = {
      ...inner,
      commit: (changes) =>
        commitsLeft-- > 0 ? inner.commit(changes) : Promise.reject(new VakError('disk-full', 'full')),
    };
    const logged: string[] = [];
    const bucket = await openObjectBucket(journal, { logged });
    await bucket.put('a', pieces(someBytes(500_000)));
    await bucket.put('a', pieces(utf8('new')));
    await turns();
    expect(await countObjectRows(inner, 'chunk')).toBe(5);
    expect(logged.join()).toContain('objects.chunks-left');
    const again = (await openObjectStore(inner)).bucket('M');
    expect(await readAll(again.get('a'))).toEqual(utf8('new'));
    expect([await countObjectRows(inner, 'chunk'), await countObjectRows(inner, 'loose')]).toEqual([1, 0]);
  });

  it('B6 a new object never gets the number of an old one, not even of one that could not be removed yet', async () => {
    const inner = createMemoryJournal();
    const journal = createHeldJournal(inner);
    const bucket = await openObjectBucket(journal);
    await bucket.put('a', pieces(utf8('first')));
    const reopened = (await openObjectStore(inner)).bucket('M');
    await reopened.put('b', pieces(utf8('second')));
    expect(await readAll(reopened.get('a'))).toEqual(utf8('first'));
    const interrupted = (async function* () {
      yield someBytes(2_500_000);
      journal.failCommits(new Error('killed'));
      yield someBytes(2_500_000);
    })();
    await expect((await openObjectStore(journal)).bucket('M').put('c', interrupted)).rejects.toThrow('killed');
    // Opened on a disk that is still full: nothing could be removed.
    const late = (await openObjectStore(journal)).bucket('M');
    journal.failCommits(undefined);
    await late.put('c', pieces(utf8('third')));
    const last = (await openObjectStore(inner)).bucket('M');
    expect(await readAll(last.get('c'))).toEqual(utf8('third'));
    expect(await countObjectRows(inner, 'chunk')).toBe(3);
  });

  it('B5 who reads an object reads it to its end, whatever takes its place meanwhile; then its chunks go', async () => {
    const journal = createMemoryJournal();
    const bucket = await openObjectBucket(journal);
    const bytes = someBytes(500_000);
    await bucket.put('a', pieces(bytes));
    const reader = bucket.get('a')[Symbol.asyncIterator]();
    const read = [(await reader.next()).value as Uint8Array];
    await bucket.put('a', pieces(utf8('new')));
    expect(await bucket.delete('a')).toBe(true);
    await turns();
    for (let next = await reader.next(); next.done !== true; next = await reader.next()) read.push(next.value);
    expect(digestOf(Buffer.concat(read))).toBe(digestOf(bytes));
    await turns();
    expect(await countObjectRows(journal)).toBe(1);
    await expect(readAll(bucket.get('a'))).rejects.toSatisfy(hasCode('not-found'));
  });

  it('B5 a reader that stops early keeps nothing', async () => {
    const journal = createMemoryJournal();
    const bucket = await openObjectBucket(journal);
    await bucket.put('a', pieces(someBytes(500_000)));
    for await (const _ of bucket.get('a')) break;
    await bucket.delete('a');
    await turns();
    expect(await countObjectRows(journal)).toBe(1);
  });

  it('B5 of two puts that end together one replaces the other', async () => {
    const inner = createMemoryJournal();
    const journal = createHeldJournal(inner);
    const bucket = await openObjectBucket(journal);
    await bucket.put('a', pieces(utf8('old')));
    const release = journal.holdCommits();
    const puts = ['x', 'y'].map((text) => bucket.put('a', pieces(utf8(text))));
    await turns();
    release();
    await Promise.all(puts);
    await turns();
    expect(await readAll(bucket.get('a'))).toEqual(utf8('y'));
    expect(await countObjectRows(inner, 'chunk')).toBe(1);
  });

  it('B6 nothing is begun or removed in a journal that is read-only', async () => {
    const inner = createMemoryJournal();
    const held = createHeldJournal(inner);
    const bucket = await openObjectBucket(held);
    const kept = await bucket.put('a', pieces(utf8('kept')));
    held.failCommits(new VakError('disk-full', 'full'));
    await expect(bucket.delete('a')).rejects.toSatisfy(hasCode('disk-full'));
    expect(await bucket.list()).toEqual([kept]);
    await inner.commit([{ key: journalKey('object', 'loose', 9), value: new Uint8Array(8) }]);
    const logged: string[] = [];
    const journal = createHeldJournal(inner, 'the store is damaged');
    const readOnly = (await openObjectStore(journal, { logged })).bucket('M');
    expect(logged).toEqual([]);
    let isRead = false;
    const author = (async function* () {
      isRead = true;
      yield utf8('x');
    })();
    await expect(readOnly.put('b', author)).rejects.toSatisfy(hasCode('read-only'));
    expect(isRead).toBe(false);
    expect(await readAll(readOnly.get('a'))).toEqual(utf8('kept'));
    expect(journal.commitCount).toBe(0);
    // Of a damaged journal what is left is shown.
    await inner.commit([{ key: journalKey('object', 'bucket', 'M'), value: undefined }]);
    await expect(openObjectStore(inner)).rejects.toSatisfy(hasCode('corrupt'));
    expect(await (await openObjectStore(createHeldJournal(inner, 'damaged'))).bucket('M').list()).toEqual([kept]);
  });
});
