import { describe, expect, test } from 'vitest';
import {
  consumerSpec,
  type EmbeddedStreams,
  openEmbeddedStreams,
  settle,
} from '../../../../tests/support/embedded-streams.ts';
import { toText, utf8 } from '../../../shared/base/bytes.ts';
import { VakError } from '../../../shared/base/vak-error.ts';
import { streamsOf } from '../../../shared/protocol/stream-table.ts';

const failed = (code: string) => ({ code });

async function passes({ clock }: EmbeddedStreams, ms: number): Promise<void> {
  clock.advance(ms);
  await settle();
}

describe('exhausted deliveries', () => {
  const queue = 'vak.work.ws.a.task';
  const advisory = '$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.VAK_WORK_ws.q';

  async function openWork() {
    const streams = await openEmbeddedStreams();
    for (const spec of streamsOf('ws')) await streams.plane.ensureStream(spec);
    const work = streams.plane.stream('VAK_WORK_ws');
    const consumer = await work.ensureConsumer(consumerSpec({ name: 'q', filter: queue, maxDeliver: 2 }));
    await streams.plane.append(queue, utf8('task'));
    const told = async () => {
      const { messages } = await streams.plane.stream('VAK_ADV_ws').read({ limit: 10 });
      return messages.map(({ subject, data }) => ({ subject, record: JSON.parse(toText(data)) }));
    };
    return { streams, work, consumer, told };
  }

  test('W3 as soon as the last ack wait ends it is told, and the message stays', async () => {
    const { streams, work, consumer, told } = await openWork();
    await consumer.pull({ batch: 1, waitMs: 0 });
    await passes(streams, 30_000);
    const [last] = await consumer.pull({ batch: 1, waitMs: 0 });
    expect(last?.deliveryCount).toBe(2);
    await passes(streams, 29_999);
    expect(await told()).toEqual([]);
    await passes(streams, 1);
    const record = {
      type: 'io.nats.jetstream.advisory.v1.max_deliver',
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      timestamp: '2026-01-02T03:05:05.000Z',
      ...{ stream: 'VAK_WORK_ws', consumer: 'q', stream_seq: 1, deliveries: 2 },
    };
    expect(await told()).toEqual([{ subject: advisory, record }]);
    expect(await consumer.pull({ batch: 1, waitMs: 0 })).toEqual([]);
    expect(await consumer.state()).toMatchObject({ pendingCount: 0, inFlightCount: 0, redeliveredCount: 0 });
    expect((await work.get(1))?.subject).toBe(queue);
    await passes(streams, 100_000);
    await streams.restart();
    expect(await streams.plane.stream('VAK_WORK_ws').consumer('q').pull({ batch: 1, waitMs: 0 })).toEqual([]);
    expect(await told()).toHaveLength(1);
    expect(await streams.plane.stream('VAK_WORK_ws').delete(1)).toBe(true);
  });

  test('W3 a last delivery that is given back is told at once', async () => {
    const { consumer, told } = await openWork();
    for (const isLast of [false, true]) {
      const [delivery] = await consumer.pull({ batch: 1, waitMs: 0 });
      await delivery?.nak(isLast ? 60_000 : 0);
    }
    expect(await told()).toHaveLength(1);
  });

  test('W3 a last delivery that the end of the process cut short is told at the next start', async () => {
    const { streams, consumer, told } = await openWork();
    await consumer.pull({ batch: 1, waitMs: 0 });
    await passes(streams, 30_000);
    await consumer.pull({ batch: 1, waitMs: 0 });
    await settle();
    await streams.crash();
    await settle();
    expect(await told()).toHaveLength(1);
  });

  test('W3 whoever was late can still say done', async () => {
    const { streams, work, consumer, told } = await openWork();
    const [first] = await consumer.pull({ batch: 1, waitMs: 0 });
    await passes(streams, 30_000);
    await consumer.pull({ batch: 1, waitMs: 0 });
    await passes(streams, 30_000);
    expect(await told()).toHaveLength(1);
    await first?.ack();
    expect(await work.get(1)).toBeUndefined();
  });

  test('W3 what the journal refused at first is told as soon as it takes it, once', async () => {
    const { streams, consumer, told } = await openWork();
    const [first] = await consumer.pull({ batch: 1, waitMs: 0 });
    await first?.nak();
    const [last] = await consumer.pull({ batch: 1, waitMs: 0 });
    await settle();
    streams.journal.failure = new VakError('disk-full', 'no room');
    await expect(last?.nak()).rejects.toMatchObject(failed('disk-full'));
    await expect(streams.plane.append(queue, utf8('refused'))).rejects.toMatchObject(failed('disk-full'));
    expect(await told()).toEqual([]);
    streams.journal.failure = undefined;
    await streams.plane.append(queue, utf8('stored'));
    expect(await told()).toHaveLength(1);
    await streams.crash();
    await settle();
    expect(await told()).toHaveLength(1);
    const again = await streams.plane.stream('VAK_WORK_ws').consumer('q').pull({ batch: 9, waitMs: 0 });
    expect(again.map(({ message }) => toText(message.data))).toEqual(['stored']);
  });

  test('W3 the message and what is told of it are kept together or not at all', async () => {
    const { streams, consumer, told } = await openWork();
    const [first] = await consumer.pull({ batch: 1, waitMs: 0 });
    await first?.nak();
    const [last] = await consumer.pull({ batch: 1, waitMs: 0 });
    const before = streams.journal.commits.length;
    await last?.nak();
    expect(streams.journal.commits.length - before).toBe(1);
    expect(await told()).toHaveLength(1);
  });
});
