import { expect, it } from 'vitest';
import { openSerialPair } from '../../../../tests/support/channel-pair.ts';
import { hasCode, openPlanes, settle } from '../../../../tests/support/channel-planes.ts';
import { utf8 } from '../../../shared/base/bytes.ts';
import { VakError } from '../../../shared/base/vak-error.ts';
import { maxOpenFlows, maxPartBytes, partWindow } from './durable-frames.ts';

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

it('B5 a watch that waits for its bucket can be disposed, and one that is disposed tells no more of a batch', async () => {
  const { durable, clock } = await openPlanes();
  durable
    .keyValue('NONE')
    .watch(() => {})
    .dispose();
  const waiting = durable.keyValue('NONE').watch(() => {});
  await settle();
  expect(clock.timerCount).toBe(2);
  waiting.dispose();
  expect(clock.timerCount).toBe(1);
  await durable.ensureKeyValue({ name: 'KV', history: 1 });
  for (const key of ['a', 'b', 'c']) await durable.keyValue('KV').put(key, utf8('x'));
  const told: string[] = [];
  const watch = durable.keyValue('KV').watch(({ key }) => {
    told.push(key);
    if (key === 'b') watch.dispose();
  });
  await settle();
  expect(told).toEqual(['a', 'b']);
});

it('B5 a peer has 32 watches and objects open, one more is refused', async () => {
  const { durable } = await openPlanes();
  await durable.ensureKeyValue({ name: 'KV', history: 1 });
  for (let count = 0; count < maxOpenFlows; count++) durable.keyValue('KV').watch(() => {});
  expect(() => durable.keyValue('KV').watch(() => {})).toThrowError(/under way already/);
});

it('B5 an author that hangs is let go when main refuses its object', async () => {
  const { durable } = await openPlanes();
  let isLetGo = false;
  const author: AsyncIterable<Uint8Array> = {
    [Symbol.asyncIterator]: () => ({
      next: () => new Promise(() => {}),
      async return() {
        isLetGo = true;
        return { done: true, value: undefined };
      },
    }),
  };
  await expect(durable.objects('NONE').put('o', author)).rejects.toSatisfy(hasCode('not-found'));
  await settle();
  expect(isLetGo).toBe(true);
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
