import { expect, it } from 'vitest';
import { openMessagePair, openSerialPair } from '../../../../tests/support/channel-pair.ts';
import { toText, utf8 } from '../../../shared/base/bytes.ts';
import { isVakError, VakError } from '../../../shared/base/vak-error.ts';
import { createFakeClock } from '../../ports/fake-clock.ts';
import { createSilentLogger } from '../../ports/logger.ts';
import { createSeededRandomness } from '../../ports/randomness.ts';
import type { Consumer, Delivery, DurablePlane } from '../durable.ts';
import { createEmbeddedFabric } from '../memory/embedded-fabric.ts';
import { createChannelPlane } from './channel-plane.ts';
import { serveChannelPlane } from './channel-plane-host.ts';
import { maxOpenPulls, maxPartBytes, partWindow } from './durable-frames.ts';

const subject = 'vak.rooms.ws.r.log';
const mebibyte = 1024 * 1024;
const hasCode = (code: string) => (thrown: unknown) => isVakError(thrown) && thrown.code === code;

/** Round trips, and what they set off. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 12; turn++) await new Promise((resolve) => setImmediate(resolve));
}

async function openPlanes(open = openSerialPair, change: (plane: DurablePlane) => DurablePlane = (plane) => plane) {
  const clock = createFakeClock();
  const logger = createSilentLogger();
  const randomness = createSeededRandomness(5);
  const fabric = await createEmbeddedFabric({ folder: undefined, durability: 'written', clock, randomness, logger });
  await fabric.durable.ensureStream({
    ...{ name: 'S', subjects: [subject], retention: 'limits', maxAgeMs: null, maxBytes: null },
    ...{ whenFull: 'refuse-new', dedupeWindowMs: 60_000 },
  });
  await fabric.durable.ensureObjects('OBJ');
  const { peer, host } = open();
  const plane = createChannelPlane({ port: peer, clock, logger });
  const served = serveChannelPlane({ port: host, durable: change(fabric.durable), clock, logger });
  const consumer = async (): Promise<Consumer> => {
    const spec = {
      name: 'c',
      filter: subject,
      ackWaitMs: 30_000,
      maxDeliver: 9,
      maxInFlight: 1_000,
      start: 'all',
    } as const;
    return plane.durable.stream('S').ensureConsumer(spec);
  };
  return { clock, main: fabric.durable, durable: plane.durable, plane, served, peer, host, consumer };
}

/** The engine, whose appends wait until they are let go. */
function withHeldAppends(plane: DurablePlane) {
  const held: (() => void)[] = [];
  const seen: string[] = [];
  const signals: (AbortSignal | undefined)[] = [];
  const durable: DurablePlane = {
    ...plane,
    append(name, data, options) {
      seen.push(toText(data.subarray(0, 8)));
      signals.push(options?.signal);
      return new Promise((resolve, reject) => {
        held.push(() => plane.append(name, data, options).then(resolve, reject));
        options?.signal?.addEventListener('abort', () => reject(new VakError('aborted', 'cancelled')));
      });
    },
  };
  return { durable, held, seen, signals };
}

/** The engine, with other deliveries. */
function withDeliveries(plane: DurablePlane, change: (delivery: Delivery) => Delivery): DurablePlane {
  return {
    ...plane,
    stream(name) {
      const stream = plane.stream(name);
      return {
        ...stream,
        consumer(named) {
          const consumer = stream.consumer(named);
          return { ...consumer, pull: async (options) => (await consumer.pull(options)).map(change) };
        },
      };
    },
  };
}

async function openHeld() {
  let held: ReturnType<typeof withHeldAppends> | undefined;
  const planes = await openPlanes(openSerialPair, (plane) => {
    held = withHeldAppends(plane);
    return held.durable;
  });
  if (held === undefined) throw new Error('the plane was not served');
  return { ...planes, ...held, durable: planes.durable };
}

for (const [name, open] of [
  ['Electron', openMessagePair],
  ['forked processes', openSerialPair],
] as const) {
  it(`B3 appends of one caller keep their order, also when more is on its way than main takes at once (${name})`, async () => {
    const { durable, main, plane } = await openPlanes(open);
    const data = (index: number): Uint8Array => {
      const bytes = new Uint8Array(index % 3 === 0 ? mebibyte : 100);
      bytes.set(utf8(String(index).padStart(4, '0')));
      return bytes;
    };
    const appended = await Promise.all(
      Array.from({ length: 600 }, (_, index) =>
        index < 40 ? durable.append(subject, data(index)) : durable.append(subject, data(1)),
      ),
    );
    expect(appended.map(({ seq }) => seq)).toEqual(Array.from({ length: 600 }, (_, index) => index + 1));
    for (const index of [0, 1, 2, 17, 38, 39]) {
      const stored = await main.stream('S').get(index + 1);
      expect(toText(stored?.data.subarray(0, 4) ?? new Uint8Array(0))).toBe(String(index).padStart(4, '0'));
    }
    plane.close();
  });
}

