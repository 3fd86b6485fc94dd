/**
 * Laws of deliveries (protocol.md B4): how one ends, when it comes again, and when it never does.
 * Law: nothing here knows which engine it runs against.
 */
import assert from 'node:assert/strict';
import { toText, utf8 } from '../../../shared/base/bytes.ts';
import { streamsOf } from '../../../shared/protocol/stream-table.ts';
import type { Consumer, Delivery } from '../durable.ts';
import {
  appendTexts,
  consumerSpec,
  type DefineDurableLaw,
  eventually,
  hasCode,
  type LawContext,
  makeConsumer,
  pullNow,
  textsIn,
  whilePassing,
} from './durable-law.ts';

/** Short, and yet longer than a busy machine takes for a few calls. */
const ackWaitMs = 1_000;
/** More than any engine's timers are late. */
const slackMs = 300;

/** What comes next, waiting a few seconds for it. */
const pullNext = (context: LawContext, consumer: Consumer): Promise<readonly Delivery[]> =>
  whilePassing(context, consumer.pull({ batch: 10, waitMs: 4_000 }));

async function firstDelivery(context: LawContext, consumer: Consumer): Promise<Delivery> {
  await appendTexts(context, ['1']);
  const [delivery] = await pullNow(consumer);
  assert.ok(delivery !== undefined);
  return delivery;
}

/** Laws of deliveries. */
export function defineDeliveryLaws(law: DefineDurableLaw): void {
  defineAnswerLaws(law);
  defineRedeliveryLaws(law);
}

function defineAnswerLaws(law: DefineDurableLaw): void {
  law('B4 what was acknowledged never comes again; nothing after the ack changes that', async (context) => {
    const { consumer } = await makeConsumer(context, { ackWaitMs });
    const delivery = await firstDelivery(context, consumer);
    await delivery.ack();
    assert.equal((await consumer.state()).inFlightCount, 0);
    await delivery.ack();
    await delivery.nak();
    await delivery.working();
    await delivery.term();
    await context.tested.advance(ackWaitMs + slackMs);
    assert.deepEqual(await pullNow(consumer), []);
    assert.equal((await consumer.state()).inFlightCount, 0);
  });

  law('B4 what was not acknowledged in time comes again, to a pull that waits, and is counted', async (context) => {
    const { consumer } = await makeConsumer(context, { ackWaitMs });
    await firstDelivery(context, consumer);
    assert.deepEqual(await pullNow(consumer), []);
    const [again] = await pullNext(context, consumer);
    assert.equal(again?.deliveryCount, 2);
    assert.equal((await consumer.state()).redeliveredCount, 1);
    await again.ack();
    assert.equal((await consumer.state()).inFlightCount, 0);
  });

  law('B4 an ack that comes late, when the message is out again, ends it all the same', async (context) => {
    const { stream, consumer } = await makeConsumer(context, { ackWaitMs }, { retention: 'work-queue' });
    const delivery = await firstDelivery(context, consumer);
    const [again] = await pullNext(context, consumer);
    assert.equal(again?.deliveryCount, 2);
    await delivery.ack();
    assert.ok(await eventually(context, async () => (await stream.state()).messageCount === 0));
    await context.tested.advance(ackWaitMs + slackMs);
    assert.deepEqual(await pullNow(consumer), []);
  });

  law('B4 a nak brings it again at once', async (context) => {
    const { consumer } = await makeConsumer(context);
    const delivery = await firstDelivery(context, consumer);
    await delivery.nak();
    const [again] = await pullNext(context, consumer);
    assert.deepEqual([again?.message.seq, again?.deliveryCount], [1, 2]);
  });

  law('B4 an ack after a nak changes nothing: the message comes again', async (context) => {
    const { stream, consumer } = await makeConsumer(context, {}, { retention: 'work-queue' });
    const delivery = await firstDelivery(context, consumer);
    await delivery.nak();
    await delivery.ack();
    await delivery.term();
    const [again] = await pullNext(context, consumer);
    assert.deepEqual([again?.message.seq, again?.deliveryCount], [1, 2]);
    assert.equal((await stream.state()).messageCount, 1);
  });

  law('B4 a nak with a delay brings it again after the delay; others go on meanwhile', async (context) => {
    const { consumer } = await makeConsumer(context);
    const delivery = await firstDelivery(context, consumer);
    await delivery.nak(1_000);
    await appendTexts(context, ['2']);
    assert.deepEqual(textsIn(await pullNow(consumer)), ['2']);
    await context.tested.advance(600);
    assert.deepEqual(await pullNow(consumer), []);
    const [again] = await pullNext(context, consumer);
    assert.deepEqual([again?.message.seq, again?.deliveryCount], [1, 2]);
  });

  law('B4 what was ended never comes again', async (context) => {
    const { stream, consumer } = await makeConsumer(context, { ackWaitMs });
    const delivery = await firstDelivery(context, consumer);
    await delivery.term();
    assert.ok(await eventually(context, async () => (await consumer.state()).inFlightCount === 0));
    await context.tested.advance(ackWaitMs + slackMs);
    assert.deepEqual(await pullNow(consumer), []);
    assert.equal(toText((await stream.get(1))?.data ?? new Uint8Array(0)), '1');
  });

  law('B4 who says that it is still at it gets the ack wait anew', async (context) => {
    // Longer than elsewhere: to say so in time must work on a busy machine, too.
    const { consumer } = await makeConsumer(context, { ackWaitMs: 3_000 });
    const delivery = await firstDelivery(context, consumer);
    for (let round = 0; round < 2; round++) {
      await context.tested.advance(1_700);
      await delivery.working();
      assert.deepEqual(await pullNow(consumer), []);
    }
    await context.tested.advance(1_700);
    assert.deepEqual(await pullNow(consumer), []);
    const [again] = await pullNext(context, consumer);
    assert.equal(again?.deliveryCount, 2);
  });
}

