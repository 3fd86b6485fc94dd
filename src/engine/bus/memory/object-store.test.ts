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
import { hasCode } from '../laws/durable-law.ts';
import { journalKey } from './journal-keys.ts';
import { createMemoryJournal } from './memory-journal.ts';

const kibibyte = 1024;

describe('object store', () => {
  it('B5 an object comes back byte for byte, in chunks of 128 KiB, with its size and digest', async () => {
    const bucket = await openObjectBucket();
    expect(await bucket.put('abc', pieces(utf8('abc'), 2))).toEqual({
      ...{ name: 'abc', sizeBytes: 3, storedMs: 1_000 },
      sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    });
    expect((await bucket.put('none', pieces(new Uint8Array(0)))).sha256).toBe(
      'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    );
    expect(await readAll(bucket.get('none'))).toEqual(new Uint8Array(0));
    const sizes = [1, 128 * kibibyte - 1, 128 * kibibyte, 128 * kibibyte + 1, 1024 * kibibyte, 1024 * kibibyte + 1];
    for (const size of [...sizes, 2_500_000]) {
      const bytes = someBytes(size);
      const info = await bucket.put('object', pieces(bytes));
      expect(info).toEqual({ name: 'object', sizeBytes: size, sha256: digestOf(bytes), storedMs: 1_000 });
      expect(await bucket.info('object')).toEqual(info);
      const lengths: number[] = [];
      for await (const chunk of bucket.get('object')) lengths.push(chunk.length);
      expect(Math.max(...lengths)).toBeLessThanOrEqual(128 * kibibyte);
      expect(Buffer.compare(await readAll(bucket.get('object')), bytes)).toBe(0);
    }
  });

  it('B5 pieces larger than a chunk are cut, and the author may use its array again', async () => {
    const bucket = await openObjectBucket();
    const bytes = someBytes(300_000);
    const shared = new Uint8Array(100_000);
    await bucket.put('a', pieces(bytes, 300_000));
    await bucket.put(
      'b',
      (async function* () {
        for (let at = 0; at < 3; at++) {
          shared.set(bytes.subarray(at * 100_000, (at + 1) * 100_000));
          yield shared;
        }
      })(),
    );
    for (const name of ['a', 'b']) expect((await bucket.info(name))?.sha256).toBe(digestOf(bytes));
    expect(digestOf(await readAll(bucket.get('b')))).toBe(digestOf(bytes));
  });

  it('B6 nothing of an object is seen before all of it is stored; then it replaces the other one, whose chunks go', async () => {
    const journal = createMemoryJournal();
    const bucket = await openObjectBucket(journal);
    const [before, after] = [someBytes(2_000_000, 1), someBytes(3_000_000, 2)];
    const first = await bucket.put('a', pieces(before));
    let seen: unknown;
    await bucket.put(
      'a',
      (async function* () {
        yield* pieces(after);
        seen = await bucket.info('a');
        expect(digestOf(await readAll(bucket.get('a')))).toBe(first.sha256);
      })(),
    );
    expect(seen).toEqual(first);
    expect(digestOf(await readAll(bucket.get('a')))).toBe(digestOf(after));
    await turns();
    expect(await countObjectRows(journal, 'chunk')).toBe(Math.ceil(after.length / (128 * kibibyte)));
    expect(await countObjectRows(journal, 'loose')).toBe(0);
    const again = (await openObjectStore(journal)).bucket('M');
    expect(digestOf(await readAll(again.get('a')))).toBe(digestOf(after));
  });

  it('B5 an author that fails, or gives what are no bytes, leaves nothing; the object that was there stays', async () => {
    const journal = createMemoryJournal();
    const bucket = await openObjectBucket(journal);
    const kept = await bucket.put('a', pieces(utf8('kept')));
    const keys = await countObjectRows(journal);
    const failing = (async function* () {
      yield someBytes(2_000_000);
      throw new Error('the disk of the author');
    })();
    await expect(bucket.put('a', failing)).rejects.toThrow('the disk of the author');
    const texts = (async function* () {
      yield someBytes(2_000_000);
      yield 'text';
    })() as unknown as AsyncIterable<Uint8Array>;
    await expect(bucket.put('b', texts)).rejects.toSatisfy(hasCode('invalid-input'));
    await turns();
    expect(await bucket.list()).toEqual([kept]);
    expect(await countObjectRows(journal)).toBe(keys);
  });

  it('B5 a cancelled put ends at once, though its author hangs, and leaves nothing', async () => {
    const journal = createMemoryJournal();
    const bucket = await openObjectBucket(journal);
    const abort = new AbortController();
    let isTold = false;
    const hanging: AsyncIterable<Uint8Array> = {
      [Symbol.asyncIterator]: () => {
        let count = 0;
        return {
          next: () =>
            count++ < 40 ? Promise.resolve({ value: someBytes(50_000), done: false }) : new Promise(() => {}),
          return: async () => {
            isTold = true;
            return { value: undefined, done: true };
          },
        };
      },
    };
    const put = bucket.put('a', hanging, { signal: abort.signal });
    await turns(20);
    expect(await countObjectRows(journal, 'chunk')).toBeGreaterThan(0);
    abort.abort();
    await expect(put).rejects.toSatisfy(hasCode('aborted'));
    await turns();
    expect([await bucket.list(), isTold]).toEqual([[], true]);
    expect([await countObjectRows(journal, 'chunk'), await countObjectRows(journal, 'loose')]).toEqual([0, 0]);
    await expect(bucket.put('a', pieces(utf8('x')), { signal: abort.signal })).rejects.toSatisfy(hasCode('aborted'));
  });

  it('B5 of two puts of one name at once the one that ends last stays, and nothing of the other', async () => {
    const journal = createMemoryJournal();
    const bucket = await openObjectBucket(journal);
    const bytes = [someBytes(1_500_000, 1), someBytes(2_500_000, 2)];
    const infos = await Promise.all(bytes.map((one) => bucket.put('a', pieces(one))));
    await turns();
    const info = await bucket.info('a');
    expect(infos).toContainEqual(info);
    expect(digestOf(await readAll(bucket.get('a')))).toBe(info?.sha256);
    expect(await countObjectRows(journal, 'chunk')).toBe(Math.ceil((info?.sizeBytes ?? 0) / (128 * kibibyte)));
  });

  it('B5 a changed or a missing chunk is told as corrupt', async () => {
    const journal = createMemoryJournal();
    const bucket = await openObjectBucket(journal);
    await bucket.put('a', pieces(someBytes(500_000)));
    const key = journalKey('object', 'chunk', 1, 2);
    const chunk = (await journal.get(key)) as Uint8Array;
    chunk[5] = (chunk[5] as number) ^ 1;
    await journal.commit([{ key, value: chunk }]);
    let read = 0;
    const reading = (async () => {
      for await (const bytes of bucket.get('a')) read += bytes.length;
    })();
    await expect(reading).rejects.toSatisfy(hasCode('corrupt'));
    expect(read).toBe(500_000);
    await journal.commit([{ key, value: undefined }]);
    await expect(readAll(bucket.get('a'))).rejects.toSatisfy(hasCode('corrupt'));
    await journal.commit([{ key: journalKey('object', 'name', 'M', 'a'), value: new Uint8Array(3) }]);
    await expect(openObjectStore(journal)).rejects.toSatisfy(hasCode('corrupt'));
  });

  it('B5 an object has a bound, and a put over it leaves nothing', async () => {
    const journal = createMemoryJournal();
    const store = await openObjectStore(journal, { maxObjectBytes: 2_000_000 });
    await store.ensure('M');
    const bucket = store.bucket('M');
    await bucket.put('a', pieces(someBytes(2_000_000)));
    const keys = await countObjectRows(journal);
    await expect(bucket.put('b', pieces(someBytes(2_000_001)))).rejects.toSatisfy(hasCode('limit-exceeded'));
    await turns();
    expect(await countObjectRows(journal)).toBe(keys);
  });

  it('B5 an author is not read ahead of what is stored: a slow disk slows it', async () => {
    const journal = createHeldJournal(createMemoryJournal());
    const bucket = await openObjectBucket(journal);
    const release = journal.holdCommits();
    let given = 0;
    const put = bucket.put(
      'a',
      (async function* () {
        for (let at = 0; at < 100; at++) {
          given += 128 * kibibyte;
          yield someBytes(128 * kibibyte);
        }
      })(),
    );
    await turns(50);
    expect(given).toBeLessThanOrEqual(10 * 128 * kibibyte);
    release();
    expect((await put).sizeBytes).toBe(100 * 128 * kibibyte);
  });

  it('B5 objects are listed by name, found and deleted; names are tokens; a bucket is made once', async () => {
    const store = await openObjectStore(createMemoryJournal());
    expect(await store.ensure('M', { dryRun: true })).toBe('created');
    const bucket = store.bucket('M');
    await expect(bucket.list()).rejects.toSatisfy(hasCode('not-found'));
    await expect(readAll(bucket.get('a'))).rejects.toSatisfy(hasCode('not-found'));
    expect([await store.ensure('M'), await store.ensure('M')]).toEqual(['created', 'unchanged']);
    for (const name of ['b', 'a', 'c']) await bucket.put(name, pieces(utf8(name)));
    expect((await bucket.list()).map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    expect([await bucket.delete('b'), await bucket.delete('b')]).toEqual([true, false]);
    expect(await bucket.info('b')).toBeUndefined();
    for (const name of ['', 'a.b', '../a', 'x'.repeat(65)]) {
      await expect(bucket.put(name, pieces(utf8('x')))).rejects.toMatchObject({ details: { field: 'name' } });
      await expect(bucket.info(name)).rejects.toSatisfy(hasCode('invalid-input'));
    }
    // A media bucket's name holds two tokens, and is longer than one (§1).
    const long = `VAK_MEDIA_64_${'w'.repeat(64)}_${'p'.repeat(64)}`;
    expect(await store.ensure(long)).toBe('created');
    await expect(store.ensure('a b')).rejects.toMatchObject({ details: { field: 'bucket' } });
  });

  it('B5 reading can be cancelled', async () => {
    const bucket = await openObjectBucket();
    await bucket.put('a', pieces(someBytes(500_000)));
    const abort = new AbortController();
    const reading = (async () => {
      for await (const _ of bucket.get('a', { signal: abort.signal })) abort.abort();
    })();
    await expect(reading).rejects.toSatisfy(hasCode('aborted'));
  });

  it('B5 the end cancels what is being put, and then refuses', async () => {
    const journal = createMemoryJournal();
    const store = await openObjectStore(journal);
    await store.ensure('M');
    const bucket = store.bucket('M');
    const put = bucket.put(
      'a',
      (async function* () {
        yield someBytes(2_000_000);
        await new Promise(() => {});
      })(),
    );
    const refused = expect(put).rejects.toSatisfy(hasCode('aborted'));
    await turns(20);
    await store.close();
    await refused;
    expect(await countObjectRows(journal)).toBe(1);
    await expect(bucket.list()).rejects.toSatisfy(hasCode('closed'));
    await expect(readAll(bucket.get('a'))).rejects.toSatisfy(hasCode('closed'));
  });
});
