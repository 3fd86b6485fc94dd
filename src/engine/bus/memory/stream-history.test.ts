import { expect, test } from 'vitest';
import {
  consumerSpec,
  type EmbeddedStreams,
  openEmbeddedStreams,
  settle,
  streamSpec,
} from '../../../../tests/support/embedded-streams.ts';
import { utf8 } from '../../../shared/base/bytes.ts';
import { createSeededRandomness } from '../../ports/randomness.ts';
import type { Delivery } from '../durable.ts';

/** A random program over a work queue with advisories; gives all that it saw, and what the journal holds after. */
async function play(seed: number): Promise<readonly string[]> {
  const streams = await openEmbeddedStreams();
  const randomness = createSeededRandomness(seed);
  const dice = (sides: number): number => (randomness.bytes(1)[0] as number) % sides;
  const seen: string[] = [];
  let held: Delivery[] = [];
  await streams.plane.ensureStream(streamSpec({ retention: 'work-queue', maxBytes: 4_000, whenFull: 'drop-old' }));
  await streams.plane.ensureStream(
    streamSpec({ name: 'ADV', subjects: ['$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.S.>'] }),
  );
  await streams.plane.stream('S').ensureConsumer(consumerSpec({ maxDeliver: 2, ackWaitMs: 1_000 }));

  const steps: readonly ((opened: EmbeddedStreams) => Promise<unknown>)[] = [
    ({ plane }) =>
      Promise.all(
        Array.from({ length: dice(9) }, () =>
          plane.append(`vak.work.ws.q${dice(3)}.task`, utf8(`${dice(256)}`), { messageId: `m${dice(200)}` }),
        ),
      ),
    async ({ plane }) => {
      const got = await plane
        .stream('S')
        .consumer('c')
        .pull({ batch: 1 + dice(8), waitMs: 0 });
      held.push(...got);
      return got.map(({ message, deliveryCount }) => [message.seq, message.storedMs, deliveryCount]);
    },
    async () => {
      const one = held.splice(dice(held.length + 1), 1)[0];
      await (dice(3) === 0 ? one?.nak(dice(200) * 10) : one?.ack());
      return one?.message.seq;
    },
    async ({ clock }) => clock.advance(dice(250) * 10),
    ({ plane }) => plane.stream('S').delete(dice(100)),
    async (opened) => {
      await settle();
      await opened.restart();
      held = [];
    },
  ];
  for (let i = 0; i < 300; i++) {
    const at = dice(20) === 0 ? 4 + dice(2) : dice(4);
    const result = await (steps[at] as (typeof steps)[number])(streams);
    await settle();
    seen.push(`${at} ${JSON.stringify(result)} ${JSON.stringify(await streams.plane.streams())}`);
  }
  await streams.plane.close();
  return [...seen, `commits ${streams.journal.commits.join()}`, ...(await streams.journal.dump())];
}

test('B7 one seed, one history: results, batches and the journal are the same twice', async () => {
  const first = await play(42);
  expect(first.filter((line) => line.includes('MAX_DELIVERIES')).length).toBeGreaterThan(1);
  expect(await play(42)).toEqual(first);
  expect(await play(43)).not.toEqual(first);
}, 60_000);
