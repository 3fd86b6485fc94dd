import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { createTestOperator } from '../../../../tests/support/nats-jwt.ts';
import type { NatsServer } from '../../../../tests/support/nats-server.ts';
import { prepareNats } from '../../../../tests/support/prepare-nats.ts';
import { toText, utf8 } from '../../../shared/base/bytes.ts';
import { secretFromText } from '../../identity/secret.ts';
import { createSystemClock } from '../../ports/clock.ts';
import { createSilentLogger } from '../../ports/logger.ts';
import { createSystemRandomness } from '../../ports/randomness.ts';
import type { BusStatus } from '../bus-status.ts';
import type { Fabric } from '../fabric.ts';
import type { NatsAuth } from './nats-auth.ts';
import { connectNats } from './nats-fabric.ts';
import type { NatsOptions } from './nats-options.ts';

const subject = 'vak.events.ws.s1.tokens';
const control = 'vak.control.ws.service.ask';
const { start, addEnd } = prepareNats();

interface Watched {
  readonly fabric: Fabric;
  readonly kinds: BusStatus['kind'][];
}

async function open(server: NatsServer, more: Partial<NatsOptions> = {}): Promise<Watched> {
  const fabric = await connectNats({
    ...{ servers: [server.url], name: 'test', inboxPrefix: '_INBOX.ws.test' },
    ...{ clock: createSystemClock(), logger: createSilentLogger(), randomness: createSystemRandomness() },
    timing: { pingIntervalMs: 200, dialTimeoutMs: 500, backoffFromMs: 20, backoffCapMs: 100, settleMs: 100 },
    ...more,
  });
  addEnd(() => fabric.close());
  const kinds: BusStatus['kind'][] = [];
  fabric.onStatus(({ kind }) => kinds.push(kind));
  return { fabric, kinds };
}

/** Connections of this process to a server, also those that wait for its greeting. */
function socketsTo({ port }: NatsServer): number {
  const all = (process as unknown as { _getActiveHandles(): readonly unknown[] })._getActiveHandles();
  return all.filter((one) => one instanceof Socket && one.remotePort === port).length;
}
/** Timers that keep this process alive; the runner's own poll may be one. */
const timerCount = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;

const isKind = (fabric: Fabric, kind: BusStatus['kind']) =>
  expect.poll(() => fabric.status().kind, { timeout: 8_000, interval: 10 }).toBe(kind);

/** Until so many tries of an outage have been begun. */
async function attempts(fabric: Fabric, count: number): Promise<void> {
  const begun = (): number => {
    const status = fabric.status();
    return status.kind === 'reconnecting' ? status.attempt : 0;
  };
  await expect.poll(begun, { timeout: 8_000 }).toBeGreaterThanOrEqual(count);
}

it('B8 a killed server: drops are counted, nothing is queued, subscriptions live on; two outages are two changes each way', async () => {
  const server = await start();
  const { fabric, kinds } = await open(server);
  const seen: string[] = [];
  fabric.bus.subscribe('vak.events.>', { kind: 'inline', onMessage: ({ data }) => seen.push(toText(data)) });
  for (const round of [1, 2]) {
    fabric.bus.publish(subject, utf8(`before ${round}`));
    await fabric.ping();
    await server.kill('SIGKILL');
    await isKind(fabric, 'reconnecting');
    for (let i = 0; i < 3; i++) fabric.bus.publish(subject, utf8(`while down ${round}`));
    await expect(fabric.bus.request(control, utf8('x'), { timeoutMs: 60_000 })).rejects.toMatchObject({
      code: 'disconnected',
    });
    await expect(fabric.ping()).rejects.toMatchObject({ code: 'disconnected' });
    await fabric.bus.whenWritable();
    await expect.poll(() => fabric.status()).toMatchObject({ error: { code: 'disconnected' } });
    await server.restart();
    await isKind(fabric, 'connected');
    expect(fabric.bus.metrics().droppedCount).toBe(3 * round);
  }
  fabric.bus.publish(subject, utf8('after'));
  await fabric.ping();
  expect(seen).toEqual(['before 1', 'before 2', 'after']);
  expect(kinds).toEqual(['reconnecting', 'connected', 'reconnecting', 'connected']);
  expect(fabric.bus.metrics()).toMatchObject({ publishedCount: 9, receivedCount: 3, droppedCount: 6 });
});

