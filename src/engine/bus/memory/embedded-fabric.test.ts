import { afterEach, describe, expect, it } from 'vitest';
import {
  createFabricFixture,
  hearTexts,
  media,
  oneChunk,
  readText,
  receiptSubject,
  storedIn,
  taskSubject,
  turns,
  values,
  workConsumer,
} from '../../../../tests/support/fabric-fixture.ts';
import { createHeldJournal } from '../../../../tests/support/held-journal.ts';
import { createLineLogger } from '../../../../tests/support/line-logger.ts';
import { toText, utf8 } from '../../../shared/base/bytes.ts';
import { type StreamSpec, streamsOf } from '../../../shared/protocol/stream-table.ts';
import { createFakeClock } from '../../ports/fake-clock.ts';
import { createSilentLogger } from '../../ports/logger.ts';
import { createSeededRandomness } from '../../ports/randomness.ts';
import { defineBusLaws } from '../bus-laws.ts';
import { hasCode } from '../laws/durable-law.ts';
import { createEmbeddedFabric } from './embedded-fabric.ts';
import { createMemoryJournal } from './memory-journal.ts';

const fixture = createFabricFixture();

afterEach(() => fixture.end());

describe.each([
  ['in memory', async () => fixture.openProvisioned()],
  ['on disk', async () => fixture.openProvisioned(await fixture.createFolder())],
])('live plane of the embedded fabric %s', (_, openOne) => {
  defineBusLaws(it, async () => {
    const fabric = await openOne();
    return { bus: fabric.bus, settle: () => turns(), close: () => fabric.close() };
  });
});

