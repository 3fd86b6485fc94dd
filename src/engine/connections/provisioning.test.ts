import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ConnectionStatus } from '../../shared/contract/connections-contract.ts';
import type { Fabric } from '../bus/fabric.ts';
import { createEmbeddedFabric } from '../bus/memory/embedded-fabric.ts';
import { createFakeClock, type FakeClock } from '../ports/fake-clock.ts';
import { createSilentLogger } from '../ports/logger.ts';
import { createSystemRandomness } from '../ports/randomness.ts';
import { createProvisioning, type Provisioning } from './provisioning.ts';

const context = { signal: new AbortController().signal };
let clock: FakeClock;
let fabric: Fabric;
let provisioning: Provisioning;
let world: { status: ConnectionStatus; current: string; readOnlyContext: string | undefined };
let changes: number;

const settle = async (): Promise<void> => {
  for (let i = 0; i < 50; i++) await Promise.resolve();
};

beforeEach(async () => {
  clock = createFakeClock();
  const ports = { clock, randomness: createSystemRandomness(), logger: createSilentLogger() };
  fabric = await createEmbeddedFabric({ ...ports, folder: undefined, durability: 'written' });
  world = { status: { kind: 'connected', sinceMs: 1 }, current: 'prod', readOnlyContext: undefined };
  changes = 0;
  provisioning = createProvisioning({
    ...{ workspace: 'ws', clock, onChange: () => void changes++ },
    connection: {
      engine: () => ({ kind: 'remote', fabric, destination: 'at_prod', readOnlyContext: world.readOnlyContext }),
      current: () => world.current,
      status: () => world.status,
      onChange: () => ({ dispose() {} }),
    },
  });
  await settle();
});
afterEach(async () => {
  provisioning.dispose();
  await fabric.close();
});

it('B3 a server without streams is known as one, the plan says what is made and changes nothing', async () => {
  expect(provisioning.state().lacking).toHaveLength(10);
  const { environment, parts } = await provisioning.calls.plan({}, context);
  expect(environment).toBe('prod');
  expect(parts).toHaveLength(13);
  expect(parts.every(({ outcome }) => outcome === 'created')).toBe(true);
  expect(parts[0]).toEqual({
    ...{ name: 'VAK_WORK_ws', kind: 'stream', outcome: 'created', subjects: ['vak.work.ws.*.task'], replicas: 1 },
    ...{ maxAgeMs: null, maxBytes: 1024 ** 3, whenFull: 'refuse-new', history: null },
  });
  expect(parts.at(-1)).toMatchObject({ kind: 'key-value', history: 8 });
  expect(await fabric.durable.streams()).toEqual([]);
});

it('B3 it makes them once, and nothing is lacking then', async () => {
  const { parts } = await provisioning.calls.make({ environment: 'prod' }, context);
  expect(parts.map(({ outcome }) => outcome)).toEqual(Array(13).fill('created'));
  expect(provisioning.state().lacking).toEqual([]);
  const again = await provisioning.calls.make({ environment: 'prod' }, context);
  expect(again.parts.every(({ outcome }) => outcome === 'unchanged')).toBe(true);
});

it('B3 what somebody else makes meanwhile is seen', async () => {
  const other = createProvisioning({
    ...{ workspace: 'ws', clock: createFakeClock(), onChange: () => {} },
    connection: {
      engine: () => ({ kind: 'remote', fabric, destination: 'at_prod', readOnlyContext: undefined }),
      current: () => 'prod',
      status: () => world.status,
      onChange: () => ({ dispose() {} }),
    },
  });
  await other.calls.make({ environment: 'prod' }, context);
  other.dispose();
  clock.advance(10_000);
  await settle();
  expect(provisioning.state().lacking).toEqual([]);
});

it('B10 a read-only context, another connection and none at all are refused, and nothing is made', async () => {
  const make = (environment: string) => provisioning.calls.make({ environment }, context);
  await expect(make('test')).rejects.toMatchObject({ code: 'conflict' });
  world.readOnlyContext = 'prod';
  await expect(make('prod')).rejects.toMatchObject({ code: 'read-only' });
  world.status = { kind: 'closed', sinceMs: 1, error: null };
  await expect(make('prod')).rejects.toMatchObject({ code: 'disconnected' });
  expect(await fabric.durable.streams()).toEqual([]);
});
