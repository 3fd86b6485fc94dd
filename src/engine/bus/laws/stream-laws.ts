/**
 * Laws of streams (protocol.md B3): what is appended lies there in order, is found in every way, and its number never comes back.
 * Law: nothing here knows which engine it runs against.
 */
import assert from 'node:assert/strict';
import { toText, utf8 } from '../../../shared/base/bytes.ts';
import { maxMessageBytes } from '../bus.ts';
import type { ReadOptions, StoredMessage, Stream } from '../durable.ts';
import {
  appendTexts,
  type DefineDurableLaw,
  eventually,
  hasCode,
  makeStream,
  roomLog,
  roomsSpec,
  textsOf,
} from './durable-law.ts';

/** Every page from `options` on. */
async function readAll(stream: Stream, options: ReadOptions): Promise<readonly StoredMessage[][]> {
  const pages: StoredMessage[][] = [];
  let fromSeq: number | undefined;
  do {
    const page = await stream.read(fromSeq === undefined ? options : { ...options, fromSeq });
    pages.push([...page.messages]);
    fromSeq = page.nextSeq;
  } while (fromSeq !== undefined);
  return pages;
}

/** Laws of streams. */
export function defineStreamLaws(law: DefineDurableLaw): void {
  defineMakingLaws(law);
  defineAppendLaws(law);
  defineReadLaws(law);
  defineDeleteLaws(law);
}

function defineMakingLaws(law: DefineDurableLaw): void {
  law('B3 a stream is made, found as it is, changed, and only told of in a dry run', async ({ durable, workspace }) => {
    const spec = roomsSpec(workspace);
    const changed = { ...spec, maxAgeMs: 3_600_000, maxBytes: 1_048_576, whenFull: 'drop-old' } as const;
    assert.equal(await durable.ensureStream(spec, { dryRun: true }), 'created');
    await assert.rejects(durable.stream(spec.name).state(), hasCode('not-found'));
    assert.equal(await durable.ensureStream(spec), 'created');
    assert.equal(await durable.ensureStream(spec), 'unchanged');
    assert.equal(await durable.ensureStream(changed, { dryRun: true }), 'updated');
    assert.deepEqual((await durable.stream(spec.name).state()).spec, spec);
    assert.equal(await durable.ensureStream(changed), 'updated');
    assert.equal(await durable.ensureStream(changed), 'unchanged');
    assert.deepEqual(await durable.stream(spec.name).state(), {
      ...{ spec: changed, messageCount: 0, bytes: 0, firstSeq: 1, lastSeq: 0, consumerCount: 0 },
    });
  });

  law('B3 streams are listed, buckets not among them; a deleted one is gone', async ({ durable, workspace }) => {
    const spec = roomsSpec(workspace);
    const other = roomsSpec(workspace, { name: `VAK_OTHER_${workspace}`, subjects: [`vak.work.${workspace}.*.task`] });
    await durable.ensureStream(spec);
    await durable.ensureStream(other);
    await durable.ensureKeyValue({ name: `VAK_STATE_${workspace}`, history: 1 });
    await durable.ensureObjects(`VAK_MEDIA_${workspace}`);
    const mine = async (): Promise<string[]> =>
      (await durable.streams()).map((one) => one.spec.name).filter((name) => name.endsWith(`_${workspace}`));
    assert.deepEqual((await mine()).toSorted(), [spec.name, other.name].toSorted());
    assert.equal(await durable.deleteStream(other.name), true);
    assert.equal(await durable.deleteStream(other.name), false);
    assert.deepEqual(await mine(), [spec.name]);
  });

  law('B3 two streams cannot take the same subject', async ({ durable, workspace }) => {
    await durable.ensureStream(roomsSpec(workspace));
    const other = roomsSpec(workspace, { name: `VAK_OTHER_${workspace}`, subjects: [`vak.rooms.${workspace}.a.log`] });
    await assert.rejects(durable.ensureStream(other), hasCode('conflict'));
  });

  law('B3 a stream that is not there is not-found, whatever is asked of it', async ({ durable, workspace }) => {
    const stream = durable.stream(`VAK_ROOMS_${workspace}`);
    await assert.rejects(stream.state(), hasCode('not-found'));
    await assert.rejects(stream.get(1), hasCode('not-found'));
    await assert.rejects(stream.last(roomLog(workspace, 'r')), hasCode('not-found'));
    await assert.rejects(stream.read({ limit: 1 }), hasCode('not-found'));
    await assert.rejects(stream.delete(1), hasCode('not-found'));
    await assert.rejects(stream.purge(), hasCode('not-found'));
    await assert.rejects(stream.consumers(), hasCode('not-found'));
    await assert.rejects(durable.append(roomLog(workspace, 'r'), utf8('x')), hasCode('not-found'));
  });

  law('S4 a subject of no row, or a pattern, is refused on append', async (context) => {
    await makeStream(context);
    for (const subject of ['nowhere', `vak.rooms.${context.workspace}.*.log`, `vak.rooms.${context.workspace}.r.none`])
      await assert.rejects(context.durable.append(subject, utf8('x')), hasCode('invalid-subject'));
  });
}

