import { headers, type MsgHdrs } from 'nats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { consumerOf, furnish, namesIn } from '../../../tests/support/access-calls.ts';
import {
  type AccessPlace,
  other,
  ports,
  startWithConf,
  startWithJwts,
  wsOf,
} from '../../../tests/support/access-server.ts';
import { utf8 } from '../../shared/base/bytes.ts';
import { readerNames } from '../../shared/protocol/reader-names.ts';
import { mediaBucket } from '../../shared/protocol/storage-access.ts';
import { streamsOf } from '../../shared/protocol/stream-table.ts';
import type { Fabric } from '../bus/fabric.ts';
import { connectToServer, type NatsConnection } from '../bus/nats/nats-connection.ts';
import { connectNats } from '../bus/nats/nats-fabric.ts';
import { createNatsPlane } from '../bus/nats/nats-plane.ts';
import { provision } from '../bus/provision.ts';

const ws = wsOf('worker');
const { task, deadLetter, stream } = namesIn(ws);
const [cards, state, grants] = ['CARDS', 'STATE', 'GRANTS'].map((kind) => `VAK_${kind}_${ws}`);
/** One for each way, as one that is pulled does not begin to push. */
const [pulled = '', pusher = '', turned = '', requester = ''] = readerNames(ws, 'me');

/** Makes a consumer of the worker's own dead letters that pushes them, or is pulled; `isTold`: tells the one that is there. */
async function read(me: NatsConnection['client'], name: string, deliver?: string, isTold = false): Promise<void> {
  if (!isTold) await me.request(`$JS.API.CONSUMER.DELETE.${stream('DLQ')}.${name}`);
  const config = {
    ...{ name, filter_subject: deadLetter('me'), ack_policy: 'explicit', deliver_policy: 'all' },
    ...{ max_deliver: -1, inactive_threshold: 60_000_000_000 },
    ...(deliver === undefined ? {} : { deliver_subject: deliver }),
  };
  const subject = `$JS.API.CONSUMER.CREATE.${stream('DLQ')}.${name}.${deadLetter('me')}`;
  const made = await me.request(subject, JSON.stringify({ stream_name: stream('DLQ'), config }));
  expect(made.json()).not.toHaveProperty('error');
}

/** What a worker may ask, so that the answer goes where it says. */
const ways: Readonly<Record<string, (me: NatsConnection['client'], reply: string) => unknown>> = {
  'a direct read': (me, reply) => me.publish(`$JS.API.DIRECT.GET.KV_${cards}.$KV.${cards}.me`, '', { reply }),
  'a direct read of nothing': (me, reply) =>
    me.publish(`$JS.API.DIRECT.GET.KV_${cards}.$KV.${cards}.nobody`, '', { reply }),
  'an ack of an append': (me, reply) => me.publish(deadLetter('me'), 'x', { reply }),
  'a refused append'(me, reply) {
    const expected: MsgHdrs = headers();
    expected.set('Nats-Expected-Last-Sequence', '99999');
    me.publish(deadLetter('me'), 'x', { reply, headers: expected });
  },
  'figures of a stream': (me, reply) => me.publish(`$JS.API.STREAM.INFO.${stream('DLQ')}`, '', { reply }),
  'a pull': async (me, reply) => {
    await read(me, pulled);
    me.publish(deadLetter('me'), 'x');
    me.publish(`$JS.API.CONSUMER.MSG.NEXT.${stream('DLQ')}.${pulled}`, '{"batch":1,"no_wait":true}', { reply });
  },
  'a push': async (me, reply) => {
    await read(me, pusher, reply);
    me.publish(deadLetter('me'), 'x');
  },
  // What it pushes is a request by itself.
  'a push of a request': async (me, reply) => {
    await read(me, requester, reply);
    for (const body of ['', '1', '{"batch":1}']) me.publish(deadLetter('me'), body);
  },
  // It has pushed to an inbox, and is told of another subject then.
  'a push that was turned': async (me, reply) => {
    const inbox = `_INBOX.${ws}.me.pushed`;
    const subscription = me.subscribe(inbox, { callback: () => {} });
    await read(me, turned, inbox);
    subscription.unsubscribe();
    await me.flush();
    await read(me, turned, reply, true);
    me.publish(deadLetter('me'), 'x');
  },
};

/** Where nothing of a worker's may ever arrive: calls of the API, others' streams and buckets. */
const targets = [
  `$JS.API.STREAM.PURGE.${stream('WORK')}`,
  `$JS.API.STREAM.DELETE.${stream('RECEIPTS')}`,
  `$JS.API.CONSUMER.DELETE.${stream('WORK')}.queue-other`,
  `$JS.API.CONSUMER.MSG.NEXT.${stream('WORK')}.queue-other`,
  task('other'),
  `$KV.${state}.queue.q`,
  `$KV.${grants}.other`,
  `$KV.${cards}.other`,
  `$O.${mediaBucket(ws, other)}.M.o`,
  `$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.${stream('WORK')}.queue-other`,
];

