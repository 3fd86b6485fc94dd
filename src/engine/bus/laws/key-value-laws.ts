/**
 * Laws of key-value buckets (protocol.md B5): revisions, conflicts, history, and watches that miss nothing.
 * Law: nothing here knows which engine it runs against.
 */
import assert from 'node:assert/strict';
import { toText, utf8 } from '../../../shared/base/bytes.ts';
import type { KeyValueBucket, KeyValueEntry } from '../durable.ts';
import { type DefineDurableLaw, eventually, hasCode, type LawContext } from './durable-law.ts';

async function makeBucket({ durable, workspace }: LawContext, history = 1): Promise<KeyValueBucket> {
  const name = `VAK_STATE_${workspace}`;
  await durable.ensureKeyValue({ name, history });
  return durable.keyValue(name);
}

const textIn = (entry: KeyValueEntry | undefined): string | undefined => entry && toText(entry.value);

/** Laws of key-value buckets. */
export function defineKeyValueLaws(law: DefineDurableLaw): void {
  defineBucketLaws(law);
  defineWriteLaws(law);
  defineWatchLaws(law);
}

function defineBucketLaws(law: DefineDurableLaw): void {
  law('B5 a bucket is made, found as it is, changed, and only told of in a dry run', async (context) => {
    const { durable, workspace } = context;
    const name = `VAK_STATE_${workspace}`;
    assert.equal(await durable.ensureKeyValue({ name, history: 2 }, { dryRun: true }), 'created');
    await assert.rejects(durable.keyValue(name).get('k'), hasCode('not-found'));
    assert.equal(await durable.ensureKeyValue({ name, history: 2 }), 'created');
    assert.equal(await durable.ensureKeyValue({ name, history: 2 }), 'unchanged');
    assert.equal(await durable.ensureKeyValue({ name, history: 3 }, { dryRun: true }), 'updated');
    assert.equal(await durable.ensureKeyValue({ name, history: 2 }), 'unchanged');
    assert.equal(await durable.ensureKeyValue({ name, history: 3 }), 'updated');
    for (const history of [0, 65, 1.5])
      await assert.rejects(durable.ensureKeyValue({ name, history }), hasCode('invalid-input'));
  });

  law('B5 of a bucket that is not there everything is not-found', async ({ durable, workspace }) => {
    const bucket = durable.keyValue(`VAK_STATE_${workspace}`);
    await assert.rejects(bucket.get('k'), hasCode('not-found'));
    await assert.rejects(bucket.put('k', utf8('v')), hasCode('not-found'));
    await assert.rejects(bucket.put('k', utf8('v'), { revision: 0 }), hasCode('not-found'));
    await assert.rejects(bucket.delete('k'), hasCode('not-found'));
    await assert.rejects(bucket.keys(), hasCode('not-found'));
    await assert.rejects(bucket.history('k'), hasCode('not-found'));
  });

  law('B5 two buckets share nothing', async (context) => {
    const { durable, workspace } = context;
    const bucket = await makeBucket(context);
    await durable.ensureKeyValue({ name: `VAK_CARDS_${workspace}`, history: 1 });
    await bucket.put('k', utf8('mine'));
    assert.equal(await durable.keyValue(`VAK_CARDS_${workspace}`).get('k'), undefined);
    assert.deepEqual(await durable.keyValue(`VAK_CARDS_${workspace}`).keys(), []);
  });
}

