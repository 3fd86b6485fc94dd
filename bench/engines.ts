/** The two engines and the bare client, as the bench uses them. */
import {
  AckPolicy,
  connect,
  DiscardPolicy,
  type JsMsg,
  type NatsConnection,
  nanos,
  RetentionPolicy,
  StorageType,
} from 'nats';
import type { ConsumerSpec } from '../src/engine/bus/durable.ts';
import type { Fabric } from '../src/engine/bus/fabric.ts';
import { createEmbeddedFabric } from '../src/engine/bus/memory/embedded-fabric.ts';
import { connectNats } from '../src/engine/bus/nats/nats-fabric.ts';
import { createSystemClock } from '../src/engine/ports/clock.ts';
import { createSilentLogger } from '../src/engine/ports/logger.ts';
import { createSystemRandomness } from '../src/engine/ports/randomness.ts';
import { streamsOf } from '../src/shared/protocol/stream-table.ts';
import type { NatsServer } from '../tests/support/nats-server.ts';

/** Appends or deliveries under way at a time. */
export const window = 256;
export const receiptSubject = 'vak.receipts.ws.s.completed';
export const taskSubject = 'vak.work.ws.bench.task';
export const tokensSubject = 'vak.events.ws.s.tokens';

export const ports = { clock: createSystemClock(), logger: createSilentLogger(), randomness: createSystemRandomness() };

/** What every message carries. */
export const payload = new Uint8Array(128).fill(97);

const workConsumer: ConsumerSpec = {
  ...{ name: 'bench', filter: taskSubject, start: 'all' },
  ...{ ackWaitMs: 60_000, maxDeliver: 5, maxInFlight: 4 * window },
};

async function provisionStreams({ durable }: Fabric): Promise<void> {
  for (const spec of streamsOf('ws')) if (/WORK|RECEIPTS/.test(spec.name)) await durable.ensureStream(spec);
  await durable.stream('VAK_WORK_ws').ensureConsumer(workConsumer);
}

export async function openEmbedded(
  folder: string | undefined,
  durability: 'written' | 'fsynced' = 'written',
): Promise<Fabric> {
  const fabric = await createEmbeddedFabric({ ...ports, folder, durability });
  await provisionStreams(fabric);
  return fabric;
}

/** Our engine on a server; with streams if `isProvisioned`. */
export async function openNats(server: NatsServer, isProvisioned = false): Promise<Fabric> {
  const fabric = await connectNats({ ...ports, servers: [server.url], name: 'bench', inboxPrefix: '_INBOX.ws.bench' });
  if (isProvisioned) await provisionStreams(fabric);
  return fabric;
}

/** Each message under an id of its own, as the product stores them. */
export function createAppender(fabric: Fabric, subject: string): () => Promise<void> {
  let serial = 0;
  return async () => {
    const appends = Array.from({ length: window }, () =>
      fabric.durable.append(subject, payload, { messageId: `id-${serial++}` }),
    );
    await Promise.all(appends);
  };
}

/** Claims so many tasks and acknowledges each. */
export async function workOff(fabric: Fabric, count: number): Promise<void> {
  const consumer = fabric.durable.stream('VAK_WORK_ws').consumer('bench');
  for (let done = 0; done < count; ) {
    const deliveries = await consumer.pull({ batch: window, waitMs: 5_000 });
    if (deliveries.length === 0) throw new Error(`the queue gave ${done} of ${count} tasks`);
    await Promise.all(deliveries.map(({ ack }) => ack()));
    done += deliveries.length;
  }
}

/** The bare client with a stream of its own that is like ours, and how it does the same work. */
export interface BareJetStream {
  readonly connection: NatsConnection;
  append(): Promise<void>;
  /** `double`: waits for each acknowledgement to be noted, as our engine does; `single`: sends it, the client's fastest way. */
  workOff(count: number, ack: 'single' | 'double'): Promise<void>;
  close(): Promise<void>;
}

export async function openBareJetStream(server: NatsServer, storage: 'memory' | 'file'): Promise<BareJetStream> {
  const connection = await connect({ servers: server.url });
  const jetStream = connection.jetstream();
  const manager = await connection.jetstreamManager();
  const name = `bench_${storage}`;
  const subject = `bench.${storage}.task`;
  await manager.streams.add({
    ...{ name, subjects: [subject], duplicate_window: nanos(10 * 60_000) },
    ...{ storage: storage === 'memory' ? StorageType.Memory : StorageType.File, max_bytes: 900 * 1024 * 1024 },
    ...{ retention: RetentionPolicy.Workqueue, discard: DiscardPolicy.New },
  });
  await manager.consumers.add(name, {
    ...{ durable_name: 'bench', ack_policy: AckPolicy.Explicit, ack_wait: nanos(60_000) },
    ...{ max_deliver: 5, max_ack_pending: 4 * window, filter_subject: subject },
  });
  const consumer = await jetStream.consumers.get(name, 'bench');
  let serial = 0;

  /** No more is asked for than is there: a pull that is left behind would claim what comes next. */
  async function workOffSingly(count: number): Promise<void> {
    for (let done = 0; done < count; ) {
      const messages = await consumer.fetch({ max_messages: Math.min(4 * window, count - done), expires: 5_000 });
      const before = done;
      for await (const message of messages) {
        message.ack();
        done++;
      }
      if (done === before) throw new Error(`the bare client got ${done} of ${count} tasks`);
    }
    await connection.flush();
  }

  async function workOffDoubly(count: number): Promise<void> {
    for (let done = 0; done < count; ) {
      const claimed: JsMsg[] = [];
      const messages = await consumer.fetch({ max_messages: Math.min(window, count - done), expires: 5_000 });
      for await (const message of messages) claimed.push(message);
      if (claimed.length === 0) throw new Error(`the bare client got ${done} of ${count} tasks`);
      await Promise.all(claimed.map((message) => message.ackAck()));
      done += claimed.length;
    }
  }
  return {
    connection,
    async append() {
      const appends = Array.from({ length: window }, () =>
        jetStream.publish(subject, payload, { msgID: `id-${serial++}` }),
      );
      await Promise.all(appends);
    },
    workOff: (count, ack) => (ack === 'single' ? workOffSingly(count) : workOffDoubly(count)),
    close: () => connection.close(),
  };
}
