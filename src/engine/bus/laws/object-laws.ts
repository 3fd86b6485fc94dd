/**
 * Laws of object buckets (protocol.md B5): an object is there whole or not at all, and its digest says that it is.
 * Law: nothing here knows which engine it runs against.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { toText, utf8 } from '../../../shared/base/bytes.ts';
import { isVakError } from '../../../shared/base/vak-error.ts';
import type { ObjectBucket } from '../durable.ts';
import { createGate, type DefineDurableLaw, eventually, hasCode, type LawContext } from './durable-law.ts';

async function makeObjects({ durable, workspace }: LawContext): Promise<ObjectBucket> {
  const name = `VAK_MEDIA_${workspace}`;
  await durable.ensureObjects(name);
  return durable.objects(name);
}

async function* chunksOf(...chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield chunk;
}

async function contentOf(bucket: ObjectBucket, name: string): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of bucket.get(name)) parts.push(part);
  return Buffer.concat(parts);
}

const put = (bucket: ObjectBucket, name: string, text: string): ReturnType<ObjectBucket['put']> =>
  bucket.put(name, chunksOf(utf8(text)));
const namesIn = async (bucket: ObjectBucket): Promise<string[]> =>
  (await bucket.list()).map(({ name }) => name).toSorted();

/** Bytes that repeat in no chunk. */
const bytesOf = (length: number): Uint8Array =>
  Uint8Array.from({ length }, (_, index) => (index * 31 + index / 977) & 255);

/** Laws of object buckets. */
export function defineObjectLaws(law: DefineDurableLaw): void {
  defineContentLaws(law);
  defineWholenessLaws(law);
}

function defineContentLaws(law: DefineDurableLaw): void {
  law('B5 a bucket of objects is made and found; of one that is not there everything is not-found', async (context) => {
    const { durable, workspace } = context;
    const name = `VAK_MEDIA_${workspace}`;
    const bucket = durable.objects(name);
    assert.equal(await durable.ensureObjects(name, { dryRun: true }), 'created');
    await assert.rejects(bucket.list(), hasCode('not-found'));
    await assert.rejects(bucket.info('o'), hasCode('not-found'));
    await assert.rejects(bucket.delete('o'), hasCode('not-found'));
    await assert.rejects(put(bucket, 'o', 'x'), hasCode('not-found'));
    await assert.rejects(contentOf(bucket, 'o'), hasCode('not-found'));
    assert.equal(await durable.ensureObjects(name), 'created');
    assert.equal(await durable.ensureObjects(name), 'unchanged');
    assert.deepEqual(await bucket.list(), []);
    await assert.rejects(contentOf(bucket, 'o'), hasCode('not-found'));
  });

  law('B5 an object of any size and cut comes back byte for byte, with size and digest', async (context) => {
    const bucket = await makeObjects(context);
    const large = bytesOf(2_500_001);
    const cuts: Record<string, readonly Uint8Array[]> = {
      none: [],
      empty: [new Uint8Array(0), new Uint8Array(0)],
      one: [Uint8Array.of(0)],
      many: Array.from({ length: 400 }, (_, index) => bytesOf(index)),
      large: [large.subarray(0, 1), large.subarray(1, 131_073), new Uint8Array(0), large.subarray(131_073)],
    };
    for (const [name, chunks] of Object.entries(cuts)) {
      const whole = Buffer.concat(chunks);
      const info = await bucket.put(name, chunksOf(...chunks));
      assert.deepEqual(
        { name: info.name, sizeBytes: info.sizeBytes, sha256: info.sha256 },
        { name, sizeBytes: whole.length, sha256: createHash('sha256').update(whole).digest('hex') },
      );
      assert.ok(Number.isInteger(info.storedMs));
      const found = await bucket.info(name);
      assert.deepEqual([found?.sizeBytes, found?.sha256, found?.name], [info.sizeBytes, info.sha256, name]);
      assert.ok((await contentOf(bucket, name)).equals(whole), name);
    }
    assert.deepEqual(await namesIn(bucket), Object.keys(cuts).toSorted());
  });

  law('B5 one of the same name is replaced, and a deleted one is gone', async (context) => {
    const bucket = await makeObjects(context);
    assert.equal(await bucket.info('o'), undefined);
    await put(bucket, 'o', 'old');
    await put(bucket, 'other', 'stays');
    const info = await put(bucket, 'o', 'newer');
    assert.equal(String(await contentOf(bucket, 'o')), 'newer');
    assert.equal((await bucket.info('o'))?.sha256, info.sha256);
    assert.deepEqual(await namesIn(bucket), ['o', 'other']);
    assert.equal(await bucket.delete('o'), true);
    assert.equal(await bucket.delete('o'), false);
    assert.equal(await bucket.info('o'), undefined);
    await assert.rejects(contentOf(bucket, 'o'), hasCode('not-found'));
    assert.deepEqual(await namesIn(bucket), ['other']);
    await put(bucket, 'o', 'again');
    assert.equal(String(await contentOf(bucket, 'o')), 'again');
  });

  law('B5 objects of two names and two buckets do not mix', async (context) => {
    const bucket = await makeObjects(context);
    await context.durable.ensureObjects(`VAK_OTHER_${context.workspace}`);
    const other = context.durable.objects(`VAK_OTHER_${context.workspace}`);
    const names = ['a', 'b', 'c', 'd'];
    await Promise.all(names.map((name) => bucket.put(name, chunksOf(utf8(name), bytesOf(200_000), utf8(name)))));
    for (const name of names) {
      const content = await contentOf(bucket, name);
      assert.equal(content.length, 200_002);
      assert.equal(toText(content.subarray(0, 1)) + toText(content.subarray(-1)), name + name);
    }
    assert.deepEqual(await other.list(), []);
    assert.equal(await other.info('a'), undefined);
  });
}

