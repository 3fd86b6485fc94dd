import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createHeldJournal } from '../../../../tests/support/held-journal.ts';
import { toText, utf8 } from '../../../shared/base/bytes.ts';
import { isVakError, VakError } from '../../../shared/base/vak-error.ts';
import { createFakeClock } from '../../ports/fake-clock.ts';
import { createSilentLogger } from '../../ports/logger.ts';
import type { KeyValueBucket, KeyValueEntry } from '../durable.ts';
import { hasCode } from '../laws/durable-law.ts';
import type { Journal } from './journal.ts';
import { journalKey } from './journal-keys.ts';
import { createKeyValueStore, type KeyValueStore } from './key-value-store.ts';
import { createMemoryJournal } from './memory-journal.ts';

const logger = createSilentLogger();
const textOf = (entry: KeyValueEntry | undefined): string | undefined =>
  entry === undefined ? undefined : `${toText(entry.value)}@${entry.revision}`;
const turns = async (count = 4): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
};

async function open(journal: Journal): Promise<KeyValueStore> {
  return createKeyValueStore({ journal, clock: createFakeClock(1_000), logger });
}

async function openBucket(history = 1, journal: Journal = createMemoryJournal()): Promise<KeyValueBucket> {
  const store = await open(journal);
  await store.ensure({ name: 'B', history });
  return store.bucket('B');
}

/** Watches, and gives what was called back so far. */
function watching(bucket: KeyValueBucket): { readonly seen: string[]; dispose(): void } {
  const seen: string[] = [];
  const watch = bucket.watch(
    ({ key, entry }) => seen.push(`${key}=${textOf(entry) ?? 'gone'}`),
    () => seen.push('ready'),
  );
  return { seen, dispose: () => watch.dispose() };
}

