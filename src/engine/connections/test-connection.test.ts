import { afterEach, expect, it } from 'vitest';
import { createFabricFixture, receiptSubject } from '../../../tests/support/fabric-fixture.ts';
import { startNatsServer } from '../../../tests/support/nats-server.ts';
import { utf8 } from '../../shared/base/bytes.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import type { Fabric } from '../bus/fabric.ts';
import { connectNats } from '../bus/nats/nats-fabric.ts';
import { secretFromText } from '../identity/secret.ts';
import { createSystemClock } from '../ports/clock.ts';
import { createSilentLogger } from '../ports/logger.ts';
import { createSystemRandomness } from '../ports/randomness.ts';
import { testConnection } from './test-connection.ts';

const fixture = createFabricFixture();
afterEach(() => fixture.end());

it('B9 the round trip is the median of five, and what the streams hold and may hold is counted', async () => {
  const fabric = await fixture.openProvisioned();
  await fabric.durable.append(receiptSubject, utf8('x'));
  const took = [50, 1, 900, 3, 2];
  const report = await testConnection({ ...fabric, ping: async () => took.shift() as number });
  expect(report).toMatchObject({ kind: 'embedded', rttMs: 3, server: null, maxMessageBytes: 1_048_576 });
  expect(report.durable).toMatchObject({ kind: 'on', messageCount: 1, reservedBytes: null });
  expect(report.jetStream).toEqual({ memoryBytes: -1, storageBytes: -1 });
  const bounded = (await fabric.durable.streams()).filter(({ spec }) => spec.maxBytes !== null).slice(0, 2);
  const durable = { ...fabric.durable, streams: async () => bounded };
  const sum = (bounded[0]?.spec.maxBytes ?? 0) + (bounded[1]?.spec.maxBytes ?? 0);
  expect((await testConnection({ ...fabric, durable })).durable).toMatchObject({ streamCount: 2, reservedBytes: sum });
});

it('B9 a server without JetStream is told with what it needs, and its name and version with it', async () => {
  const server = await startNatsServer({ jetStream: false });
  try {
    const fabric = await connectNats({
      ...{ servers: [server.url], name: 'test', inboxPrefix: '_INBOX.ws.test' },
      ...{ clock: createSystemClock(), logger: createSilentLogger(), randomness: createSystemRandomness() },
    });
    const report = await testConnection(fabric);
    expect(report.server).toMatchObject({
      name: expect.stringMatching(/^test-/),
      version: expect.stringMatching(/^\d/),
    });
    expect([report.jetStream, report.durable]).toEqual([
      null,
      { kind: 'off', needs: 'JetStream enabled on the server' },
    ]);
    expect(report.missing.map(({ feature }) => feature)).toContain('streams');
    expect(report.rttMs).toBeGreaterThan(0);
    await fabric.close();
  } finally {
    await server.stop();
  }
});

it('B9 the limits of the account are those of the server, and not told where the client may not ask', async () => {
  const server = await startNatsServer({
    config: `accounts {
      FREE { jetstream: enabled, users: [{ user: free, password: p }] }
      BOUND { jetstream: { max_mem: 1MB, max_file: 8MB }, users: [
        { user: bound, password: p }
        { user: shy, password: p, permissions: { publish: { deny: "$JS.API.INFO" } } }
      ] }
    }`,
  });
  try {
    const limitsOf = async (name: string) => {
      const fabric = await connectNats({
        ...{ servers: [server.url], name: 'test', inboxPrefix: '_INBOX.ws.test' },
        auth: { kind: 'password', user: name, password: secretFromText('p') },
        ...{ clock: createSystemClock(), logger: createSilentLogger(), randomness: createSystemRandomness() },
      });
      return (await testConnection(fabric).finally(() => fabric.close())).jetStream;
    };
    expect(await limitsOf('free')).toEqual({ memoryBytes: -1, storageBytes: -1 });
    expect(await limitsOf('bound')).toEqual({ memoryBytes: 1_048_576, storageBytes: 8_388_608 });
    expect(await limitsOf('shy')).toEqual({ memoryBytes: null, storageBytes: null });
  } finally {
    await server.stop();
  }
});

it.each([
  ['unauthorized', { kind: 'unknown', error: { code: 'unauthorized', message: 'no', retryable: false } }],
  ['unsupported', { kind: 'off', needs: 'no' }],
] as const)('B9 streams that answer %s are told so', async (code, durable) => {
  const fabric = await fixture.open();
  const streams = (): Promise<never> => Promise.reject(new VakError(code, 'no'));
  const report = await testConnection({ ...fabric, durable: { ...fabric.durable, streams } });
  expect(report.durable).toEqual(durable);
});

it('B10 a test that is cancelled ends at once, also while the server hangs, and lets go of its signal', async () => {
  const fabric = await fixture.open();
  const hung: Fabric = { ...fabric, ping: () => new Promise(() => {}) };
  const controller = new AbortController();
  const testing = testConnection(hung, controller.signal);
  controller.abort();
  await expect(testing).rejects.toMatchObject({ code: 'aborted' });
  await expect(testConnection(fabric, controller.signal)).rejects.toMatchObject({ code: 'aborted' });
  const down = { ...fabric, ping: () => Promise.reject(new VakError('timeout', 'late')) };
  await expect(testConnection(down)).rejects.toMatchObject({ code: 'timeout' });
});