it('B3 what waits for its turn is as it was when it was given', async () => {
  const { durable, held, seen } = await openHeld();
  const bytes = new Uint8Array(mebibyte);
  const appends = ['one', 'two', 'three', 'four', 'five'].map((text) => {
    bytes.fill(32);
    bytes.set(utf8(text));
    return durable.append(subject, bytes);
  });
  await settle();
  expect(seen).toHaveLength(3);
  while (seen.length < 5 || held.length > 0) {
    held.shift()?.();
    await settle();
  }
  await Promise.all(appends);
  expect(seen.map((text) => text.trim())).toEqual(['one', 'two', 'three', 'four', 'five']);
});

it('B3 more than may wait is refused at once, and can be tried again', async () => {
  const { durable, plane } = await openHeld();
  const appends = Array.from({ length: 256 + 4_096 + 1 }, () => durable.append(subject, utf8('x')));
  const outcomes = Promise.allSettled(appends);
  const last = appends.at(-1);
  await expect(last).rejects.toMatchObject({ code: 'limit-exceeded', retryable: true });
  plane.close();
  const refused = (await outcomes).filter((one) => one.status === 'rejected' && hasCode('closed')(one.reason));
  expect(refused).toHaveLength(256 + 4_096);
});

it('B4 a peer has 32 pulls open, one more is refused', async () => {
  const { consumer, plane } = await openPlanes();
  const mine = await consumer();
  const pulls = Array.from({ length: maxOpenPulls }, () => mine.pull({ batch: 1, waitMs: 60_000 }));
  const ended = Promise.allSettled(pulls);
  await expect(mine.pull({ batch: 1, waitMs: 0 })).rejects.toSatisfy(hasCode('limit-exceeded'));
  plane.close();
  await ended;
});

it('B3 an append that is given up on its way ends by main’s word; one that waits here ends at once', async () => {
  const { durable, signals, seen, plane } = await openHeld();
  const abort = new AbortController();
  const { signal } = abort;
  const appends = Array.from({ length: 5 }, () => durable.append(subject, new Uint8Array(mebibyte), { signal }));
  const outcomes = Promise.allSettled(appends);
  await settle();
  abort.abort();
  for (const outcome of await outcomes)
    expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'aborted' } });
  expect([seen.length, signals.map((one) => one?.aborted)]).toEqual([3, [true, true, true]]);
  plane.close();
});

it('B4 deliveries that cross the abort of their pull are the caller’s, so nothing is taken unseen', async () => {
  const { consumer, durable } = await openPlanes();
  const mine = await consumer();
  await durable.append(subject, utf8('x'));
  const abort = new AbortController();
  const pull = mine.pull({ batch: 1, waitMs: 60_000, signal: abort.signal });
  abort.abort();
  const [delivery] = await pull;
  await delivery?.nak();
  const [again] = await mine.pull({ batch: 1, waitMs: 0 });
  expect(again?.deliveryCount).toBe(2);
});

