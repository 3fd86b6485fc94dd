import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createUser } from 'nkeys.js';
import { beforeAll, expect, it } from 'vitest';
import { failure } from '../../../../tests/support/expected-failure.ts';
import { createLineLogger } from '../../../../tests/support/line-logger.ts';
import { createTestOperator } from '../../../../tests/support/nats-jwt.ts';
import { prepareNats } from '../../../../tests/support/prepare-nats.ts';
import { createTestCertificates } from '../../../../tests/support/test-certificates.ts';
import { utf8 } from '../../../shared/base/bytes.ts';
import type { VakError } from '../../../shared/base/vak-error.ts';
import { createSecret, secretFromText } from '../../identity/secret.ts';
import { createSystemClock } from '../../ports/clock.ts';
import { createSilentLogger } from '../../ports/logger.ts';
import { createSystemRandomness } from '../../ports/randomness.ts';
import type { Fabric } from '../fabric.ts';
import { connectNats } from './nats-fabric.ts';
import type { NatsOptions } from './nats-options.ts';

const subject = 'vak.events.ws.s1.tokens';
const control = 'vak.control.ws.service.ask';
const { start, addEnd } = prepareNats();

async function open(address: string, more: Partial<NatsOptions> = {}): Promise<Fabric> {
  const fabric = await connectNats({
    ...{ servers: [address], name: 'test', inboxPrefix: '_INBOX.ws.test' },
    ...{ clock: createSystemClock(), logger: createSilentLogger(), randomness: createSystemRandomness() },
    timing: { dialTimeoutMs: 2_000, backoffFromMs: 20, backoffCapMs: 100, settleMs: 50 },
    ...more,
  });
  addEnd(() => fabric.close());
  return fabric;
}

/** A server that greets as one without TLS, and counts what it gets; a hostile one ends whoever says anything. */
async function plainGreeter(port = 0, isHostile = false) {
  const sockets: Socket[] = [];
  let receivedBytes = 0;
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('data', (data) => {
      receivedBytes += data.length;
      if (isHostile) socket.end();
    });
    socket.on('error', () => {});
    socket.write('INFO {"server_id":"x","version":"2.9.10","proto":1,"max_payload":1048576,"auth_required":true}\r\n');
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  addEnd(close);
  return {
    port: (server.address() as AddressInfo).port,
    receivedBytes: () => receivedBytes,
    connectionCount: () => sockets.length,
    openCount: () => sockets.filter(({ closed }) => !closed).length,
    close,
  };
}

let certificates: ReturnType<typeof createTestCertificates>;
beforeAll(() => {
  certificates = createTestCertificates();
});

it('B9 user and password, token, nkey, JWT and credentials files open a server that asks for them; CRLF too', async () => {
  const withPassword = await start({ users: [{ user: 'p', password: 'right' }] });
  const password = (text: string) => ({ kind: 'password', user: 'p', password: secretFromText(text) }) as const;
  await (await open(withPassword.url, { auth: password('right') })).ping();
  expect(await failure(open(withPassword.url, { auth: password('wrong') }))).toMatchObject({ code: 'unauthorized' });
  expect(await failure(open(withPassword.url))).toMatchObject({ code: 'unauthorized', retryable: false });

  const withToken = await start({ token: 'let-me-in' });
  await (await open(withToken.url, { auth: { kind: 'token', token: secretFromText('let-me-in') } })).ping();

  const [own, other] = [createUser(), createUser()];
  const withNkey = await start({ users: [{ nkey: own.getPublicKey() }] });
  const seedOf = (key: typeof own) => createSecret(Uint8Array.from(key.getSeed()));
  await (await open(withNkey.url, { auth: { kind: 'nkey', seed: seedOf(own) } })).ping();
  expect(await failure(open(withNkey.url, { auth: { kind: 'nkey', seed: seedOf(other) } }))).toMatchObject({
    code: 'unauthorized',
  });

  const operator = createTestOperator();
  const withJwt = await start({ config: operator.config });
  const { jwt, seed, creds } = operator.createUser();
  await (
    await open(withJwt.url, { auth: { kind: 'jwt', jwt: secretFromText(jwt), seed: secretFromText(seed) } })
  ).ping();
  for (const text of [creds, creds.replaceAll('\n', '\r\n')]) {
    await (await open(withJwt.url, { auth: { kind: 'creds', text: secretFromText(text) } })).ping();
  }
  const foreign = operator.createUser();
  expect(
    await failure(
      open(withJwt.url, { auth: { kind: 'jwt', jwt: secretFromText(jwt), seed: secretFromText(foreign.seed) } }),
    ),
  ).toMatchObject({ code: 'unauthorized' });
});

