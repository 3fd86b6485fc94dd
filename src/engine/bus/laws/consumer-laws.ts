/**
 * Laws of consumers (protocol.md B4): how they are made and pulled from, and what they say of themselves.
 * Law: nothing here knows which engine it runs against.
 */
import assert from 'node:assert/strict';
import type { Delivery } from '../durable.ts';
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
  roomsSpec,
  textsIn,
  whilePassing,
} from './durable-law.ts';

/** Laws of consumers. */
export function defineConsumerLaws(law: DefineDurableLaw): void {
  defineMakingLaws(law);
  defineProgressLaws(law);
  definePullLaws(law);
  defineEndingLaws(law);
}

function defineMakingLaws(law: DefineDurableLaw): void {
  law('B4 a consumer of the same name and spec is the same one, of another spec it is a conflict', async (context) => {
    const { workspace } = context;
    const { stream, consumer } = await makeConsumer(context);
    await appendTexts(context, ['1', '2', '3']);
    assert.deepEqual(textsIn(await pullNow(consumer, 1)), ['1']);
    const same = await stream.ensureConsumer(consumerSpec(workspace));
    assert.deepEqual(textsIn(await pullNow(same, 1)), ['2']);
    assert.deepEqual(textsIn(await pullNow(stream.consumer('c'), 1)), ['3']);
    for (const other of [
      { filter: roomLog(workspace, 'a') },
      { ackWaitMs: 31_000 },
      { maxDeliver: 6 },
      { maxInFlight: 99 },
      { start: 'new' as const },
    ])
      await assert.rejects(stream.ensureConsumer(consumerSpec(workspace, other)), hasCode('conflict'));
    assert.deepEqual((await consumer.state()).spec, consumerSpec(workspace));
  });

  law('B4 consumers are listed and deleted; of one that is not there everything is not-found', async (context) => {
    const { workspace, durable } = context;
    const stream = await makeStream(context);
    const names = async (): Promise<string[]> => (await stream.consumers()).map(({ spec }) => spec.name).toSorted();
    assert.deepEqual(await names(), []);
    await stream.ensureConsumer(consumerSpec(workspace, { name: 'one' }));
    await stream.ensureConsumer(consumerSpec(workspace, { name: 'two' }));
    assert.deepEqual(await names(), ['one', 'two']);
    assert.equal((await stream.state()).consumerCount, 2);
    assert.equal(await stream.deleteConsumer('one'), true);
    assert.equal(await stream.deleteConsumer('one'), false);
    assert.deepEqual(await names(), ['two']);
    await assert.rejects(pullNow(stream.consumer('one')), hasCode('not-found'));
    await assert.rejects(stream.consumer('one').state(), hasCode('not-found'));
    await durable.deleteStream(roomsSpec(workspace).name);
    await assert.rejects(pullNow(stream.consumer('two')), hasCode('not-found'));
    await assert.rejects(stream.ensureConsumer(consumerSpec(workspace)), hasCode('not-found'));
  });

  law(
    'B4 the name of a consumer may be longer than a token, as that of the inbox of a peer with the longest name',
    async (context) => {
      const { workspace } = context;
      const stream = await makeStream(context);
      const name = `inbox-${'p'.repeat(64)}`;
      const consumer = await stream.ensureConsumer(consumerSpec(workspace, { name }));
      assert.equal((await consumer.state()).spec.name, name);
      for (const bad of ['', 'a.b', 'a b', 'x'.repeat(129)])
        await assert.rejects(stream.ensureConsumer(consumerSpec(workspace, { name: bad })), hasCode('invalid-input'));
    },
  );

  law('B4 a consumer starts with all that is there, or with what comes', async (context) => {
    const { workspace } = context;
    const stream = await makeStream(context);
    await appendTexts(context, ['before']);
    const fresh = await stream.ensureConsumer(consumerSpec(workspace, { name: 'fresh', start: 'new' }));
    const all = await stream.ensureConsumer(consumerSpec(workspace, { name: 'all', start: 'all' }));
    await appendTexts(context, ['after']);
    assert.deepEqual(textsIn(await pullNow(fresh)), ['after']);
    assert.deepEqual(textsIn(await pullNow(all)), ['before', 'after']);
  });

  law('B4 a consumer delivers what its filter matches', async (context) => {
    const { workspace } = context;
    const { consumer } = await makeConsumer(context, { filter: roomLog(workspace, 'a') });
    await appendTexts(context, ['b1'], 'b');
    await appendTexts(context, ['a1', 'a2'], 'a');
    await appendTexts(context, ['b2'], 'b');
    assert.equal((await consumer.state()).pendingCount, 2);
    assert.deepEqual(textsIn(await pullNow(consumer)), ['a1', 'a2']);
    assert.equal((await consumer.state()).pendingCount, 0);
  });

  law('B4 a filter lies within a subject of the stream, or covers one; else it is refused', async (context) => {
    const { workspace } = context;
    const stream = await makeStream(context);
    for (const filter of [`vak.rooms.${workspace}.a.>`, `vak.work.${workspace}.q.task`])
      await assert.rejects(stream.ensureConsumer(consumerSpec(workspace, { filter })), hasCode('invalid-input'));
    await assert.rejects(
      stream.ensureConsumer(consumerSpec(workspace, { filter: 'a..b' })),
      hasCode('invalid-pattern'),
    );
    assert.deepEqual(await stream.consumers(), []);
  });

  law('B4 a consumer counts what is to come, what is out, and what came again', async (context) => {
    const { consumer } = await makeConsumer(context);
    await appendTexts(context, ['1', '2', '3', '4']);
    const figures = async (): Promise<number[]> => {
      const { pendingCount, inFlightCount, redeliveredCount } = await consumer.state();
      return [pendingCount, inFlightCount, redeliveredCount];
    };
    assert.deepEqual(await figures(), [4, 0, 0]);
    const [first, second] = await pullNow(consumer, 3);
    assert.deepEqual(await figures(), [1, 3, 0]);
    await first?.ack();
    assert.deepEqual(await figures(), [1, 2, 0]);
    await second?.nak();
    const [again] = await whilePassing(context, consumer.pull({ batch: 1, waitMs: 3_000 }));
    assert.equal(again?.deliveryCount, 2);
    assert.deepEqual(await figures(), [1, 2, 1]);
  });
}

