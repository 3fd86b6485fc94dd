import { describe, expect, test } from 'vitest';
import {
  taskA as a,
  taskB as b,
  consumerSpec,
  type EmbeddedStreams,
  makeConsumer,
  openEmbeddedStreams,
  settle,
  streamSpec,
} from '../../../../tests/support/embedded-streams.ts';
import { toText, utf8 } from '../../../shared/base/bytes.ts';
import type { Consumer, ConsumerSpec, Delivery } from '../durable.ts';

const failed = (code: string, details?: object) => ({ code, ...(details && { details }) });
const brief = (deliveries: readonly Delivery[]) =>
  deliveries.map(({ message, deliveryCount }) => `${message.seq}×${deliveryCount}`);

async function open(more: Partial<ConsumerSpec> = {}, count = 0) {
  const streams = await openEmbeddedStreams();
  const { consumer } = await makeConsumer(streams.plane, { retention: 'work-queue' }, more);
  const append = (text: string, subject = a) => streams.plane.append(subject, utf8(text));
  for (let i = 1; i <= count; i++) await append(`${i}`);
  const pull = async (batch = 256, waitMs = 0) => consumer.pull({ batch, waitMs });
  const restarted = (): Consumer => streams.plane.stream('S').consumer('c');
  return { streams, consumer, append, pull, restarted };
}

async function passes({ clock }: EmbeddedStreams, ms: number): Promise<void> {
  clock.advance(ms);
  await settle();
}

describe('pull', () => {
  test('B4 gives what is there in order, at most a batch, each once', async () => {
    const { pull, consumer } = await open({}, 3);
    const first = await pull(2);
    expect(first.map(({ message }) => toText(message.data))).toEqual(['1', '2']);
    expect(brief([...first, ...(await pull()), ...(await pull())])).toEqual(['1×1', '2×1', '3×1']);
    expect(await consumer.state()).toMatchObject({ pendingCount: 0, inFlightCount: 3, redeliveredCount: 0 });
  });

  test('B4 waits for the first message, and gives nothing when the time is over', async () => {
    const { streams, append, pull, consumer } = await open();
    const late = pull(5, 1_000);
    await settle();
    expect(await consumer.state()).toMatchObject({ waitingCount: 1 });
    await Promise.all([append('x'), append('y')]);
    expect(brief(await late)).toEqual(['1×1', '2×1']);
    const none = pull(5, 1_000);
    await passes(streams, 1_000);
    expect(await none).toEqual([]);
    expect(await consumer.state()).toMatchObject({ waitingCount: 0, inFlightCount: 2 });
  });

  test('B4 pulls that wait are served in the order in which they came, and none goes before them', async () => {
    const { append, pull } = await open();
    const order: string[] = [];
    const pulls = ['p', 'q', 'r'].map((name) =>
      pull(1, 1_000).then((got) => order.push(`${name}:${brief(got).join()}`)),
    );
    await settle();
    expect(await pull(1, 0)).toEqual([]);
    await Promise.all([append('1'), append('2'), append('3')]);
    await Promise.all(pulls);
    expect(order).toEqual(['p:1×1', 'q:2×1', 'r:3×1']);
  });

  test('B4 a pull that was cancelled takes nothing', async () => {
    const { append, pull, consumer } = await open();
    const controller = new AbortController();
    const cancelled = consumer.pull({ batch: 1, waitMs: 1_000, signal: controller.signal });
    await settle();
    const next = pull(1, 1_000);
    await settle();
    controller.abort();
    await expect(cancelled).rejects.toMatchObject(failed('aborted'));
    await append('x');
    expect(brief(await next)).toEqual(['1×1']);
    await append('y');
    await expect(consumer.pull({ batch: 1, waitMs: 0, signal: AbortSignal.abort() })).rejects.toMatchObject(
      failed('aborted'),
    );
    expect(brief(await pull())).toEqual(['2×1']);
  });

  test('B4 no more is in flight than allowed, and an end makes room', async () => {
    const { pull, consumer } = await open({ maxInFlight: 2 }, 4);
    const [one] = await pull();
    expect(await pull()).toEqual([]);
    expect(await consumer.state()).toMatchObject({ pendingCount: 2, inFlightCount: 2 });
    const waiting = pull(1, 1_000);
    await settle();
    await one?.ack();
    expect(brief(await waiting)).toEqual(['3×1']);
  });

  test('B4 a batch ends after about 4 MiB', async () => {
    const { append, pull } = await open();
    for (let i = 0; i < 6; i++) await append('x'.repeat(1_000_000));
    expect(await pull()).toHaveLength(5);
    expect(await pull()).toHaveLength(1);
  });

  test('B4 only what the filter matches, from the beginning or from now on', async () => {
    const streams = await openEmbeddedStreams();
    await streams.plane.ensureStream(streamSpec());
    const stream = streams.plane.stream('S');
    await streams.plane.append(a, utf8('1'));
    await streams.plane.append(b, utf8('2'));
    const all = await stream.ensureConsumer(consumerSpec({ name: 'all' }));
    const onlyB = await stream.ensureConsumer(consumerSpec({ name: 'only-b', filter: b }));
    const fresh = await stream.ensureConsumer(consumerSpec({ name: 'fresh', start: 'new' }));
    await streams.plane.append(a, utf8('3'));
    await streams.plane.append(b, utf8('4'));
    const seqs = async (consumer: Consumer) => {
      const { pendingCount } = await consumer.state();
      const got = await consumer.pull({ batch: 9, waitMs: 0 });
      return [pendingCount, ...got.map(({ message }) => message.seq)];
    };
    expect(await seqs(all)).toEqual([4, 1, 2, 3, 4]);
    expect(await seqs(onlyB)).toEqual([2, 2, 4]);
    expect(await seqs(fresh)).toEqual([2, 3, 4]);
  });

  test('B4 impossible pulls, delays and consumers are refused with the field', async () => {
    const { streams, consumer, pull } = await open({}, 1);
    for (const [field, options] of [
      ['batch', { batch: 257, waitMs: 0 }],
      ['batch', { batch: 0, waitMs: 0 }],
      ['waitMs', { batch: 1, waitMs: -1 }],
    ] as const) {
      await expect(consumer.pull(options)).rejects.toMatchObject(failed('invalid-input', { field }));
    }
    const [delivery] = await pull();
    await expect(delivery?.nak(Number.NaN)).rejects.toMatchObject(failed('invalid-input', { field: 'delayMs' }));
    await delivery?.ack();
    const stream = streams.plane.stream('S');
    for (const [code, more] of [
      ['invalid-input', { name: 'a.b' }],
      ['invalid-pattern', { filter: 'a..b' }],
      ['invalid-input', { name: 'd', filter: 'vak.dlq.ws.*.failed' }],
      ['invalid-input', { ackWaitMs: 0 }],
      ['invalid-input', { maxDeliver: 1.5 }],
      ['invalid-input', { maxInFlight: 1e6 }],
      ['conflict', { maxDeliver: 5 }],
    ] as const) {
      await expect(stream.ensureConsumer(consumerSpec(more))).rejects.toMatchObject(failed(code));
    }
    expect(await stream.ensureConsumer(consumerSpec())).toBeDefined();
    expect(await stream.consumers()).toHaveLength(1);
  });
});

