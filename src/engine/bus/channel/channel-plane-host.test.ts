import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  mebibyte,
  oneAppend,
  onePull,
  serveCounted,
  serveEmbedded,
  settle,
  subject,
} from '../../../../tests/support/plane-host.ts';
import { toText, utf8 } from '../../../shared/base/bytes.ts';
import { VakError } from '../../../shared/base/vak-error.ts';
import type { ObjectBucket } from '../durable.ts';
import { maxOpenCalls, maxOpenFlows, maxOpenPulls, maxPartBytes, partWindow } from './durable-frames.ts';

/** Frames that are nearly right: real kinds and methods, and fields that may be of another. */
const anyFrame = (): fc.Arbitrary<unknown> => {
  const id = fc.oneof(fc.nat(40), fc.anything());
  const data = fc.oneof(fc.uint8Array({ maxLength: 8 }), fc.constant(new Uint8Array(mebibyte + 1)), fc.anything());
  const word = fc.oneof(fc.constantFrom('S', 'c', subject, 'k'), fc.string(), fc.anything());
  const method = fc.constantFrom(
    ...['append', 'pull', 'ack', 'nak', 'limits', 'streams', 'stream-read', 'value-put', 'value-watch', 'object-put'],
    ...['object-get', 'ensure-stream', 'toString', '__proto__', 'constructor'],
  );
  const call = fc.record(
    {
      ...{ method, stream: word, consumer: word, subject: word, data, bucket: word, key: word, name: word },
      ...{
        batch: fc.oneof(fc.nat(), fc.double()),
        waitMs: fc.nat(),
        delivery: id,
        options: fc.oneof(fc.constant({}), fc.anything()),
      },
    },
    { requiredKeys: ['method'] },
  );
  const kind = fc.constantFrom(
    ...['durable-call', 'durable-abort', 'durable-taken', 'durable-next', 'durable-part', 'durable-end', 'status'],
  );
  const rightCall = fc.constantFrom<unknown>(
    ...[oneAppend, onePull, { method: 'streams' }, { method: 'value-watch', bucket: 'B' }],
    ...[
      { method: 'object-get', bucket: 'B', name: 'o' },
      { method: 'object-put', bucket: 'B', name: 'o' },
    ],
  );
  return fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind, id, call: fc.oneof(call, rightCall, fc.anything()), data }) },
    { weight: 1, arbitrary: fc.anything() },
  );
};

it('B3 whatever a peer sends, nothing throws, and each frame is answered once at most', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyFrame(), { maxLength: 60 }), fc.boolean(), async (frames, isAnswering) => {
      const host = serveCounted();
      if (isAnswering) host.state.answer = () => Promise.resolve([]);
      for (const frame of frames) host.say(frame);
      await settle();
      host.close();
      await settle();
      expect(host.log.filter(({ event }) => event === 'channel.frame')).toEqual([]);
      expect(host.asked.length).toBeLessThanOrEqual(frames.length);
      const answers = host.heard.filter(({ kind }) => kind === 'durable-reply' || kind === 'durable-error');
      expect(new Set(answers.map(({ id }) => id)).size).toBe(answers.length);
    }),
    { numRuns: 150 },
  );
});

it('B3 calls that are open are bounded, each kind by itself, and what is too many is refused unanswered', () => {
  const host = serveCounted();
  for (let count = 0; count < 2 * maxOpenCalls; count++) {
    host.call({ method: 'limits' });
    host.call(onePull);
    host.call({ method: 'object-put', bucket: 'B', name: 'o' });
  }
  const askedOf = (name: string): number => host.asked.filter(({ method }) => method === name).length;
  expect([askedOf('limits'), askedOf('stream.consumer.pull'), askedOf('objects.put')]).toEqual([
    ...[maxOpenCalls, maxOpenPulls, maxOpenFlows],
  ]);
  expect(host.heard).toEqual([]);
  expect(host.log.filter(({ event, code }) => event === 'channel.refused' && code === 'limit-exceeded')).toHaveLength(
    6 * maxOpenCalls - maxOpenCalls - maxOpenPulls - maxOpenFlows,
  );
});

it('B3 an answer that the peer has not taken is open still', async () => {
  const host = serveCounted();
  host.state.answer = () => Promise.resolve(1);
  for (let count = 0; count < 2 * maxOpenCalls; count++) host.call({ method: 'limits' });
  await settle();
  expect(host.heard).toHaveLength(maxOpenCalls);
  for (let id = 1; id <= 10; id++) host.say({ kind: 'durable-taken', id });
  for (let count = 0; count < 20; count++) host.call({ method: 'limits' });
  await settle();
  expect(host.heard).toHaveLength(maxOpenCalls + 10);
});

it('B3 what the open calls carry is bounded', () => {
  const host = serveCounted();
  for (let count = 0; count < 10; count++) host.call({ ...oneAppend, data: new Uint8Array(mebibyte) });
  expect(host.asked).toHaveLength(3);
});