/** A moment that each engine's clock shows. */
const momentMs = 20;

function defineProgressLaws(law: DefineDurableLaw): void {
  law(
    'B4 a consumer tells up to which place all of its messages were delivered, whatever else stands there',
    async (context) => {
      const { consumer } = await makeConsumer(context, { filter: roomLog(context.workspace, 'mine') });
      const [own, other] = [
        (text: string) => appendTexts(context, [text], 'mine'),
        (text: string) => appendTexts(context, [text]),
      ];
      const placeOf = async (append: Promise<number[]>): Promise<number> => (await append)[0] ?? 0;
      const reached = async (): Promise<number> => (await consumer.state()).deliveredSeq;
      await other('a');
      const first = await placeOf(own('1'));
      await other('b');
      const second = await placeOf(own('2'));
      assert.ok((await reached()) < first);
      const [delivery] = await pullNow(consumer, 1);
      assert.ok((await reached()) >= first && (await reached()) < second);
      await delivery?.nak();
      assert.deepEqual(textsIn(await whilePassing(context, consumer.pull({ batch: 1, waitMs: 3_000 }))), ['1']);
      assert.ok((await reached()) < second);
      await pullNow(consumer);
      await other('c');
      assert.ok((await reached()) >= second);
      // What comes after all was delivered was not delivered, either.
      const third = await placeOf(own('3'));
      const [last] = await pullNow(consumer, 1);
      await last?.ack();
      const fourth = await placeOf(own('4'));
      assert.ok((await reached()) >= third && (await reached()) < fourth);
    },
  );
  law(
    'W9 a consumer tells how much it delivered, and when something was last under way and last ended',
    async (context) => {
      const { tested } = context;
      const { consumer } = await makeConsumer(context);
      await appendTexts(context, ['1', '2', '3']);
      const fresh = await consumer.state();
      assert.deepEqual([fresh.deliveredCount, fresh.lastActiveMs, fresh.lastEndedMs], [0, null, null]);
      /** Which of the two moments moved on, and how many deliveries there are. */
      let before = fresh;
      const moved = async (): Promise<[number, boolean, boolean]> => {
        const now = await consumer.state();
        const [isActive, isEnded] = (['lastActiveMs', 'lastEndedMs'] as const).map(
          (field) => (now[field] ?? 0) > (before[field] ?? 0),
        );
        before = now;
        await tested.advance(momentMs);
        return [now.deliveredCount, isActive === true, isEnded === true];
      };
      const [first, second, third] = await pullNow(consumer, 3);
      assert.deepEqual(await moved(), [3, true, false]);
      assert.deepEqual(await moved(), [3, false, false]);
      await second?.working();
      assert.ok(await eventually(context, async () => (await consumer.state()).lastActiveMs !== before.lastActiveMs));
      assert.deepEqual(await moved(), [3, true, false]);
      await first?.ack();
      assert.deepEqual(await moved(), [3, false, true]);
      await second?.term();
      assert.ok(await eventually(context, async () => (await consumer.state()).lastEndedMs !== before.lastEndedMs));
      assert.deepEqual(await moved(), [3, false, true]);
      await third?.nak();
      assert.deepEqual(await moved(), [3, false, false]);
      await whilePassing(context, consumer.pull({ batch: 1, waitMs: 3_000 }));
      assert.deepEqual(await moved(), [4, true, false]);
    },
  );
}

