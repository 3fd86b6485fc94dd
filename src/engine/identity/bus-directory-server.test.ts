import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type ConnectedProfile,
  createDirectoryPlace,
  type DirectoryPlace,
  grantBob,
  keyOf,
} from '../../../tests/support/directory-place.ts';
import { grantWith } from '../../../tests/support/identity-fixture.ts';
import { type NatsServer, startNatsServer } from '../../../tests/support/nats-server.ts';
import { connectForTest } from '../../../tests/support/vak-bus.ts';
import type { Fabric } from '../bus/fabric.ts';
import { keyValuesOf } from '../bus/provision.ts';
import { createSystemClock } from '../ports/clock.ts';
import { entryBytes, grantBucketOf } from './bus-entry.ts';

const patience = { timeout: 10_000, interval: 20 };
const bucket = grantBucketOf('acme');
let server: NatsServer;
let at: DirectoryPlace;
const fabrics: Fabric[] = [];

async function connected(name: string, options: { readonly holdsRoot?: boolean; readonly key: number }) {
  const fabric = await connectForTest(server.url);
  fabrics.push(fabric);
  return await at.connect(name, { ...options, fabric, clock: createSystemClock() });
}

beforeAll(async () => {
  server = await startNatsServer();
  at = await createDirectoryPlace();
});
afterAll(async () => {
  await at.close();
  for (const fabric of fabrics) await fabric.close();
  await server.stop();
});

test('I4 I22 I23 on a real server: grants travel, markers of deletion erase nothing, and what an outage or a new bucket missed is made up for', async () => {
  const outsider = await connectForTest(server.url);
  fabrics.push(outsider);
  const { durable } = outsider;
  const make = async (): Promise<void> => {
    for (const spec of keyValuesOf('acme')) await durable.ensureKeyValue(spec);
  };
  const serialThere = async (): Promise<unknown> => {
    const entry = await durable.keyValue(bucket).get('bob');
    return entry && (JSON.parse(new TextDecoder().decode(entry.value)) as { serial: number }).serial;
  };
  const rolesOf =
    ({ rolesOf: of }: ConnectedProfile) =>
    () =>
      of('bob');

  await make();
  const boss = await connected('boss', { holdsRoot: true, key: 1 });
  await boss.grant({ roles: ['operator', 'human'] });
  const bob = await connected('bob', { key: 2 });
  await grantBob(boss, 5);
  await expect.poll(rolesOf(bob), patience).toEqual(['worker']);
  expect(bob.records.directory.grants('bob').at(-1)?.storedMs).toBe(
    (await durable.keyValue(bucket).get('bob'))?.storedMs,
  );

  await durable.keyValue(bucket).delete('bob');
  await expect.poll(serialThere, patience).toBe(5);
  expect(bob.rolesOf('bob')).toEqual(['worker']);

  // A copy from before the revocation, put back while the server was away.
  const old = entryBytes(grantWith({ peer: 'bob', sign: keyOf(2), serial: 4 }));
  await server.kill('SIGKILL');
  await grantBob(boss, 6, []);
  await server.restart();
  await expect.poll(rolesOf(bob), patience).toEqual([]);
  await durable.keyValue(bucket).put('bob', old);
  await expect.poll(() => bob.refused.length, patience).toBe(1);
  await expect.poll(serialThere, patience).toBe(6);
  expect(bob.rolesOf('bob')).toEqual([]);

  await durable.deleteStream(`KV_${bucket}`);
  await make();
  await expect.poll(serialThere, patience).toBe(6);
  expect(bob.records.directory.grants('bob').map(({ record }) => record.serial)).toEqual([5, 6]);
}, 60_000);