function defineRedeliveryLaws(law: DefineDurableLaw): void {
  law('B4 deliveries are counted one by one, and end with the last', async (context) => {
    const { consumer } = await makeConsumer(context, { maxDeliver: 3 });
    await appendTexts(context, ['1']);
    const counts: number[] = [];
    for (let round = 0; round < 3; round++) {
      const [delivery] = await pullNext(context, consumer);
      counts.push(delivery?.deliveryCount ?? 0);
      await delivery?.nak();
    }
    assert.deepEqual(counts, [1, 2, 3]);
    assert.deepEqual(await pullNow(consumer), []);
    await context.tested.advance(100);
    assert.deepEqual(await pullNow(consumer), []);
  });

  /**
   * After a pull that was given up, or whose puller has gone, nats-server 2.9.10 may tell a repeated delivery as the first one. So
   * `deliveryCount` may be too low there; how often a message comes at most is kept all the same.
   */
  law('B4 pulls that were given up make no message come more often than it may', async (context) => {
    const { consumer } = await makeConsumer(context, { maxDeliver: 3 });
    await appendTexts(context, ['1']);
    for (let round = 1; round <= 3; round++) {
      const [delivery] = await pullNext(context, consumer);
      assert.ok(delivery !== undefined && delivery.deliveryCount <= round);
      const abort = new AbortController();
      const pull = consumer.pull({ batch: 10, waitMs: 9_000, signal: abort.signal });
      const givenUp = assert.rejects(pull, hasCode('aborted'));
      await context.tested.advance(50);
      abort.abort();
      await givenUp;
      await delivery.nak();
    }
    for (let round = 0; round < 2; round++) {
      assert.deepEqual(await whilePassing(context, consumer.pull({ batch: 10, waitMs: 200 })), []);
    }
  });

  law('B4 after its last delivery a message stays in the stream and comes no more', async (context) => {
    const { stream, consumer } = await makeConsumer(
      context,
      { ackWaitMs: 500, maxDeliver: 2 },
      { retention: 'work-queue' },
    );
    await firstDelivery(context, consumer);
    const [again] = await pullNext(context, consumer);
    assert.equal(again?.deliveryCount, 2);
    await context.tested.advance(500 + slackMs);
    assert.deepEqual(await pullNow(consumer), []);
    await appendTexts(context, ['2']);
    assert.deepEqual(textsIn(await pullNow(consumer)), ['2']);
    assert.equal((await stream.state()).messageCount, 2);
    assert.equal((await consumer.state()).inFlightCount, 1);
  });

  law(
    'W3 a message that has exhausted its deliveries is told of once, in the stream of advisories',
    async (context) => {
      const { durable, workspace } = context;
      const [work, advisories] = ['WORK', 'ADV'].map((name) =>
        streamsOf(workspace).find((spec) => spec.name === `VAK_${name}_${workspace}`),
      );
      assert.ok(work !== undefined && advisories !== undefined);
      await durable.ensureStream({ ...work, maxBytes: 1_048_576 });
      await durable.ensureStream({ ...advisories, maxBytes: 1_048_576 });
      const subject = `vak.work.${workspace}.q.task`;
      const spec = consumerSpec(workspace, { name: 'q', filter: subject, ackWaitMs: 500, maxDeliver: 1 });
      const consumer = await durable.stream(work.name).ensureConsumer(spec);
      await durable.append(subject, utf8('1'));
      const { seq } = await durable.append(subject, utf8('2'));
      const [first] = await pullNow(consumer, 2);
      await first?.ack();
      await context.tested.advance(500 + slackMs);
      const told = durable.stream(advisories.name);
      for (let count = 0; count < 3; count++) assert.deepEqual(await pullNow(consumer), []);
      assert.ok(await eventually(context, async () => (await told.state()).messageCount > 0));
      await context.tested.advance(100);
      const { messages } = await told.read({ limit: 10 });
      assert.equal(messages.length, 1);
      const [advisory] = messages;
      assert.equal(advisory?.subject, `$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.${work.name}.q`);
      const said: unknown = JSON.parse(toText(advisory.data));
      assert.ok(typeof said === 'object' && said !== null);
      const { stream, consumer: name, stream_seq: streamSeq, deliveries } = said as Record<string, unknown>;
      assert.deepEqual(
        { stream, name, streamSeq, deliveries },
        {
          ...{ stream: work.name, name: 'q', streamSeq: seq, deliveries: 1 },
        },
      );
      assert.equal(toText((await durable.stream(work.name).get(seq))?.data ?? new Uint8Array(0)), '2');
    },
  );
}