describe('key-value store', () => {
  it('B5 a value has the revision of its put and the time when it was stored; revisions rise through the bucket', async () => {
    const clock = createFakeClock(5_000);
    const store = await createKeyValueStore({ journal: createMemoryJournal(), clock, logger });
    await store.ensure({ name: 'B', history: 1 });
    await store.ensure({ name: 'OTHER', history: 1 });
    const bucket = store.bucket('B');
    expect(await bucket.get('a')).toBeUndefined();
    expect(await bucket.put('a', utf8('1'))).toBe(1);
    clock.advance(10);
    expect(await bucket.put('b.c', utf8('2'))).toBe(2);
    expect(await bucket.put('a', utf8('3'))).toBe(3);
    expect(await store.bucket('OTHER').put('a', utf8('x'))).toBe(1);
    expect(await bucket.get('a')).toEqual({ key: 'a', value: utf8('3'), revision: 3, storedMs: 5_010 });
    expect(textOf(await bucket.get('b.c'))).toBe('2@2');
    expect(await bucket.keys()).toEqual(['a', 'b.c']);
  });

  it('B6 values, revisions and markers are the same after it was opened again', async () => {
    const journal = createMemoryJournal();
    const before = await openBucket(3, journal);
    for (const text of ['1', '2', '3', '4']) await before.put('a', utf8(text));
    await before.put('b', utf8('x'));
    await before.delete('b');
    const bucket = (await open(journal)).bucket('B');
    expect((await bucket.history('a')).map(textOf)).toEqual(['2@2', '3@3', '4@4']);
    expect(await bucket.get('b')).toBeUndefined();
    expect((await bucket.history('b')).map(textOf)).toEqual(['x@5']);
    expect(await bucket.keys()).toEqual(['a']);
    expect(await bucket.put('b', utf8('y'), { revision: 0 })).toBe(7);
  });

  it('B5 a put that expects a revision is stored only on that one, and 0 means that there is no value', async () => {
    const bucket = await openBucket();
    const refused = bucket.put('a', utf8('0'), { revision: 4 });
    await expect(refused).rejects.toMatchObject({ code: 'conflict', details: { expectedRevision: 4, revision: 0 } });
    expect(await bucket.put('a', utf8('1'), { revision: 0 })).toBe(1);
    await expect(bucket.put('a', utf8('2'), { revision: 0 })).rejects.toSatisfy(hasCode('conflict'));
    expect(await bucket.put('a', utf8('2'), { revision: 1 })).toBe(2);
    await bucket.delete('a');
    await expect(bucket.put('a', utf8('3'), { revision: 2 })).rejects.toSatisfy(hasCode('conflict'));
    expect(await bucket.put('a', utf8('3'), { revision: 0 })).toBe(4);
    expect(textOf(await bucket.get('a'))).toBe('3@4');
  });

  it('B5 of two puts at once that expect the same revision one is stored', async () => {
    const bucket = await openBucket();
    const results = await Promise.allSettled(
      ['x', 'y', 'z'].map((text) => bucket.put('a', utf8(text), { revision: 0 })),
    );
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(textOf(await bucket.get('a'))).toBe('x@1');
  });

  it('B5 a bucket keeps as many values of a key as it was made for; a marker is one of them', async () => {
    const bucket = await openBucket(2);
    for (const text of ['1', '2', '3']) await bucket.put('a', utf8(text));
    expect((await bucket.history('a')).map(textOf)).toEqual(['2@2', '3@3']);
    await bucket.delete('a');
    expect((await bucket.history('a')).map(textOf)).toEqual(['3@3']);
    await bucket.put('a', utf8('5'));
    expect((await bucket.history('a')).map(textOf)).toEqual(['5@5']);
  });

  it('B5 deleting what has no value changes nothing', async () => {
    const bucket = await openBucket();
    const { seen } = watching(bucket);
    await bucket.delete('a');
    expect(await bucket.put('a', utf8('1'))).toBe(1);
    await bucket.delete('a');
    await bucket.delete('a');
    expect(await bucket.put('a', utf8('3'))).toBe(3);
    await turns();
    expect(seen).toEqual(['ready', 'a=1@1', 'a=gone', 'a=3@3']);
  });

  it('B5 a watch gives the present values by revision, then ready, then each change in order', async () => {
    const bucket = await openBucket();
    await bucket.put('gone', utf8('1'));
    await bucket.put('b', utf8('2'));
    await bucket.put('a', utf8('3'));
    await bucket.put('b', utf8('4'));
    await bucket.delete('gone');
    const { seen, dispose } = watching(bucket);
    expect(seen).toEqual([]);
    await turns();
    expect(seen).toEqual(['a=3@3', 'b=4@4', 'ready']);
    await Promise.all([bucket.put('a', utf8('6')), bucket.put('a', utf8('7')), bucket.delete('b')]);
    expect(seen.slice(3)).toEqual(['a=6@6', 'a=7@7', 'b=gone']);
    dispose();
    await bucket.put('a', utf8('9'));
    expect(seen).toHaveLength(6);
  });

  it('B5 a watch whose start is slow holds no values: it gives the latest of each key, and then goes on with each', async () => {
    const journal = createHeldJournal(createMemoryJournal());
    const bucket = await openBucket(1, journal);
    await bucket.put('a', utf8('1'));
    await bucket.put('b', utf8('2'));
    const release = journal.holdGets();
    const { seen } = watching(bucket);
    await turns();
    for (let at = 0; at < 50; at++) await bucket.put('c', utf8(`c${at}`));
    await bucket.put('b', utf8('53'));
    await bucket.delete('a');
    release();
    await turns(8);
    // "a" was gone when it was read, and nobody had been told of it.
    expect(seen).toEqual(['b=53@53', 'ready', 'c=c49@52']);
    await bucket.put('c', utf8('55'));
    await bucket.put('c', utf8('56'));
    expect(seen.slice(-2)).toEqual(['c=55@55', 'c=56@56']);
  });

  it('B5 a watch tells a change once, though it has read it before its writer was answered', async () => {
    const journal = createHeldJournal(createMemoryJournal());
    const bucket = await openBucket(1, journal);
    await bucket.put('a', utf8('1'));
    const release = journal.holdAnswers();
    const put = bucket.put('a', utf8('2'));
    await turns();
    const { seen } = watching(bucket);
    await turns();
    expect(seen).toEqual(['a=2@2', 'ready']);
    release();
    await put;
    await bucket.put('a', utf8('3'));
    expect(seen).toEqual(['a=2@2', 'ready', 'a=3@3']);
  });

  it('B2 a watcher that throws harms neither the writer nor other watchers', async () => {
    const bucket = await openBucket();
    bucket.watch(() => {
      throw new Error('watcher');
    });
    const { seen } = watching(bucket);
    await turns();
    expect(await bucket.put('a', utf8('1'))).toBe(1);
    expect(seen).toEqual(['ready', 'a=1@1']);
  });

  it('B5 a key is tokens joined by dots, 512 characters at most; a value is 1 MiB at most', async () => {
    const bucket = await openBucket();
    const long = Array.from({ length: 8 }, () => 'k'.repeat(63)).join('.');
    expect(long).toHaveLength(511);
    await bucket.put(long, utf8('x'));
    for (const key of ['', '.', 'a.', '.a', 'a..b', 'a*', '>', 'a b', 'ä', 'k'.repeat(65), `${long}.a`, 'a\0b']) {
      await expect(bucket.put(key, utf8('x'))).rejects.toMatchObject({
        code: 'invalid-input',
        details: { field: 'key' },
      });
      await expect(bucket.get(key)).rejects.toSatisfy(hasCode('invalid-input'));
    }
    await bucket.put('a', new Uint8Array(1024 * 1024));
    await expect(bucket.put('a', new Uint8Array(1024 * 1024 + 1))).rejects.toSatisfy(hasCode('limit-exceeded'));
    for (const revision of [-1, 0.5, Number.NaN]) {
      await expect(bucket.put('a', utf8('x'), { revision })).rejects.toSatisfy(hasCode('invalid-input'));
    }
  });

  it('B5 making a bucket is idempotent, says what it came to, and a dry run changes nothing', async () => {
    const journal = createHeldJournal(createMemoryJournal());
    const store = await open(journal);
    expect(await store.ensure({ name: 'B', history: 3 }, { dryRun: true })).toBe('created');
    await expect(store.bucket('B').get('a')).rejects.toSatisfy(hasCode('not-found'));
    expect(journal.commitCount).toBe(0);
    const both = [store.ensure({ name: 'B', history: 3 }), store.ensure({ name: 'B', history: 3 })];
    expect(await Promise.all(both)).toEqual(['created', 'unchanged']);
    const bucket = store.bucket('B');
    for (const text of ['1', '2', '3', '4']) await bucket.put('a', utf8(text));
    expect(await store.ensure({ name: 'B', history: 1 }, { dryRun: true })).toBe('updated');
    expect((await bucket.history('a')).map(textOf)).toEqual(['2@2', '3@3', '4@4']);
    expect(await store.ensure({ name: 'B', history: 2 })).toBe('updated');
    expect((await bucket.history('a')).map(textOf)).toEqual(['3@3', '4@4']);
    expect(await (await open(journal)).ensure({ name: 'B', history: 2 })).toBe('unchanged');
    for (const history of [0, 65, 1.5]) {
      await expect(store.ensure({ name: 'B', history })).rejects.toMatchObject({ details: { field: 'history' } });
    }
    await expect(store.ensure({ name: 'a.b', history: 1 })).rejects.toMatchObject({ details: { field: 'bucket' } });
  });

  it('B6 nothing is seen before it is stored', async () => {
    const journal = createHeldJournal(createMemoryJournal());
    const bucket = await openBucket(1, journal);
    const { seen } = watching(bucket);
    const release = journal.holdCommits();
    const put = bucket.put('a', utf8('1'));
    await turns();
    expect([await bucket.get('a'), await bucket.keys(), seen]).toEqual([undefined, [], ['ready']]);
    release();
    expect(await put).toBe(1);
    expect(seen).toEqual(['ready', 'a=1@1']);
  });

  it('B6 puts that come while one is being stored are stored together', async () => {
    const journal = createHeldJournal(createMemoryJournal());
    const bucket = await openBucket(1, journal);
    const before = journal.commitCount;
    await Promise.all(Array.from({ length: 40 }, (_, at) => bucket.put(`k${at}`, utf8('x'))));
    expect(journal.commitCount - before).toBeLessThanOrEqual(2);
  });

  it('B6 what could not be stored is refused, is not seen, and costs no revision', async () => {
    const journal = createHeldJournal(createMemoryJournal());
    const bucket = await openBucket(1, journal);
    await bucket.put('a', utf8('1'));
    journal.failCommits(new VakError('disk-full', 'full'));
    const refused = await Promise.allSettled([bucket.put('a', utf8('2')), bucket.put('a', utf8('3'), { revision: 2 })]);
    for (const one of refused) expect(one).toMatchObject({ status: 'rejected', reason: { code: 'disk-full' } });
    expect(textOf(await bucket.get('a'))).toBe('1@1');
    journal.failCommits(undefined);
    expect(await bucket.put('a', utf8('2'), { revision: 1 })).toBe(2);
  });

  it('B6 what waits to be stored is bounded', async () => {
    const journal = createHeldJournal(createMemoryJournal());
    const bucket = await openBucket(1, journal);
    const release = journal.holdCommits();
    const value = new Uint8Array(1024 * 1024);
    await turns(1);
    const puts = Array.from({ length: 140 }, (_, at) => bucket.put(`k${at}`, value));
    const settled = Promise.allSettled(puts);
    release();
    const refused = (await settled).filter(({ status }) => status === 'rejected');
    expect(refused.length).toBeGreaterThan(0);
    for (const one of refused) expect(one).toMatchObject({ reason: { code: 'limit-exceeded', retryable: true } });
    expect(await bucket.keys()).toHaveLength(140 - refused.length);
    expect(await bucket.put('after', value)).toBe(141 - refused.length);
  });

  it('B5 a value is what it was when it was put, whatever its author does with the array', async () => {
    const bucket = await openBucket();
    const value = utf8('kept');
    const put = bucket.put('a', value);
    value.fill(0);
    await put;
    expect(textOf(await bucket.get('a'))).toBe('kept@1');
  });

  it('B5 after the end everything is refused, what was put before is stored, and watches are silent', async () => {
    const journal = createHeldJournal(createMemoryJournal());
    const store = await open(journal);
    await store.ensure({ name: 'B', history: 1 });
    const bucket = store.bucket('B');
    const { seen } = watching(bucket);
    await turns();
    const release = journal.holdCommits();
    const put = bucket.put('a', utf8('1'));
    let isEnded = false;
    const end = store.close().then(() => {
      isEnded = true;
    });
    await turns();
    expect(isEnded).toBe(false);
    release();
    await end;
    expect(await put).toBe(1);
    expect(seen).toEqual(['ready']);
    await expect(bucket.get('a')).rejects.toSatisfy(hasCode('closed'));
    await expect(store.ensure({ name: 'C', history: 1 })).rejects.toSatisfy(hasCode('closed'));
    expect(() => bucket.watch(() => {})).toThrow(expect.objectContaining({ code: 'closed' }));
  });

  it('B6 rows that are damaged are told as such when it is opened or read, never taken for an empty bucket', async () => {
    const journal = createMemoryJournal();
    const bucket = await openBucket(1, journal);
    await bucket.put('a', utf8('1'));
    await journal.commit([{ key: journalKey('kv', 'value', 'B', 'a', 1), value: undefined }]);
    await expect(bucket.get('a')).rejects.toSatisfy(hasCode('corrupt'));
    await journal.commit([{ key: journalKey('kv', 'index', 'B', 'a', 1), value: new Uint8Array(0) }]);
    await expect(open(journal)).rejects.toSatisfy(hasCode('corrupt'));
    await journal.commit([
      { key: journalKey('kv', 'index', 'B', 'a', 1), value: Uint8Array.of(0) },
      { key: journalKey('kv', 'bucket', 'B'), value: undefined },
    ]);
    await expect(open(journal)).rejects.toSatisfy(hasCode('corrupt'));
  });

  it('B6 of a damaged journal, which is read-only, what is left of values or of their index is shown', async () => {
    const inner = createMemoryJournal();
    const bucket = await openBucket(2, inner);
    for (const text of ['1', '2']) await bucket.put('a', utf8(text));
    await bucket.put('b', utf8('3'));
    await bucket.delete('b');
    await bucket.put('c', utf8('5'));
    await inner.commit([
      { key: journalKey('kv', 'bucket', 'B'), value: undefined },
      { key: journalKey('kv', 'index', 'B', 'c', 5), value: undefined },
      { key: journalKey('kv', 'index', 'B', 'a', 2), value: undefined },
      { key: journalKey('kv', 'index', 'B', 'b', 3), value: undefined },
      { key: journalKey('kv', 'index', 'B', 'x'), value: Uint8Array.of(0) },
      { key: journalKey('kv', 'value', 'B', 'a', 1), value: undefined },
    ]);
    const left = (await open(createHeldJournal(inner, 'damaged'))).bucket('B');
    expect(textOf(await left.get('a'))).toBe('2@2');
    expect((await left.history('a')).map(textOf)).toEqual(['2@2']);
    expect(await left.get('b')).toBeUndefined();
    expect((await left.history('b')).map(textOf)).toEqual(['3@3']);
    expect(await left.keys()).toEqual(['a', 'c']);
    expect(textOf(await left.get('c'))).toBe('5@5');
  });

  it('B5 any run of puts and deletes comes to what a plain model says, after opening again too', async () => {
    const write = fc.record({
      key: fc.constantFrom('a', 'a.b', 'a-b', 'b'),
      value: fc.option(fc.string({ maxLength: 3 }), { nil: undefined }),
      expected: fc.option(fc.nat({ max: 6 }), { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(write, { maxLength: 25 }), fc.integer({ min: 1, max: 4 }), async (writes, history) => {
        const journal = createMemoryJournal();
        const bucket = await openBucket(history, journal);
        const model = new Map<string, (string | undefined)[]>();
        let revision = 0;
        const ends = writes.map(({ key, value, expected }) => {
          const kept = model.get(key) ?? [];
          const last = kept.at(-1);
          const present = last === undefined ? 0 : Number(last.split('@').at(-1));
          if (value === undefined && last === undefined) return bucket.delete(key).then(() => true);
          const mayPut = value === undefined || expected === undefined || expected === present;
          if (mayPut) {
            revision++;
            model.set(key, [...kept, value === undefined ? undefined : `${value}@${revision}`].slice(-history));
          }
          const end =
            value === undefined
              ? bucket.delete(key)
              : bucket.put(key, utf8(value), expected === undefined ? {} : { revision: expected });
          return Promise.resolve(end).then(
            () => mayPut,
            (error: unknown) => !mayPut && isVakError(error, 'conflict'),
          );
        });
        expect(await Promise.all(ends)).not.toContain(false);
        for (const one of [bucket, (await open(journal)).bucket('B')]) {
          for (const [key, kept] of model) {
            expect((await one.history(key)).map(textOf)).toEqual(kept.filter((text) => text !== undefined));
            expect(textOf(await one.get(key))).toBe(kept.at(-1));
          }
        }
      }),
      { numRuns: 60 },
    );
  });
});