it('B8 a hung server is noticed, left and found again: out once, back once', async () => {
  const server = await start();
  const { fabric, kinds } = await open(server);
  let seen = 0;
  fabric.bus.subscribe('vak.events.>', { kind: 'inline', onMessage: () => seen++ });
  const waiting = fabric.bus.request(control, utf8('x'), { timeoutMs: 60_000 });
  await expect(waiting).rejects.toMatchObject({ code: 'no-responders' });
  server.pause();
  const lost = expect(fabric.bus.request(control, utf8('x'), { timeoutMs: 60_000 })).rejects.toMatchObject({
    code: 'disconnected',
  });
  await isKind(fabric, 'stale');
  await isKind(fabric, 'reconnecting');
  await lost;
  // Several tries reach the paused server's port, and get no greeting.
  await attempts(fabric, 3);
  expect(fabric.status()).toMatchObject({ kind: 'reconnecting', error: { code: 'timeout' } });
  server.resume();
  await isKind(fabric, 'connected');
  expect(kinds).toEqual(['stale', 'reconnecting', 'connected']);
  await expect.poll(() => socketsTo(server)).toBe(1);
  fabric.bus.publish(subject, utf8('x'));
  await fabric.ping();
  expect(seen).toBe(1);
});

it('B8 a server that is late once makes it stale, and its answer ends that', async () => {
  const server = await start();
  const { fabric, kinds } = await open(server, { timing: { pingIntervalMs: 200, lostAfterPings: 50, settleMs: 50 } });
  server.pause();
  await isKind(fabric, 'stale');
  server.resume();
  await isKind(fabric, 'connected');
  expect(kinds).toEqual(['stale', 'connected']);
});

it('B8 a lame duck with a second server: the client moves over, and loses nothing but the moment', async () => {
  const [first, second] = [await start(), await start()];
  const { fabric, kinds } = await open(first, { servers: [first.url, second.url] });
  let seen = 0;
  fabric.bus.subscribe('vak.events.>', { kind: 'inline', onMessage: () => seen++ });
  await first.kill('SIGUSR2');
  await expect
    .poll(() => fabric.status(), { timeout: 8_000, interval: 10 })
    .toMatchObject({ kind: 'connected', server: `127.0.0.1:${second.port}` });
  expect(kinds).toEqual(['reconnecting', 'connected']);
  fabric.bus.publish(subject, utf8('x'));
  await fabric.ping();
  expect(seen).toBe(1);
});

it('B8 a lame duck alone: the client stays until it is let go, and comes when the server is back', async () => {
  const server = await start();
  const { fabric, kinds } = await open(server);
  await server.kill('SIGUSR2');
  await server.exited();
  await isKind(fabric, 'reconnecting');
  await server.restart();
  await isKind(fabric, 'connected');
  expect(kinds).toEqual(['reconnecting', 'connected']);
});

