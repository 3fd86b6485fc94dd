import { createHash } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { connect, headers, type NatsConnection } from 'nats';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openNatsPlane, type PlaneUnderTest, until } from '../../../../tests/support/nats-plane-fixture.ts';
import { type NatsServer, startNatsServer } from '../../../../tests/support/nats-server.ts';
import { toText, utf8 } from '../../../shared/base/bytes.ts';
import { streamsOf } from '../../../shared/protocol/stream-table.ts';
import type { ConsumerSpec, DurablePlane, Stream } from '../durable.ts';
import { decodeMaxDeliveries } from '../max-deliveries-advisory.ts';
import { provision } from '../provision.ts';

let server: NatsServer;
let under: PlaneUnderTest;
let plane: DurablePlane;
/** Somebody else, with the client library alone. */
let other: NatsConnection;
beforeAll(async () => {
  server = await startNatsServer();
  under = await openNatsPlane(server);
  plane = under.plane;
  other = await connect({ servers: server.url });
});
afterAll(async () => {
  await other.close();
  await under.close();
  await server.stop();
});

const consumerSpec = (filter: string, more: Partial<ConsumerSpec> = {}): ConsumerSpec => ({
  ...{ name: 'c', filter, ackWaitMs: 30_000, maxDeliver: 4, maxInFlight: 1_000, start: 'all' },
  ...more,
});

/** The streams of a workspace of its own, small enough for any machine. */
async function makeStreams(ws: string): Promise<(kind: string) => Stream> {
  for (const spec of streamsOf(ws)) await plane.ensureStream({ ...spec, maxBytes: 64 * 1024 * 1024 });
  return (kind) => plane.stream(`VAK_${kind}_${ws}`);
}

const appendMany = (subject: string, count: number): Promise<unknown> =>
  Promise.all(Array.from({ length: count }, (_, index) => plane.append(subject, utf8(`${index}`))));

it('B3 appends are under way together, and a page of 1 000 comes in a moment and leaves no consumer behind', async () => {
  const stream = (await makeStreams('speed'))('ROOMS');
  const count = 5_000;
  const startMs = performance.now();
  await appendMany('vak.rooms.speed.r.log', count);
  // One round trip each would take many times that.
  expect(performance.now() - startMs).toBeLessThan(2_500);
  const readMs = performance.now();
  const page = await stream.read({ limit: 1_000 });
  expect(performance.now() - readMs).toBeLessThan(1_000);
  expect([page.messages.length, page.nextSeq]).toEqual([1_000, 1_001]);
  expect((await stream.state()).consumerCount).toBe(0);
});

it('B3 a work queue and a stream of interest are read without any consumer, filtered and from a time', async () => {
  const stream = (await makeStreams('looked'))('WORK');
  for (let index = 0; index < 300; index += 1)
    await plane.append(`vak.work.looked.q${index % 3}.task`, utf8(`${index}`));
  const page = await stream.read({ subject: 'vak.work.looked.q1.task', limit: 1_000 });
  expect(page.messages.map(({ data }) => toText(data))).toEqual(
    Array.from({ length: 100 }, (_, index) => `${3 * index + 1}`),
  );
  expect(page.nextSeq).toBeUndefined();
  const at = await stream.get(151);
  const later = await stream.read({ fromMs: at?.storedMs ?? 0, limit: 1 });
  expect(later.messages[0]?.storedMs).toBe(at?.storedMs);
  expect((await stream.state()).consumerCount).toBe(0);
});

it('W9 looking at a queue makes no consumer', async () => {
  const stream = (await makeStreams('figures'))('WORK');
  const consumer = await stream.ensureConsumer(consumerSpec('vak.work.figures.q.task'));
  await appendMany('vak.work.figures.q.task', 5);
  await consumer.pull({ batch: 2, waitMs: 0 });
  expect(await consumer.state()).toMatchObject({
    pendingCount: 3,
    inFlightCount: 2,
    redeliveredCount: 0,
    waitingCount: 0,
  });
  await stream.consumers();
  await stream.read({ limit: 10 });
  expect((await stream.state()).consumerCount).toBe(1);
});

it('B3 no-such-peer is noticed soon after somebody else deleted the consumer, and costs no question an append', async () => {
  const stream = (await makeStreams('mail'))('INBOX');
  const subject = 'vak.agent.mail.anna.inbox';
  await expect(plane.append(subject, utf8('x'))).rejects.toMatchObject({ code: 'no-such-peer' });
  await stream.ensureConsumer(consumerSpec(subject, { name: 'inbox-anna' }));
  await plane.append(subject, utf8('x'));
  const manager = await other.jetstreamManager();
  const before = (await manager.getAccountInfo()).api.total;
  await appendMany(subject, 2_000);
  expect((await manager.getAccountInfo()).api.total - before).toBeLessThan(10);
  await manager.consumers.delete('VAK_INBOX_mail', 'inbox-anna');
  const isRefused = (): Promise<boolean> =>
    plane.append(subject, utf8('x')).then(
      () => false,
      (error: unknown) => (error as { code: string }).code === 'no-such-peer',
    );
  expect(await until(isRefused, 4_000)).toBe(true);
});

