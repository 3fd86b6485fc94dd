import { expect, it, vi } from 'vitest';
import { openMessagePair, openSerialPair } from '../../../../tests/support/channel-pair.ts';
import {
  hasCode,
  mebibyte,
  openHeld,
  openPlanes,
  settle,
  subject,
  withDeliveries,
} from '../../../../tests/support/channel-planes.ts';
import { toText, utf8 } from '../../../shared/base/bytes.ts';
import { toDisposable } from '../../../shared/base/disposer.ts';
import { VakError } from '../../../shared/base/vak-error.ts';
import { createFakeClock } from '../../ports/fake-clock.ts';
import { createSilentLogger } from '../../ports/logger.ts';
import type { Delivery } from '../durable.ts';
import { createChannelPlane } from './channel-plane.ts';
import { maxOpenPulls } from './durable-frames.ts';

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

it('B3 what waits is bounded by its bytes, too', async () => {
  const { durable, plane } = await openHeld();
  const large = new Uint8Array(mebibyte);
  const appends = Array.from({ length: 3 + 63 + 1 }, () => durable.append(subject, large));
  const outcomes = Promise.allSettled(appends);
  await expect(appends.at(-1)).rejects.toSatisfy(hasCode('limit-exceeded'));
  plane.close();
  const refused = (await outcomes).filter((one) => one.status === 'rejected' && hasCode('closed')(one.reason));
  expect(refused).toHaveLength(66);
});

it('B3 of bytes that lie in a larger memory only they go over', async () => {
  const posted: unknown[] = [];
  const none = toDisposable(() => {});
  const port = { post: (value: unknown) => posted.push(value), onMessage: () => none, onClose: () => none, close() {} };
  const { durable } = createChannelPlane({ port, clock: createFakeClock(), logger: createSilentLogger() });
  void durable.append(subject, new Uint8Array(10_000).subarray(5, 25));
  const [{ call }] = posted as [{ call: { data: Uint8Array } }];
  expect([call.data.length, call.data.buffer.byteLength]).toEqual([20, 20]);
});

it('B3 nothing of a call that is over listens to its signal', async () => {
  const { durable } = await openPlanes();
  const { signal } = new AbortController();
  const added = vi.spyOn(signal, 'addEventListener');
  const removed = vi.spyOn(signal, 'removeEventListener');
  await durable.append(subject, utf8('x'), { signal });
  await expect(durable.stream('none').read({ limit: 1, signal })).rejects.toSatisfy(hasCode('not-found'));
  expect([added.mock.calls.length, removed.mock.calls.length]).toEqual([2, 2]);
});

it('S4 a subject that is too long is refused as one', async () => {
  const { durable } = await openPlanes();
  await expect(durable.append('a'.repeat(5_000), utf8('x'))).rejects.toSatisfy(hasCode('invalid-subject'));
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
