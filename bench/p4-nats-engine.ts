/** P4: our NATS engine against the bare client, at the same work on the same server. */
import { connect } from 'nats';
import { startNatsServer } from '../tests/support/nats-server.ts';
import {
  createAppender,
  openBareJetStream,
  openNats,
  payload,
  taskSubject,
  tokensSubject,
  window,
  workOff,
} from './engines.ts';
import type { Comparison, Group, Side } from './rounds.ts';
import { type Arrivals, asyncRateOf, createArrivals, rateOnce } from './timed-work.ts';

const unit = 'messages/s';
/** Publishes on the way at a time. */
const burst = 4_096;
const taskCount = 10 * window;

/** Publishes a burst and waits until the subscriber, on a connection of its own, has all of it. */
function deliverySide(arrivals: Arrivals, publish: () => void): Side {
  return {
    unit,
    measure: () =>
      asyncRateOf(async () => {
        for (let at = 0; at < burst; at++) publish();
        await arrivals.next(burst);
      }, burst),
  };
}

/** The tasks are there before the clock runs. */
function consumerSide(append: () => Promise<void>, takeAll: () => Promise<void>): Side {
  return {
    unit,
    async measure() {
      for (let done = 0; done < taskCount; done += window) await append();
      return await rateOnce(takeAll, taskCount);
    },
  };
}

const target = { atLeast: 0.85 };
const comparisons: readonly Comparison[] = [
  { title: 'publish and deliver : bare nats.js', ours: 'bus', peer: 'nats.js', target },
  { title: 'append, window 256 : bare nats.js', ours: 'append', peer: 'nats.js append', target },
  { title: 'pull + double ack : bare nats.js', ours: 'pull', peer: 'nats.js pull', target },
];

export async function openNatsEngineGroup(): Promise<Group> {
  const server = await startNatsServer();
  const fabrics = [await openNats(server, true), await openNats(server)] as const;
  const clients = [await connect({ servers: server.url }), await connect({ servers: server.url })] as const;
  const stream = await openBareJetStream(server, 'file');
  const ours = createArrivals('deliveries of our bus');
  const bare = createArrivals('deliveries of nats.js');
  fabrics[1].bus.subscribe(tokensSubject, { kind: 'inline', onMessage: () => ours.count() });
  clients[1].subscribe('bench.tokens', { callback: () => bare.count() });
  await fabrics[1].ping();
  await clients[1].flush();
  const appendTasks = createAppender(fabrics[0], taskSubject);
  return {
    plan: 'P4',
    sides: {
      bus: deliverySide(ours, () => fabrics[0].bus.publish(tokensSubject, payload)),
      'nats.js': deliverySide(bare, () => clients[0].publish('bench.tokens', payload)),
      append: { unit, measure: () => asyncRateOf(appendTasks, window) },
      'nats.js append': { unit, measure: () => asyncRateOf(stream.append, window) },
      pull: consumerSide(appendTasks, () => workOff(fabrics[0], taskCount)),
      'nats.js pull': consumerSide(stream.append, () => stream.workOff(taskCount, 'double')),
    },
    comparisons,
    async close() {
      for (const fabric of fabrics) await fabric.close();
      for (const client of clients) await client.close();
      await stream.close();
      await server.stop();
    },
  };
}