describe('embedded fabric', () => {
  it('B3 what is appended is heard live once it is stored, once, in the order of the stream', async () => {
    const journal = createHeldJournal(createMemoryJournal());
    const fabric = await fixture.openOver(journal);
    const { bus, durable } = fabric;
    const heard = hearTexts(bus);
    const release = journal.holdCommits();
    const last = (await storedIn(fabric)).length;
    const appends = Array.from({ length: 300 }, (_unused, at) => {
      const options = [{}, { messageId: `id-${at}` }, { expectedLastSeq: last + at }][at % 3] ?? {};
      return durable.append(receiptSubject, utf8(`${at}`), options);
    });
    await turns();
    expect(heard).toEqual([]);
    release();
    const seqs = (await Promise.all(appends)).map(({ seq }) => seq);
    expect(heard).toEqual(Array.from({ length: 300 }, (_unused, at) => `${at}`));
    expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
    expect((await storedIn(fabric)).map(({ data }) => toText(data))).toEqual(heard);
  });

  it('B3 a duplicate and a refused append are not heard', async () => {
    const { bus, durable } = await fixture.openProvisioned();
    const heard = hearTexts(bus);
    await durable.append(receiptSubject, utf8('1'), { messageId: 'a' });
    expect((await durable.append(receiptSubject, utf8('1'), { messageId: 'a' })).isDuplicate).toBe(true);
    await expect(durable.append(receiptSubject, utf8('2'), { expectedLastSeq: 9 })).rejects.toSatisfy(
      hasCode('conflict'),
    );
    await expect(durable.append('vak.events.ws.s.tokens', utf8('3'))).rejects.toSatisfy(hasCode('not-found'));
    await turns();
    expect(heard).toEqual(['1']);
  });

  it('B3 what is published live on a subject that a stream takes is heard at once and stored once; others are not', async () => {
    const fabric = await fixture.openProvisioned();
    const { bus, durable } = fabric;
    const heard = hearTexts(bus);
    for (let at = 0; at < 50; at++) bus.publish(receiptSubject, utf8(`${at}`));
    bus.publish('vak.events.ws.s.tokens', utf8('token'));
    expect(heard).toHaveLength(51);
    await turns();
    expect((await storedIn(fabric)).map(({ data }) => toText(data))).toEqual(heard.slice(0, 50));
    expect(heard).toHaveLength(51);
    await durable.deleteStream('VAK_RECEIPTS_ws');
    bus.publish(receiptSubject, utf8('late'));
    await durable.ensureStream(streamsOf('ws').find(({ name }) => name === 'VAK_RECEIPTS_ws') as StreamSpec);
    await turns();
    expect(await storedIn(fabric)).toEqual([]);
  });

  it('B3 once its stream was deleted a subject is an ephemeral one: nothing is tried, nothing is logged', async () => {
    const logged: string[] = [];
    const logger = createLineLogger(logged);
    const ports = { clock: createFakeClock(), randomness: createSeededRandomness(1), logger };
    const { bus, durable, close } = await createEmbeddedFabric({ folder: undefined, durability: 'written', ...ports });
    const [spec] = streamsOf('ws');
    await durable.ensureStream(spec as StreamSpec);
    await durable.deleteStream('VAK_WORK_ws');
    bus.publish(taskSubject, utf8('x'));
    await turns();
    expect(logged.filter((line) => line.includes('bus.'))).toEqual([]);
    await close();
  });

  it('B3 what is published live is stored into the streams that were there before, and what waits is stored before the end', async () => {
    const folder = await fixture.createFolder();
    await (await fixture.openProvisioned(folder)).close();
    const { bus, close } = await fixture.open(folder);
    for (let at = 0; at < 200; at++) bus.publish(receiptSubject, utf8(`${at}`));
    await close();
    expect(await storedIn(await fixture.open(folder))).toHaveLength(200);
  });

  it('B2 what waits to be stored of live publishes is bounded, and publishers that ask are held back', async () => {
    const journal = createHeldJournal(createMemoryJournal());
    const fabric = await fixture.openOver(journal);
    const release = journal.holdCommits();
    const data = new Uint8Array(1024 * 1024);
    for (let at = 0; at < 100; at++) fabric.bus.publish(receiptSubject, data);
    let isWritable = false;
    const writable = fabric.bus.whenWritable().then(() => {
      isWritable = true;
    });
    await turns();
    expect(isWritable).toBe(false);
    release();
    await writable;
    await turns();
    const { messageCount } = await fabric.durable.stream('VAK_RECEIPTS_ws').state();
    expect(messageCount).toBeGreaterThanOrEqual(30);
    expect(messageCount).toBeLessThanOrEqual(32);
    await fabric.bus.whenWritable();
  });

  it('B6 one folder keeps streams, consumers, values and objects together', async () => {
    const folder = await fixture.createFolder();
    const before = await fixture.openProvisioned(folder);
    const consumer = await before.durable.stream('VAK_WORK_ws').ensureConsumer(workConsumer);
    for (const text of ['1', '2']) await before.durable.append(taskSubject, utf8(text));
    const [first] = await consumer.pull({ batch: 1, waitMs: 0 });
    await first?.ack();
    await before.durable.keyValue(values).put('queue.q', utf8('paused'));
    await before.durable.objects(media).put('a', oneChunk('content'));
    await before.close();
    const { durable } = await fixture.open(folder);
    const left = await durable.stream('VAK_WORK_ws').consumer('q').pull({ batch: 9, waitMs: 0 });
    expect(left.map(({ message }) => toText(message.data))).toEqual(['2']);
    expect(await durable.keyValue(values).get('queue.q')).toMatchObject({ value: utf8('paused'), revision: 1 });
    expect(await readText(durable.objects(media).get('a'))).toBe('content');
  });

  it('B6 in memory nothing is kept, and the facts say so', async () => {
    const fabric = await fixture.openProvisioned();
    await fabric.durable.append(receiptSubject, utf8('1'));
    expect(fabric.facts()).toEqual({
      ...{ kind: 'embedded', server: null, maxMessageBytes: 1024 * 1024 },
      missing: [{ feature: 'keeping anything after the end', needs: 'a folder for its journal' }],
    });
    await fabric.close();
    expect(await (await fixture.open()).durable.streams()).toEqual([]);
    expect((await fixture.open(await fixture.createFolder())).facts().missing).toEqual([]);
  });

  it('B6 a second fabric on one folder is refused', async () => {
    const folder = await fixture.createFolder();
    await fixture.open(folder);
    await expect(fixture.open(folder)).rejects.toSatisfy(hasCode('already-running'));
  });

  it('B8 it is connected from the start until it is closed; each change is told once', async () => {
    const clock = createFakeClock(7_000);
    const ports = { clock, randomness: createSeededRandomness(1), logger: createSilentLogger() };
    const fabric = await createEmbeddedFabric({ folder: undefined, durability: 'written', ...ports });
    const changes: unknown[] = [];
    const listening = fabric.onStatus((status) => changes.push(status));
    fabric.onStatus((status) => changes.push(status.kind)).dispose();
    expect(fabric.status()).toEqual({ kind: 'connected', sinceMs: 7_000, server: 'embedded', rttMs: null });
    expect(await fabric.ping()).toBe(0);
    clock.advance(5);
    await Promise.all([fabric.close(), fabric.close()]);
    expect(changes).toEqual([{ kind: 'closed', sinceMs: 7_005, error: null }]);
    expect(fabric.status()).toEqual(changes[0]);
    await expect(fabric.ping()).rejects.toSatisfy(hasCode('closed'));
    expect(clock.timerCount).toBe(0);
    listening.dispose();
  });

  it('B6 the end delivers what waits, keeps what subscribers store last, lets go who waits, and then refuses', async () => {
    const folder = await fixture.createFolder();
    const fabric = await fixture.openProvisioned(folder);
    const { bus, durable } = fabric;
    const consumer = await durable.stream('VAK_WORK_ws').ensureConsumer(workConsumer);
    const pull = expect(consumer.pull({ batch: 1, waitMs: 60_000 })).rejects.toSatisfy(hasCode('closed'));
    bus.subscribe('vak.events.>', {
      kind: 'drop-oldest',
      capacity: 10,
      onBatch: async () => {
        await durable.append(receiptSubject, utf8('last'));
      },
    });
    bus.publish('vak.events.ws.s.tokens', utf8('x'));
    await fabric.close();
    await pull;
    expect(() => bus.publish(receiptSubject, utf8('x'))).toThrow(expect.objectContaining({ code: 'closed' }));
    await expect(durable.append(receiptSubject, utf8('x'))).rejects.toSatisfy(hasCode('closed'));
    await expect(durable.keyValue(values).keys()).rejects.toSatisfy(hasCode('closed'));
    await expect(durable.objects(media).list()).rejects.toSatisfy(hasCode('closed'));
    expect((await storedIn(await fixture.open(folder))).map(({ data }) => toText(data))).toEqual(['last']);
  });
});
