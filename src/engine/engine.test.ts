import { afterEach, beforeEach, expect, it } from 'vitest';
import { createCallContext } from '../../tests/support/call-context.ts';
import { failure } from '../../tests/support/expected-failure.ts';
import { createScriptedPrompt, type ScriptedPrompt } from '../../tests/support/scripted-prompt.ts';
import { findSecrets, type KnownSecret } from '../../tests/support/secret-search.ts';
import { createTestEngine } from '../../tests/support/test-engine.ts';
import { createTestProfiles, knownSecrets, type TestProfiles } from '../../tests/support/test-profile.ts';
import { toText, utf8 } from '../shared/base/bytes.ts';
import type { SnapshotUpdate } from '../shared/contract/define-contract.ts';
import type { Tampering } from '../shared/contract/developer-contract.ts';
import type { QuarantineState, RowsFrame, StreamsStatus } from '../shared/contract/streams-contract.ts';
import type { RefusalReason } from '../shared/contract/trust-report.ts';
import { unpackMarks } from '../shared/protocol/trust-marks.ts';
import { natsSeedName } from '../shared/settings/secret-shape.ts';
import type { SelfTestResult } from './crypto/self-test.ts';
import type { Engine } from './engine.ts';
import type { Profile } from './identity/profile.ts';

const seed = 'SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY';
const everything = [
  'access.peers',
  'app.status',
  'approvals.state',
  'bundles.state',
  'connections.state',
  'dlq.state',
  'identity.keyStore',
  'identity.self',
  'links.waiting',
  'operations.lockedNews',
  'operations.state',
  'provisioning.state',
  'queues.state',
  'rooms.state',
  'sessions.list',
  'settings.current',
  'streams.exports',
  'streams.quarantine',
  'streams.status',
  'swarm.state',
];
const context = createCallContext();
let profiles: TestProfiles;
let profile: Profile;
let prompt: ScriptedPrompt;
let engine: Engine;
let updates: SnapshotUpdate[];
let isStopped: boolean;

async function start(selfTest: SelfTestResult = { ok: true }): Promise<void> {
  engine = await createTestEngine(profiles, profile, { prompt, selfTest });
  updates = [];
  engine.snapshots.subscribe((update) => updates.push(update));
  await engine.open();
}

beforeEach(async () => {
  profiles = createTestProfiles();
  prompt = createScriptedPrompt();
  profile = await profiles.open(profiles.folder());
  isStopped = false;
  await start();
});

async function stop(): Promise<void> {
  if (isStopped) return;
  isStopped = true;
  await engine.stop();
}

afterEach(async () => {
  await stop();
  expect(profiles.log.filter((line) => line.includes('"bug"'))).toEqual([]);
  await profiles.remove();
  expect(profiles.clock.timerCount).toBe(0);
});

/** Lets snapshots go out. */
async function settle(): Promise<void> {
  for (let i = 0; i < 5; i++) {
    await new Promise((resolve) => setImmediate(resolve));
    profiles.clock.advance(100);
  }
}

const sentNames = (): string[] => [...new Set(updates.map(({ name }) => name))].sort();
const setUp = (): Promise<void> | void =>
  engine.services.identity.setUp({ peer: 'ada', displayName: 'Ada' }, context) as Promise<void>;
const valueIn = (from: readonly SnapshotUpdate[], wanted: string): unknown =>
  JSON.parse(from.find(({ name }) => name === wanted)?.text ?? 'null');
const status = (): StreamsStatus => valueIn(engine.snapshots.current(), 'streams.status') as StreamsStatus;
const burst = async (count: number): Promise<unknown> =>
  await engine.services.developer.burst({ session: 's', count, textLength: 20, form: 'bare' }, context);

it('I3 locked: only key store, status and how much is new are sent or readable; unlocked: all of it, with versions that rise', async () => {
  await burst(3);
  await settle();
  profiles.clock.advance(2_000);
  const seen = ['app.status', 'identity.keyStore', 'operations.lockedNews'];
  expect(sentNames()).toEqual(seen.filter((name) => sentNames().includes(name)));
  expect(engine.snapshots.current().map(({ name }) => name)).toEqual([
    ...['app.status', 'identity.keyStore', 'operations.lockedNews'],
  ]);
  await setUp();
  await settle();
  expect(sentNames()).toEqual(everything);
  expect(engine.gate.isOpen).toBe(true);

  const highest = new Map(updates.map(({ name, version }) => [name, version]));
  updates.length = 0;
  await engine.services.identity.lock({}, context);
  await burst(5);
  await settle();
  profiles.clock.advance(5_000);
  expect(sentNames()).toEqual(seen);
  expect(valueIn(updates, 'identity.keyStore')).toMatchObject({ kind: 'locked' });
  expect(engine.snapshots.current().map(({ name }) => name)).toEqual([
    ...['app.status', 'identity.keyStore', 'operations.lockedNews'],
  ]);

  updates.length = 0;
  await engine.services.identity.unlock({}, context);
  await settle();
  expect(sentNames()).toEqual(everything);
  for (const { name, version } of updates) expect(version).toBeGreaterThan(highest.get(name) as number);
});

