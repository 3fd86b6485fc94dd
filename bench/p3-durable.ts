/** P3: the embedded durable plane and its requests, against JetStream, core NATS, and BullMQ where there is a Redis. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type NatsConnection } from 'nats';
import type { Fabric } from '../src/engine/bus/fabric.ts';
import { startNatsServer } from '../tests/support/nats-server.ts';
import { type BullQueue, openBullQueue } from './bull-queue.ts';
import {
  type BareJetStream,
  createAppender,
  openBareJetStream,
  openEmbedded,
  payload,
  receiptSubject,
  taskSubject,
  window,
  workOff,
} from './engines.ts';
import { findRedisServer, type RedisServer, startRedisServer } from './redis-server.ts';
import type { Comparison, Group, Side } from './rounds.ts';
import { asyncRateOf, p95OfCalls, rateOnce } from './timed-work.ts';

const unit = 'messages/s';
const pingSubject = 'vak.control.ws.bench.ping';
/** Tasks of one measurement of a consumer. */
const taskCount = 20 * window;

/** Publish, claim and acknowledge, all of it timed. */
function queueSide(fabric: Fabric): Side {
  const append = createAppender(fabric, taskSubject);
  return {
    unit,
    measure: () =>
      asyncRateOf(async () => {
        await append();
        await workOff(fabric, window);
      }, window),
  };
}

/** Claim and acknowledge; the publishing before is not timed. */
function jetStreamConsumerSide(stream: BareJetStream): Side {
  return {
    unit,
    async measure() {
      for (let done = 0; done < taskCount; done += window) await stream.append();
      return await rateOnce(() => stream.workOff(taskCount, 'single'), taskCount);
    },
  };
}

const appendSide = (append: () => Promise<void>): Side => ({ unit, measure: () => asyncRateOf(append, window) });

function embeddedRequestSide({ bus }: Fabric): Side {
  bus.subscribe(pingSubject, { kind: 'inline', onMessage: ({ data, respond }) => respond?.(data) });
  return {
    unit: 'ms',
    measure: () => p95OfCalls(() => bus.request(pingSubject, payload, { timeoutMs: 5_000 }), 5_000),
  };
}

async function natsRequestSide(client: NatsConnection, server: NatsConnection): Promise<Side> {
  server.subscribe(pingSubject, { callback: (_error, message) => void message.respond(message.data) });
  await server.flush();
  return {
    unit: 'ms',
    measure: () => p95OfCalls(() => client.request(pingSubject, payload, { timeout: 5_000 }), 500),
  };
}

/** Comparisons with BullMQ; without Redis they are told as not measured. */
const bullComparisons: readonly (Comparison & { readonly target: { readonly atLeast: number } })[] = [
  {
    ...{ title: 'memory, publish + claim + ack : BullMQ worker', ours: 'queue in memory', peer: 'BullMQ worker' },
    target: { atLeast: 100 },
  },
  {
    ...{ title: 'append fsynced : BullMQ, appendfsync always', ours: 'append fsynced', peer: 'BullMQ fsynced' },
    target: { atLeast: 1 },
  },
];

const comparisons: readonly Comparison[] = [
  {
    ...{ title: 'memory, publish + claim + ack : JetStream memory, consume + ack', ours: 'queue in memory' },
    ...{ peer: 'JetStream memory consumer', target: { atLeast: 25 } },
  },
  {
    ...{ title: 'folder, publish + claim + ack : JetStream file, consume + ack', ours: 'queue in a folder' },
    peer: 'JetStream file consumer',
  },
  {
    ...{ title: 'append in memory : JetStream memory', ours: 'append in memory', peer: 'JetStream memory append' },
  },
  {
    ...{ title: 'append written : JetStream file (acks unsynced)', ours: 'append written' },
    ...{ peer: 'JetStream file append', target: { atLeast: 3 } },
  },
  {
    ...{ title: 'append fsynced : JetStream file (acks unsynced)', ours: 'append fsynced' },
    peer: 'JetStream file append',
  },
  {
    ...{ title: 'request and reply, p95 : core NATS', ours: 'embedded request', peer: 'NATS request' },
    target: { atMost: 0.1 },
  },
];

interface Bull {
  readonly servers: readonly RedisServer[];
  readonly queues: readonly BullQueue[];
  readonly sides: Group['sides'];
}

async function openBull(): Promise<Bull | undefined> {
  if ((await findRedisServer()) === undefined) return undefined;
  const [plain, synced] = await Promise.all([startRedisServer('no'), startRedisServer('always')]);
  const queues = [openBullQueue(plain.socket), openBullQueue(synced.socket)] as const;
  return {
    ...{ servers: [plain, synced], queues },
    sides: {
      'BullMQ worker': { unit, measure: () => queues[0].workerRate(8 * window) },
      'BullMQ fsynced': { unit, measure: () => queues[1].addRate(8 * window) },
    },
  };
}

export async function openDurableGroup(): Promise<Group> {
  const folder = await mkdtemp(join(tmpdir(), 'vak-bench-'));
  const server = await startNatsServer();
  const memory = await openEmbedded(undefined);
  const written = await openEmbedded(join(folder, 'written'));
  const fsynced = await openEmbedded(join(folder, 'fsynced'), 'fsynced');
  const memoryStream = await openBareJetStream(server, 'memory');
  const fileStream = await openBareJetStream(server, 'file');
  const core = [await connect({ servers: server.url }), await connect({ servers: server.url })] as const;
  const bull = await openBull();
  /** What a bare append stores is worked off outside the clock: the stream's bound is not the matter here. */
  const bareAppendSide = (stream: BareJetStream): Side => ({
    unit,
    async measure() {
      let appended = 0;
      const rate = await asyncRateOf(async () => {
        await stream.append();
        appended += window;
      }, window);
      await stream.workOff(appended, 'single');
      return rate;
    },
  });
  return {
    plan: 'P3',
    sides: {
      'queue in memory': queueSide(memory),
      'JetStream memory consumer': jetStreamConsumerSide(memoryStream),
      'queue in a folder': queueSide(written),
      'JetStream file consumer': jetStreamConsumerSide(fileStream),
      'append in memory': appendSide(createAppender(memory, receiptSubject)),
      'JetStream memory append': bareAppendSide(memoryStream),
      'append written': appendSide(createAppender(written, receiptSubject)),
      'JetStream file append': bareAppendSide(fileStream),
      'append fsynced': appendSide(createAppender(fsynced, receiptSubject)),
      'embedded request': embeddedRequestSide(memory),
      'NATS request': await natsRequestSide(...core),
      ...bull?.sides,
    },
    comparisons: bull === undefined ? comparisons : [...comparisons, ...bullComparisons],
    notMeasured:
      bull === undefined
        ? bullComparisons.map(({ title, target }) => ({ title, target, reason: 'no redis-server' }))
        : [],
    async close() {
      for (const fabric of [memory, written, fsynced]) await fabric.close();
      for (const part of [memoryStream, fileStream, ...core]) await part.close();
      for (const queue of bull?.queues ?? []) await queue.close();
      for (const redis of bull?.servers ?? []) await redis.stop();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