function defineWholenessLaws(law: DefineDurableLaw): void {
  law('B5 nothing of an object is seen before all of it is there', async (context) => {
    const bucket = await makeObjects(context);
    await put(bucket, 'old', 'before');
    const [reached, gate] = [createGate(), createGate()];
    async function* slowly(): AsyncGenerator<Uint8Array> {
      yield bytesOf(300_000);
      reached.open();
      await gate.opened;
      yield utf8('end');
    }
    const putting = [bucket.put('new', slowly()), bucket.put('old', slowly())];
    await reached.opened;
    await context.tested.advance(50);
    assert.deepEqual(await namesIn(bucket), ['old']);
    assert.equal(await bucket.info('new'), undefined);
    await assert.rejects(contentOf(bucket, 'new'), hasCode('not-found'));
    assert.equal(String(await contentOf(bucket, 'old')), 'before');
    gate.open();
    await Promise.all(putting);
    assert.deepEqual(await namesIn(bucket), ['new', 'old']);
    for (const name of ['new', 'old']) assert.equal((await contentOf(bucket, name)).length, 300_003);
  });

  law('B5 a put that is given up or fails leaves nothing, and what was there before stays', async (context) => {
    const bucket = await makeObjects(context);
    await put(bucket, 'old', 'before');
    const failure = new Error('source');
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield bytesOf(300_000);
      throw failure;
    }
    for (const name of ['new', 'old']) {
      const abort = new AbortController();
      async function* aborting(): AsyncGenerator<Uint8Array> {
        yield bytesOf(300_000);
        abort.abort();
        yield bytesOf(300_000);
      }
      await assert.rejects(bucket.put(name, aborting(), { signal: abort.signal }), hasCode('aborted'));
      await assert.rejects(bucket.put(name, failing()), (thrown) => thrown === failure);
      await assert.rejects(bucket.put(name, chunksOf(utf8('x')), { signal: AbortSignal.abort() }), hasCode('aborted'));
    }
    assert.deepEqual(await namesIn(bucket), ['old']);
    assert.equal(await bucket.info('new'), undefined);
    assert.equal(String(await contentOf(bucket, 'old')), 'before');
  });

  law('B5 a put whose source never goes on ends when it is given up', async (context) => {
    const bucket = await makeObjects(context);
    const abort = new AbortController();
    const reached = createGate();
    async function* hanging(): AsyncGenerator<Uint8Array> {
      yield utf8('x');
      reached.open();
      await createGate().opened;
    }
    let thrown: unknown;
    bucket.put('o', hanging(), { signal: abort.signal }).catch((error: unknown) => {
      thrown = error;
    });
    await reached.opened;
    abort.abort();
    assert.ok(await eventually(context, () => hasCode('aborted')(thrown)));
    assert.equal(await bucket.info('o'), undefined);
  });

  law('B5 a get can be given up', async (context) => {
    const bucket = await makeObjects(context);
    await bucket.put('o', chunksOf(bytesOf(1_000_000)));
    const abort = new AbortController();
    const read = async (): Promise<void> => {
      for await (const part of bucket.get('o', { signal: abort.signal })) if (part.length > 0) abort.abort();
    };
    await assert.rejects(read(), hasCode('aborted'));
    for await (const part of bucket.get('o')) if (part.length > 0) break;
    assert.equal((await contentOf(bucket, 'o')).length, 1_000_000);
  });

  law('B5 who reads an object while it is replaced gets the old one whole, or an error', async (context) => {
    const bucket = await makeObjects(context);
    const old = bytesOf(1_000_000);
    await bucket.put('o', chunksOf(old));
    const parts: Uint8Array[] = [];
    let failure: unknown;
    try {
      for await (const part of bucket.get('o')) {
        if (parts.length === 0) await put(bucket, 'o', 'new');
        parts.push(part);
      }
    } catch (error) {
      failure = error;
    }
    if (failure === undefined) assert.ok(Buffer.concat(parts).equals(old));
    else assert.ok(isVakError(failure, 'corrupt') || isVakError(failure, 'not-found'), String(failure));
    assert.ok(await eventually(context, async () => String(await contentOf(bucket, 'o')) === 'new'));
  });
}
