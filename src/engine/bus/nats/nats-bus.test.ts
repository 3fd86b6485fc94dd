import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type NatsServer, startNatsServer } from '../../../../tests/support/nats-server.ts';
import { prepareNats } from '../../../../tests/support/prepare-nats.ts';
import { toText, utf8 } from '../../../shared/base/bytes.ts';
import { createSystemClock } from '../../ports/clock.ts';
import { createSilentLogger } from '../../ports/logger.ts';
import { createSystemRandomness } from '../../ports/randomness.ts';
import type { Bus, Message } from '../bus.ts';
import { defineBusLaws } from '../bus-laws.ts';
import { createNatsBus } from './nats-bus.ts';
import { connectToServer, type NatsConnection } from './nats-connection.ts';
import { internalsOf } from './nats-internals.ts';
import type { NatsOptions } from './nats-options.ts';

const subject = 'vak.events.ws.s1.tokens';
const control = 'vak.control.ws.service.ask';
const logger = createSilentLogger();
const clock = createSystemClock();
const randomness = createSystemRandomness();
const inboxPrefix = '_INBOX.ws.test';

interface Opened {
  readonly bus: Bus;
  readonly connection: NatsConnection;
  close(): Promise<void>;
}

async function openBus(server: NatsServer, more: Partial<NatsOptions> = {}): Promise<Opened> {
  const options = { clock, logger, randomness, inboxPrefix, servers: [server.url], name: 'test', ...more };
  const connection = await connectToServer(options);
  const bus = createNatsBus({ connection, inboxPrefix, clock, logger, randomness });
  return {
    ...{ bus, connection },
    async close() {
      await bus.close();
      await connection.close();
    },
  };
}

describe('NATS bus', () => {
  let server: NatsServer;
  beforeAll(async () => {
    server = await startNatsServer({ jetStream: false });
  });
  afterAll(() => server.stop());

  defineBusLaws(it, async () => {
    const { bus, connection, close } = await openBus(server);
    return {
      ...{ bus, close },
      // The server handles a client's words in their order, so all that was published is here before the answer.
      async settle() {
        await connection.ping();
        for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
      },
    };
  });
});