it('B3 four reads run or wait to be taken, the others in their order after them', async () => {
  const host = serveCounted();
  host.state.answer = () => Promise.resolve({ messages: [], nextSeq: undefined });
  const read = (limit: number): number => host.call({ method: 'stream-read', stream: 'S', options: { limit } });
  for (let limit = 1; limit <= 12; limit++) read(limit);
  await settle();
  expect(host.asked).toHaveLength(4);
  // Not answered yet: it says nothing.
  host.say({ kind: 'durable-taken', id: 12 });
  host.say({ kind: 'durable-taken', id: 3 });
  host.say({ kind: 'durable-taken', id: 3 });
  await settle();
  expect(host.asked.map(({ args }) => (args[0] as { limit: number }).limit)).toEqual([1, 2, 3, 4, 5]);
});

it('B3 a read that is given up before its turn asks nothing of the plane', async () => {
  const host = serveCounted();
  host.state.answer = () => Promise.resolve([]);
  const ids = Array.from({ length: 6 }, () => host.call({ method: 'streams' }));
  host.say({ kind: 'durable-abort', id: ids[4] });
  await settle();
  for (const id of ids) host.say({ kind: 'durable-taken', id });
  await settle();
  expect(host.asked).toHaveLength(5);
  expect(ids.map((id) => host.codeOf(id))).toEqual([
    ...[undefined, undefined, undefined, undefined, 'aborted', undefined],
  ]);
});

it('B5 a watch that is given up, or whose channel closes, ends at the engine', async () => {
  const host = serveCounted();
  const first = host.call({ method: 'value-watch', bucket: 'B' });
  host.call({ method: 'value-watch', bucket: 'B' });
  host.say({ kind: 'durable-abort', id: first });
  await settle();
  expect([host.state.disposedCount, host.codeOf(first)]).toEqual([1, 'aborted']);
  host.served.dispose();
  await settle();
  expect([host.state.disposedCount, host.heard.length]).toEqual([2, 1]);
});

it('B3 an id is used once', () => {
  const host = serveCounted();
  for (const id of [5, 5, 4, 5, 6]) host.say({ kind: 'durable-call', id, call: { method: 'limits' } });
  expect(host.asked).toHaveLength(2);
});

it('B3 a call that is not as it should be is answered with the field, never with what stood there', async () => {
  const host = serveCounted();
  host.call({ method: 'append', subject: 'secret'.repeat(1_000), data: utf8('x'), options: {} });
  host.call({ ...oneAppend, extra: 'secret' });
  host.call({ ...oneAppend, data: new Uint8Array(mebibyte + 1) });
  host.call({ method: 'secret' });
  await settle();
  const errors = host.heard.map(({ error }) => error as VakError);
  expect(errors.map(({ code, details }) => [code, details?.['field']])).toEqual([
    ...[
      ['invalid-input', 'subject'],
      ['invalid-input', 'call'],
      ['invalid-input', 'data'],
      ['invalid-input', 'method'],
    ],
  ]);
  expect(JSON.stringify(host.heard)).not.toContain('secret');
  expect(host.asked).toEqual([]);
});

it('B10 an expected failure crosses with its code and details, a bug as internal with its place in the log', async () => {
  const host = serveCounted();
  host.state.answer = () => Promise.reject(new VakError('conflict', 'why', { retryable: true, details: { limit: 1 } }));
  const expected = host.call(oneAppend);
  host.state.answer = () => {
    throw new TypeError('inner secret');
  };
  const bug = host.call(oneAppend);
  await settle();
  expect(host.heardOf(expected)).toEqual([
    {
      ...{ kind: 'durable-error', id: expected },
      error: { code: 'conflict', message: 'why', retryable: true, details: { limit: 1 } },
    },
  ]);
  expect(host.heardOf(bug)).toEqual([
    {
      ...{ kind: 'durable-error', id: bug },
      error: { code: 'internal', message: 'call failed, see the log: bug-1', retryable: false },
    },
  ]);
  expect(host.log.map(({ event, bug: place }) => [event, place])).toEqual([['channel.call', 'bug-1']]);
});

it('B4 an abort of the peer, or the end of its channel, aborts what is open, and nothing is said after', async () => {
  const host = serveCounted();
  const ids = [
    host.call(oneAppend),
    host.call(onePull),
    host.call({ method: 'stream-read', stream: 'S', options: { limit: 1 } }),
  ];
  const signals = host.asked.map(({ args }) => (args.at(-1) as { signal: AbortSignal }).signal);
  host.say({ kind: 'durable-abort', id: ids[1] });
  host.say({ kind: 'durable-abort', id: 99 });
  expect(signals.map(({ aborted }) => aborted)).toEqual([false, true, false]);
  host.close();
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, true]);
  host.call(oneAppend);
  await settle();
  expect([host.asked.length, host.heard.length]).toEqual([3, 0]);
});

it('B3 appends are done in the order of their frames, before anything else happens', () => {
  const host = serveCounted();
  for (const text of ['1', '2', '3']) host.call({ ...oneAppend, data: utf8(text) });
  expect(host.asked.map(({ args }) => toText(args[1] as Uint8Array))).toEqual(['1', '2', '3']);
});