it('settings that decide about the bus exchange it while it runs: nothing that listens is lost, counters go on', async () => {
  await setUp();
  const set = async (key: string, value: string): Promise<unknown> =>
    await engine.services.settings.set({ key, value }, context);
  await burst(10);
  expect(status().receivedCount).toBe(10);
  await set('natsUrl', 'nats://127.0.0.1:4222');
  await burst(10);
  await engine.services.settings.reset({ key: 'natsUrl' }, context);
  await burst(10);
  await settle();
  expect(status()).toMatchObject({ receivedCount: 30, newestSeq: 30, droppedCount: 0 });
  const { bytes } = await engine.services.streams.read({ seq: 30 }, context);
  expect(toText(bytes)).toContain('message 9');
  await stop();
  // A change while it ends is nobody's fault.
  await settle();
});

it('the idle time follows its setting at once', async () => {
  await setUp();
  await engine.services.settings.set({ key: 'idleLockMinutes', value: 2 }, context);
  profiles.clock.advance(121_000);
  expect(engine.gate.isOpen).toBe(false);
});

it('I3 no snapshot, error or log line ever holds a secret', async () => {
  await setUp();
  prompt.answer('pink-unicorn-2026', seed);
  await engine.services.settings.setSecret({ name: natsSeedName }, context);
  const secrets: readonly KnownSecret[] = [
    ...knownSecrets(profile.keyStore.read()),
    { name: 'typed', bytes: utf8('pink-unicorn-2026') },
    { name: 'seed', bytes: utf8(seed) },
  ];
  expect(secrets.length).toBeGreaterThan(6);
  await settle();
  const run = async (work: () => unknown): Promise<unknown> => await work();
  const errors = [
    await failure(run(() => engine.services.settings.set({ key: natsSeedName, value: seed }, context))),
    await failure(run(() => engine.services.settings.set({ key: 'natsUrl', value: `nats://${seed}@h` }, context))),
    await failure(run(() => setUp())),
    ...prompt.shown,
  ];
  const texts = {
    snapshots: JSON.stringify([updates, engine.snapshots.current()]),
    errors: JSON.stringify(errors.map((error) => [error.toShape(), String(error.stack)])),
    log: profiles.log.join('\n'),
  };
  expect(findSecrets({ texts, folders: [profile.files.settings.replace(/\/[^/]*$/, '')] }, secrets)).toEqual([]);
});

it('I3 after a failed self-test nothing of the workspace is shown, and the state says why', async () => {
  await setUp();
  await stop();
  profile = await profiles.open(profile.files.settings.replace(/\/[^/]*$/, ''));
  isStopped = false;
  await start({ ok: false, failed: ['aes'] });
  await settle();
  expect(engine.gate.isOpen).toBe(false);
  expect(valueIn(engine.snapshots.current(), 'identity.keyStore')).toMatchObject({
    kind: 'self-test-failed',
    reason: expect.stringContaining('aes'),
  });
});

const refusals: Readonly<Record<Tampering, RefusalReason>> = {
  ciphertext: 'chain',
  metadata: 'signature',
  signature: 'signature',
  plain: 'plain',
  unsigned: 'unsigned',
  replay: 'chain',
  'wrong-sender': 'sender',
  'no-envelope': 'malformed',
};

it.each(Object.entries(refusals))(
  'E8 a message that was tampered with (%s) is refused as %s and shown so',
  async (tampering, reason) => {
    await setUp();
    const { session } = await engine.services.developer.tamper({ tampering: tampering as Tampering }, context);
    const frames: RowsFrame[] = [];
    const feed = engine.feeds.open('streams.rows', { pattern: `vak.events.*.${session}.>`, fromSeq: 0 }, (frame) =>
      frames.push(JSON.parse(frame)),
    );
    await settle();
    feed.dispose();
    const marks = frames.flatMap((frame) => frame.marks.map(unpackMarks));
    expect(marks.at(-1)?.isRefused).toBe(true);
    expect(marks.slice(0, -1).filter(({ isRefused }) => isRefused)).toEqual([]);
    const state = valueIn(engine.snapshots.current(), 'streams.quarantine') as QuarantineState;
    expect(state).toMatchObject({ refusedCount: 1, countByReason: { [reason]: 1 } });
    const { trust } = await engine.services.streams.read({ seq: state.recent[0]?.seq as number }, context);
    expect(trust.refusal?.reason).toBe(reason);
  },
);
