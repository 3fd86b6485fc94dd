/**
 * Laws of retention and limits (protocol.md B3, §1): what a stream keeps, until when, and what it does when it is full.
 * Law: nothing here knows which engine it runs against.
 */
import assert from 'node:assert/strict';
import { utf8 } from '../../../shared/base/bytes.ts';
import type { StreamSpec } from '../../../shared/protocol/stream-table.ts';
import type { Stream } from '../durable.ts';
import {
  appendTexts,
  consumerSpec,
  type DefineDurableLaw,
  eventually,
  hasCode,
  makeConsumer,
  makeStream,
  pullNow,
  roomLog,
  textsIn,
  textsOf,
  whilePassing,
} from './durable-law.ts';

const kept = async (stream: Stream): Promise<string[]> => textsOf((await stream.read({ limit: 100 })).messages);
const workQueue: Partial<StreamSpec> = { retention: 'work-queue' };
const interest: Partial<StreamSpec> = { retention: 'interest' };

/** Laws of retention and limits. */
export function defineRetentionLaws(law: DefineDurableLaw): void {
  defineKeepingLaws(law);
  defineLimitLaws(law);
}

function defineKeepingLaws(law: DefineDurableLaw): void {
  law('B3 limits: what was acknowledged stays', async (context) => {
    const { stream, consumer } = await makeConsumer(context);
    await appendTexts(context, ['1', '2']);
    for (const delivery of await pullNow(consumer)) await delivery.ack();
    assert.deepEqual(await kept(stream), ['1', '2']);
  });

  law('B3 work queue: kept until one has acknowledged or ended it; reading takes nothing', async (context) => {
    const { stream, consumer } = await makeConsumer(context, {}, workQueue);
    await appendTexts(context, ['1', '2', '3', '4']);
    assert.deepEqual(await kept(stream), ['1', '2', '3', '4']);
    const [first, second, third] = await pullNow(consumer, 3);
    await first?.ack();
    await second?.term();
    await third?.nak(5_000);
    assert.ok(await eventually(context, async () => (await stream.state()).messageCount === 2));
    assert.deepEqual(await kept(stream), ['3', '4']);
    assert.equal((await stream.state()).firstSeq, 3);
  });

  law('B3 work queue: a second consumer of the same messages is refused, one of others is not', async (context) => {
    const { workspace } = context;
    const { stream } = await makeConsumer(context, { filter: roomLog(workspace, 'a') }, workQueue);
    const other = (name: string, filter: string): ReturnType<typeof stream.ensureConsumer> =>
      stream.ensureConsumer(consumerSpec(workspace, { name, filter }));
    await assert.rejects(other('same', roomLog(workspace, 'a')), hasCode('conflict'));
    await assert.rejects(other('more', `vak.rooms.${workspace}.*.log`), hasCode('conflict'));
    await other('b', roomLog(workspace, 'b'));
    assert.equal((await stream.state()).consumerCount, 2);
  });

  law('B3 interest: kept until every consumer that wants it has acknowledged it', async (context) => {
    const { workspace } = context;
    const { stream, consumer } = await makeConsumer(context, { filter: roomLog(workspace, 'a') }, interest);
    const all = await stream.ensureConsumer(consumerSpec(workspace, { name: 'all' }));
    await appendTexts(context, ['a'], 'a');
    await appendTexts(context, ['b'], 'b');
    for (const delivery of await pullNow(all)) await delivery.ack();
    assert.ok(await eventually(context, async () => (await kept(stream)).join() === 'a'));
    for (const delivery of await pullNow(consumer)) await delivery.ack();
    assert.ok(await eventually(context, async () => (await stream.state()).messageCount === 0));
  });

  law('B3 interest: what nobody wants is refused with no-such-peer, and not kept', async (context) => {
    const { durable, workspace } = context;
    const stream = await makeStream(context, interest);
    await assert.rejects(appendTexts(context, ['nobody']), hasCode('no-such-peer'));
    await stream.ensureConsumer(consumerSpec(workspace, { filter: roomLog(workspace, 'a') }));
    const append = (room: string): ReturnType<typeof durable.append> =>
      durable.append(roomLog(workspace, room), utf8(room), { messageId: 'same' });
    await assert.rejects(append('b'), hasCode('no-such-peer'));
    assert.equal((await append('a')).isDuplicate, false);
    assert.deepEqual(await kept(stream), ['a']);
  });

  law('B3 interest: a consumer that is deleted wants nothing any more', async (context) => {
    const { workspace } = context;
    const { stream, consumer } = await makeConsumer(context, {}, interest);
    await stream.ensureConsumer(consumerSpec(workspace, { name: 'other', filter: roomLog(workspace, 'a') }));
    await appendTexts(context, ['a'], 'a');
    await appendTexts(context, ['b'], 'b');
    await pullNow(consumer, 1);
    assert.equal(await stream.deleteConsumer('c'), true);
    assert.ok(await eventually(context, async () => (await kept(stream)).join() === 'a'));
  });
}

