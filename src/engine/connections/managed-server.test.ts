import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { isAlive } from '../../../tests/support/living-processes.ts';
import { startManagedOwner } from '../../../tests/support/start-managed-owner.ts';
import { toText, utf8 } from '../../shared/base/bytes.ts';
import { streamsOf } from '../../shared/protocol/stream-table.ts';
import type { Fabric } from '../bus/fabric.ts';
import { connectNats } from '../bus/nats/nats-fabric.ts';
import type { Secret } from '../identity/secret.ts';
import { createSystemClock } from '../ports/clock.ts';
import { createSilentLogger } from '../ports/logger.ts';
import { createSystemRandomness } from '../ports/randomness.ts';
import { createManagedLeases } from './managed-leases.ts';
import { readManagedServer } from './managed-record.ts';
import { type ManagedServer, type ManagedServerOptions, startManagedServer } from './managed-server.ts';

const ports = { clock: createSystemClock(), logger: createSilentLogger(), randomness: createSystemRandomness() };
const receipt = 'vak.receipts.ws.s.completed';
const limit = { timeout: 20_000 };

let base: string;
let folder: string;
const started: ManagedServer[] = [];
const fabrics: Fabric[] = [];

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'vak-managed-'));
  folder = join(base, 'server');
});
afterEach(async () => {
  for (const fabric of fabrics.splice(0)) await fabric.close();
  for (const server of started.splice(0)) await server.stop();
  await rm(base, { recursive: true, force: true, maxRetries: 5 });
});

/** The server of the PATH. */
function findOnPath(name: string): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(':')
    .map((at) => join(at, name))
    .find((path) => existsSync(path));
}

async function start(more: Partial<ManagedServerOptions> = {}): Promise<ManagedServer> {
  const server = await startManagedServer({ ...ports, folder, findOnPath, ...more });
  started.push(server);
  return server;
}

async function connect(url: string, seed?: Secret): Promise<Fabric> {
  const fabric = await connectNats({
    ...{ ...ports, servers: [url], name: 'test', inboxPrefix: '_INBOX.ws.test' },
    ...(seed === undefined ? {} : { auth: { kind: 'nkey', seed } }),
    timing: { backoffFromMs: 50, backoffCapMs: 200, settleMs: 20 },
  });
  fabrics.push(fabric);
  return fabric;
}

const seedOf = ({ auth }: ManagedServer): Secret => (auth as { readonly seed: Secret }).seed;
const modeOf = async (name: string): Promise<number> => (await stat(join(folder, name))).mode & 0o777;

it(
  'B8 the managed server is on loopback with JetStream, lets only its own credentials in, and ends when it is stopped',
  async () => {
    const server = await start();
    expect(server.url).toMatch(/^nats:\/\/127\.0\.0\.1:\d+$/);
    expect([server.isOwner, server.state().kind]).toEqual([true, 'running']);
    const fabric = await connect(server.url, seedOf(server));
    const spec = streamsOf('ws').find(({ name }) => name === 'VAK_RECEIPTS_ws');
    expect(await fabric.durable.ensureStream(spec as NonNullable<typeof spec>)).toBe('created');
    await expect(connect(server.url)).rejects.toMatchObject({ code: 'unauthorized' });
    const config = await readFile(join(folder, 'server.conf'), 'utf8');
    expect(config).toMatch(/^listen: "127\.0\.0\.1:/m);
    const seed = toText(seedOf(server).reveal());
    for (const name of ['server.conf', 'server.json'])
      expect(await readFile(join(folder, name), 'utf8')).not.toContain(seed);
    expect(await Promise.all(['server.conf', 'server.json', 'nkey.seed'].map(modeOf))).toEqual([0o600, 0o600, 0o600]);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    const { pid } = server;
    await fabric.close();
    await server.stop();
    expect(await isAlive(pid as number)).toBe(false);
    expect(server.state().kind).toBe('stopped');
    expect(await readManagedServer(folder, ports.clock)).toBeUndefined();
  },
  limit.timeout,
);

it(
  'B8 a server that dies comes back on its port, is told once each way, and what was stored is there',
  async () => {
    const server = await start();
    const fabric = await connect(server.url, seedOf(server));
    for (const spec of streamsOf('ws').filter(({ name }) => name === 'VAK_RECEIPTS_ws'))
      await fabric.durable.ensureStream(spec);
    await fabric.durable.append(receipt, utf8('before'));
    const states: string[] = [];
    server.onState(({ kind }) => states.push(kind));
    const first = server.pid as number;
    process.kill(first, 'SIGKILL');
    await expect.poll(() => states, { timeout: 12_000 }).toEqual(['restarting', 'running']);
    expect(server.pid).not.toBe(first);
    await expect.poll(() => fabric.status().kind, { timeout: 8_000 }).toBe('connected');
    expect(toText((await fabric.durable.stream('VAK_RECEIPTS_ws').get(1))?.data ?? new Uint8Array())).toBe('before');
  },
  limit.timeout,
);

it(
  'B8 a second start, and another program, join the server that runs; letting go of it does not end it',
  async () => {
    const [one, two] = await Promise.all([start(), start()]);
    const owners = [one, two].filter(({ isOwner }) => isOwner);
    expect([owners.length, one.url === two.url]).toEqual([1, true]);
    const joiner = one.isOwner ? two : one;
    const read = await readManagedServer(folder, ports.clock);
    expect(read?.url).toBe(one.url);
    await (await connect(joiner.url, read?.seed)).ping();
    await joiner.stop();
    const owner = owners[0] as ManagedServer;
    expect(await isAlive(owner.pid as number)).toBe(true);
    read?.seed.dispose();
  },
  limit.timeout,
);

it(
  'B8 the next start takes the same port and credentials, so that who joined before finds it again',
  async () => {
    const first = await start();
    const fabric = await connect(first.url, seedOf((await start()) as ManagedServer));
    const { url } = first;
    await first.stop();
    await expect.poll(() => fabric.status().kind, { timeout: 8_000 }).toBe('reconnecting');
    const second = await start();
    expect([second.url, second.isOwner]).toEqual([url, true]);
    await expect.poll(() => fabric.status().kind, { timeout: 8_000 }).toBe('connected');
  },
  limit.timeout,
);

it(
  'B9 without a nats-server it says how to install it; an old one and a strange one are refused',
  async () => {
    await expect(start({ findOnPath: () => undefined })).rejects.toMatchObject({
      code: 'not-found',
      message: expect.stringContaining('apt-get install nats-server'),
    });
    const fake = async (name: string, script: string): Promise<string> => {
      const path = join(base, name);
      await writeFile(path, `#!/bin/sh\n${script}\n`, { mode: 0o700 });
      return path;
    };
    const old = await fake('old', 'echo nats-server: v2.8.4');
    await expect(start({ findOnPath: () => old })).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringMatching(/version 2\.8, version 2\.9 or later is needed/),
    });
    const strange = await fake('strange', 'echo hello');
    await expect(start({ findOnPath: () => strange })).rejects.toMatchObject({ code: 'unsupported' });
    const broken = await fake('broken', 'exit 3');
    await expect(start({ findOnPath: () => broken })).rejects.toMatchObject({ code: 'spawn-failed' });
  },
  limit.timeout,
);

