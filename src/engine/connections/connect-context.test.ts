import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type NatsServer, startNatsServer } from '../../../tests/support/nats-server.ts';
import { toText, utf8 } from '../../shared/base/bytes.ts';
import { readSettings, type Settings } from '../../shared/settings/settings-schema.ts';
import type { Fabric } from '../bus/fabric.ts';
import { createNkeySeed, createNkeySigner } from '../identity/nkey.ts';
import { secretFromText } from '../identity/secret.ts';
import { createSystemClock } from '../ports/clock.ts';
import { createSilentLogger } from '../ports/logger.ts';
import { createSeededRandomness, createSystemRandomness } from '../ports/randomness.ts';
import type { SecretSources } from '../settings/secret-sources.ts';
import { type ConnectContextDeps, connectContext } from './connect-context.ts';
import { createManagedLeases } from './managed-leases.ts';
import { startManagedServer } from './managed-server.ts';

const ports = { clock: createSystemClock(), logger: createSilentLogger(), randomness: createSystemRandomness() };
const seedText = (n: number): string => toText(createNkeySeed(createSeededRandomness(n)).reveal());
const nkeyOf = (text: string): string => createNkeySigner(secretFromText(text)).nkey;
const [inSeed, outSeed] = [seedText(1), seedText(2)];

