import { expect, test } from 'vitest';
import { openWorkPlace, workEngines } from '../../../tests/support/work-fixture.ts';
import { readWorkspaceFigures } from './workspace-figures.ts';

const sizes = [10, 0, 500, 7];

test.each(workEngines)('W10 on the engine %s counters, dead letters and lag are what was put there', async (engine) => {
  const place = await openWorkPlace(engine);
  const { bus, durable } = place.fabric;
  const before = bus.metrics();
  const counts = (): number[] => {
    const { publishedCount, publishedBytes, receivedCount, receivedBytes } = bus.metrics();
    return [
      ...[publishedCount - before.publishedCount, publishedBytes - before.publishedBytes],
      ...[receivedCount - before.receivedCount, receivedBytes - before.receivedBytes],
    ];
  };
  bus.subscribe('vak.dlq.acme.>', { kind: 'inline', onMessage: () => {} });
  await place.fabric.ping();
  // Stored, stored under an id that is known, published live on a subject that a stream takes, published and not stored, refused.
  for (const [at, size] of sizes.entries()) {
    await durable.append('vak.dlq.acme.w.failed', new Uint8Array(size), { messageId: `m${at}` });
  }
  expect(await durable.append('vak.work.acme.q.task', new Uint8Array(3), { messageId: 'task' })).toMatchObject({
    isDuplicate: false,
  });
  expect(await durable.append('vak.work.acme.q.task', new Uint8Array(3), { messageId: 'task' })).toMatchObject({
    isDuplicate: true,
  });
  bus.publish('vak.work.acme.q.task', new Uint8Array(20));
  bus.publish('vak.events.acme.s.tokens', new Uint8Array(1_000));
  await expect(durable.append('vak.dlq.acme.w.failed', new Uint8Array(9), { expectedLastSeq: 99 })).rejects.toThrow();
  await place.fabric.ping();
  // A server lets live subscribers hear also what it then refuses.
  const received = engine === 'embedded' ? [4, 517] : [4 + 1, 517 + 9];
  await expect.poll(counts).toEqual([7, 517 + 3 + 20 + 1_000, ...received]);
  await expect.poll(() => place.leftCount()).toBe(2);
  await place.consumer.pull({ batch: 1, waitMs: 5_000 });
  const figures = await readWorkspaceFigures({ workspace: 'acme', durable });
  expect(figures).toMatchObject({
    ...{ deadLetterCount: 4, activeQueueLag: 2 },
    queues: [{ queue: 'q', pendingCount: 1, inFlightCount: 1, inPerSec: 0, outPerSec: 0, drainMs: null }],
  });
  expect(figures.streams.map(({ stream, messageCount }) => [stream, messageCount])).toEqual(
    ['WORK', 'INBOX', 'RECEIPTS', 'APPROVALS', 'DLQ', 'ROOMS', 'KEYS', 'AUDIT', 'CHAIN', 'ADV'].map((name) => [
      `VAK_${name}_acme`,
      name === 'DLQ' ? 4 : name === 'WORK' ? 2 : 0,
    ]),
  );
  expect(figures.streams.find(({ stream }) => stream === 'VAK_DLQ_acme')?.bytes).toBeGreaterThan(517);
  expect(await readWorkspaceFigures({ workspace: 'nowhere', durable })).toEqual({
    ...{ deadLetterCount: null, activeQueueLag: 0, queues: [], streams: [] },
  });
  expect(await durable.stream('VAK_DLQ_acme').consumers()).toEqual([]);
  await place.close();
});
