import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connect, type NatsConnection } from 'nats';
import { build } from 'vite';
import { afterEach, expect, it } from 'vitest';
import { isAlive } from './living-processes.ts';
import { type NatsServer, type NatsServerOptions, startNatsServer } from './nats-server.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

async function start(options?: NatsServerOptions): Promise<NatsServer> {
  const server = await startNatsServer(options);
  ends.push(() => server.stop());
  return server;
}

async function client(server: NatsServer, more: Parameters<typeof connect>[0] = {}): Promise<NatsConnection> {
  const connection = await connect({ servers: server.url, reconnect: false, timeout: 2_000, ...more });
  ends.push(() => connection.close());
  return connection;
}

/** Whether the server answers a ping in the time. */
function answers(connection: NatsConnection, timeoutMs: number): Promise<boolean> {
  return Promise.race([
    connection.flush().then(() => true),
    new Promise<boolean>((resolve) => setTimeout(() => resolve(false), timeoutMs)),
  ]);
}

it('B3 the test server has JetStream, and what was stored is there after a restart on the same port', async () => {
  const server = await start();
  const before = await client(server);
  expect(before.info?.jetstream).toBe(true);
  expect(before.info?.max_payload).toBe(1_114_112);
  const manager = await before.jetstreamManager();
  await manager.streams.add({ name: 'S', subjects: ['s.*'], max_bytes: 1024 ** 3 });
  await before.jetstream().publish('s.a', 'kept');
  const { pid } = server;
  await server.kill();
  expect(server.isRunning()).toBe(false);
  await server.restart();
  expect(server.pid).not.toBe(pid);
  const after = await client(server);
  const streams = await after.jetstreamManager();
  expect((await streams.streams.getMessage('S', { seq: 1 })).string()).toBe('kept');
  await server.restart();
  const again = await client(server);
  expect((await (await again.jetstreamManager()).streams.info('S')).state.messages).toBe(1);
});

it('B8 a paused test server keeps its connections and answers nothing until it is resumed', async () => {
  const server = await start({ jetStream: false });
  const connection = await client(server);
  expect(connection.info?.jetstream ?? false).toBe(false);
  server.pause();
  expect(await answers(connection, 200)).toBe(false);
  server.resume();
  expect(await answers(connection, 5_000)).toBe(true);
});

it('B8 a test server that is stopped leaves no process and no folder, even a paused one, and twice', async () => {
  for (const isPaused of [false, true]) {
    const server = await start();
    if (isPaused) server.pause();
    await server.stop();
    await server.stop();
    expect(await isAlive(server.pid)).toBe(false);
    expect(existsSync(dirname(server.storeFolder))).toBe(false);
  }
});

it('B8 two test servers at once share neither port nor store', async () => {
  const [first, second] = await Promise.all([start(), start()]);
  expect(first.port).not.toBe(second.port);
  expect(first.storeFolder).not.toBe(second.storeFolder);
  const manager = await (await client(first)).jetstreamManager();
  await manager.streams.add({ name: 'S', subjects: ['s'] });
  const other = await (await client(second)).jetstreamManager();
  expect(await other.streams.list().next()).toEqual([]);
  await first.stop();
  expect(second.isRunning()).toBe(true);
  const successor = await start({ port: first.port });
  expect(successor.url).toBe(first.url);
});

it('B8 a test server in lame duck says so, lets its clients go and ends soon', async () => {
  const server = await start();
  const connection = await client(server);
  const statuses = connection.status();
  await server.kill('SIGUSR2');
  for await (const { type } of statuses) if (type === 'ldm') break;
  await server.exited();
  await connection.closed();
  await server.restart();
  expect(await answers(await client(server), 5_000)).toBe(true);
});

it('B9 users, permissions and a token of the test server are in force', async () => {
  const permissions = { publish: ['a.>'], subscribe: { allow: ['_INBOX.ws.p.>'], deny: ['_INBOX.ws.p.not'] } };
  const withUsers = await start({ users: [{ user: 'p', password: 'right', permissions }] });
  await expect(client(withUsers, { user: 'p', pass: 'wrong' })).rejects.toMatchObject({
    code: 'AUTHORIZATION_VIOLATION',
  });
  const connection = await client(withUsers, { user: 'p', pass: 'right' });
  const refused: [string, string | undefined][] = [];
  for (const subject of ['_INBOX.ws.p.a', '_INBOX.ws.p.not', '_INBOX.ws.q.>'])
    connection.subscribe(subject, { callback: (error) => refused.push([subject, error?.code]) });
  expect(await answers(connection, 5_000)).toBe(true);
  expect(refused).toEqual([
    ['_INBOX.ws.p.not', 'PERMISSIONS_VIOLATION'],
    ['_INBOX.ws.q.>', 'PERMISSIONS_VIOLATION'],
  ]);
  const withToken = await start({ token: 't' });
  await expect(client(withToken)).rejects.toMatchObject({ code: 'AUTHORIZATION_VIOLATION' });
  expect(await answers(await client(withToken, { token: 't' }), 5_000)).toBe(true);
});

it('B9 changed configuration of the test server is in force when it is reloaded, and a wrong one is refused', async () => {
  const server = await start({ config: 'max_connections: 10' });
  await client(server);
  await server.config('max_connections: 1');
  await expect(client(server)).rejects.toThrow();
  await expect(server.config('max_connections: [')).rejects.toThrow(/Failed to reload/);
  await server.config('');
  await client(server);
});

it('B9 a test server that cannot start says why and leaves nothing', async () => {
  await expect(start({ config: 'max_connections: [' })).rejects.toThrow(/Parse error/);
});

it('B8 a test server does not outlive a test process that is killed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vak-nats-parent-'));
  ends.push(async () => rmSync(folder, { recursive: true, force: true }));
  await build({
    ...{ configFile: false, logLevel: 'error', root: folder },
    build: {
      ...{ ssr: fileURLToPath(new URL('nats-server.ts', import.meta.url)), target: 'node20.18', outDir: folder },
      rollupOptions: { output: { entryFileNames: 'server.mjs' } },
    },
  });
  const program = `import { startNatsServer } from ${JSON.stringify(join(folder, 'server.mjs'))};
    const { pid, storeFolder } = await startNatsServer();
    process.stdout.write(JSON.stringify({ pid, storeFolder }));
    setInterval(() => {}, 1_000);`;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  ends.push(async () => void parent.kill('SIGKILL'));
  const [told] = (await once(parent.stdout, 'data')) as [Buffer];
  const { pid, storeFolder } = JSON.parse(String(told)) as { pid: number; storeFolder: string };
  expect(await isAlive(pid)).toBe(true);
  parent.kill('SIGKILL');
  await expect.poll(() => isAlive(pid), { timeout: 5_000 }).toBe(false);
  await expect.poll(() => existsSync(dirname(storeFolder)), { timeout: 5_000 }).toBe(false);
});