it('B3 bytes are kept without the memory around them, both ways', async () => {
  const host = await serveEmbedded();
  const around = new Uint8Array(10_000).fill(7);
  host.call({ ...oneAppend, data: around.subarray(100, 228) });
  await settle();
  const stored = await host.durable.stream('S').get(1);
  expect([stored?.data.length, stored?.data.buffer.byteLength]).toEqual([128, 128]);
  await host.durable.append(subject, around.subarray(0, 64));
  const get = host.call({ method: 'stream-get', stream: 'S', seq: 2 });
  await settle();
  const { data } = host.answerOf<{ data: Uint8Array }>(get);
  expect([data.length, data.buffer.byteLength]).toEqual([64, 64]);
});

type Pulled = readonly { readonly delivery: number; readonly message: { readonly seq: number } }[];

it('B4 of a peer that never acknowledges 1 024 deliveries are remembered, the oldest give way', async () => {
  const host = await serveEmbedded();
  for (let count = 0; count < 1_280; count++) void host.durable.append(subject, utf8('x'));
  await settle();
  const pulled: { delivery: number; message: { seq: number } }[] = [];
  for (let round = 0; round < 5; round++) {
    const pull = host.call(onePull);
    await settle();
    pulled.push(...host.answerOf<Pulled>(pull));
    host.say({ kind: 'durable-taken', id: pull });
  }
  expect(pulled).toHaveLength(1_280);
  const ack = async (index: number): Promise<unknown> => {
    const call = host.call({ method: 'ack', delivery: pulled[index]?.delivery });
    await settle();
    return host.codeOf(call);
  };
  expect([await ack(0), await ack(255), await ack(256), await ack(256), await ack(1_279)]).toEqual([
    ...['not-found', 'not-found', undefined, 'not-found', undefined],
  ]);
  expect((await host.consumer.state()).inFlightCount).toBe(1_278);
});

it('B4 large deliveries that nobody ends are bounded by their bytes', async () => {
  const host = await serveEmbedded();
  for (let count = 0; count < 70; count++) await host.durable.append(subject, new Uint8Array(mebibyte));
  const pulled: { delivery: number }[] = [];
  while (pulled.length < 70) {
    const pull = host.call(onePull);
    await settle();
    pulled.push(...host.answerOf<Pulled>(pull));
    host.say({ kind: 'durable-taken', id: pull });
  }
  const acks = pulled.map(({ delivery }) => host.call({ method: 'ack', delivery }));
  await settle();
  expect(acks.filter((ack) => host.heardOf(ack)[0]?.['kind'] === 'durable-reply')).toHaveLength(64);
});

it('B4 what a peer had not ended when its channel closed is left to its ack wait', async () => {
  const host = await serveEmbedded();
  await host.durable.append(subject, utf8('x'));
  host.call(onePull);
  await settle();
  host.close();
  await settle();
  expect(await host.consumer.pull({ batch: 1, waitMs: 0 })).toEqual([]);
  host.engineClock.advance(30_000);
  const [again] = await host.consumer.pull({ batch: 1, waitMs: 0 });
  expect(again?.deliveryCount).toBe(2);
});

it('B5 an object with a part that is too large, or was not asked for, is refused and not stored with a hole', async () => {
  for (const sizes of [[maxPartBytes + 1], new Array<number>(partWindow + 1).fill(1)]) {
    const host = await serveEmbedded();
    const put = host.call({ method: 'object-put', bucket: 'OBJ', name: 'o' });
    for (const size of sizes) host.say({ kind: 'durable-part', id: put, data: new Uint8Array(size) });
    host.say({ kind: 'durable-end', id: put });
    await settle();
    expect(host.codeOf(put)).toBe('invalid-input');
    expect(await host.durable.objects('OBJ').list()).toEqual([]);
  }
});

it('B5 an object goes to the peer as far as its credit, however much of it the peer asks for at once', async () => {
  const host = await serveEmbedded();
  async function* large(): ReturnType<ObjectBucket['get']> extends AsyncIterable<infer T> ? AsyncGenerator<T> : never {
    for (let count = 0; count < 60; count++) yield new Uint8Array(maxPartBytes);
  }
  await host.durable.objects('OBJ').put('o', large());
  const get = host.call({ method: 'object-get', bucket: 'OBJ', name: 'o' });
  await settle();
  expect(host.heardOf(get)).toHaveLength(partWindow);
  for (let count = 0; count < 3; count++) host.say({ kind: 'durable-next', id: get });
  await settle();
  expect(host.heardOf(get)).toHaveLength(partWindow + 3);
  for (let count = 0; count < 1_000; count++) host.say({ kind: 'durable-next', id: get });
  await settle();
  expect(host.heardOf(get)).toHaveLength(2 * partWindow + 3 + 1);
  host.say({ kind: 'durable-abort', id: get });
  await settle();
  expect(host.codeOf(get)).toBe('aborted');
});
