import { afterEach, expect, it } from 'vitest';
import { failure } from '../../../../tests/support/expected-failure.ts';
import { openNatsPlane, type PlaneOptions, until } from '../../../../tests/support/nats-plane-fixture.ts';
import { type NatsServer, type NatsServerOptions, startNatsServer } from '../../../../tests/support/nats-server.ts';
import { utf8 } from '../../../shared/base/bytes.ts';
import { isVakError } from '../../../shared/base/vak-error.ts';
import type { StreamSpec } from '../../../shared/protocol/stream-table.ts';
import { secretFromText } from '../../identity/secret.ts';
import type { ConsumerSpec, DurablePlane } from '../durable.ts';
import type { NatsPlane } from './nats-plane.ts';

const ended: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0).reverse()) await end();
});

async function serve(options: NatsServerOptions = {}): Promise<NatsServer> {
  const server = await startNatsServer(options);
  ended.push(() => server.stop());
  return server;
}

async function open(server: NatsServer, options: PlaneOptions = {}): Promise<NatsPlane> {
  const { plane, close } = await openNatsPlane(server, options);
  ended.push(close);
  return plane;
}

const subject = 'vak.rooms.ws.r.log';
const name = 'VAK_ROOMS_ws';
const spec: StreamSpec = {
  ...{ name, subjects: ['vak.rooms.ws.*.log'], retention: 'limits', maxAgeMs: null, maxBytes: null },
  ...{ whenFull: 'refuse-new', dedupeWindowMs: 600_000 },
};
const consumer: ConsumerSpec = {
  ...{ name: 'c', filter: 'vak.rooms.ws.>', ackWaitMs: 30_000, maxDeliver: 4, maxInFlight: 100, start: 'all' },
};

const codeOf = async (work: Promise<unknown>): Promise<string> => (await failure(work)).code;

it('B8 a stream that is deleted under appends and reads is not-found, and back when it is made again', async () => {
  const server = await serve();
  const [plane, other] = [await open(server), await open(server)];
  await plane.ensureStream(spec);
  await Promise.all(Array.from({ length: 300 }, () => plane.append(subject, utf8('x'))));
  const page = await plane.stream(name).read({ limit: 100 });
  expect(page.nextSeq).toBe(101);
  await other.deleteStream(name);
  const codes = await Promise.all(Array.from({ length: 50 }, () => codeOf(plane.append(subject, utf8('x')))));
  expect(new Set(codes)).toEqual(new Set(['not-found']));
  expect(await codeOf(plane.stream(name).read({ fromSeq: 101, limit: 100 }))).toBe('not-found');
  expect(await codeOf(plane.stream(name).get(1))).toBe('not-found');
  expect(await codeOf(plane.stream(name).ensureConsumer(consumer))).toBe('not-found');
  await other.ensureStream(spec);
  expect((await plane.append(subject, utf8('x'))).seq).toBe(1);
});

it('B8 a pull is told at once that its consumer, or its stream, is deleted, and within its wait that there is none', async () => {
  const server = await serve();
  const [plane, other] = [await open(server), await open(server)];
  for (const remove of [() => other.stream(name).deleteConsumer('c'), () => other.deleteStream(name)]) {
    await plane.ensureStream(spec);
    const mine = await plane.stream(name).ensureConsumer(consumer);
    const pulling = failure(mine.pull({ batch: 10, waitMs: 12_000 }));
    expect(await until(async () => (await mine.state()).waitingCount === 1)).toBe(true);
    const startMs = performance.now();
    await remove();
    expect((await pulling).code).toBe('not-found');
    expect(performance.now() - startMs).toBeLessThan(1_500);
    // The server says nothing to a pull from nothing: it is missed by its heartbeat.
    const lateMs = performance.now();
    expect(await codeOf(mine.pull({ batch: 10, waitMs: 12_000 }))).toBe('not-found');
    expect(await codeOf(mine.pull({ batch: 10, waitMs: 100 }))).toBe('not-found');
    expect(performance.now() - lateMs).toBeLessThan(6_000);
  }
});

