import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { cardWith, signerOf } from '../../../tests/support/identity-fixture.ts';
import { damageJournal } from '../../../tests/support/journal-folder.ts';
import { createPlayedStatus, type PlayedStatus } from '../../../tests/support/outbox-fixture.ts';
import { createTestProfiles, type TestProfiles, testWorkspace } from '../../../tests/support/test-profile.ts';
import { utf8 } from '../../shared/base/bytes.ts';
import { decodeEnvelope } from '../../shared/protocol/envelope-codec.ts';
import { streamsOf } from '../../shared/protocol/stream-table.ts';
import { startTrace } from '../../shared/protocol/trace-context.ts';
import type { Fabric } from '../bus/fabric.ts';
import { createEmbeddedFabric } from '../bus/memory/embedded-fabric.ts';
import type { EngineInUse } from '../connections/connection-switch.ts';
import { createWorkspaceSecrets } from '../envelope/workspace-trust.ts';
import { createFirstIdentity, updateAndErase } from '../identity/operator-identity.ts';
import type { Profile } from '../identity/profile.ts';
import { createSystemClock } from '../ports/clock.ts';
import { createSilentLogger } from '../ports/logger.ts';
import { createSystemRandomness } from '../ports/randomness.ts';
import { createOperatorOutbox, type OperatorOutbox } from './operator-outbox.ts';
import { openOutboxSlot } from './outbox-folder.ts';

const ports = { clock: createSystemClock(), randomness: createSystemRandomness(), logger: createSilentLogger() };
const subject = `vak.audit.${testWorkspace}.ada.action`;
const draft = { subject, payload: utf8('{}'), trace: startTrace(ports.randomness.bytes) };
const patience = { timeout: 10_000, interval: 10 };

interface PlayedEngine extends EngineInUse {
  readonly status: PlayedStatus;
}

let profiles: TestProfiles;
let profile: Profile;
let engines: PlayedEngine[];
let inUse: PlayedEngine | undefined;
let outbox: OperatorOutbox;

/** An engine whose connection is played: while it is away its own durable plane is there, and is not asked. */
async function openEngine(destination: string, readOnlyContext?: string): Promise<PlayedEngine> {
  const embedded = await createEmbeddedFabric({ ...ports, folder: undefined, durability: 'written' });
  for (const spec of streamsOf(testWorkspace)) await embedded.durable.ensureStream(spec);
  const status = createPlayedStatus();
  const fabric: Fabric = { ...embedded, status: status.status, onStatus: status.onStatus };
  const engine = { kind: 'embedded', fabric, destination, readOnlyContext, status } as const;
  engines.push(engine);
  return engine;
}

beforeEach(async () => {
  profiles = createTestProfiles();
  profile = await profiles.open(profiles.folder());
  const { clock, randomness } = profiles;
  await profile.keyStore.create({});
  await updateAndErase(
    profile.keyStore,
    (contents) =>
      createFirstIdentity({ contents, peer: 'ada', name: 'Ada', workspace: testWorkspace, clock, randomness }).contents,
  );
  engines = [];
  const { keyStore, files } = profile;
  const secrets = createWorkspaceSecrets({ keyStore, workspace: testWorkspace, environmentSecret: () => undefined });
  outbox = createOperatorOutbox({
    ...{ ...ports, workspace: testWorkspace, folder: files.outbox, keyStore, secrets },
    ...{ engine: () => inUse, onChange: () => {}, pins: profile.records.pins },
  });
});

afterEach(async () => {
  await outbox.close();
  for (const { fabric } of engines) await fabric.close();
  await profiles.remove();
});

function use(engine: PlayedEngine | undefined): void {
  inUse = engine;
  outbox.follow();
}

const storedBy = async ({ fabric }: PlayedEngine) => {
  const { messages } = await fabric.durable.stream(`VAK_AUDIT_${testWorkspace}`).read({ limit: 100 });
  return messages.map(({ data }) => decodeEnvelope(data));
};

test('B8 the operator publishes sealed and signed on the engine in use', async () => {
  const prod = await openEngine('prod');
  use(prod);
  await (await outbox.publish(draft)).stored;
  const [envelope] = await storedBy(prod);
  expect(envelope).toMatchObject({ agentid: 'ada', seqnum: 0, subject });
  expect([envelope?.seal?.keyid.startsWith('s1.ada.'), envelope?.signed !== undefined]).toEqual([true, true]);
});

test('B8 what waits for an engine that was left is sent when it is used again, and never to another', async () => {
  const [prod, staging] = [await openEngine('prod'), await openEngine('staging')];
  prod.status.set('reconnecting');
  use(prod);
  await outbox.publish(draft);
  expect(outbox.waiting()?.count).toBe(1);
  use(staging);
  await (await outbox.publish(draft)).stored;
  const again = await openEngine('prod');
  use(again);
  await expect.poll(async () => (await storedBy(again)).length, patience).toBe(1);
  expect((await storedBy(staging)).length).toBe(1);
  expect((await storedBy(prod)).length).toBe(0);
});

