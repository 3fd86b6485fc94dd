import { expect, it } from 'vitest';
import { openSerialPair } from '../../../../tests/support/channel-pair.ts';
import { utf8 } from '../../../shared/base/bytes.ts';
import { createListenerSet } from '../../listener-set.ts';
import { createFakeClock } from '../../ports/fake-clock.ts';
import { createSilentLogger } from '../../ports/logger.ts';
import { createSeededRandomness } from '../../ports/randomness.ts';
import type { BusStatus } from '../bus-status.ts';
import { createEmbeddedFabric } from '../memory/embedded-fabric.ts';
import { createChannelFabric } from './channel-fabric.ts';
import { serveChannelFabric } from './channel-fabric-host.ts';

const connected: BusStatus = { kind: 'connected', sinceMs: 1, server: 'one', rttMs: 2 };

async function openFabrics() {
  const clock = createFakeClock();
  const logger = createSilentLogger();
  const randomness = createSeededRandomness(6);
  const inner = await createEmbeddedFabric({ folder: undefined, durability: 'written', clock, randomness, logger });
  const listeners = createListenerSet<BusStatus>(logger, 'test');
  const state = { status: connected, count: 0 };
  const { peer, host } = openSerialPair();
  const fabric = {
    ...{ bus: inner.bus, durable: inner.durable, status: () => state.status },
    onStatus(listener: (status: BusStatus) => void) {
      state.count++;
      const added = listeners.add(listener);
      return {
        dispose() {
          state.count--;
          added.dispose();
        },
      };
    },
  };
  const served = serveChannelFabric({ port: host, fabric, clock, logger });
  const mine = createChannelFabric({ port: peer, clock, logger });
  const become = (status: BusStatus): void => {
    state.status = status;
    listeners.tell(status);
  };
  async function settle(): Promise<void> {
    for (let turn = 0; turn < 8; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
      clock.runDeferred();
    }
  }
  return { clock, inner, mine, served, peer, host, state, become, settle };
}

it('W10 a peer counts what it published, asked and appended itself, and nothing of others', async () => {
  const { mine, inner, settle } = await openFabrics();
  const subjects = ['vak.dlq.ws.*.failed'];
  const more = { maxAgeMs: null, maxBytes: null, whenFull: 'refuse-new', dedupeWindowMs: 60_000 } as const;
  await inner.durable.ensureStream({ name: 'S', subjects, retention: 'limits', ...more });
  inner.bus.subscribe('vak.control.ws.>', { kind: 'inline', onMessage: ({ respond }) => respond?.(utf8('yes')) });
  mine.bus.publish('vak.events.ws.s.tokens', utf8('1'));
  const answered = mine.bus.request('vak.control.ws.a.b', utf8('12'), { timeoutMs: 1_000 });
  await settle();
  await answered;
  for (const messageId of ['a', 'a', 'b']) {
    const appended = mine.durable.append('vak.dlq.ws.p.failed', utf8('1234'), { messageId });
    await settle();
    await appended;
  }
  inner.bus.publish('vak.events.ws.s.tokens', utf8('not ours'));
  expect(mine.bus.metrics()).toMatchObject({ publishedCount: 4, publishedBytes: 11, receivedCount: 0 });
  expect(inner.bus.metrics()).toMatchObject({ publishedCount: 5, publishedBytes: 19, receivedCount: 1 });
  await mine.close();
  await inner.close();
});

it('B8 a peer knows how main’s engine is connected, and hears of each change', async () => {
  const { mine, become, settle, peer } = await openFabrics();
  const heard: BusStatus[] = [];
  mine.onStatus((status) => heard.push(status));
  expect(mine.status().kind).toBe('connecting');
  await settle();
  expect(mine.status()).toEqual(connected);
  const lost: BusStatus = { kind: 'reconnecting', sinceMs: 5, attempt: 1, error: null };
  become(lost);
  await settle();
  expect(mine.status()).toEqual(lost);
  peer.close();
  expect(heard.map(({ kind }) => kind)).toEqual(['connected', 'reconnecting', 'closed']);
});

it('B8 a peer that asks again and again is told once, and one that has gone is told nothing', async () => {
  const { settle, peer, host, state } = await openFabrics();
  for (let count = 0; count < 10; count++) peer.post({ kind: 'status-ask' });
  await settle();
  expect(state.count).toBe(1);
  host.close();
  expect(state.count).toBe(0);
});

it('B8 a status that is none is not believed', async () => {
  const { mine, settle, host } = await openFabrics();
  await settle();
  for (const status of [undefined, null, 'connected', { kind: 'fine' }, {}]) host.post({ kind: 'status', status });
  await settle();
  expect(mine.status()).toEqual(connected);
});

it('B3 both planes go over one channel, and end together', async () => {
  const { inner, mine, settle } = await openFabrics();
  const subject = 'vak.rooms.ws.r.log';
  await inner.durable.ensureStream({
    ...{ name: 'S', subjects: [subject], retention: 'limits', maxAgeMs: null, maxBytes: null },
    ...{ whenFull: 'refuse-new', dedupeWindowMs: 0 },
  });
  const heard: string[] = [];
  mine.bus.subscribe('vak.rooms.>', { kind: 'inline', onMessage: ({ subject: told }) => heard.push(told) });
  await settle();
  expect(await mine.durable.append(subject, utf8('x'))).toEqual({ stream: 'S', seq: 1, isDuplicate: false });
  await settle();
  expect(heard).toEqual([subject]);
  await mine.close();
  await mine.close();
  expect(mine.status().kind).toBe('closed');
  await expect(mine.durable.append(subject, utf8('x'))).rejects.toMatchObject({ code: 'closed' });
  expect(() => mine.bus.publish(subject, utf8('x'))).toThrowError(/closed/);
  expect(inner.bus.metrics().subscriptions).toEqual([]);
});