it('B8 credentials that expire: sought again with the reason, and renewed ones are taken', async () => {
  const operator = createTestOperator();
  const server = await start({ config: operator.config });
  const asCreds = (creds: string): NatsAuth => ({ kind: 'creds', text: secretFromText(creds) });
  let present = operator.createUser(1_500);
  let asked = 0;
  const { fabric, kinds } = await open(server, {
    async auth() {
      asked++;
      return asCreds(present.creds);
    },
  });
  await isKind(fabric, 'reconnecting');
  await attempts(fabric, 4);
  expect(fabric.status()).toMatchObject({ kind: 'reconnecting', error: { code: 'unauthorized' } });
  expect(asked).toBeGreaterThan(3);
  present = operator.createUser();
  await isKind(fabric, 'connected');
  expect(kinds).toEqual(['reconnecting', 'connected']);
  const reasons: unknown[] = [];
  fabric.onStatus((status) =>
    reasons.push(status.kind === 'reconnecting' ? (status.error?.code ?? 'nothing') : status.kind),
  );
  await server.restart();
  await expect.poll(() => reasons.at(-1), { timeout: 8_000 }).toBe('connected');
  // Not what was said against the tries of the outage before.
  expect(reasons).toEqual([expect.not.stringMatching('unauthorized'), 'connected']);
  await expect(open(server, { auth: asCreds(operator.createUser(-5_000).creds) })).rejects.toMatchObject({
    code: 'unauthorized',
    message: expect.stringContaining('expired'),
  });
});

it('B8 credentials that are withdrawn: refused for good, it closes and says why', async () => {
  const users = [{ user: 'p', password: 'one' }];
  const server = await start({ config: 'authorization { user: p, password: one }' });
  const { fabric, kinds } = await open(server, {
    auth: { kind: 'password', user: users[0]?.user ?? '', password: secretFromText('one') },
  });
  await server.config('authorization { user: p, password: two }');
  await isKind(fabric, 'closed');
  expect(fabric.status()).toMatchObject({ kind: 'closed', error: { code: 'unauthorized' } });
  expect(kinds).toEqual(['reconnecting', 'closed']);
  expect(() => fabric.bus.publish(subject, utf8('x'))).toThrow(/closed/);
  expect(() => fabric.bus.subscribe(subject, { kind: 'inline', onMessage: () => {} })).toThrow(/closed/);
  await expect(fabric.bus.whenWritable()).rejects.toMatchObject({ code: 'closed' });
  await expect(fabric.ping()).rejects.toMatchObject({ code: 'closed' });
});

it('B8 closing leaves no socket and no timer: while connected, while the server is away, and while it hangs', async () => {
  const server = await start();
  const timers = timerCount();
  const isQuiet = async (): Promise<void> => {
    await expect.poll(() => socketsTo(server), { timeout: 2_000, interval: 20 }).toBe(0);
    await expect.poll(timerCount, { timeout: 2_000 }).toBeLessThanOrEqual(timers + 1);
  };
  const connected = await open(server);
  expect(socketsTo(server)).toBe(1);
  await connected.fabric.close();
  expect(connected.kinds).toEqual(['closed']);
  await isQuiet();

  const hanging = await open(server, { timing: { dialTimeoutMs: 60_000, pingIntervalMs: 50 } });
  server.pause();
  await expect.poll(() => hanging.fabric.status()).toMatchObject({ kind: 'reconnecting', attempt: 1 });
  await expect.poll(() => socketsTo(server)).toBe(1);
  await hanging.fabric.close();
  await isQuiet();
  server.resume();

  const away = await open(server, { timing: { backoffFromMs: 60_000, backoffCapMs: 60_000 } });
  await server.kill();
  await expect.poll(() => away.fabric.status()).toMatchObject({ attempt: 1, error: { code: 'disconnected' } });
  await away.fabric.close();
  await isQuiet();
});

it('B8 a first connection to a hung server fails in time and leaves no socket; to nobody at once; and can be given up', async () => {
  const server = await start();
  server.pause();
  await expect(open(server)).rejects.toMatchObject({ code: 'timeout', retryable: true });
  await expect.poll(() => socketsTo(server)).toBe(0);
  const giveUp = new AbortController();
  const given = open(server, { signal: giveUp.signal, timing: { dialTimeoutMs: 60_000 } });
  setImmediate(() => giveUp.abort());
  await expect(given).rejects.toMatchObject({ code: 'aborted' });
  await expect.poll(() => socketsTo(server)).toBe(0);
  server.resume();
  await server.kill();
  await expect(open(server)).rejects.toMatchObject({ code: 'disconnected', retryable: true });
});
