import { MessageChannel } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { toChannelPort } from '../../../../tests/support/channel-pair.ts';
import { utf8 } from '../../../shared/base/bytes.ts';
import { isVakError } from '../../../shared/base/vak-error.ts';
import { createSystemClock } from '../../ports/clock.ts';
import { createJsonLogger, createSilentLogger } from '../../ports/logger.ts';
import { defineBusLaws } from '../bus-laws.ts';
import { createMemoryBus } from '../memory/memory-bus.ts';
import { createChannelBus } from './channel-bus.ts';
import { hardLimitBytes, windowBytes } from './channel-frames.ts';
import { serveChannelBus } from './channel-host.ts';

const clock = createSystemClock();
const logger = createSilentLogger();

function openPair(options: { isServed?: boolean; log?: string[] } = {}) {
  const { port1, port2 } = new MessageChannel();
  const bus = createMemoryBus({ clock, logger });
  const hostLogger = createJsonLogger(
    (line) => options.log?.push(line),
    () => 0,
    () => 'id',
  );
  const peer = createChannelBus({ port: toChannelPort(port1), clock, logger });
  const host = toChannelPort(port2);
  const served =
    options.isServed === false ? undefined : serveChannelBus({ port: host, bus, clock, logger: hostLogger });
  const close = async (): Promise<void> => {
    await Promise.race([peer.close(), new Promise((resolve) => setTimeout(resolve, 20))]);
    served?.dispose();
    port1.close();
    port2.close();
    await bus.close();
  };
  return { bus, peer, host, port1, port2, served, close };
}