it('B3 purging a subject takes nothing from a consumer of more than it', async () => {
  const stream = (await makeStreams('purged'))('ROOMS');
  const consumer = await stream.ensureConsumer(consumerSpec('vak.rooms.purged.>'));
  await appendMany('vak.rooms.purged.a.log', 3);
  await appendMany('vak.rooms.purged.b.log', 600);
  await plane.append('vak.rooms.purged.a.log', utf8('last'));
  expect(await stream.purge('vak.rooms.purged.b.log')).toBe(600);
  const deliveries = await consumer.pull({ batch: 100, waitMs: 0 });
  expect(deliveries.map(({ message }) => toText(message.data))).toEqual(['0', '1', '2', 'last']);
});

it('W1 a delivery that was given back is counted, however its pull ended, and exhausted after the last', async () => {
  const stream = (await makeStreams('counted'))('WORK');
  const consumer = await stream.ensureConsumer(consumerSpec('vak.work.counted.q.task', { maxDeliver: 4 }));
  const counts: number[] = [];
  for (let round = 0; round < 4; round += 1) {
    const pulling = consumer.pull({ batch: 100, waitMs: 4_000 });
    if (round === 0) {
      expect(await until(async () => (await consumer.state()).waitingCount === 1)).toBe(true);
      await plane.append('vak.work.counted.q.task', utf8('x'));
    }
    const [delivery] = await pulling;
    counts.push(delivery?.deliveryCount ?? 0);
    await delivery?.nak();
  }
  expect(counts).toEqual([1, 2, 3, 4]);
  expect(await consumer.pull({ batch: 100, waitMs: 300 })).toEqual([]);
  const advisories = plane.stream('VAK_ADV_counted');
  expect(await until(async () => (await advisories.state()).messageCount === 1)).toBe(true);
  const [message] = (await advisories.read({ limit: 10 })).messages;
  expect(decodeMaxDeliveries(message?.data ?? new Uint8Array())).toEqual({
    ...{ stream: 'VAK_WORK_counted', consumer: 'c', streamSeq: 1, deliveries: 4 },
  });
  expect((await stream.state()).messageCount).toBe(1);
});

it('B3 a change that a server cannot make is a conflict that names the field, and changes nothing', async () => {
  await makeStreams('fixed');
  const [spec] = streamsOf('fixed').filter(({ name }) => name.startsWith('VAK_ROOMS'));
  if (spec === undefined) throw new Error('no such stream in the table');
  for (const dryRun of [true, false]) {
    await expect(plane.ensureStream({ ...spec, retention: 'interest' }, { dryRun })).rejects.toMatchObject({
      ...{ code: 'conflict', details: { field: 'retention' } },
    });
  }
  expect((await plane.stream(spec.name).state()).spec.retention).toBe('limits');
});

it('B9 provisioning makes the whole table once, says before what it would do, and mends what differs', async () => {
  const dry = await provision(plane, 'made', { dryRun: true });
  expect(dry.map(({ outcome }) => outcome)).toEqual(dry.map(() => 'created'));
  expect((await plane.streams()).some(({ spec }) => spec.name.endsWith('_made'))).toBe(false);
  expect(await provision(plane, 'made')).toEqual(dry);
  const specs = (await plane.streams()).map(({ spec }) => spec).filter(({ name }) => name.endsWith('_made'));
  const byName = (left: { name: string }, right: { name: string }): number => (left.name < right.name ? -1 : 1);
  expect(specs.toSorted(byName)).toEqual(streamsOf('made').toSorted(byName));
  const manager = await other.jetstreamManager();
  await manager.streams.update('VAK_AUDIT_made', { max_age: 1_000_000_000_000 });
  const changed = dry.map((part) => ({ ...part, outcome: part.name === 'VAK_AUDIT_made' ? 'updated' : 'unchanged' }));
  expect(await provision(plane, 'made', { dryRun: true })).toEqual(changed);
  expect(await provision(plane, 'made')).toEqual(changed);
  expect(await provision(plane, 'made')).toEqual(dry.map((part) => ({ ...part, outcome: 'unchanged' })));
});

async function* zeros(megabytes: number, onPart: () => void): AsyncGenerator<Uint8Array> {
  for (let index = 0; index < megabytes; index += 1) {
    onPart();
    yield new Uint8Array(1024 * 1024).fill(index);
  }
}

