import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type AccessApp, startAccess } from '../../../tests/support/access-app.ts';
import { defineIdentityApp } from '../../../tests/support/identity-app.ts';
import { cardWith, signerOf } from '../../../tests/support/identity-fixture.ts';
import { testWorkspace as ws } from '../../../tests/support/test-profile.ts';
import { utf8 } from '../../shared/base/bytes.ts';
import type { Fabric } from '../bus/fabric.ts';
import { createEmbeddedFabric } from '../bus/memory/embedded-fabric.ts';
import { keyValuesOf } from '../bus/provision.ts';
import { type AppDirectory, createAppDirectory, type DirectoryEngine } from './app-directory.ts';
import { cardBucketOf, grantBucketOf } from './bus-entry.ts';
import { signGrant } from './grants.ts';
import { createNkeySigner } from './nkey.ts';

const at = defineIdentityApp();
const bobKey = signerOf(2);
let access: AccessApp;
let directory: AppDirectory;
let engine: DirectoryEngine | undefined;
let fabrics: Fabric[];

const keyStore = () => access.app.profile.keyStore;
const records = () => access.app.profile.records;

async function newEngine(readOnlyContext?: string): Promise<DirectoryEngine> {
  const { clock, randomness, logger } = at.profiles;
  const fabric = await createEmbeddedFabric({ folder: undefined, durability: 'written', clock, randomness, logger });
  fabrics.push(fabric);
  for (const spec of keyValuesOf(ws)) await fabric.durable.ensureKeyValue(spec);
  return { fabric, readOnlyContext };
}

async function use(next: DirectoryEngine | undefined): Promise<void> {
  engine = next;
  await directory.follow();
}

const lies = async (bucket: string, key: string): Promise<unknown> => {
  const entry = await engine?.fabric.durable.keyValue(bucket).get(key);
  return entry && JSON.parse(new TextDecoder().decode(entry.value));
};

const until = (check: () => unknown): Promise<void> =>
  vi.waitFor(
    async () => {
      at.profiles.clock.runDeferred();
      expect(await check()).toBeTruthy();
    },
    { interval: 1, timeout: 5_000 },
  );

beforeEach(async () => {
  fabrics = [];
  engine = undefined;
  const app = await at.start();
  await app.calls.setUp({ peer: 'ada', displayName: 'Ada' });
  access = startAccess(at, app);
  const { clock, logger } = at.profiles;
  directory = createAppDirectory({ keyStore: keyStore(), records: records(), clock, logger, engine: () => engine });
});
afterEach(async () => {
  await directory.close();
  for (const fabric of fabrics) await fabric.close();
  await access.end();
});

it('I1 I4 what the operator is and grants lies on the engine in use, and on the next one', async () => {
  await use(await newEngine());
  await until(() => lies(cardBucketOf(ws), 'ada'));
  await access.calls.addCard({ text: JSON.stringify(cardWith({ ws, peer: 'bob', serial: 5 }, bobKey)) });
  await access.calls.grant({ peer: 'bob', sign: bobKey.nkey, roles: ['worker'], queues: ['q'], notAfter: 0 });
  await until(() => lies(grantBucketOf(ws), 'bob'));
  await access.calls.renewCard();
  const renewed = records().directory.card('ada')?.record.serial;
  await until(async () => ((await lies(cardBucketOf(ws), 'ada')) as { serial: number }).serial === renewed);
  // The cards of other peers are theirs to publish.
  expect(await lies(cardBucketOf(ws), 'bob')).toBeUndefined();
  await use(await newEngine());
  for (const peer of ['ada', 'bob']) await until(() => lies(grantBucketOf(ws), peer));
});

it('B29 I22 a read-only context is read, and nothing goes there', async () => {
  const next = await newEngine('prod');
  await next.fabric.durable
    .keyValue(cardBucketOf(ws))
    .put('bob', utf8(JSON.stringify(cardWith({ ws, peer: 'bob' }, bobKey))));
  await use(next);
  await until(() => records().pins.find({ ws, peer: 'bob' }));
  expect([await lies(cardBucketOf(ws), 'ada'), await lies(grantBucketOf(ws), 'ada')]).toEqual([undefined, undefined]);
});

it('I2 a card that comes over the bus stands among the peers at once, and a window is told', async () => {
  await use(await newEngine());
  await until(() => lies(cardBucketOf(ws), 'ada'));
  const before = access.changes();
  await engine?.fabric.durable
    .keyValue(cardBucketOf(ws))
    .put('bob', utf8(JSON.stringify(cardWith({ ws, peer: 'bob' }, bobKey))));
  await until(() => access.service.peers().peers.some(({ peer, state }) => peer === 'bob' && state === 'pinned'));
  await until(() => access.changes() > before);
});

it('I4 I23 a revocation that comes while the key store is locked counts', async () => {
  await use(await newEngine());
  await access.calls.addCard({ text: JSON.stringify(cardWith({ ws, peer: 'bob', serial: 5 }, bobKey)) });
  await access.calls.grant({ peer: 'bob', sign: bobKey.nkey, roles: ['worker'], queues: ['q'], notAfter: 0 });
  await until(() => lies(grantBucketOf(ws), 'bob'));
  const [seed] = keyStore()
    .read()
    .workspaces.flatMap(({ rootSeed }) => rootSeed ?? []);
  if (seed === undefined) throw new Error('the root is not here');
  const root = createNkeySigner(seed);
  const fields = { ws, peer: 'bob', sign: bobKey.nkey, roles: [], queues: [], notAfter: 0 };
  const revoked = signGrant({ ...fields, serial: 4_000_000_000 }, root);
  root.dispose();
  keyStore().lock();
  await engine?.fabric.durable.keyValue(grantBucketOf(ws)).put('bob', utf8(JSON.stringify(revoked)));
  await until(() => records().directory.grants('bob').at(-1)?.record.roles.length === 0);
});