/** Round trips through the channel until everything that was under way has arrived. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 12; turn++) await new Promise((resolve) => setTimeout(resolve, 1));
}

describe('channel bus', () => {
  defineBusLaws(it, async () => {
    const { peer, close } = openPair();
    return { bus: peer, settle, close };
  });

  it('B1 of bytes that lie in a larger memory the message alone goes over, not what lies beside it', async () => {
    const { bus, peer, close } = openPair();
    const got: Uint8Array[] = [];
    peer.subscribe('vak.events.ws.s.tokens', { kind: 'inline', onMessage: ({ data }) => got.push(data) });
    await settle();
    bus.publish('vak.events.ws.s.tokens', new Uint8Array(4_096).fill(7).subarray(100, 228));
    await settle();
    expect(got.map(({ length, buffer }) => [length, buffer.byteLength])).toEqual([[128, 128]]);
    await close();
  });

  it('B2 a publisher waits while more than 1 MiB is unacknowledged, and goes on when main has taken it', async () => {
    const { peer, port2, host, bus, close } = openPair({ isServed: false });
    const chunk = new Uint8Array(64 * 1024);
    let sent = 0;
    while (sent <= windowBytes) {
      peer.publish('vak.events.ws.s.tokens', chunk);
      sent += chunk.length;
    }
    let isWritable = false;
    const waiting = peer.whenWritable().then(() => (isWritable = true));
    await settle();
    expect(isWritable).toBe(false);
    const served = serveChannelBus({ port: host, bus, clock, logger });
    port2.start();
    await waiting;
    expect(isWritable).toBe(true);
    served.dispose();
    await close();
  });

  it('B2 a publisher that does not wait loses what passes the hard limit, counted', async () => {
    const { peer, close } = openPair({ isServed: false });
    const chunk = new Uint8Array(1024 * 1024);
    for (let index = 0; index < 10; index++) peer.publish('vak.events.ws.s.tokens', chunk);
    const { publishedCount, droppedCount } = peer.metrics();
    expect(publishedCount).toBe(10);
    expect(droppedCount).toBe(10 - Math.floor(hardLimitBytes / (chunk.length + 100)));
    await close();
  });

  it('B2 main keeps one batch under way for a peer that does not finish it, and counts the drops', async () => {
    const { bus, peer, close } = openPair();
    let release: () => void = () => {};
    let batches = 0;
    let dropped = 0;
    peer.subscribe('vak.events.ws.>', {
      kind: 'drop-oldest',
      capacity: 5,
      onBatch(_messages, gaveWay) {
        batches++;
        dropped += gaveWay;
        return new Promise((resolve) => {
          release = resolve;
        });
      },
    });
    await settle();
    for (let index = 0; index < 100; index++) {
      bus.publish('vak.events.ws.s.tokens', utf8(String(index)));
      if (index === 0) await settle();
    }
    await settle();
    expect(batches).toBe(1);
    release();
    await settle();
    expect(batches).toBe(2);
    expect(bus.metrics().droppedCount).toBe(94);
    release();
    await settle();
    expect(dropped).toBe(94);
    expect(peer.metrics().droppedCount).toBe(94);
    await close();
  });

  it('B5 a peer answers requests of others on the bus, and an error of the bus comes back with its code', async () => {
    const { bus, peer, close } = openPair();
    peer.subscribe('vak.control.ws.w.run', { kind: 'inline', onMessage: ({ respond }) => respond?.(utf8('taken')) });
    await settle();
    expect(Buffer.from(await bus.request('vak.control.ws.w.run', utf8('x'), { timeoutMs: 5000 })).toString()).toBe(
      'taken',
    );
    await expect(peer.request('vak.control.ws.other.run', utf8('x'), { timeoutMs: 5000 })).rejects.toSatisfy((error) =>
      isVakError(error, 'no-responders'),
    );
    await close();
  });

  it('S4 what a hostile peer sends is refused and logged, and the bus goes on', async () => {
    const log: string[] = [];
    const { bus, port1, close } = openPair({ log });
    let seen = 0;
    bus.subscribe('>', { kind: 'inline', onMessage: () => seen++ });
    const hostile: unknown[] = [
      null,
      7,
      'publish',
      { kind: 3 },
      { kind: 'publish' },
      { kind: 'publish', subject: 'vak.events.ws.s.tokens', data: 'text' },
      { kind: 'publish', subject: 'no.such.row', data: new Uint8Array(1) },
      { kind: 'publish', subject: 'vak.events.ws.s.tokens', data: new Uint8Array(2 * 1024 * 1024) },
      { kind: 'subscribe', id: 1, pattern: '..', policy: 'drop-oldest', capacity: 1 },
      { kind: 'subscribe', id: 1, pattern: '>', policy: 'inline', capacity: 1 },
      { kind: 'subscribe', id: 1, pattern: '>', policy: 'latest', capacity: 1e9 },
      { kind: 'batch-done', id: -1 },
      { kind: 'respond', id: 99, data: new Uint8Array(1) },
      { kind: 'request', id: 1, subject: 'x', data: new Uint8Array(1), timeoutMs: 0 },
      { kind: '__proto__', id: 1 },
      { kind: 'toString' },
    ];
    for (const value of hostile) port1.postMessage(value);
    port1.postMessage({ kind: 'publish', subject: 'vak.events.ws.s.tokens', data: new Uint8Array(3) });
    await settle();
    expect(seen).toBe(1);
    expect(log.filter((line) => line.includes('channel.malformed-frame')).length).toBe(10);
    expect(log.filter((line) => line.includes('channel.refused')).length).toBe(3);
    await close();
  });

  it('B2 when the other side goes, calls are refused, waiters are told, and main forgets the peer’s subscriptions', async () => {
    const { bus, peer, port2, close } = openPair();
    peer.subscribe('>', { kind: 'drop-oldest', capacity: 10, onBatch: () => {} });
    peer.subscribe('vak.control.ws.a.b', { kind: 'inline', onMessage: () => {} });
    await settle();
    expect(bus.metrics().subscriptions).toHaveLength(2);
    const asked = peer.request('vak.control.ws.a.b', utf8('x'), { timeoutMs: 60_000 });
    const refused = expect(asked).rejects.toSatisfy((error) => isVakError(error, 'closed'));
    port2.close();
    await refused;
    await settle();
    expect(bus.metrics().subscriptions).toHaveLength(0);
    expect(() => peer.publish('vak.events.ws.s.tokens', utf8('x'))).toThrowError(/closed/);
    await expect(peer.whenWritable()).rejects.toSatisfy((error) => isVakError(error, 'closed'));
    await close();
  });
});