function defineLimitLaws(law: DefineDurableLaw): void {
  const data = new Uint8Array(100 * 1024);
  const maxBytes = 1024 * 1024;

  law(
    'B3 full, refuse new: an append is limit-exceeded, changes nothing, and does not use up its id',
    async (context) => {
      const { durable, workspace } = context;
      const stream = await makeStream(context, { maxBytes });
      const append = (messageId: string): ReturnType<typeof durable.append> =>
        durable.append(roomLog(workspace, 'r'), data, { messageId });
      for (let count = 0; count < 10; count++) await append(String(count));
      await assert.rejects(append('late'), hasCode('limit-exceeded'));
      const { messageCount, bytes } = await stream.state();
      assert.equal(messageCount, 10);
      assert.ok(bytes <= maxBytes);
      await stream.delete(4);
      const stored = await append('late');
      assert.equal(stored.isDuplicate, false);
      assert.deepEqual((await stream.get(stored.seq))?.data.length, data.length);
    },
  );

  law('B3 full, drop old: the oldest give way', async (context) => {
    const { durable, workspace } = context;
    const stream = await makeStream(context, { maxBytes, whenFull: 'drop-old' });
    for (let count = 0; count < 15; count++) await durable.append(roomLog(workspace, 'r'), data);
    const { messageCount, bytes, firstSeq, lastSeq } = await stream.state();
    assert.deepEqual({ messageCount, firstSeq, lastSeq }, { messageCount: 10, firstSeq: 6, lastSeq: 15 });
    assert.ok(bytes <= maxBytes);
    assert.equal(await stream.get(5), undefined);
  });

  law('B3 a tighter limit takes effect on what is there', async (context) => {
    const { durable, workspace } = context;
    const stream = await makeStream(context, { whenFull: 'drop-old' });
    for (let count = 0; count < 15; count++) await durable.append(roomLog(workspace, 'r'), data);
    await makeStream(context, { whenFull: 'drop-old', maxBytes });
    assert.ok(await eventually(context, async () => (await stream.state()).bytes <= maxBytes));
    assert.equal((await stream.state()).firstSeq, 6);
  });

  law('B3 what is older than the age is gone, its number is not', async (context) => {
    const stream = await makeStream(context, { maxAgeMs: 1_000, dedupeWindowMs: 1_000 });
    await appendTexts(context, ['1', '2']);
    await context.tested.advance(500);
    assert.deepEqual(await kept(stream), ['1', '2']);
    assert.ok(await eventually(context, async () => (await stream.state()).messageCount === 0));
    assert.equal(await stream.get(1), undefined);
    const { firstSeq, lastSeq } = await stream.state();
    assert.deepEqual([firstSeq, lastSeq], [3, 2]);
    assert.deepEqual(await appendTexts(context, ['3']), [3]);
  });

  law('B4 what a stream has dropped is not delivered, neither for the first time nor again', async (context) => {
    const { stream, consumer } = await makeConsumer(context);
    await appendTexts(context, ['1', '2', '3', '4']);
    await stream.delete(2);
    const [first] = await pullNow(consumer, 2);
    await first?.nak();
    await stream.delete(1);
    assert.deepEqual(textsIn(await pullNow(consumer)), ['4']);
    const { pendingCount, inFlightCount } = await consumer.state();
    assert.deepEqual([pendingCount, inFlightCount], [0, 2]);
  });

  law('B3 a purge up to a place leaves what came later, for readers and for consumers', async (context) => {
    const { workspace } = context;
    const own = roomLog(workspace, 'a');
    const { stream, consumer } = await makeConsumer(context, { ackWaitMs: 1_000, filter: own }, workQueue);
    await appendTexts(context, ['1', '2', '3'], 'a');
    await appendTexts(context, ['4'], 'b');
    await appendTexts(context, ['5', '6', '7', '8'], 'a');
    assert.deepEqual(textsIn(await pullNow(consumer, 1)), ['1']);
    assert.equal(await stream.purge(own, 0), 0);
    assert.equal(await stream.purge(own, 5), 4);
    assert.deepEqual(await kept(stream), ['4', '6', '7', '8']);
    assert.ok(
      await eventually(context, async () => {
        const { pendingCount, inFlightCount } = await consumer.state();
        return pendingCount === 3 && inFlightCount === 0;
      }),
    );
    const [sixth] = await pullNow(consumer, 1);
    assert.equal(await stream.purge(own, 5), 0);
    assert.equal(await stream.purge(own, 7), 2);
    await sixth?.ack();
    assert.deepEqual(textsIn(await pullNow(consumer)), ['8']);
    assert.equal(await stream.purge(undefined, 7), 1);
    assert.equal(await stream.purge(undefined, 1_000_000), 1);
    assert.deepEqual(await appendTexts(context, ['9'], 'a'), [9]);
    assert.deepEqual(textsIn(await pullNow(consumer)), ['9']);
  });

  law('B3 a purge up to a place beside a consumer of more leaves that what it is to get', async (context) => {
    const { workspace } = context;
    const { stream, consumer } = await makeConsumer(context);
    await appendTexts(context, ['1', '2'], 'a');
    await appendTexts(context, ['3'], 'b');
    await appendTexts(context, ['4'], 'a');
    assert.equal(await stream.purge(roomLog(workspace, 'a'), 2), 2);
    assert.deepEqual(textsIn(await pullNow(consumer)), ['3', '4']);
  });

  /** nats-server before 2.10.11 moves consumers of more subjects to the stream's end at a purge by subject: its engine deletes one by one. */
  law('B4 a purge of one subject takes nothing else from a consumer, be it out or to come', async (context) => {
    const { workspace } = context;
    const { stream, consumer } = await makeConsumer(context, { ackWaitMs: 1_000 });
    await appendTexts(context, ['1', '2'], 'a');
    await appendTexts(context, ['3'], 'b');
    await appendTexts(context, ['4'], 'a');
    assert.deepEqual(textsIn(await pullNow(consumer, 1)), ['1']);
    assert.equal(await stream.purge(roomLog(workspace, 'none')), 0);
    assert.equal(await stream.purge(roomLog(workspace, 'b')), 1);
    const { pendingCount, inFlightCount } = await consumer.state();
    assert.deepEqual([pendingCount, inFlightCount], [2, 1]);
    assert.deepEqual(textsIn(await pullNow(consumer)), ['2', '4']);
    const [again] = await whilePassing(context, consumer.pull({ batch: 1, waitMs: 4_000 }));
    assert.equal(again?.message.seq, 1);
  });
}