it(
  'I3 a seed file that others may read is refused, and neither its path nor the seed is told',
  async () => {
    await (await start()).stop();
    const path = join(folder, 'nkey.seed');
    const seed = await readFile(path, 'utf8');
    await rm(path);
    await writeFile(path, seed, { mode: 0o644 });
    const error = await start().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'invalid-input' });
    expect(String((error as Error).message)).toContain('mode 0644');
    expect(JSON.stringify(error) + String(error)).not.toContain(seed);
  },
  limit.timeout,
);

it(
  'B8 the server of a process that is killed ends, and the next start takes over what it stored',
  async () => {
    const owner = await startManagedOwner(folder, findOnPath('nats-server') as string);
    const joined = await start();
    expect(joined.isOwner).toBe(false);
    const before = await connect(joined.url, seedOf(joined));
    for (const spec of streamsOf('ws').filter(({ name }) => name === 'VAK_RECEIPTS_ws'))
      await before.durable.ensureStream(spec);
    await before.durable.append(receipt, utf8('kept'));
    await before.close();
    await owner.kill();
    const next = await start();
    expect([next.isOwner, next.url]).toEqual([true, joined.url]);
    expect(await isAlive(owner.serverPid)).toBe(false);
    const after = await connect(next.url, seedOf(next));
    expect(await after.durable.stream('VAK_RECEIPTS_ws').last(receipt)).toMatchObject({ seq: 1 });
  },
  limit.timeout,
);

it(
  'B8 an owner that dies while somebody waits for its server to answer is not waited for: the next start takes over',
  async () => {
    const owner = await startManagedOwner(folder, findOnPath('nats-server') as string);
    // It is there, and starts its server no more.
    owner.process.kill('SIGSTOP');
    process.kill(owner.serverPid, 'SIGKILL');
    await expect.poll(() => isAlive(owner.serverPid)).toBe(false);
    const starting = start();
    await expect.poll(() => existsSync(join(folder, 'server.lock'))).toBe(true);
    await owner.kill();
    expect((await starting).isOwner).toBe(true);
  },
  limit.timeout,
);

it(
  'B8 the server ends with its killed owner, though nobody starts another',
  async () => {
    const owner = await startManagedOwner(folder, findOnPath('nats-server') as string);
    expect(await isAlive(owner.serverPid)).toBe(true);
    await owner.kill();
    await expect.poll(() => isAlive(owner.serverPid), { timeout: 10_000 }).toBe(false);
    expect(await readManagedServer(folder, ports.clock)).toBeUndefined();
  },
  limit.timeout,
);

it('B8 who joined takes the server over when its owner is killed: connections come back by themselves', async () => {
  const owner = await startManagedOwner(folder, findOnPath('nats-server') as string);
  const leases = createManagedLeases(() => startManagedServer({ ...ports, folder, findOnPath }));
  const lease = await leases.lease();
  expect(lease.server.isOwner).toBe(false);
  const fabric = await connectNats({
    ...{ ...ports, servers: [lease.server.url], name: 'test', inboxPrefix: '_INBOX.ws.test' },
    auth: () => lease.server.auth,
    timing: { backoffFromMs: 50, backoffCapMs: 200, settleMs: 20 },
  });
  fabrics.push(fabric);
  await owner.kill();
  await expect.poll(() => lease.server.isOwner, { timeout: 12_000 }).toBe(true);
  await expect.poll(() => fabric.status().kind, { timeout: 8_000 }).toBe('connected');
  await fabric.close();
  await lease.release();
}, 25_000);
