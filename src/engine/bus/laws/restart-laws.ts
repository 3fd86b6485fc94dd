/**
 * Laws of what outlives the engine (protocol.md B6, B8): everything that was acknowledged, and what consumers know.
 * Law: nothing here knows which engine it runs against.
 */
import assert from 'node:assert/strict';
import { toText, utf8 } from '../../../shared/base/bytes.ts';
import type { Consumer, Delivery, DurablePlane } from '../durable.ts';
import {
  appendTexts,
  consumerSpec,
  hasCode,
  type LawContext,
  makeConsumer,
  makeStream,
  pullNow,
  type RestartableDurable,
  roomLog,
  roomsSpec,
  textsIn,
  textsOf,
  whilePassing,
} from './durable-law.ts';

type RestartContext = LawContext<RestartableDurable>;
type DefineRestartLaw = (name: string, run: (context: RestartContext) => Promise<void>) => void;

const reopened = async (context: RestartContext): Promise<RestartContext> => ({
  ...context,
  durable: await context.tested.reopen(),
});

/** Pulls and acknowledges until so many have come, by seq: what was out when the engine ended comes after its ack wait. */
async function takeAll(context: LawContext, consumer: Consumer, count: number): Promise<Delivery[]> {
  const taken: Delivery[] = [];
  for (let round = 0; round < 20 && taken.length < count; round++) {
    for (const delivery of await whilePassing(context, consumer.pull({ batch: 10, waitMs: 500 }))) {
      await delivery.ack();
      taken.push(delivery);
    }
  }
  return taken.toSorted((a, b) => a.message.seq - b.message.seq);
}

/**
 * Laws of what outlives an engine that was ended. After a kill the embedded engine keeps them too; nats-server 2.9.10 does for messages,
 * but writes what it knows of consumers a little later: an ack of the last moments may be forgotten, and what was done comes again (E15).
 */
export function defineRestartLaws(law: DefineRestartLaw): void {
  defineStreamRestartLaws(law);
  defineConsumerRestartLaws(law);
  defineBucketRestartLaws(law);
}

function defineStreamRestartLaws(law: DefineRestartLaw): void {
  law('B6 streams and messages are there again as they were, and numbers go on', async (context) => {
    const before = await makeStream(context);
    await appendTexts(context, ['1', '2', '3'], 'a');
    await appendTexts(context, ['4'], 'b');
    await before.delete(2);
    await before.delete(4);
    const [messages, state] = [await before.read({ limit: 10 }), await before.state()];
    const after = await reopened(context);
    const stream = after.durable.stream(roomsSpec(context.workspace).name);
    assert.deepEqual(await stream.read({ limit: 10 }), messages);
    assert.deepEqual(textsOf(messages.messages), ['1', '3']);
    assert.deepEqual(await stream.state(), state);
    assert.equal(await after.durable.ensureStream(roomsSpec(context.workspace)), 'unchanged');
    assert.deepEqual(await appendTexts(after, ['5']), [5]);
    await stream.purge();
    const last = await reopened(after);
    assert.deepEqual(await appendTexts(last, ['6']), [6]);
  });

  law(
    'B8 an id that was stored within the window is still known, and so is the last seq of a subject',
    async (context) => {
      const { workspace } = context;
      await makeStream(context);
      const append = (durable: DurablePlane): ReturnType<DurablePlane['append']> =>
        durable.append(roomLog(workspace, 'a'), utf8('x'), { messageId: 'same' });
      const { seq } = await append(context.durable);
      const { durable } = await reopened(context);
      assert.deepEqual(await append(durable), { stream: roomsSpec(workspace).name, seq, isDuplicate: true });
      const expecting = (expectedLastSeq: number): ReturnType<DurablePlane['append']> =>
        durable.append(roomLog(workspace, 'a'), utf8('y'), { expectedLastSeq });
      await assert.rejects(expecting(0), hasCode('conflict'));
      assert.equal((await expecting(seq)).seq, seq + 1);
    },
  );
}

function defineConsumerRestartLaws(law: DefineRestartLaw): void {
  law('B6 a consumer remembers what is done, what is out and how often it was delivered', async (context) => {
    const { workspace } = context;
    const { consumer } = await makeConsumer(context, { ackWaitMs: 1_000 }, { retention: 'work-queue' });
    await appendTexts(context, ['done', 'out', 'ended', 'new']);
    const [done, , ended] = await pullNow(consumer, 3);
    await done?.ack();
    await ended?.term();
    const after = await reopened(context);
    const stream = after.durable.stream(roomsSpec(workspace).name);
    const same = await stream.ensureConsumer(consumerSpec(workspace, { ackWaitMs: 1_000 }));
    const deliveries = await takeAll(after, same, 2);
    assert.deepEqual(
      deliveries.map(({ message, deliveryCount }) => [toText(message.data), deliveryCount]),
      [
        ['out', 2],
        ['new', 1],
      ],
    );
    assert.equal((await stream.state()).messageCount, 0);
    const last = await reopened(after);
    assert.deepEqual(await pullNow(last.durable.stream(roomsSpec(workspace).name).consumer('c')), []);
  });

  law(
    'B6 a consumer that began with what came is not set back, one that has exhausted a message neither',
    async (context) => {
      const { workspace } = context;
      const stream = await makeStream(context);
      await appendTexts(context, ['before']);
      const spec = consumerSpec(workspace, { start: 'new', maxDeliver: 1, ackWaitMs: 500 });
      const consumer = await stream.ensureConsumer(spec);
      await appendTexts(context, ['exhausted', 'new']);
      assert.deepEqual(textsIn(await pullNow(consumer, 1)), ['exhausted']);
      await context.tested.advance(800);
      const after = await reopened(context);
      const same = after.durable.stream(roomsSpec(workspace).name).consumer('c');
      assert.deepEqual(textsIn(await takeAll(after, same, 1)), ['new']);
      await after.tested.advance(800);
      assert.deepEqual(await pullNow(same), []);
    },
  );
}

function defineBucketRestartLaws(law: DefineRestartLaw): void {
  law('B6 values with their revisions and history, and objects, are there again', async (context) => {
    const { workspace } = context;
    const name = `VAK_STATE_${workspace}`;
    const media = `VAK_MEDIA_${workspace}`;
    await context.durable.ensureKeyValue({ name, history: 2 });
    await context.durable.ensureObjects(media);
    const before = context.durable.keyValue(name);
    for (const text of ['1', '2', '3']) await before.put('k', utf8(text));
    await before.put('gone', utf8('x'));
    await before.delete('gone');
    const history = await before.history('k');
    const content = new Uint8Array(300_000).fill(7);
    const info = await context.durable.objects(media).put(
      'o',
      (async function* () {
        yield content;
      })(),
    );
    const { durable } = await reopened(context);
    const bucket = durable.keyValue(name);
    assert.deepEqual(await bucket.history('k'), history);
    assert.deepEqual(
      history.map(({ value }) => toText(value)),
      ['2', '3'],
    );
    assert.deepEqual(await bucket.keys(), ['k']);
    assert.ok((await bucket.put('gone', utf8('y'), { revision: 0 })) > (history[1]?.revision ?? 0));
    assert.deepEqual(await durable.objects(media).info('o'), info);
    const parts: Uint8Array[] = [];
    for await (const part of durable.objects(media).get('o')) parts.push(part);
    assert.ok(Buffer.concat(parts).equals(content));
  });
}