let folder: string;
let server: NatsServer;
const opened: Fabric[] = [];
const managed = createManagedLeases(() =>
  startManagedServer({
    ...{ ...ports, folder: join(folder, 'managed') },
    findOnPath: (name) =>
      (process.env['PATH'] ?? '')
        .split(':')
        .map((at) => join(at, name))
        .find((path) => existsSync(path)),
  }),
);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vak-context-'));
  const inboxes = { publish: ['>'], subscribe: ['_INBOX.ws.me.>', 'vak.>'] };
  server = await startNatsServer({
    users: [
      { nkey: nkeyOf(inSeed), permissions: inboxes },
      { user: 'u', password: 'hunter2' },
    ],
  });
});
afterEach(async () => {
  for (const fabric of opened.splice(0)) await fabric.close();
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

function settingsOf(value: unknown): Settings {
  const { settings, problems } = readSettings(value);
  expect(problems).toEqual([]);
  return settings;
}
const remote = (more: object = {}): Settings =>
  settingsOf({ currentContext: 'r', contexts: { r: { kind: 'remote', url: server.url, ...more } } });

async function open(
  settings: Settings,
  sources: SecretSources = { environment: {} },
  more: Partial<ConnectContextDeps> = {},
): Promise<Fabric> {
  const fabric = await connectContext({
    ...{ ...ports, settings, workspace: 'ws', peer: 'me', managed, sources: () => sources },
    embedded: { folder: join(folder, 'engine'), durability: 'written' },
    ...more,
  });
  opened.push(fabric);
  return fabric;
}

const withSeed = (seed: string): SecretSources => ({ environment: { VAK_BUS_NATS_NKEY_SEED: seed } });
const stored = (secrets: Record<string, string>): SecretSources => {
  const held = new Map(Object.entries(secrets).map(([name, text]) => [name, secretFromText(text)]));
  return { environment: {}, keyStore: (name) => held.get(name) };
};

it('B6 the embedded context keeps its journal in the folder, and finds it again', async () => {
  const spec = {
    name: 'VAK_RECEIPTS_ws',
    subjects: ['vak.receipts.ws.*.completed'],
    retention: 'limits',
    whenFull: 'drop-old',
  } as const;
  const first = await open(settingsOf({}));
  await first.durable.ensureStream({ ...spec, maxAgeMs: null, maxBytes: null, dedupeWindowMs: 1_000 });
  await first.durable.append('vak.receipts.ws.s.completed', utf8('kept'));
  await first.close();
  const again = await open(settingsOf({}));
  expect(await again.durable.stream(spec.name).last('vak.receipts.ws.s.completed')).toMatchObject({ seq: 1 });
  expect(again.facts().kind).toBe('embedded');
});

it('B9 a remote context logs in with what the environment or the key store has, and requests come back to its own inbox', async () => {
  const fromEnvironment = await open(remote(), withSeed(inSeed));
  expect(fromEnvironment.facts().kind).toBe('nats');
  fromEnvironment.bus.subscribe('vak.control.ws.rooms.join', {
    kind: 'inline',
    onMessage: ({ respond }) => respond?.(utf8('yes')),
  });
  const asking = await open(remote(), stored({ VAK_BUS_NATS_NKEY_SEED: inSeed }));
  const answer = await asking.bus.request('vak.control.ws.rooms.join', utf8('?'), { timeoutMs: 5_000 });
  expect(toText(answer)).toBe('yes');
  await (await open(remote(), stored({ 'contexts.r.user': 'u', 'contexts.r.password': 'hunter2' }))).ping();
});

it('I3 wrong credentials are refused, and no error tells them', async () => {
  const attempts = [
    () => open(remote(), withSeed(outSeed)),
    () => open(remote(), stored({ 'contexts.r.user': 'u', 'contexts.r.password': 'swordfish' })),
    () => open(remote()),
  ];
  for (const attempt of attempts) {
    const error = (await attempt().catch((thrown: unknown) => thrown)) as Error;
    expect(error).toMatchObject({ code: 'unauthorized' });
    const shown = `${String(error)} ${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`;
    expect(shown).not.toMatch(new RegExp(`${outSeed}|swordfish`));
  }
});

it("I3 the setting natsUrl stands above the context, and does not get the context's own credentials", async () => {
  const value = {
    natsUrl: server.url,
    currentContext: 'r',
    contexts: { r: { kind: 'remote', url: 'nats://127.0.0.1:1' } },
  };
  const own = { 'contexts.r.user': 'u', 'contexts.r.password': 'hunter2' };
  await expect(open(settingsOf(value), stored(own))).rejects.toMatchObject({ code: 'unauthorized' });
  await (await open(settingsOf(value), stored({ ...own, VAK_BUS_NATS_NKEY_SEED: inSeed }))).ping();
});

it('B8 the secrets are read anew before each try to connect', async () => {
  let asked = 0;
  const own = await startNatsServer({ users: [{ nkey: nkeyOf(inSeed) }] });
  try {
    const settings = settingsOf({ currentContext: 'r', contexts: { r: { url: own.url } } });
    const fabric = await open(settings, undefined, {
      sources: () => {
        asked++;
        return withSeed(inSeed);
      },
    });
    const before = asked;
    await own.restart();
    await expect.poll(() => asked, { timeout: 10_000 }).toBeGreaterThan(before);
    await expect.poll(() => fabric.status().kind, { timeout: 10_000 }).toBe('connected');
  } finally {
    await own.stop();
  }
}, 20_000);

it('B10 a read-only context refuses what changes, and closing it closes the engine', async () => {
  const fabric = await open(remote({ readOnly: true }), withSeed(inSeed));
  expect(() => fabric.bus.publish('vak.events.ws.s.tokens', utf8('x'))).toThrow(/"r" is read-only/);
  await fabric.ping();
  await fabric.close();
  expect(fabric.status().kind).toBe('closed');
});

it('B8 the managed context starts the server, uses it, and ends it with the last connection', async () => {
  const settings = settingsOf({ currentContext: 'm', contexts: { m: { kind: 'managed' } } });
  const [first, second] = [await open(settings), await open(settings)];
  expect(await first.durable.streams()).toEqual([]);
  await first.close();
  await second.ping();
  await second.close();
  const third = await open(settings);
  expect(third.facts().server?.name).not.toBe(second.facts().server?.name);
}, 20_000);

it('B9 a context that lacks its address, and one that is not there, are told', async () => {
  const settings = readSettings({ currentContext: 'r', contexts: { r: { kind: 'remote' } } }).settings;
  await expect(open(settings)).rejects.toMatchObject({
    code: 'invalid-input',
    message: expect.stringContaining('contexts.r.url'),
  });
  await expect(open(settingsOf({}), undefined, { context: 'none' })).rejects.toMatchObject({ code: 'not-found' });
});