function defineWriteLaws(law: DefineDurableLaw): void {
  law(
    'B5 a value is found as it was put, under a revision that rises with each change of the bucket',
    async (context) => {
      const bucket = await makeBucket(context);
      assert.equal(await bucket.get('a'), undefined);
      const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
      const first = await bucket.put('a', bytes);
      const second = await bucket.put('queue.one', new Uint8Array(0));
      const third = await bucket.put('a', utf8('new'));
      assert.ok(first > 0 && second > first && third > second);
      const empty = await bucket.get('queue.one');
      assert.deepEqual([empty?.key, empty?.value.length, empty?.revision], ['queue.one', 0, second]);
      const entry = await bucket.get('a');
      assert.deepEqual([entry?.key, textIn(entry), entry?.revision], ['a', 'new', third]);
      assert.ok(Number.isInteger(entry?.storedMs));
      const fourth = await bucket.put('a', bytes);
      assert.deepEqual([...((await bucket.get('a'))?.value ?? [])], [...bytes]);
      assert.ok(fourth > third);
      assert.deepEqual((await bucket.keys()).toSorted(), ['a', 'queue.one']);
    },
  );

  law('B5 a key is tokens joined by dots', async (context) => {
    const bucket = await makeBucket(context);
    for (const key of ['', 'a b', 'a..b', '.a', 'a.', 'a.*', '>', 'ä']) {
      await assert.rejects(bucket.put(key, utf8('v')), hasCode('invalid-input'), key);
      await assert.rejects(bucket.get(key), hasCode('invalid-input'), key);
    }
  });

  law('B5 a put on a revision holds only while the key has it', async (context) => {
    const bucket = await makeBucket(context);
    const put = (revision: number): Promise<number> => bucket.put('k', utf8(`on ${revision}`), { revision });
    await assert.rejects(put(7), hasCode('conflict'));
    const first = await put(0);
    await assert.rejects(put(0), hasCode('conflict'));
    await bucket.put('other', utf8('x'));
    const second = await put(first);
    await assert.rejects(put(first), hasCode('conflict'));
    assert.deepEqual([(await bucket.get('k'))?.revision, textIn(await bucket.get('k'))], [second, `on ${first}`]);
    const rivals = await Promise.allSettled(Array.from({ length: 10 }, () => put(second)));
    assert.equal(rivals.filter(({ status }) => status === 'fulfilled').length, 1);
    for (const rival of rivals) if (rival.status === 'rejected') assert.ok(hasCode('conflict')(rival.reason));
  });

  law('B5 a deleted key is as one that never was, and its revisions do not come back', async (context) => {
    const bucket = await makeBucket(context, 3);
    const first = await bucket.put('k', utf8('1'));
    await bucket.delete('k');
    await bucket.delete('k');
    await bucket.delete('never');
    assert.equal(await bucket.get('k'), undefined);
    assert.deepEqual(await bucket.keys(), []);
    await assert.rejects(bucket.put('k', utf8('2'), { revision: first }), hasCode('conflict'));
    const second = await bucket.put('k', utf8('2'), { revision: 0 });
    assert.ok(second > first);
    assert.equal(textIn(await bucket.get('k')), '2');
  });

  law('B5 so many values of a key are kept as the bucket says, oldest first', async (context) => {
    const bucket = await makeBucket(context, 3);
    assert.deepEqual(await bucket.history('k'), []);
    const revisions: number[] = [];
    for (const text of ['1', '2', '3', '4']) revisions.push(await bucket.put('k', utf8(text)));
    await bucket.put('other', utf8('x'));
    const history = await bucket.history('k');
    assert.deepEqual(
      history.map((entry) => [textIn(entry), entry.revision, entry.key]),
      ['2', '3', '4'].map((text, index) => [text, revisions[index + 1], 'k']),
    );
  });

  /** A deletion takes the place of one value: so it is in a bucket of nats-server, whose deletions are messages. */
  law('B5 values before a deletion are kept as history, the deletion counts as one of them', async (context) => {
    const bucket = await makeBucket(context, 3);
    for (const text of ['1', '2', '3']) await bucket.put('k', utf8(text));
    await bucket.delete('k');
    assert.deepEqual((await bucket.history('k')).map(textIn), ['2', '3']);
    await bucket.put('k', utf8('4'));
    assert.deepEqual((await bucket.history('k')).map(textIn), ['3', '4']);
  });

  law('E2 a value of 1 MiB is kept, one byte more is refused', async (context) => {
    const bucket = await makeBucket(context);
    const whole = new Uint8Array(1024 * 1024).fill(7);
    await bucket.put('k', whole);
    assert.ok(Buffer.from(whole).equals((await bucket.get('k'))?.value ?? new Uint8Array(0)));
    await assert.rejects(bucket.put('k', new Uint8Array(1024 * 1024 + 1)), hasCode('limit-exceeded'));
  });
}