function defineAppendLaws(law: DefineDurableLaw): void {
  law('B3 appends are numbered in their order, over all subjects, and lie there as they came', async (context) => {
    const { durable, workspace } = context;
    const stream = await makeStream(context);
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    const subjects = ['a', 'b', 'a', 'c'].map((room) => roomLog(workspace, room));
    // Not awaited one by one: the order of the calls counts.
    const appended = await Promise.all(
      subjects.map((subject, index) => durable.append(subject, index === 1 ? new Uint8Array(0) : bytes)),
    );
    const spec = roomsSpec(workspace);
    assert.deepEqual(
      appended,
      [1, 2, 3, 4].map((seq) => ({ stream: spec.name, seq, isDuplicate: false })),
    );
    await durable.append(roomLog(workspace, 'b'), bytes, { messageId: 'id-1' });
    for (const [index, subject] of [...subjects, roomLog(workspace, 'b')].entries()) {
      const message = await stream.get(index + 1);
      assert.ok(message !== undefined);
      const { storedMs, data, ...rest } = message;
      const messageId = index === 4 ? 'id-1' : undefined;
      assert.deepEqual(rest, { stream: spec.name, seq: index + 1, subject, messageId });
      assert.deepEqual([...data], index === 1 ? [] : [...bytes]);
      assert.ok(Number.isInteger(storedMs) && storedMs > 0);
    }
    assert.equal(await stream.get(6), undefined);
    const { messageCount, firstSeq, lastSeq, bytes: size } = await stream.state();
    assert.deepEqual({ messageCount, firstSeq, lastSeq }, { messageCount: 5, firstSeq: 1, lastSeq: 5 });
    assert.ok(size >= 4 * 256);
  });

  law('B3 an append that was given up before it began stores nothing', async (context) => {
    const stream = await makeStream(context);
    const signal = AbortSignal.abort();
    const append = context.durable.append(roomLog(context.workspace, 'r'), utf8('x'), { signal });
    await assert.rejects(append, hasCode('aborted'));
    assert.equal((await stream.state()).lastSeq, 0);
  });

  law('E2 a message of 1 MiB is stored whole, one byte more is refused', async (context) => {
    const subject = roomLog(context.workspace, 'r');
    const stream = await makeStream(context);
    const whole = new Uint8Array(maxMessageBytes).fill(7);
    const { seq } = await context.durable.append(subject, whole);
    assert.ok(Buffer.from(whole).equals((await stream.get(seq))?.data ?? new Uint8Array(0)));
    await assert.rejects(
      context.durable.append(subject, new Uint8Array(maxMessageBytes + 1)),
      hasCode('limit-exceeded'),
    );
    assert.equal((await stream.state()).lastSeq, seq);
  });

  law('B3 an id that was stored within the window is stored once a stream, and says where', async (context) => {
    const { durable, workspace } = context;
    const stream = await makeStream(context, { dedupeWindowMs: 1_000 });
    const append = (room: string): ReturnType<typeof durable.append> =>
      durable.append(roomLog(workspace, room), utf8(room), { messageId: 'same' });
    const { seq } = await append('a');
    await appendTexts(context, ['between']);
    await context.tested.advance(500);
    for (const room of ['a', 'b'])
      assert.deepEqual(await append(room), { stream: roomsSpec(workspace).name, seq, isDuplicate: true });
    assert.equal((await stream.state()).messageCount, 2);
    await context.tested.advance(800);
    const later = await append('a');
    assert.deepEqual([later.isDuplicate, later.seq], [false, 3]);
  });

  law('B3 an append waits for the last seq of its subject, other subjects do not count', async (context) => {
    const { durable, workspace } = context;
    const stream = await makeStream(context);
    const expecting = (room: string, expectedLastSeq: number): ReturnType<typeof durable.append> =>
      durable.append(roomLog(workspace, room), utf8('x'), { expectedLastSeq });
    assert.equal((await expecting('a', 0)).seq, 1);
    assert.equal((await expecting('b', 0)).seq, 2);
    await assert.rejects(expecting('a', 0), hasCode('conflict'));
    await assert.rejects(expecting('a', 2), hasCode('conflict'));
    assert.equal((await expecting('a', 1)).seq, 3);
    const rivals = await Promise.allSettled(Array.from({ length: 10 }, () => expecting('a', 3)));
    assert.equal(rivals.filter(({ status }) => status === 'fulfilled').length, 1);
    for (const rival of rivals) if (rival.status === 'rejected') assert.ok(hasCode('conflict')(rival.reason));
    assert.equal((await stream.state()).messageCount, 4);
  });

  /**
   * After the newest message of a subject alone was deleted engines differ, so nobody may expect a seq then: the embedded one goes
   * back to the message before; nats-server 2.9.10, in a file store, takes the subject for empty (0) until something is appended.
   */
  law('B3 when a subject has been emptied its last seq is 0', async (context) => {
    const { durable, workspace } = context;
    const stream = await makeStream(context);
    const expectNone = (): ReturnType<typeof durable.append> =>
      durable.append(roomLog(workspace, 'a'), utf8('x'), { expectedLastSeq: 0 });
    await appendTexts(context, ['1', '2'], 'a');
    await appendTexts(context, ['3'], 'b');
    await stream.purge(roomLog(workspace, 'a'));
    assert.equal(await stream.last(roomLog(workspace, 'a')), undefined);
    assert.equal((await expectNone()).seq, 4);
    await assert.rejects(expectNone(), hasCode('conflict'));
    await stream.delete(4);
    assert.equal((await expectNone()).seq, 5);
  });

  law('B3 a repeated append is a duplicate, though what it expected no longer holds', async (context) => {
    const { durable, workspace } = context;
    await makeStream(context);
    const options = { messageId: 'same', expectedLastSeq: 0 };
    const append = (): ReturnType<typeof durable.append> => durable.append(roomLog(workspace, 'a'), utf8('x'), options);
    assert.equal((await append()).isDuplicate, false);
    assert.equal((await append()).isDuplicate, true);
  });

  law('B3 an append that conflicts does not use up its id', async (context) => {
    const { durable, workspace } = context;
    await makeStream(context);
    const append = (expectedLastSeq: number): ReturnType<typeof durable.append> =>
      durable.append(roomLog(workspace, 'a'), utf8('x'), { messageId: 'same', expectedLastSeq });
    await assert.rejects(append(7), hasCode('conflict'));
    assert.equal((await append(0)).isDuplicate, false);
  });
}