function definePullLaws(law: DefineDurableLaw): void {
  law('B4 a pull gives at most its batch, in order, as it is stored, and each message once', async (context) => {
    const { stream, consumer } = await makeConsumer(context);
    assert.deepEqual(await pullNow(consumer), []);
    await appendTexts(context, ['1', '2', '3', '4', '5']);
    const first = await pullNow(consumer, 2);
    const rest = await pullNow(consumer, 256);
    assert.deepEqual(
      [textsIn(first), textsIn(rest)],
      [
        ['1', '2'],
        ['3', '4', '5'],
      ],
    );
    for (const { message, deliveryCount } of [...first, ...rest]) {
      assert.equal(deliveryCount, 1);
      assert.deepEqual(message, await stream.get(message.seq));
    }
    assert.deepEqual(await pullNow(consumer), []);
  });

  law('B4 a pull waits for the first message, and no longer than it was told', async (context) => {
    const { consumer } = await makeConsumer(context, { filter: roomLog(context.workspace, 'r') });
    const empty = consumer.pull({ batch: 10, waitMs: 300 });
    await context.tested.advance(500);
    assert.deepEqual(await empty, []);
    const waiting = consumer.pull({ batch: 10, waitMs: 9_000 });
    assert.ok(await eventually(context, async () => (await consumer.state()).waitingCount === 1));
    await appendTexts(context, ['not for it'], 'other');
    await context.tested.advance(50);
    await appendTexts(context, ['1']);
    assert.deepEqual(textsIn(await whilePassing(context, waiting)), ['1']);
    await appendTexts(context, ['2', '3']);
    assert.deepEqual(textsIn(await whilePassing(context, consumer.pull({ batch: 10, waitMs: 9_000 }))), ['2', '3']);
  });

  law('B4 a batch has 1 to 256 messages', async (context) => {
    const { consumer } = await makeConsumer(context);
    for (const batch of [0, 257, 1.5]) await assert.rejects(pullNow(consumer, batch), hasCode('invalid-input'));
  });

  law('B4 a wait is a whole number of ms, an hour at most; a delay is one, too', async (context) => {
    const { consumer } = await makeConsumer(context);
    for (const waitMs of [-1, 1.5, 3_600_001, Number.NaN])
      await assert.rejects(consumer.pull({ batch: 1, waitMs }), hasCode('invalid-input'));
    await appendTexts(context, ['1']);
    const [delivery] = await pullNow(consumer);
    for (const delayMs of [-1, 1.5, 2 ** 31, Number.NaN])
      await assert.rejects(async () => delivery?.nak(delayMs), hasCode('invalid-input'));
    await delivery?.nak(2 ** 31 - 1);
    assert.equal((await consumer.state()).inFlightCount, 1);
  });

  law('B4 a pull that is given up takes nothing with it', async (context) => {
    const { consumer } = await makeConsumer(context);
    const aborted = consumer.pull({ batch: 1, waitMs: 1, signal: AbortSignal.abort() });
    await assert.rejects(aborted, hasCode('aborted'));
    const abort = new AbortController();
    const waiting = consumer.pull({ batch: 10, waitMs: 9_000, signal: abort.signal });
    const refused = assert.rejects(waiting, hasCode('aborted'));
    assert.ok(await eventually(context, async () => (await consumer.state()).waitingCount === 1));
    abort.abort();
    await refused;
    await appendTexts(context, ['1', '2']);
    const deliveries = await whilePassing(context, consumer.pull({ batch: 10, waitMs: 3_000 }));
    assert.deepEqual(
      deliveries.map(({ message, deliveryCount }) => [message.seq, deliveryCount]),
      [
        [1, 1],
        [2, 1],
      ],
    );
  });

  law('B4 competing pullers share everything, nothing comes twice', async (context) => {
    const { stream, consumer } = await makeConsumer(context, { maxInFlight: 1_000 });
    const count = 150;
    const seen: number[] = [];
    const take = async (puller: typeof consumer): Promise<void> => {
      while (seen.length < count) {
        const deliveries = await puller.pull({ batch: 7, waitMs: 500 });
        seen.push(...deliveries.map(({ message }) => message.seq));
        await Promise.all(deliveries.map((delivery: Delivery) => delivery.ack()));
      }
    };
    const texts = Array.from({ length: count }, (_, index) => String(index));
    const taking = Promise.all([take(consumer), take(stream.consumer('c')), take(stream.consumer('c'))]);
    await Promise.all([appendTexts(context, texts), whilePassing(context, taking)]);
    assert.deepEqual(
      seen.toSorted((a, b) => a - b),
      Array.from({ length: count }, (_, index) => index + 1),
    );
    const { inFlightCount, redeliveredCount } = await consumer.state();
    assert.deepEqual([inFlightCount, redeliveredCount], [0, 0]);
  });

  law('B4 no more are out at once than allowed; an ack makes room, also for a pull that waits', async (context) => {
    const { consumer } = await makeConsumer(context, { maxInFlight: 2 });
    await appendTexts(context, ['1', '2', '3', '4']);
    const [first, second] = await pullNow(consumer, 10);
    assert.equal((await consumer.state()).inFlightCount, 2);
    assert.deepEqual(await pullNow(consumer, 10), []);
    await first?.ack();
    assert.deepEqual(textsIn(await pullNow(consumer, 10)), ['3']);
    const waiting = consumer.pull({ batch: 10, waitMs: 9_000 });
    await context.tested.advance(50);
    await second?.ack();
    assert.deepEqual(textsIn(await whilePassing(context, waiting)), ['4']);
  });
}