it('B5 an object of 100 MiB goes through in chunks, never as a whole', async () => {
  await plane.ensureObjects('VAK_MEDIA_3_big_anna');
  const bucket = plane.objects('VAK_MEDIA_3_big_anna');
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const before = process.memoryUsage().arrayBuffers;
  let looks = 0;
  let most = 0;
  const look = (): void => {
    looks += 1;
    if (looks % 20 !== 0) return;
    // Without it what nobody holds any more would count.
    collect();
    most = Math.max(most, process.memoryUsage().arrayBuffers - before);
  };
  const info = await bucket.put('film', zeros(100, look));
  const hash = createHash('sha256');
  let sizeBytes = 0;
  for await (const chunk of bucket.get('film')) {
    look();
    hash.update(chunk);
    sizeBytes += chunk.length;
  }
  expect([sizeBytes, hash.digest('hex')]).toEqual([100 * 1024 * 1024, info.sha256]);
  expect(most).toBeLessThan(64 * 1024 * 1024);
}, 15_000);

it('B5 the object stores of other clients are the same ones, byte for byte', async () => {
  const name = 'VAK_MEDIA_5_plain_anna';
  await plane.ensureObjects(name);
  const theirs = await other.jetstream().views.os(name);
  const content = new Uint8Array(300_000).map((_, index) => index);
  const stored = await plane.objects(name).put(
    'ours',
    (async function* () {
      yield content;
    })(),
  );
  expect(await theirs.getBlob('ours')).toEqual(content);
  await theirs.putBlob({ name: 'theirs' }, content);
  expect((await plane.objects(name).list()).map((one) => one.name)).toEqual(['ours', 'theirs']);
  expect((await plane.objects(name).info('theirs'))?.sha256).toBe(stored.sha256);
});

it('B5 content that was exchanged or cut short in the store is corrupt', async () => {
  const name = 'VAK_MEDIA_3_bad_anna';
  await plane.ensureObjects(name);
  const bucket = plane.objects(name);
  const put = (): Promise<unknown> =>
    bucket.put(
      'o',
      zeros(1, () => {}),
    );
  const drain = async (): Promise<void> => {
    for await (const chunk of bucket.get('o')) expect(chunk.length).toBeGreaterThan(0);
  };
  const manager = await other.jetstreamManager();
  await put();
  await manager.streams.deleteMessage(`OBJ_${name}`, 3);
  await expect(drain()).rejects.toMatchObject({ code: 'corrupt' });
  await put();
  const chunk = (await plane.stream(`OBJ_${name}`).read({ subject: `$O.${name}.C.>`, limit: 8 })).messages.at(-1);
  await manager.streams.deleteMessage(`OBJ_${name}`, chunk?.seq ?? 0);
  await other.jetstream().publish(chunk?.subject ?? '', new Uint8Array(chunk?.data.length ?? 0).fill(1));
  await expect(drain()).rejects.toMatchObject({ code: 'corrupt' });
  await put();
  await drain();
});

it('B5 the buckets of other clients are the same ones, their deletions and purges too', async () => {
  await plane.ensureKeyValue({ name: 'VAK_STATE_shared', history: 3 });
  const ours = plane.keyValue('VAK_STATE_shared');
  const theirs = await other.jetstream().views.kv('VAK_STATE_shared');
  const revision = await ours.put('a.b', utf8('1'));
  expect((await theirs.get('a.b'))?.string()).toBe('1');
  expect(await theirs.update('a.b', utf8('2'), revision)).toBe(revision + 1);
  await expect(ours.put('a.b', utf8('3'), { revision })).rejects.toMatchObject({ code: 'conflict' });
  await theirs.delete('a.b');
  expect(await ours.get('a.b')).toBeUndefined();
  expect(await ours.keys()).toEqual([]);
  expect(await ours.put('a.b', utf8('4'), { revision: 0 })).toBeGreaterThan(revision);

  // A purge is a rollup, which a bucket of ours does not take; one of theirs does.
  const loose = await other.jetstream().views.kv('VAK_STATE_loose', { history: 3 });
  const looseRevision = await loose.put('a.b', '1');
  await loose.purge('a.b');
  expect(await plane.keyValue('VAK_STATE_loose').get('a.b')).toBeUndefined();
  expect(await plane.keyValue('VAK_STATE_loose').put('a.b', utf8('2'), { revision: 0 })).toBeGreaterThan(looseRevision);
});

it('A4 who may write one key of a bucket cannot empty the bucket with a rollup header', async () => {
  await plane.ensureKeyValue({ name: 'VAK_CARDS_rolled', history: 3 });
  await plane.keyValue('VAK_CARDS_rolled').put('a', utf8('1'));
  for (const mark of ['all', 'sub']) {
    const marks = headers();
    marks.set('Nats-Rollup', mark);
    const answer = await other.request('$KV.VAK_CARDS_rolled.b', utf8('x'), { headers: marks, timeout: 2_000 });
    expect(answer.json()).toMatchObject({ error: { err_code: 10111 } });
  }
  expect(await plane.keyValue('VAK_CARDS_rolled').keys()).toEqual(['a']);
});