function defineReadLaws(law: DefineDurableLaw): void {
  law('B3 pages give every message once, in order, and end with nothing more', async (context) => {
    const stream = await makeStream(context);
    const texts = Array.from({ length: 25 }, (_, index) => String(index + 1));
    assert.deepEqual(await stream.read({ limit: 10 }), { messages: [], nextSeq: undefined });
    await appendTexts(context, texts);
    for (const seq of [1, 11, 12, 25]) await stream.delete(seq);
    const left = texts.filter((text) => !['1', '11', '12', '25'].includes(text));
    const pages = await readAll(stream, { limit: 7 });
    assert.deepEqual(textsOf(pages.flat()), left);
    assert.deepEqual(
      pages.map(({ length }) => length),
      [7, 7, 7],
    );
    assert.deepEqual(textsOf((await stream.read({ fromSeq: 11, limit: 2 })).messages), ['13', '14']);
    assert.deepEqual(await stream.read({ fromSeq: 25, limit: 2 }), { messages: [], nextSeq: undefined });
    assert.deepEqual(await stream.read({ fromSeq: 1_000, limit: 2 }), { messages: [], nextSeq: undefined });
  });

  law('B3 a page ends by its bytes too', async (context) => {
    const stream = await makeStream(context);
    const large = new Uint8Array(1_000_000);
    for (let count = 0; count < 7; count++) await context.durable.append(roomLog(context.workspace, 'r'), large);
    const pages = await readAll(stream, { limit: 1_000 });
    assert.deepEqual(
      pages.flat().map(({ seq }) => seq),
      [1, 2, 3, 4, 5, 6, 7],
    );
    assert.ok((pages[0]?.length ?? 0) >= 3 && (pages[0]?.length ?? 0) <= 6);
  });

  law('B3 a page of a subject or a pattern holds only what fits', async (context) => {
    const { durable, workspace } = context;
    const stream = await makeStream(context);
    for (let index = 0; index < 4; index++) {
      await appendTexts(context, [`a${index}`], 'a');
      await appendTexts(context, [`b${index}`], 'b');
      await durable.append(`vak.rooms.${workspace}.a.messages`, utf8(`m${index}`));
    }
    const read = async (subject: string, limit = 3): Promise<string[]> =>
      textsOf((await readAll(stream, { subject, limit })).flat());
    assert.deepEqual(await read(roomLog(workspace, 'a')), ['a0', 'a1', 'a2', 'a3']);
    assert.deepEqual(await read(roomLog(workspace, 'a'), 4), ['a0', 'a1', 'a2', 'a3']);
    assert.deepEqual(await read(`vak.rooms.${workspace}.*.messages`), ['m0', 'm1', 'm2', 'm3']);
    assert.deepEqual(await read(`vak.rooms.${workspace}.b.>`), ['b0', 'b1', 'b2', 'b3']);
    assert.deepEqual(await read(roomLog(workspace, 'none')), []);
    const fromSeq = 7;
    const page = await stream.read({ subject: roomLog(workspace, 'a'), fromSeq, limit: 10 });
    assert.deepEqual(textsOf(page.messages), ['a2', 'a3']);
    await assert.rejects(stream.read({ subject: 'a..b', limit: 1 }), hasCode('invalid-pattern'));
  });

  law('B3 a page begins at a time', async (context) => {
    const stream = await makeStream(context);
    await appendTexts(context, ['1', '2']);
    await context.tested.advance(60);
    await appendTexts(context, ['3', '4']);
    const third = await stream.get(3);
    assert.ok(third !== undefined);
    const read = async (fromMs: number): Promise<string[]> =>
      textsOf((await stream.read({ fromMs, limit: 10 })).messages);
    assert.deepEqual(await read(third.storedMs), ['3', '4']);
    assert.deepEqual(await read(third.storedMs - 10_000), ['1', '2', '3', '4']);
    assert.deepEqual(await read(third.storedMs + 60_000), []);
  });

  law('B3 a page has 1 to 1 000 messages, and can be given up', async (context) => {
    const stream = await makeStream(context);
    for (const limit of [0, 1_001, 1.5]) await assert.rejects(stream.read({ limit }), hasCode('invalid-input'));
    await assert.rejects(stream.read({ limit: 1, signal: AbortSignal.abort() }), hasCode('aborted'));
  });

  law('B3 the last message of a subject is found, also after the newest was deleted', async (context) => {
    const { workspace } = context;
    const stream = await makeStream(context);
    assert.equal(await stream.last(roomLog(workspace, 'a')), undefined);
    await appendTexts(context, ['a1', 'a2', 'a3'], 'a');
    await appendTexts(context, ['b1'], 'b');
    const last = async (room: string): Promise<string | undefined> => {
      const message = await stream.last(roomLog(workspace, room));
      return message && toText(message.data);
    };
    assert.deepEqual([await last('a'), await last('b'), await last('c')], ['a3', 'b1', undefined]);
    await stream.delete(3);
    assert.equal(await last('a'), 'a2');
  });
}