describe('the end of a delivery', () => {
  test('B4 what is not ended within the ack wait is delivered again, before new ones', async () => {
    const { streams, pull, consumer } = await open({}, 3);
    await pull(2);
    await passes(streams, 29_999);
    expect(await consumer.state()).toMatchObject({ redeliveredCount: 0 });
    await passes(streams, 1);
    expect(brief(await pull())).toEqual(['1×2', '2×2', '3×1']);
    expect(await consumer.state()).toMatchObject({ inFlightCount: 3, redeliveredCount: 2 });
  });

  test('B4 a pull that waits gets what comes back', async () => {
    const { streams, pull } = await open({}, 1);
    await pull();
    const waiting = pull(1, 100_000);
    await passes(streams, 30_000);
    expect(brief(await waiting)).toEqual(['1×2']);
  });

  test('B4 working begins the ack wait anew', async () => {
    const { streams, pull } = await open({}, 1);
    const [delivery] = await pull();
    for (let i = 0; i < 4; i++) {
      await passes(streams, 20_000);
      await delivery?.working();
    }
    expect(await pull()).toEqual([]);
    await passes(streams, 30_000);
    expect(brief(await pull())).toEqual(['1×2']);
  });

  test('B4 nak delivers again, at once or after its delay', async () => {
    const { streams, pull } = await open({}, 2);
    const [one, two] = await pull();
    await one?.nak(5_000);
    await two?.nak();
    expect(brief(await pull())).toEqual(['2×2']);
    await passes(streams, 4_999);
    expect(await pull()).toEqual([]);
    await passes(streams, 1);
    expect(brief(await pull())).toEqual(['1×2']);
  });

  test('B4 only the first end counts', async () => {
    const { streams, pull } = await open({}, 2);
    const [one, two] = await pull();
    await one?.nak();
    await one?.ack();
    await two?.term();
    await two?.nak();
    expect(brief(await pull())).toEqual(['1×2']);
    expect((await streams.plane.stream('S').state()).messageCount).toBe(1);
  });

  test('B4 an older delivery can still say done, but nothing else', async () => {
    const { streams, pull } = await open({}, 2);
    const old = await pull();
    await passes(streams, 30_000);
    await pull();
    await old[0]?.nak();
    expect(await pull()).toEqual([]);
    await old[1]?.ack();
    expect((await streams.plane.stream('S').state()).messageCount).toBe(1);
    await passes(streams, 30_000);
    expect(brief(await pull())).toEqual(['1×3']);
  });

  test('B4 an ack resolves when it is kept, and is never forgotten', async () => {
    const { streams, pull, restarted } = await open({ maxInFlight: 256 }, 300);
    const first = await pull();
    const release = streams.journal.hold();
    let isDone = false;
    const acks = Promise.all(first.map((delivery) => delivery.ack())).then(() => {
      isDone = true;
    });
    await settle();
    expect(isDone).toBe(false);
    const before = streams.journal.commits.length;
    release();
    await acks;
    expect(streams.journal.commits.length - before).toBeLessThanOrEqual(2);
    await streams.crash();
    const left = await restarted().pull({ batch: 256, waitMs: 0 });
    expect(left.map(({ message }) => message.seq)).toEqual(Array.from({ length: 44 }, (_, i) => i + 257));
  });

  test('B4 what was in flight at the end comes again at the next start, with its count', async () => {
    const { streams, pull, restarted } = await open({}, 3);
    const [one] = await pull(2);
    await one?.nak(50_000);
    await streams.restart();
    expect(await restarted().state()).toMatchObject({ pendingCount: 1, inFlightCount: 2 });
    expect(brief(await restarted().pull({ batch: 9, waitMs: 0 }))).toEqual(['1×2', '2×2', '3×1']);
  });

  test('B4 a message that is removed is forgotten', async () => {
    const { streams, pull, consumer } = await open({}, 3);
    const [one] = await pull(1);
    const stream = streams.plane.stream('S');
    await stream.delete(1);
    await stream.delete(2);
    await one?.ack();
    expect(await consumer.state()).toMatchObject({ pendingCount: 1, inFlightCount: 0 });
    expect(brief(await pull())).toEqual(['3×1']);
  });
});

