import { createServer } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type NatsServer, startNatsServer } from '../../../../tests/support/nats-server.ts';
import { connectForTest } from '../../../../tests/support/vak-bus.ts';
import { isVakError } from '../../../shared/base/vak-error.ts';
import { streamsOf } from '../../../shared/protocol/stream-table.ts';
import { createFakeClock } from '../../ports/fake-clock.ts';
import { createSilentLogger } from '../../ports/logger.ts';
import { createSeededRandomness } from '../../ports/randomness.ts';
import type { Fabric } from '../fabric.ts';
import { createEmbeddedFabric } from '../memory/embedded-fabric.ts';
import { provision } from '../provision.ts';

const names = ['one', 'two', 'three'];
const subject = 'vak.audit.ws.ada.action';
let servers: readonly NatsServer[] = [];
let fabric: Fabric;

async function freePorts(): Promise<readonly number[]> {
  const probes = names.map(() => createServer().listen(0, '127.0.0.1'));
  await Promise.all(probes.map((probe) => new Promise((resolve) => probe.once('listening', resolve))));
  return probes.map((probe) => {
    const address = probe.address();
    probe.close();
    return typeof address === 'object' && address !== null ? address.port : 0;
  });
}

/** Tries until the cluster has elected who leads. */
async function whenLed<T>(work: () => Promise<T>): Promise<T> {
  const endsMs = performance.now() + 30_000;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const isElecting = isVakError(error) && (error.retryable || error.code === 'unsupported');
      if (!isElecting || performance.now() > endsMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

beforeAll(async () => {
  const ports = await freePorts();
  const routes = ports.map((port) => `nats://127.0.0.1:${port}`).join(', ');
  servers = await Promise.all(
    names.map((name, at) => {
      const cluster = `cluster { name: c, listen: "127.0.0.1:${ports[at]}", routes: [${routes}] }`;
      return startNatsServer({ config: `server_name: ${name}\n${cluster}` });
    }),
  );
  fabric = await connectForTest(...servers.map(({ url }) => url));
}, 60_000);

afterAll(async () => {
  await fabric?.close();
  await Promise.all(servers.map((server) => server.stop()));
});

async function copiesOf(): Promise<readonly (readonly [string, string])[]> {
  const parts = await provision(fabric.durable, 'ws', { replicas: 3, dryRun: true });
  return parts.map(({ name, outcome }) => [name, outcome]);
}

test('B8 in a cluster every stream and bucket has the copies that are asked for, and what was acknowledged outlives a server', {
  timeout: 90_000,
}, async () => {
  const parts = await whenLed(() => provision(fabric.durable, 'ws', { replicas: 3, writers: ['ada'] }));
  expect(parts.map(({ outcome }) => outcome)).toEqual(parts.map(() => 'created'));
  expect(parts).toHaveLength(streamsOf('ws').length + 4);
  expect((await copiesOf()).filter(([, outcome]) => outcome !== 'unchanged')).toEqual([]);
  // Who does not say how many leaves them as they are; who says another number changes them.
  expect((await provision(fabric.durable, 'ws')).every(({ outcome }) => outcome === 'unchanged')).toBe(true);
  const fewer = await provision(fabric.durable, 'ws', { replicas: 1, dryRun: true });
  expect(fewer.every(({ outcome }) => outcome === 'updated')).toBe(true);
  await expect(provision(fabric.durable, 'ws', { replicas: 5 })).rejects.toMatchObject({ code: 'unsupported' });

  for (let count = 0; count < 20; count++) await fabric.durable.append(subject, Buffer.from(`${count}`));
  await servers[0]?.kill('SIGKILL');
  const state = await whenLed(() => fabric.durable.stream('VAK_AUDIT_ws').state());
  expect(state.messageCount).toBe(20);
  await whenLed(() => fabric.durable.append(subject, Buffer.from('after')));
  expect((await whenLed(() => fabric.durable.stream('VAK_AUDIT_ws').state())).messageCount).toBe(21);
});

test('B8 more than one copy is refused where there is no cluster, on both engines', async () => {
  const alone = await startNatsServer();
  const single = await connectForTest(alone.url);
  try {
    await expect(provision(single.durable, 'ws', { replicas: 3 })).rejects.toMatchObject({
      ...{ code: 'unsupported', message: expect.stringContaining('cluster') },
    });
  } finally {
    await single.close();
    await alone.stop();
  }
  const ports = { clock: createFakeClock(), randomness: createSeededRandomness(1), logger: createSilentLogger() };
  const embedded = await createEmbeddedFabric({ folder: undefined, durability: 'written', ...ports });
  await expect(provision(embedded.durable, 'ws', { replicas: 2 })).rejects.toMatchObject({ code: 'unsupported' });
  await embedded.close();
});
