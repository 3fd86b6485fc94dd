import { afterAll, beforeAll, expect, it } from 'vitest';
import { type NatsServer, startNatsServer } from '../../../../tests/support/nats-server.ts';
import { toText, utf8 } from '../../../shared/base/bytes.ts';
import { streamsOf } from '../../../shared/protocol/stream-table.ts';
import { createSystemClock } from '../../ports/clock.ts';
import { createSilentLogger } from '../../ports/logger.ts';
import { createSystemRandomness } from '../../ports/randomness.ts';
import type { Fabric } from '../fabric.ts';
import { connectNats } from './nats-fabric.ts';

let server: NatsServer;
beforeAll(async () => {
  server = await startNatsServer();
});
afterAll(() => server.stop());

const open = (): Promise<Fabric> =>
  connectNats({
    ...{ servers: [server.url], name: 'test', inboxPrefix: '_INBOX.ws.test' },
    ...{ clock: createSystemClock(), logger: createSilentLogger(), randomness: createSystemRandomness() },
  });

it('B9 the facts name the server, its version, its largest message and what it lacks', async () => {
  const fabric = await open();
  const { kind, server: named, maxMessageBytes, missing } = fabric.facts();
  expect([kind, named?.name, maxMessageBytes]).toEqual(['nats', expect.stringMatching(/^test-/), 1_048_576]);
  expect(named?.version).toMatch(/^\d+\.\d+\.\d+/);
  expect(missing.map(({ feature }) => feature)).not.toContain('streams');
  expect(await fabric.ping()).toBeLessThan(5_000);
  await fabric.close();
  expect(fabric.facts().server).toEqual(named);
});

it('B8 both planes work over one connection, a live subscriber sees no acknowledgement to answer, and closing ends both', async () => {
  const fabric = await open();
  const subject = 'vak.receipts.ws.s1.completed';
  for (const spec of streamsOf('ws').filter(({ name }) => name === 'VAK_RECEIPTS_ws')) {
    expect(await fabric.durable.ensureStream(spec)).toBe('created');
  }
  const seen: string[] = [];
  fabric.bus.subscribe('vak.>', {
    kind: 'inline',
    onMessage: ({ data, respond }) => seen.push(`${toText(data)} ${respond === undefined}`),
  });
  expect(await fabric.durable.append(subject, utf8('x'))).toMatchObject({ seq: 1 });
  await fabric.ping();
  expect(seen).toEqual(['x true']);
  const closing = [fabric.close(), fabric.close()];
  await Promise.all(closing);
  expect(fabric.status()).toMatchObject({ kind: 'closed', error: null });
  await expect(fabric.durable.append(subject, utf8('x'))).rejects.toMatchObject({ code: 'closed' });
  expect(() => fabric.bus.publish(subject, utf8('x'))).toThrow(/closed/);
});