test('E8 nothing is published while the key store is locked, and what waits is sent after it is opened', async () => {
  const prod = await openEngine('prod');
  prod.status.set('reconnecting');
  use(prod);
  await outbox.publish(draft);
  profile.keyStore.lock();
  outbox.follow();
  await expect(outbox.publish(draft)).rejects.toMatchObject({ code: 'locked' });
  expect(outbox.waiting()).toBeUndefined();
  prod.status.set('connected');
  await profile.keyStore.unlock({});
  outbox.follow();
  await expect.poll(async () => (await storedBy(prod)).length, patience).toBe(1);
});

test.each([
  ['read-only', 'a read-only context', 'look'],
  ['disconnected', 'no engine', undefined],
] as const)('B8 publishing fails with %s through %s, and nothing is kept', async (code, _, context) => {
  use(context === undefined ? undefined : await openEngine(context, context));
  await expect(outbox.publish(draft)).rejects.toMatchObject({ code });
  expect(outbox.waiting()).toBeUndefined();
});

test('I2 nothing is sent to a peer that is blocked, and nothing is kept; to others it is', async () => {
  use(await openEngine('prod'));
  const owner = { ws: testWorkspace, peer: 'bob' };
  await profile.records.pins.see(cardWith(owner, signerOf(2)));
  await profile.records.pins.setBlocked(owner, true);
  const to = (peer: string) => outbox.publish({ ...draft, subject: `vak.agent.${testWorkspace}.${peer}.inbox` });
  await expect(to('bob')).rejects.toMatchObject({
    code: 'forbidden',
    message: expect.stringContaining('you blocked it'),
  });
  expect(outbox.waiting()?.count).toBe(0);
  await to('carl');
});

test('B8 where there is no stream nothing is kept', async () => {
  const prod = await openEngine('prod');
  await prod.fabric.durable.deleteStream(`VAK_AUDIT_${testWorkspace}`);
  use(prod);
  await expect(outbox.publish(draft)).rejects.toMatchObject({ code: 'not-found' });
  expect(outbox.waiting()?.count).toBe(0);
});

test('B8 an outbox that was damaged is said, sends nothing and takes nothing', async () => {
  const prod = await openEngine('prod');
  prod.status.set('reconnecting');
  use(prod);
  await outbox.publish(draft);
  use(undefined);
  await expect.poll(() => outbox.waiting(), patience).toBeUndefined();
  const folder = join(profile.files.outbox, testWorkspace, 'prod', 'ada', '0');
  damageJournal(folder);
  prod.status.set('connected');
  use(prod);
  await expect.poll(() => outbox.problem()?.code, patience).toBe('read-only');
  expect(outbox.problem()?.message).toContain('is damaged');
  await expect(outbox.publish(draft)).rejects.toMatchObject({ code: 'read-only' });
  expect(await storedBy(prod)).toEqual([]);
});

test('B8 what is for one engine is refused by another, and keeps nothing there', async () => {
  use(await openEngine('staging'));
  await expect(outbox.publish(draft, { destination: 'prod' })).rejects.toMatchObject({ code: 'disconnected' });
  expect([outbox.slot(), outbox.waiting()?.count]).toEqual([0, 0]);
  await (await outbox.publish(draft, { destination: 'staging' })).stored;
});

test('D7 what waits in a journal is told by its id, whose ever it was; one that another process has is told as such', async () => {
  const prod = await openEngine('prod');
  prod.status.set('reconnecting');
  use(prod);
  const { envelope } = await outbox.publish({ ...draft, id: '0197a3c0-0000-7000-8000-000000000001' });
  expect(envelope.id).toBe('0197a3c0-0000-7000-8000-000000000001');
  const own = await outbox.kept([0, 1]);
  expect([[...own.messageIds].map((id) => id.slice(0, 36)), own.isElsewhere]).toEqual([[envelope.id], false]);
  const { clock, logger } = ports;
  const path = join(profile.files.outbox, testWorkspace, 'prod', 'ada');
  const folder = { workspace: testWorkspace, destination: 'prod', peer: 'ada', path };
  const other = await openOutboxSlot(folder, 1, { clock, logger });
  expect(await outbox.kept([1])).toMatchObject({ isElsewhere: true });
  await other?.close();
  expect(await outbox.kept([1])).toMatchObject({ isElsewhere: false });
  prod.status.set('connected');
  await expect.poll(async () => (await outbox.kept([0])).messageIds.size, patience).toBe(0);
  use(undefined);
  await expect(outbox.kept([0])).rejects.toMatchObject({ code: 'disconnected' });
});