it('B10 no secret is in an error or in the log, whatever is refused', async () => {
  const lines: string[] = [];
  const logger = createLineLogger(lines);
  const server = await start({ users: [{ user: 'p', password: 'right' }] });
  const words = ['hunter-two', 'tok-en-value', Buffer.from(createUser().getSeed()).toString('latin1')];
  const [password, token, seed] = words.map((word) => () => secretFromText(word));
  const errors = await Promise.all(
    [
      { kind: 'password', user: 'p', password: password?.() },
      { kind: 'token', token: token?.() },
      { kind: 'nkey', seed: seed?.() },
      { kind: 'nkey', seed: password?.() },
      { kind: 'creds', text: password?.() },
    ].map((auth) => failure(open(server.url, { logger, auth: auth as never }))),
  );
  errors.push(await failure(open('nats://p:hunter-two@127.0.0.1:4222', { logger })));
  expect(errors.map(({ code }) => code)).toEqual([
    ...['unauthorized', 'unauthorized', 'unauthorized'],
    ...['invalid-payload', 'invalid-input', 'invalid-input'],
  ]);
  const shown = JSON.stringify([lines, errors.map((error) => [error.toShape(), String(error.cause), error.stack])]);
  for (const word of words) expect(shown).not.toContain(word);
});

it('B9 TLS is demanded: a plain server behind tls:// is refused, and not a byte was sent to it', async () => {
  const plain = await start({ users: [{ user: 'p', password: 'right' }] });
  const address = `tls://127.0.0.1:${plain.port}`;
  const auth = { kind: 'password', user: 'p', password: secretFromText('right') } as const;
  expect(await failure(open(address, { auth }))).toMatchObject({
    code: 'tls-required',
    message: expect.stringContaining('does not offer it'),
  });
  // Given certificates demand it as well.
  const ca = utf8(certificates.ca);
  expect(await failure(open(plain.url, { auth, tls: { ca } }))).toMatchObject({ code: 'tls-required' });

  const spy = await plainGreeter();
  expect(await failure(open(`tls://127.0.0.1:${spy.port}`, { auth }))).toMatchObject({ code: 'tls-required' });
  await expect.poll(() => spy.openCount()).toBe(0);
  expect([spy.connectionCount(), spy.receivedBytes()]).toEqual([1, 0]);
});

it('B9 an unknown authority, a wrong name and a server that asks for TLS unasked are refused by code', async () => {
  const server = await start({ tls: certificates.server });
  const ca = utf8(certificates.ca);
  expect(await failure(open(server.url))).toMatchObject({
    code: 'tls-required',
    message: expect.stringContaining('authority'),
  });
  const other = utf8(createTestCertificates().ca);
  expect(await failure(open(server.url, { tls: { ca: other } }))).toMatchObject({ code: 'tls-required' });
  expect(await failure(open(server.url.replace('tls:', 'nats:')))).toMatchObject({
    code: 'tls-required',
    message: expect.stringMatching(
      /^connect: the server demands TLS; begin its address with tls:\/\/; nothing was sent/,
    ),
  });
  const elsewhere = createTestCertificates('IP:127.0.0.2,DNS:elsewhere');
  const misnamed = await start({ tls: elsewhere.server });
  for (const address of [misnamed.url, misnamed.url.replace('127.0.0.1', 'localhost')]) {
    expect(await failure(open(address, { tls: { ca: utf8(elsewhere.ca) } }))).toMatchObject({
      code: 'tls-required',
      message: expect.stringContaining('another name'),
    });
  }
  const misused = await start({ tls: certificates.client });
  expect(await failure(open(misused.url, { tls: { ca } }))).toMatchObject({ code: 'tls-required' });
  // It offers TLS, and the address does not ask for it: so it is not tried.
  const both = await start({ tls: certificates.server, config: 'allow_non_tls: true' });
  await (await open(both.url.replace('tls:', 'nats:'))).ping();
  for (const address of [server.url, server.url.replace('127.0.0.1', 'localhost')]) {
    const fabric = await open(address, { tls: { ca } });
    await fabric.ping();
  }
});

it('B9 mutual TLS: with its certificate the client is let in, without it is not; and it comes back encrypted', async () => {
  const { ca, server: own, client } = certificates;
  const server = await start({ tls: { ...own, ca, verify: true } });
  const tls = { ca: utf8(ca), cert: utf8(client.cert), key: secretFromText(client.key) };
  const fabric = await open(server.url, { tls });
  await fabric.ping();
  const startMs = performance.now();
  expect(await failure(open(server.url, { tls: { ca: utf8(ca) } }))).toMatchObject({
    code: 'tls-required',
    message: expect.stringContaining('client certificate'),
  });
  expect(performance.now() - startMs).toBeLessThan(1_500);
  await server.kill();
  await expect.poll(() => fabric.status().kind).toBe('reconnecting');
  await server.restart();
  await expect.poll(() => fabric.status().kind, { timeout: 5_000 }).toBe('connected');
  expect(await fabric.ping()).toBeGreaterThan(0);
});