function defineDeleteLaws(law: DefineDurableLaw): void {
  law('B3 how many messages of a subject lie in a stream is known without reading them', async (context) => {
    const { workspace, durable } = context;
    const stream = await makeStream(context);
    const count = (room: string): Promise<number> => stream.count(roomLog(workspace, room));
    assert.deepEqual([await count('a'), await stream.count(`vak.rooms.${workspace}.>`)], [0, 0]);
    await appendTexts(context, ['1', '2'], 'a');
    await appendTexts(context, ['3'], 'b');
    await appendTexts(context, ['4'], 'a');
    await stream.delete(2);
    assert.deepEqual([await count('a'), await count('b'), await count('c'), await count('*')], [2, 1, 0, 3]);
    await assert.rejects(durable.stream('NONE').count(roomLog(workspace, 'a')), hasCode('not-found'));
    await assert.rejects(stream.count('vak..a'), hasCode('invalid-pattern'));
  });

  law('B3 a deleted message is gone, and no number comes back', async (context) => {
    const stream = await makeStream(context);
    await appendTexts(context, ['1', '2', '3']);
    assert.equal(await stream.delete(3), true);
    assert.equal(await stream.delete(3), false);
    assert.equal(await stream.delete(99), false);
    assert.equal(await stream.get(3), undefined);
    assert.deepEqual(await appendTexts(context, ['4']), [4]);
    assert.equal(await stream.delete(1), true);
    const { messageCount, firstSeq, lastSeq } = await stream.state();
    assert.deepEqual({ messageCount, firstSeq, lastSeq }, { messageCount: 2, firstSeq: 2, lastSeq: 4 });
  });

  law('B3 a purge deletes all, or a subject’s, and says how many', async (context) => {
    const { durable, workspace } = context;
    const stream = await makeStream(context);
    await appendTexts(context, ['1', '2'], 'a');
    await appendTexts(context, ['3'], 'b');
    await durable.append(`vak.rooms.${workspace}.a.messages`, utf8('4'));
    assert.equal(await stream.purge(roomLog(workspace, 'none')), 0);
    assert.equal(await stream.purge(roomLog(workspace, 'a')), 2);
    assert.deepEqual(textsOf((await stream.read({ limit: 10 })).messages), ['3', '4']);
    assert.equal(await stream.purge(`vak.rooms.${workspace}.a.>`), 1);
    assert.equal(await stream.purge(), 1);
    assert.deepEqual(await stream.read({ limit: 10 }), { messages: [], nextSeq: undefined });
    const { messageCount, bytes, firstSeq, lastSeq } = await stream.state();
    assert.deepEqual(
      { messageCount, bytes, firstSeq, lastSeq },
      { messageCount: 0, bytes: 0, firstSeq: 5, lastSeq: 4 },
    );
    assert.deepEqual(await appendTexts(context, ['5']), [5]);
  });

  law('B3 a stream that was deleted and made again knows nothing of before', async (context) => {
    const { durable, workspace } = context;
    const stream = await makeStream(context);
    await durable.append(roomLog(workspace, 'r'), utf8('old'), { messageId: 'same' });
    await durable.deleteStream(roomsSpec(workspace).name);
    await makeStream(context);
    const again = await durable.append(roomLog(workspace, 'r'), utf8('new'), { messageId: 'same' });
    assert.deepEqual([again.seq, again.isDuplicate], [1, false]);
    assert.ok(await eventually(context, async () => (await stream.state()).messageCount === 1));
    assert.equal(toText((await stream.get(1))?.data ?? new Uint8Array(0)), 'new');
  });
}