describe('what an answer of JetStream can be directed at', () => {
  const places = new Map<string, { place: AccessPlace; admin: Fabric; me: NatsConnection }>();
  const kinds = {
    ...{ 'nats-conf': () => startWithConf(), jwt: startWithJwts },
    ...{ 'one-store': () => startWithConf('one-store'), flat: () => startWithConf('flat') },
  };
  const at = (kind: string) => places.get(kind) as { place: AccessPlace; admin: Fabric; me: NatsConnection };

  async function furnished(durable: Fabric['durable']): Promise<void> {
    await provision(durable, ws);
    await furnish(durable, ws);
    await durable.keyValue(cards as string).put('me', utf8('chosen'));
    await durable.keyValue(cards as string).put('other', utf8('card'));
    await durable.keyValue(state as string).put('queue.q', utf8('paused'));
  }

  beforeAll(async () => {
    for (const [kind, start] of Object.entries(kinds)) {
      const place = await start();
      const of = (peer: 'me' | 'admin') => ({
        ...{ ...ports, servers: [place.server.url], name: peer, inboxPrefix: `_INBOX.${ws}.${peer}` },
        auth: place.authOf('worker', peer),
      });
      const admin = await connectNats(of('admin'));
      await furnished(admin.durable);
      places.set(kind, { place, admin, me: await connectToServer(of('me')) });
    }
  });
  afterAll(async () => {
    for (const { place, admin, me } of places.values()) {
      await Promise.all([admin.close(), me.close()]);
      await place.server.stop();
    }
  });

  /** Everything that there is, but for what the worker writes itself. */
  async function seen({ durable }: Fabric): Promise<unknown> {
    const streams = streamsOf(ws).filter(({ name }) => name !== stream('DLQ'));
    const figures = streams.map(async ({ name }) => {
      const found = durable.stream(name);
      const { messageCount, lastSeq } = await found.state();
      return { name, messageCount, lastSeq, consumers: await found.consumers() };
    });
    const values = [cards, state, grants].map((bucket) => durable.keyValue(bucket as string).history('other'));
    const queue = durable.keyValue(state as string).history('queue.q');
    const media = durable.objects(mediaBucket(ws, other)).info('o');
    return await Promise.allSettled([...figures, ...values, queue, media]);
  }

  /** The pairs that changed anything. */
  async function effects(kind: string): Promise<readonly string[]> {
    const { admin, me } = at(kind);
    const changed: string[] = [];
    for (const [way, ask] of Object.entries(ways)) {
      for (const target of targets) {
        const before = JSON.stringify(await seen(admin));
        await ask(me.client, target);
        await me.ping();
        await admin.ping();
        if (JSON.stringify(await seen(admin)) === before) continue;
        changed.push(`${way} → ${target}`);
        await furnished(admin.durable);
      }
    }
    return changed;
  }

  it.for(['nats-conf', 'jwt'])('A22 at a server that was told by %s it is nothing but who asked', async (kind) => {
    expect(await effects(kind)).toEqual([]);
  });

  it('A35 with what is claimed in one account with what is read, a consumer to read uses up deliveries of others', async () => {
    const next = `$JS.API.CONSUMER.MSG.NEXT.${stream('WORK')}.queue-other`;
    expect(await effects('one-store')).toContain(`a push of a request → ${next}`);
  });

  it('A22 with the streams in the peers’ own account it is the API, queues, flags and cards', async () => {
    const changed = await effects('flat');
    const [purge, drop, remove, next, tasks, flag, grant, card, , advisory] = targets;
    for (const target of [purge, drop, remove]) expect(changed).toContain(`a direct read of nothing → ${target}`);
    for (const target of [tasks, flag, grant, card, advisory]) {
      for (const way of ['a direct read', 'an ack of an append', 'a refused append', 'figures of a stream'])
        expect(changed).toContain(`${way} → ${target}`);
    }
    expect(changed).toContain(`an ack of an append → ${purge}`);
    expect(changed).toContain(`a pull → ${next}`);
  });

  it('A23 no answer that a peer forges for what it hears is believed, and the next reply is not to be guessed', async () => {
    const { place } = at('nats-conf');
    const of = (peer: 'me' | 'admin') => ({
      ...{ ...ports, servers: [place.server.url], name: peer },
      ...{ inboxPrefix: `_INBOX.${wsOf('coordinator')}.${peer}`, auth: place.authOf('coordinator', peer) },
    });
    const names = namesIn(wsOf('coordinator'));
    const told: string[] = [];
    const writer = await connectNats({ ...of('admin'), onError: ({ message }) => told.push(message) });
    await provision(writer.durable, wsOf('coordinator'));
    const { client, ...hearer } = await connectToServer(of('me'));
    const bucket = `VAK_CARDS_${wsOf('coordinator')}`;
    const forged = JSON.stringify({ stream: names.stream('DLQ'), seq: 999_999 });
    await client.request(`$KV.${bucket}.me`, forged);
    const replies: string[] = [];
    client.subscribe(names.deadLetter('*'), {
      callback(_error, { reply = '' }) {
        replies.push(reply);
        client.publish(`$JS.API.DIRECT.GET.KV_${bucket}.$KV.${bucket}.me`, '', { reply });
        client.publish(names.receipt('mine'), 'x', { reply });
        client.publish(reply, forged);
      },
    });
    await hearer.ping();
    for (let seq = 1; seq <= 30; seq++) {
      const stored = await writer.durable.append(names.deadLetter('other'), utf8('x'));
      expect(stored).toEqual({ stream: names.stream('DLQ'), seq, isDuplicate: false });
    }
    await expect.poll(() => replies.length).toBe(30);
    const tokens = replies.map((reply) => reply.split('.').at(-1) ?? '');
    for (const token of tokens) expect(token).toMatch(/^[\w-]{22}$/);
    expect(new Set(tokens.map((token) => token.slice(0, 8))).size).toBe(30);
    await expect.poll(() => told.join()).toMatch(/no stream gave|two different/);
    // Where no stream answers at all nothing that is forged stands for it.
    await writer.durable.deleteStream(names.stream('DLQ'));
    const raw = await connectToServer(of('admin'));
    const inboxPrefix = `_INBOX.${wsOf('coordinator')}.admin`;
    const plane = createNatsPlane({ ...ports, connection: raw.client, inboxPrefix, timeoutMs: 300 });
    await expect(plane.append(names.deadLetter('other'), utf8('x'))).rejects.toMatchObject({ code: 'corrupt' });
    plane.close();
    await Promise.all([writer.close(), hearer.close(), raw.close()]);
  });

  it.for(['nats-conf', 'jwt'])(
    'A22 a question to JetStream has one answer at a server of %s, and it is the streams’',
    async (kind) => {
      const { admin, me } = at(kind);
      const { client } = me;
      const answers = new Map<string, string[]>();
      const asked = [
        [`$JS.API.STREAM.INFO.${stream('WORK')}`, ''],
        [`$JS.API.CONSUMER.INFO.${stream('WORK')}.queue-q`, ''],
        [`$JS.API.DIRECT.GET.KV_${cards}.$KV.${cards}.me`, ''],
        [`$JS.API.CONSUMER.CREATE.${stream('DLQ')}.${pulled}.${deadLetter('me')}`, ''],
        [`$JS.API.CONSUMER.MSG.NEXT.${stream('DLQ')}.${pulled}`, '{"batch":1,"no_wait":true}'],
        [`$JS.API.CONSUMER.DELETE.${stream('DLQ')}.${pulled}`, ''],
        [`$KV.${cards}.me`, 'x'],
        [deadLetter('me'), 'x'],
      ] as const;
      for (const [index, [subject, body]] of asked.entries()) {
        const reply = `_INBOX.${ws}.me.one.${index}`;
        const got: string[] = [];
        answers.set(subject, got);
        client.subscribe(reply, { callback: (_error, { data }) => void got.push(new TextDecoder().decode(data)) });
        client.publish(subject, body, { reply });
        await expect.poll(() => got.length, { interval: 5 }).toBeGreaterThan(0);
      }
      // Whoever answers as well has had the time of these to do it.
      for (let round = 0; round < 20; round++)
        await Promise.all([me.ping(), admin.durable.stream(stream('WORK')).state()]);
      expect(at(kind).place.server.log()).not.toMatch(/panic/);
      for (const [subject, got] of answers) {
        expect(got.length, subject).toBe(1);
        expect(got.join(), subject).not.toContain('not enabled');
      }
      expect(await admin.durable.limits()).toEqual({ memoryBytes: -1, storageBytes: -1 });
    },
  );

  it('A22 a stream that is not there is told as such, though nobody says so', async () => {
    const { me, admin } = at('jwt');
    const plane = createNatsPlane({ ...ports, connection: me.client, inboxPrefix: `_INBOX.${ws}.me`, timeoutMs: 300 });
    await admin.durable.deleteStream(stream('DLQ'));
    await expect(plane.append(deadLetter('me'), utf8('x'))).rejects.toMatchObject({ code: 'not-found' });
    plane.close();
  });

  it('A22 what a pull, an ack, a read and an append answer comes to who asked', async () => {
    const { admin } = at('nats-conf');
    const own = admin.durable.stream(stream('WORK'));
    const consumer = await own.ensureConsumer(consumerOf('queue-fresh', task('fresh')));
    const large = new Uint8Array(700_000).fill(7);
    const { seq } = await admin.durable.append(task('fresh'), large);
    const [delivery] = await consumer.pull({ batch: 1, waitMs: 2_000 });
    expect(delivery?.message).toMatchObject({ seq, subject: task('fresh') });
    expect(delivery?.message.data.length).toBe(large.length);
    await delivery?.ack();
    expect(await own.get(seq)).toBeUndefined();
  });
});