it('B8 a server that is killed loses nothing acknowledged, and what is said again is stored once', async () => {
  const server = await serve();
  const plane = await open(server);
  await plane.ensureStream(spec);
  const count = 6_000;
  const acknowledged = new Map<string, number>();
  let retries = 0;
  let sent = 0;
  /** One id until it is acknowledged, as the outbox does. */
  const store = async (id: string): Promise<void> => {
    for (;;) {
      try {
        acknowledged.set(id, (await plane.append(subject, utf8(id), { messageId: id })).seq);
        return;
      } catch (error) {
        if (!isVakError(error) || !error.retryable) throw error;
        retries += 1;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  };
  const lane = async (): Promise<void> => {
    while (sent < count) {
      sent += 1;
      await store(`id-${sent}`);
    }
  };
  const lanes = Promise.all(Array.from({ length: 64 }, lane));
  for (const share of [0.2, 0.5, 0.8]) {
    expect(await until(() => acknowledged.size >= count * share)).toBe(true);
    await server.kill('SIGKILL');
    await server.restart();
  }
  await lanes;
  expect(retries).toBeGreaterThan(0);
  expect(acknowledged.size).toBe(count);
  const stored = new Map<number, string>();
  let fromSeq: number | undefined = 1;
  while (fromSeq !== undefined) {
    const page: Awaited<ReturnType<ReturnType<DurablePlane['stream']>['read']>> = await plane
      .stream(name)
      .read({ fromSeq, limit: 1_000 });
    for (const { seq, messageId } of page.messages) stored.set(seq, messageId ?? '');
    fromSeq = page.nextSeq;
  }
  expect(stored.size).toBe(count);
  for (const [id, seq] of acknowledged) expect(stored.get(seq)).toBe(id);
}, 15_000);

it('B8 while the server is away everything is disconnected at once, and waiting pulls end', async () => {
  const server = await serve();
  const plane = await open(server);
  await plane.ensureStream(spec);
  const mine = await plane.stream(name).ensureConsumer(consumer);
  const pulling = failure(mine.pull({ batch: 1, waitMs: 12_000 }));
  expect(await until(async () => (await mine.state()).waitingCount === 1)).toBe(true);
  await server.kill('SIGKILL');
  const startMs = performance.now();
  expect(await pulling).toMatchObject({ code: 'disconnected', retryable: true });
  const conditional = plane.append(subject, utf8('x'), { expectedLastSeq: 0 });
  expect(await failure(conditional)).toMatchObject({ code: 'disconnected', retryable: true });
  expect(await codeOf(plane.stream(name).read({ limit: 1 }))).toBe('disconnected');
  expect(performance.now() - startMs).toBeLessThan(1_000);
  await server.restart();
  expect(
    await until(() =>
      plane
        .stream(name)
        .state()
        .then(
          () => true,
          () => false,
        ),
    ),
  ).toBe(true);
  // What was refused while it was away was not kept back to be sent after all.
  expect((await plane.stream(name).state()).lastSeq).toBe(0);
});

it('B8 a server that hangs times out, and goes on where it was', async () => {
  const server = await serve();
  const plane = await open(server, { timeoutMs: 600 });
  await plane.ensureStream(spec);
  server.pause();
  const startMs = performance.now();
  expect(await failure(plane.append(subject, utf8('x'), { messageId: 'one' }))).toMatchObject({
    ...{ code: 'timeout', retryable: true },
  });
  expect(performance.now() - startMs).toBeLessThan(2_000);
  server.resume();
  expect(await plane.append(subject, utf8('x'), { messageId: 'one' })).toMatchObject({ seq: 1, isDuplicate: true });
});

it('B8 a watch goes on behind its last change after a restart, and tells what went with its bucket', async () => {
  const server = await serve();
  const [plane, other] = [await open(server), await open(server)];
  const bucket = 'VAK_STATE_ws';
  await plane.ensureKeyValue({ name: bucket, history: 4 });
  await plane.keyValue(bucket).put('a', utf8('1'));
  const told: string[] = [];
  const watch = plane.keyValue(bucket).watch(({ key, entry }) => {
    told.push(`${key}=${entry === undefined ? '' : Buffer.from(entry.value)}`);
  });
  expect(await until(() => told.join() === 'a=1')).toBe(true);
  await server.restart();
  const putting = (): Promise<boolean> =>
    other
      .keyValue(bucket)
      .put('b', utf8('2'))
      .then(
        () => true,
        () => false,
      );
  expect(await until(putting)).toBe(true);
  expect(await until(() => told.join() === 'a=1,b=2')).toBe(true);
  await other.deleteStream(`KV_${bucket}`);
  expect(await until(() => told.toSorted().join() === 'a=,a=1,b=,b=2')).toBe(true);
  await other.ensureKeyValue({ name: bucket, history: 4 });
  await other.keyValue(bucket).put('c', utf8('3'));
  expect(await until(() => told.at(-1) === 'c=3')).toBe(true);
  watch.dispose();
}, 15_000);

it('B9 without JetStream everything durable is unsupported, and says what to do', async () => {
  const plane = await open(await serve({ jetStream: false }));
  for (const work of [
    () => plane.append(subject, utf8('x')),
    () => plane.ensureStream(spec),
    () => plane.streams(),
    () => plane.stream(name).read({ limit: 1 }),
    () => plane.keyValue('VAK_STATE_ws').get('a'),
  ]) {
    const error = await failure(work());
    expect(error).toMatchObject({ code: 'unsupported', details: { feature: 'jetstream' } });
    expect(error.message).toContain('start it with JetStream');
  }
});

it('B10 limits of the account and of a stream are limit-exceeded, by the number of the refusal', async () => {
  const server = await serve({
    config: `accounts {
      A { jetstream: { max_mem: 1M, max_file: 4M, max_streams: 1, max_consumers: 1 }, users: [{ user: a, password: a }] }
    }`,
  });
  const plane = await open(server, {
    auth: { kind: 'password', user: 'a', password: secretFromText('a') },
  });
  await plane.ensureStream({ ...spec, maxBytes: 1024 * 1024 });
  const second = { ...spec, name: 'VAK_KEYS_ws', subjects: ['vak.keys.ws.*.package'], maxBytes: 1024 * 1024 };
  expect(await failure(plane.ensureStream(second))).toMatchObject({
    ...{ code: 'limit-exceeded', details: { serverCode: 10027 } },
  });
  await plane.stream(name).ensureConsumer(consumer);
  expect(await failure(plane.stream(name).ensureConsumer({ ...consumer, name: 'd' }))).toMatchObject({
    ...{ code: 'limit-exceeded', details: { serverCode: 10026 } },
  });
  const large = new Uint8Array(300 * 1024);
  for (let round = 0; round < 3; round += 1) await plane.append(subject, large);
  expect(await failure(plane.append(subject, large))).toMatchObject({
    ...{ code: 'limit-exceeded', details: { serverCode: 10077 }, retryable: false },
  });
});

it('B10 a subject or an API that these credentials may not use is unauthorized at once, not a timeout', async () => {
  const server = await serve({
    users: [
      { user: 'all', password: 'p' },
      {
        ...{ user: 'asker', password: 'p' },
        permissions: {
          publish: ['vak.agent.ws.*.inbox', '$JS.API.CONSUMER.INFO.VAK_INBOX_ws.*'],
          subscribe: ['_INBOX.ws.tester.>'],
        },
      },
      {
        user: 'few',
        password: 'p',
        permissions: { publish: ['vak.rooms.ws.a.log'], subscribe: ['_INBOX.ws.tester.>'] },
      },
    ],
  });
  const as = (user: string): Promise<NatsPlane> =>
    open(server, { auth: { kind: 'password', user, password: secretFromText('p') } });
  const [all, few, asker] = [await as('all'), await as('few'), await as('asker')];
  await all.ensureStream(spec);
  const startMs = performance.now();
  expect((await few.append('vak.rooms.ws.a.log', utf8('x'))).seq).toBe(1);
  expect(await codeOf(few.append('vak.rooms.ws.b.log', utf8('x')))).toBe('unauthorized');
  expect(await codeOf(few.stream(name).state())).toBe('unauthorized');
  expect(performance.now() - startMs).toBeLessThan(1_500);
  // What a peer needs to write to another one: that inbox, and whether it is there.
  const inbox = { ...spec, name: 'VAK_INBOX_ws', subjects: ['vak.agent.ws.*.inbox'], retention: 'interest' } as const;
  await all.ensureStream(inbox);
  expect(await codeOf(asker.append('vak.agent.ws.anna.inbox', utf8('x')))).toBe('no-such-peer');
  const anna = { ...consumer, name: 'inbox-anna', filter: 'vak.agent.ws.anna.inbox' };
  await all.stream('VAK_INBOX_ws').ensureConsumer(anna);
  expect((await asker.append('vak.agent.ws.anna.inbox', utf8('x'))).seq).toBe(1);
});

it('B5 on a server that takes little at once an object is cut smaller', async () => {
  const plane = await open(await serve({ maxPayloadBytes: 16 * 1024 }));
  await plane.ensureObjects('VAK_MEDIA_2_ws_anna');
  const content = new Uint8Array(100_000).fill(5);
  const bucket = plane.objects('VAK_MEDIA_2_ws_anna');
  await bucket.put(
    'o',
    (async function* () {
      yield content;
    })(),
  );
  const parts: Uint8Array[] = [];
  for await (const part of bucket.get('o')) parts.push(part);
  expect(Buffer.concat(parts).equals(content)).toBe(true);
  expect(Math.max(...parts.map(({ length }) => length))).toBe(16 * 1024);
});