describe('NATS bus and what only a server does', () => {
  const { start, addEnd } = prepareNats();
  const open = async (server: NatsServer, more: Partial<NatsOptions> = {}): Promise<Opened> => {
    const opened = await openBus(server, more);
    addEnd(() => opened.close());
    return opened;
  };

  it('E2 a server that takes less than 1 MiB: the bound is its own, and is named', async () => {
    const server = await start({ maxPayloadBytes: 1_000 });
    const { bus, connection } = await open(server);
    bus.publish(subject, new Uint8Array(1_000));
    expect(() => bus.publish(subject, new Uint8Array(1_001))).toThrow(
      expect.objectContaining({ code: 'limit-exceeded', details: { sizeBytes: 1_001, limitBytes: 1_000 } }),
    );
    await expect(bus.request(control, new Uint8Array(1_001), { timeoutMs: 100 })).rejects.toMatchObject({
      code: 'limit-exceeded',
    });
    await connection.ping();
    expect([bus.metrics().publishedCount, connection.status().kind]).toEqual([1, 'connected']);
  });

  it('B2 a subscriber that never reads holds its capacity and no more, and slows nobody', async () => {
    const server = await start();
    const [writer, reader] = [await open(server), await open(server)];
    const stuck = reader.bus.subscribe(subject, {
      ...{ kind: 'drop-oldest', capacity: 100 },
      onBatch: () => new Promise(() => {}),
    });
    let [seen, heldBytes] = [0, 0];
    reader.bus.subscribe('vak.events.>', {
      kind: 'inline',
      onMessage(message) {
        seen++;
        heldBytes = Math.max(heldBytes, message.data.buffer.byteLength);
      },
    });
    await reader.connection.ping();
    const data = new Uint8Array(4_096);
    for (let index = 0; index < 8_000; index++) {
      writer.bus.publish(subject, data);
      await writer.bus.whenWritable();
    }
    await expect.poll(() => seen, { timeout: 10_000 }).toBe(8_000);
    const { bufferedCount, deliveredCount, droppedCount } = stuck.stats();
    expect(bufferedCount).toBe(100);
    expect(bufferedCount + deliveredCount + droppedCount).toBe(8_000);
    expect(writer.bus.metrics().droppedCount).toBe(0);
    // What waits does not hold the whole chunk of the socket that it came in.
    expect(heldBytes).toBeLessThanOrEqual(4 * data.length);
  });

  it('B8 a client that the server drops as too slow comes back with its subscriptions', async () => {
    const server = await start({ config: 'max_pending: 2MB\nwrite_deadline: "200ms"' });
    const [writer, reader] = [await open(server), await open(server, { timing: { settleMs: 20 } })];
    const kinds: string[] = [];
    reader.connection.onStatus(({ kind }) => kinds.push(kind));
    let seen = 0;
    reader.bus.subscribe(subject, { kind: 'inline', onMessage: () => seen++ });
    await reader.connection.ping();
    const socket = internalsOf(reader.connection.client).transport.socket as Socket;
    socket.pause();
    const data = new Uint8Array(500_000);
    for (let index = 0; index < 60; index++) {
      writer.bus.publish(subject, data);
      await writer.bus.whenWritable();
    }
    await expect.poll(() => server.log(), { timeout: 5_000 }).toMatch(/Slow Consumer/);
    socket.resume();
    await expect.poll(() => kinds, { timeout: 5_000 }).toEqual(['reconnecting', 'connected']);
    const before = seen;
    expect(before).toBeLessThan(60);
    writer.bus.publish(subject, data);
    await expect.poll(() => seen).toBe(before + 1);
  });

  it('B2 what was published in the turn of closing is sent', async () => {
    const server = await start();
    const [writer, reader] = [await open(server), await open(server)];
    let seen = 0;
    reader.bus.subscribe(subject, { kind: 'inline', onMessage: () => seen++ });
    await reader.connection.ping();
    for (let index = 0; index < 100; index++) writer.bus.publish(subject, utf8('x'));
    await writer.close();
    await expect.poll(() => seen).toBe(100);
  });

  it('B1 subscribers of one pattern share one message of the wire, and the server holds one subscription for them', async () => {
    const { bus, connection } = await open(await start());
    const seen: Uint8Array[] = [];
    const all = [1, 2, 3].map(() =>
      bus.subscribe(subject, { kind: 'inline', onMessage: ({ data }) => seen.push(data) }),
    );
    bus.publish(subject, utf8('x'));
    await connection.ping();
    expect(seen).toHaveLength(3);
    expect(new Set(seen).size).toBe(1);
    expect(connection.client.stats().inMsgs).toBe(1);
    all[0]?.dispose();
    all[1]?.dispose();
    bus.publish(subject, utf8('x'));
    await connection.ping();
    expect(seen).toHaveLength(4);
    all[2]?.dispose();
    bus.publish(subject, utf8('x'));
    await connection.ping();
    expect(connection.client.stats().inMsgs).toBe(2);
  });

  it('S4 a pattern over everything is over the fabric: the engine’s inboxes and its own API are not in it', async () => {
    const { bus, connection } = await open(await start());
    const seen: string[] = [];
    for (const pattern of ['>', '*.control.>', 'vak.*.ws.>'])
      bus.subscribe(pattern, { kind: 'inline', onMessage: ({ subject: from }) => seen.push(`${pattern} ${from}`) });
    bus.subscribe(control, { kind: 'inline', onMessage: ({ respond }) => respond?.(utf8('yes')) });
    expect(toText(await bus.request(control, utf8('?'), { timeoutMs: 5_000 }))).toBe('yes');
    connection.client.publish('_INBOX.ws.other.x', 'an answer');
    connection.client.publish('$JS.API.STREAM.NAMES', '');
    connection.client.publish('vak.foreign', 'shown');
    await connection.ping();
    expect(seen.toSorted()).toEqual([
      ...[`*.control.> ${control}`, `> ${control}`, '> vak.foreign', `vak.*.ws.> ${control}`],
    ]);
  });

  it('B5 an answer goes to an inbox only, once, and only where somebody asked', async () => {
    const { bus, connection } = await open(await start());
    const messages: Message[] = [];
    bus.subscribe('vak.>', { kind: 'inline', onMessage: (message) => messages.push(message) });
    const { client } = connection;
    const answers: string[] = [];
    client.subscribe('_INBOX.ws.other.>', { callback: (_, message) => answers.push(message.string()) });
    // Somebody wants us to publish a verdict with our rights; a store wants its acknowledgement; somebody asks.
    client.publish(control, 'x', { reply: 'vak.approvals.ws.s1.verdict' });
    client.publish('vak.work.ws.q.task', 'x', { reply: '_INBOX.ws.other.ack' });
    client.publish(control, 'x', { reply: '_INBOX.ws.other.answer' });
    client.publish('vak.events.ws.s1.status', 'x', { reply: '_INBOX.ws.other.rq.boot.1' });
    await connection.ping();
    expect(messages.map(({ respond }) => respond !== undefined)).toEqual([false, false, true, true]);
    messages[2]?.respond?.(utf8('first'));
    messages[2]?.respond?.(utf8('second'));
    await connection.ping();
    expect(answers).toEqual(['first']);
    expect(() => messages[3]?.respond?.(new Uint8Array(1024 * 1024 + 1))).toThrow(/1048577 bytes/);
  });

  it('B5 two buses ask each other over the server; answers and refusals find their own request', async () => {
    const server = await start();
    const [asker, answerer] = [await open(server), await open(server)];
    answerer.bus.subscribe(control, {
      kind: 'inline',
      onMessage: ({ data, respond }) => respond?.(utf8(`to ${toText(data)}`)),
    });
    await answerer.connection.ping();
    const all = await Promise.all(
      Array.from({ length: 200 }, (_, index) => asker.bus.request(control, utf8(`${index}`), { timeoutMs: 5_000 })),
    );
    expect(all.map(toText)).toEqual(Array.from({ length: 200 }, (_, index) => `to ${index}`));
    await answerer.close();
    await expect(asker.bus.request(control, utf8('x'), { timeoutMs: 60_000 })).rejects.toMatchObject({
      code: 'no-responders',
    });
    const silent = await open(server);
    silent.bus.subscribe(control, { kind: 'inline', onMessage: () => {} });
    await silent.connection.ping();
    await expect(asker.bus.request(control, utf8('x'), { timeoutMs: 60 })).rejects.toMatchObject({ code: 'timeout' });
    const waiting = expect(asker.bus.request(control, utf8('x'), { timeoutMs: 60_000 })).rejects.toMatchObject({
      code: 'closed',
    });
    await asker.close();
    await waiting;
  });
});
