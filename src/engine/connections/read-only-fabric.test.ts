import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  createFabricFixture,
  media,
  oneChunk,
  readText,
  receiptSubject,
  storedIn,
  taskSubject,
  turns,
  values,
  workConsumer,
} from '../../../tests/support/fabric-fixture.ts';
import { toText, utf8 } from '../../shared/base/bytes.ts';
import { streamsOf } from '../../shared/protocol/stream-table.ts';
import type { Fabric } from '../bus/fabric.ts';
import { createReadOnlyFabric } from './read-only-fabric.ts';

const fixture = createFabricFixture();
let inner: Fabric;
let fabric: Fabric;
beforeAll(async () => {
  inner = await fixture.openProvisioned();
  fabric = createReadOnlyFabric(inner, 'prod');
  await inner.durable.append(receiptSubject, utf8('r'));
  await inner.durable.append(taskSubject, utf8('t'));
  await inner.durable.stream('VAK_WORK_ws').ensureConsumer(workConsumer);
  await inner.durable.keyValue(values).put('k', utf8('v'));
  await inner.durable.objects(media).put('o', oneChunk('object'));
});
afterAll(() => fixture.end());

const spec = streamsOf('other')[0] as ReturnType<typeof streamsOf>[number];

it('B10 through a read-only context everything that changes is refused by its code, and nothing has changed', async () => {
  const { durable } = fabric;
  const stream = durable.stream('VAK_WORK_ws');
  const calls: Record<string, () => unknown> = {
    publish: () => fabric.bus.publish('vak.events.ws.s.tokens', utf8('x')),
    request: () => fabric.bus.request('vak.control.ws.rooms.join', utf8('x'), { timeoutMs: 1_000 }),
    append: () => durable.append(receiptSubject, utf8('x')),
    ensureStream: () => durable.ensureStream(spec),
    deleteStream: () => durable.deleteStream('VAK_WORK_ws'),
    ensureKeyValue: () => durable.ensureKeyValue({ name: 'VAK_CARDS_ws', history: 1 }),
    ensureObjects: () => durable.ensureObjects('VAK_MEDIA_2_ws_x'),
    delete: () => stream.delete(1),
    purge: () => stream.purge(),
    ensureConsumer: () => stream.ensureConsumer({ ...workConsumer, name: 'other' }),
    deleteConsumer: () => stream.deleteConsumer('q'),
    pull: () => stream.consumer('q').pull({ batch: 1, waitMs: 0 }),
    'put of a value': () => durable.keyValue(values).put('k', utf8('x')),
    'delete of a value': () => durable.keyValue(values).delete('k'),
    'put of an object': () => durable.objects(media).put('o', oneChunk('x')),
    'delete of an object': () => durable.objects(media).delete('o'),
  };
  for (const [name, call] of Object.entries(calls)) {
    const refused = await Promise.resolve()
      .then(call)
      .then(
        () => undefined,
        (error: unknown) => error,
      );
    expect(refused, name).toMatchObject({ code: 'read-only', details: { context: 'prod' } });
  }
  expect((await inner.durable.streams()).some(({ spec: one }) => one.name === spec.name)).toBe(false);
  expect((await storedIn(inner)).length).toBe(1);
  expect(await inner.durable.stream('VAK_WORK_ws').consumer('q').state()).toMatchObject({
    pendingCount: 1,
    inFlightCount: 0,
  });
  expect((await inner.durable.stream('VAK_WORK_ws').consumers()).length).toBe(1);
  expect(toText((await inner.durable.keyValue(values).get('k'))?.value ?? utf8(''))).toBe('v');
});

it('B3 reading, watching, listening and dry runs stay', async () => {
  const { durable } = fabric;
  expect(await durable.ensureStream(spec, { dryRun: true })).toBe('created');
  expect(await durable.stream('VAK_RECEIPTS_ws').last(receiptSubject)).toMatchObject({ seq: 1 });
  expect((await storedIn(fabric)).length).toBe(1);
  expect(await durable.stream('VAK_WORK_ws').consumer('q').state()).toMatchObject({ pendingCount: 1 });
  expect(await readText(durable.objects(media).get('o'))).toBe('object');
  const keys: string[] = [];
  const watch = durable.keyValue(values).watch(({ key }) => keys.push(key));
  const heard: string[] = [];
  fabric.bus.subscribe('vak.events.>', { kind: 'inline', onMessage: ({ data }) => heard.push(toText(data)) });
  inner.bus.publish('vak.events.ws.s.tokens', utf8('live'));
  await turns();
  expect([keys, heard]).toEqual([['k'], ['live']]);
  watch.dispose();
});

it('B5 a request can be heard through it, and not answered', async () => {
  const heard: boolean[] = [];
  const listening = [
    fabric.bus.subscribe('vak.control.>', { kind: 'inline', onMessage: (message) => heard.push('respond' in message) }),
    fabric.bus.subscribe('vak.control.>', {
      ...{ kind: 'drop-oldest', capacity: 8 },
      onBatch: (messages) => void heard.push(...messages.map((message) => 'respond' in message)),
    }),
  ];
  await inner.bus.request('vak.control.ws.rooms.join', utf8('?'), { timeoutMs: 50 }).catch(() => {});
  await turns();
  expect(heard).toEqual([false, false]);
  for (const one of listening) one.dispose();
});