function defineEndingLaws(law: DefineDurableLaw): void {
  law('B4 a waiting pull ends when its consumer or stream is deleted', async (context) => {
    const { durable, workspace } = context;
    for (const isStream of [false, true]) {
      const { stream, consumer } = await makeConsumer(context);
      const waiting = consumer.pull({ batch: 1, waitMs: 9_000 });
      const refused = assert.rejects(waiting, hasCode('not-found'));
      assert.ok(await eventually(context, async () => (await consumer.state()).waitingCount === 1));
      if (isStream) await durable.deleteStream(roomsSpec(workspace).name);
      else await stream.deleteConsumer('c');
      await whilePassing(context, refused);
    }
  });

  law('B4 an ack of a consumer that has gone is not-found', async (context) => {
    const { stream, consumer } = await makeConsumer(context);
    await appendTexts(context, ['1']);
    const [delivery] = await pullNow(consumer);
    await stream.deleteConsumer('c');
    assert.ok(delivery !== undefined);
    await assert.rejects(whilePassing(context, delivery.ack()), hasCode('not-found'));
  });

  law('B4 closing ends the pulls that wait, and everything after is closed', async (context) => {
    const { durable, tested, workspace } = context;
    const { stream, consumer } = await makeConsumer(context);
    await appendTexts(context, ['1']);
    const [delivery] = await pullNow(consumer);
    const refused = assert.rejects(consumer.pull({ batch: 1, waitMs: 9_000 }), hasCode('closed'));
    assert.ok(await eventually(context, async () => (await consumer.state()).waitingCount === 1));
    await whilePassing(context, tested.close());
    await whilePassing(context, refused);
    assert.ok(delivery !== undefined);
    for (const call of [
      () => delivery.ack(),
      () => pullNow(consumer),
      () => consumer.state(),
      () => stream.state(),
      () => stream.read({ limit: 1 }),
      () => appendTexts(context, ['2']),
      () => durable.streams(),
      () => durable.ensureStream(roomsSpec(workspace)),
      () => durable.keyValue('VAK_STATE_ws').get('k'),
      () => durable.objects('VAK_MEDIA_ws').list(),
    ])
      await assert.rejects(call(), hasCode('closed'));
  });
}