it('B9 a server that has lost its TLS meanwhile is not taken back', async () => {
  const { ca, server: own } = certificates;
  const secure = await start({ tls: own });
  const fabric = await open(secure.url, { tls: { ca: utf8(ca) } });
  await secure.kill();
  const spy = await plainGreeter(secure.port);
  await expect
    .poll(() => fabric.status(), { timeout: 5_000 })
    .toMatchObject({ kind: 'reconnecting', error: { code: 'tls-required' } });
  await expect.poll(() => spy.connectionCount(), { timeout: 5_000 }).toBeGreaterThan(2);
  expect(spy.receivedBytes()).toBe(0);
  await spy.close();
  await secure.restart();
  await expect.poll(() => fabric.status().kind, { timeout: 5_000 }).toBe('connected');
});

it('B8 a server that ends each connection before it lets anybody in is not waited for', async () => {
  const server = await start();
  const timing = { dialTimeoutMs: 60_000, backoffFromMs: 20, backoffCapMs: 50, settleMs: 50 };
  const fabric = await open(server.url, { timing });
  await server.kill();
  const hostile = await plainGreeter(server.port, true);
  await expect.poll(() => hostile.connectionCount(), { timeout: 5_000 }).toBeGreaterThan(2);
  expect(fabric.status()).toMatchObject({ kind: 'reconnecting', error: { code: 'disconnected' } });
  expect(await failure(open(server.url, { timing }))).toMatchObject({ code: 'disconnected' });
  await hostile.close();
  await server.restart();
  await expect.poll(() => fabric.status().kind, { timeout: 5_000 }).toBe('connected');
});

it('A4 what the server denies is told with its subject, counted, and changes no status', async () => {
  const permissions = { publish: [subject, '_INBOX.>'], subscribe: ['vak.events.>', '_INBOX.ws.test.>'] };
  const server = await start({ users: [{ user: 'p', password: 'right', permissions }] });
  const errors: VakError[] = [];
  const fabric = await open(server.url, {
    auth: { kind: 'password', user: 'p', password: secretFromText('right') },
    onError: (error) => errors.push(error),
  });
  const kinds: string[] = [];
  fabric.onStatus(({ kind }) => kinds.push(kind));
  let seen = 0;
  fabric.bus.subscribe(subject, { kind: 'inline', onMessage: () => seen++ });
  fabric.bus.subscribe('vak.approvals.>', { kind: 'inline', onMessage: () => {} });
  fabric.bus.publish('vak.work.ws.q.task', utf8('x'));
  fabric.bus.publish(subject, utf8('x'));
  // The request's own promise is rejected, at once.
  await expect(fabric.bus.request(control, utf8('x'), { timeoutMs: 60_000 })).rejects.toMatchObject({
    code: 'unauthorized',
    message: expect.stringContaining(control),
  });
  await fabric.ping();
  await expect.poll(() => errors.length).toBe(2);
  expect(errors.map(({ code, details }) => ({ code, ...details }))).toEqual([
    { code: 'unauthorized', operation: 'subscribe', subject: 'vak.approvals.>' },
    { code: 'unauthorized', operation: 'publish', subject: 'vak.work.ws.q.task' },
  ]);
  expect(fabric.bus.metrics()).toMatchObject({ publishedCount: 3, droppedCount: 1, receivedCount: 1 });
  expect([seen, kinds, fabric.status().kind]).toEqual([1, [], 'connected']);
});

it('A4 a subscription that was denied is asked for again after each way back', async () => {
  const rights = (subscribe: string): string =>
    `authorization { users: [{ user: p, password: right, permissions: { publish: ">", subscribe: ${subscribe} } }] }`;
  const server = await start({ config: rights('["vak.events.>", "_INBOX.>"]') });
  const errors: string[] = [];
  const fabric = await open(server.url, {
    auth: { kind: 'password', user: 'p', password: secretFromText('right') },
    onError: ({ code }) => errors.push(code),
  });
  let seen = 0;
  fabric.bus.subscribe('vak.approvals.>', { kind: 'inline', onMessage: () => seen++ });
  await expect.poll(() => errors).toEqual(['unauthorized']);
  await server.config(rights('">"'));
  await server.restart();
  await expect.poll(() => fabric.status().kind, { timeout: 5_000 }).toBe('reconnecting');
  await expect.poll(() => fabric.status().kind, { timeout: 5_000 }).toBe('connected');
  fabric.bus.publish('vak.approvals.ws.s1.request', utf8('x'));
  await fabric.ping();
  expect([seen, errors.length]).toEqual([1, 1]);
});

it('A4 an inbox that the server denies rejects the request, and does not hang it', async () => {
  const permissions = { publish: [control], subscribe: ['vak.>'] };
  const server = await start({ users: [{ user: 'p', password: 'right', permissions }] });
  const fabric = await open(server.url, {
    auth: { kind: 'password', user: 'p', password: secretFromText('right') },
  });
  await expect(fabric.bus.request(control, utf8('x'), { timeoutMs: 60_000 })).rejects.toMatchObject({
    code: 'unauthorized',
  });
});