describe('the end of a consumer', () => {
  test('B4 who pulls or ends is told that it has gone', async () => {
    const { streams, pull, consumer } = await open({}, 1);
    const [delivery] = await pull();
    const waiting = pull(1, 1_000);
    await settle();
    expect(await streams.plane.stream('S').deleteConsumer('c')).toBe(true);
    expect(await streams.plane.stream('S').deleteConsumer('c')).toBe(false);
    await expect(waiting).rejects.toMatchObject(failed('not-found'));
    await expect(delivery?.ack()).rejects.toMatchObject(failed('not-found'));
    await expect(pull()).rejects.toMatchObject(failed('not-found', { stream: 'S', consumer: 'c' }));
    await expect(consumer.state()).rejects.toMatchObject(failed('not-found'));
    const kinds = (await streams.journal.dump()).map((line) => line.slice(0, 3));
    expect(kinds).not.toContain('s/c');
    expect(kinds).not.toContain('s/k');
    expect(kinds).not.toContain('s/o');
    await streams.plane.stream('S').ensureConsumer(consumerSpec());
    expect(brief(await pull())).toEqual(['1×1']);
  });

  test('B4 a stream that is deleted ends its consumers', async () => {
    const { streams, pull } = await open({}, 1);
    const [delivery] = await pull();
    const waiting = pull(1, 1_000);
    await settle();
    await streams.plane.deleteStream('S');
    await expect(waiting).rejects.toMatchObject(failed('not-found'));
    await expect(delivery?.ack()).rejects.toMatchObject(failed('not-found'));
    await streams.plane.close();
    expect(streams.clock.timerCount).toBe(0);
    expect(await streams.journal.dump()).toEqual([]);
  });
});