it('B4 two ends of a delivery at once are one; one that failed can be said again', async () => {
  const said: string[] = [];
  let failure: VakError | undefined = new VakError('timeout', 'no answer', { retryable: true });
  const change = (delivery: Delivery): Delivery => ({
    ...delivery,
    async ack() {
      said.push('ack');
      if (failure !== undefined) throw failure;
      await delivery.ack();
    },
    async term() {
      said.push('term');
      await delivery.term();
    },
  });
  const { consumer, durable } = await openPlanes(openSerialPair, (plane) => withDeliveries(plane, change));
  const mine = await consumer();
  await durable.append(subject, utf8('x'));
  const [delivery] = await mine.pull({ batch: 1, waitMs: 0 });
  if (delivery === undefined) throw new Error('nothing was delivered');
  const both = await Promise.allSettled([delivery.ack(), delivery.term()]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  failure = undefined;
  await delivery.ack();
  await delivery.term();
  await delivery.working();
  expect(said).toEqual(['ack', 'ack']);
  expect((await mine.state()).inFlightCount).toBe(0);
});

it('B3 a message of 1 MiB comes back whole, also as a part of a page and of a pull', async () => {
  const { consumer, durable } = await openPlanes(openMessagePair);
  const mine = await consumer();
  const bytes = Uint8Array.from({ length: mebibyte }, (_, index) => (index * 31) & 255);
  for (let count = 0; count < 6; count++) await durable.append(subject, bytes);
  const page = await durable.stream('S').read({ limit: 10 });
  const pulled = await mine.pull({ batch: 10, waitMs: 0 });
  for (const { data } of [...page.messages, ...pulled.map(({ message }) => message)]) {
    expect(Buffer.compare(data, bytes)).toBe(0);
  }
  expect([page.messages.length, pulled.length]).toEqual([4, 4]);
});

it('B3 when the channel closes everything that is open ends with closed, at main with an abort', async () => {
  const { durable, consumer, signals, host, clock } = await openHeld();
  const mine = await consumer();
  await durable.ensureKeyValue({ name: 'KV', history: 1 });
  const changes: string[] = [];
  const watch = durable.keyValue('KV').watch(({ key }) => changes.push(key));
  async function* hanging(): AsyncGenerator<Uint8Array> {
    yield utf8('x');
    await new Promise(() => {});
  }
  const open = [
    ...Array.from({ length: 6 }, () => durable.append(subject, new Uint8Array(mebibyte))),
    mine.pull({ batch: 1, waitMs: 60_000 }),
    durable.objects('OBJ').put('o', hanging()),
  ];
  const outcomes = Promise.allSettled<unknown>(open);
  await settle();
  host.close();
  for (const outcome of await outcomes)
    expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'closed' } });
  expect(signals.map((signal) => signal?.aborted)).toEqual([true, true, true]);
  for (const call of [() => durable.limits(), () => durable.objects('OBJ').put('o', hanging())]) {
    await expect(call()).rejects.toSatisfy(hasCode('closed'));
  }
  expect(() => durable.keyValue('KV').watch(() => {})).toThrowError(/closed/);
  watch.dispose();
  expect(changes).toEqual([]);
  clock.advance(120_000);
});

it('B5 an author is asked for no more of its object than main has taken, and is let go when main refuses', async () => {
  let taken: () => void = () => {};
  const { durable } = await openPlanes(openSerialPair, (plane) => ({
    ...plane,
    objects: (name) => ({
      ...plane.objects(name),
      async put(_name, chunks) {
        const iterator = chunks[Symbol.asyncIterator]();
        for (let count = 0; count < 3; count++) await iterator.next();
        await new Promise<void>((resolve) => {
          taken = resolve;
        });
        throw new VakError('limit-exceeded', 'too large');
      },
    }),
  }));
  let given = 0;
  let isLetGo = false;
  async function* author(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        given++;
        yield new Uint8Array(maxPartBytes);
      }
    } finally {
      isLetGo = true;
    }
  }
  const put = durable.objects('OBJ').put('o', author());
  const refused = expect(put).rejects.toSatisfy(hasCode('limit-exceeded'));
  await settle();
  await settle();
  // Two of three parts were asked on; then one is cut and one is at the author.
  expect(given).toBeLessThanOrEqual(partWindow + 2 + 2);
  taken();
  await refused;
  await settle();
  expect(isLetGo).toBe(true);
});

it('B5 a reader that has seen enough of an object lets main go, and the next object is read', async () => {
  const { durable, main } = await openPlanes();
  async function* large(): AsyncGenerator<Uint8Array> {
    for (let count = 0; count < 40; count++) yield new Uint8Array(maxPartBytes);
  }
  await main.objects('OBJ').put('o', large());
  for (let round = 0; round < 40; round++) {
    for await (const part of durable.objects('OBJ').get('o')) {
      expect(part.length).toBeGreaterThan(0);
      break;
    }
    await settle();
  }
});

it('B5 a watch waits for a bucket that is not there yet', async () => {
  const { durable, clock } = await openPlanes();
  const told: string[] = [];
  const watch = durable.keyValue('LATE').watch(
    ({ key }) => told.push(key),
    () => told.push('ready'),
  );
  await settle();
  await durable.ensureKeyValue({ name: 'LATE', history: 1 });
  await durable.keyValue('LATE').put('a', utf8('1'));
  clock.advance(1_000);
  await settle();
  expect(told).toEqual(['a', 'ready']);
  watch.dispose();
  await settle();
  expect(clock.timerCount).toBe(1);
});

it('B5 watches that were disposed make room for others', async () => {
  const { durable } = await openPlanes();
  await durable.ensureKeyValue({ name: 'KV', history: 1 });
  for (let round = 0; round < 70; round++) {
    durable
      .keyValue('KV')
      .watch(() => {})
      .dispose();
    await settle();
  }
});