function defineWatchLaws(law: DefineDurableLaw): void {
  /** A value that is replaced before it is told may be left out: a bucket of nats-server keeps no more than its history. */
  law('B5 a watch tells what is there, that it is ready, then every change in order', async (context) => {
    const bucket = await makeBucket(context, 2);
    await bucket.put('a', utf8('old'));
    await bucket.put('a', utf8('1'));
    await bucket.put('b', utf8('1'));
    await bucket.put('gone', utf8('1'));
    await bucket.delete('gone');
    const told: string[] = [];
    const watch = bucket.watch(
      ({ key, entry }) => told.push(`${key}=${textIn(entry) ?? ''}`),
      () => told.push('ready'),
    );
    assert.ok(await eventually(context, () => told.includes('ready')));
    assert.deepEqual(told.toSorted(), ['a=1', 'b=1', 'ready']);
    assert.equal(told.at(-1), 'ready');
    for (const [count, text] of ['1', '2', undefined, '3'].entries()) {
      if (text === undefined) await bucket.delete('c');
      else await bucket.put('c', utf8(text));
      assert.ok(await eventually(context, () => told.length >= 4 + count));
    }
    assert.deepEqual(told.slice(3), ['c=1', 'c=2', 'c=', 'c=3']);
    watch.dispose();
  });

  law('B5 a watch of many quick changes tells them in order, and of each key the last one', async (context) => {
    const bucket = await makeBucket(context);
    const told: string[] = [];
    const watch = bucket.watch(({ key, entry }) => told.push(`${key}=${textIn(entry) ?? ''}`));
    const writes = Array.from({ length: 60 }, (_, index) => `${'abc'.charAt(index % 3)}=${100 + index}`);
    await Promise.all(writes.map((write) => bucket.put(write.slice(0, 1), utf8(write.slice(2)))));
    await bucket.delete('b');
    const ofKey = (key: string): string[] => told.filter((one) => one.startsWith(key));
    const lastIs = (key: string, last: string): boolean => ofKey(key).at(-1) === last;
    assert.ok(await eventually(context, () => lastIs('a', 'a=157') && lastIs('c', 'c=159')), told.slice(-5).join());
    // Of a key that went before it was told of nobody needs to hear.
    assert.ok(await eventually(context, () => lastIs('b', 'b=') || ofKey('b').length === 0), told.slice(-5).join());
    for (const key of ['a', 'c']) assert.deepEqual(ofKey(key), [...new Set(ofKey(key))].toSorted());
    watch.dispose();
  });

  law('B5 a watch of an empty bucket is ready at once; a disposed one tells nothing more', async (context) => {
    const bucket = await makeBucket(context);
    const told: string[] = [];
    const watch = bucket.watch(
      ({ key }) => told.push(key),
      () => told.push('ready'),
    );
    assert.ok(await eventually(context, () => told.length > 0));
    assert.deepEqual(told, ['ready']);
    watch.dispose();
    watch.dispose();
    await bucket.put('a', utf8('1'));
    await context.tested.advance(100);
    assert.deepEqual(told, ['ready']);
  });

  law('B5 a watcher that throws does not end its watch, nor anyone else’s', async (context) => {
    const bucket = await makeBucket(context);
    const told: string[] = [];
    const thrower = bucket.watch(() => {
      throw new Error('watcher');
    });
    const watch = bucket.watch(({ key }) => told.push(key));
    await bucket.put('a', utf8('1'));
    await bucket.put('b', utf8('1'));
    assert.ok(await eventually(context, () => told.length >= 2));
    assert.deepEqual(told, ['a', 'b']);
    thrower.dispose();
    watch.dispose();
  });
}
