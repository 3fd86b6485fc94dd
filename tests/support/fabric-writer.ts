/**
 * A program that uses an embedded fabric until it is killed: appends, pulls, acknowledges, puts values and objects all at once,
 * and tells each thing, as a line of JSON, when it begins it and when it was acknowledged. Or, with `large <MiB>`: stores and
 * reads one object, and tells by how many bytes its memory grew.
 */
import { readFileSync, writeSync } from 'node:fs';
import type { Consumer } from '../../src/engine/bus/durable.ts';
import { createEmbeddedFabric } from '../../src/engine/bus/memory/embedded-fabric.ts';
import { createSystemClock } from '../../src/engine/ports/clock.ts';
import { createSilentLogger } from '../../src/engine/ports/logger.ts';
import { createSystemRandomness } from '../../src/engine/ports/randomness.ts';
import { streamsOf } from '../../src/shared/protocol/stream-table.ts';
import {
  contentOf,
  type FabricEvent,
  killedAckWaitMs,
  killedBucket,
  killedConsumer,
  killedObjects,
  killedStreams,
  objectSizeOf,
  valueSizeOf,
} from './fabric-content.ts';

const [folder = '', firstSerial = '1', resent = '', mode = '', largeMebibytes = '0'] = process.argv.slice(2);
const fabric = await createEmbeddedFabric({
  ...{ folder, durability: 'written', clock: createSystemClock() },
  ...{ randomness: createSystemRandomness(), logger: createSilentLogger() },
});
const { durable } = fabric;
let serial = Number(firstSerial);

function tell(event: FabricEvent): void {
  writeSync(1, `${JSON.stringify(event)}\n`);
}

async function appendOne(stream: (typeof killedStreams)['kept' | 'work'], id: string): Promise<void> {
  const { name, subject } = stream;
  tell({ kind: 'append', isDone: false, stream: name, id, seq: 0 });
  const data = contentOf(Number(id.split('-').at(-1)), valueSizeOf(id.length * 13) % 3_000);
  const { seq } = await durable.append(subject, data, { messageId: id });
  tell({ kind: 'append', isDone: true, stream: name, id, seq });
  // Who did not hear the answer asks again: nothing more may be stored.
  if (serial % 5 !== 0) return;
  const again = await durable.append(subject, data, { messageId: id });
  if (!again.isDuplicate || again.seq !== seq) throw new Error(`stored twice: ${id} at ${seq} and ${again.seq}`);
}

async function keepAppending(stream: (typeof killedStreams)['kept' | 'work']): Promise<never> {
  for (;;) {
    const ids = Array.from({ length: 1 + (serial % 7) }, () => `${stream.name}-${serial++}`);
    await Promise.all(ids.map((id) => appendOne(stream, id)));
  }
}

async function keepPulling(stream: string, consumer: Consumer): Promise<never> {
  for (;;) {
    const deliveries = await consumer.pull({ batch: 8, waitMs: 1000 });
    for (const { message } of deliveries) tell({ kind: 'deliver', stream, seq: message.seq });
    const acks = deliveries.map(async ({ ack, message: { seq } }) => {
      // Some are left alone, as by a worker that dies.
      if (seq % 11 === 0) return;
      tell({ kind: 'ack', isDone: false, stream, seq });
      await ack();
      tell({ kind: 'ack', isDone: true, stream, seq });
    });
    await Promise.all(acks);
  }
}

async function keepPuttingValues(): Promise<never> {
  const bucket = durable.keyValue(killedBucket);
  for (;;) {
    const own = serial++;
    const key = `key.${own % 5}`;
    tell({ kind: 'value', isDone: false, key, serial: own, revision: 0 });
    const revision = await bucket.put(key, contentOf(own, valueSizeOf(own)));
    tell({ kind: 'value', isDone: true, key, serial: own, revision });
  }
}

async function* inPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  for (let at = 0; at < bytes.length; at += 30_000) yield bytes.subarray(at, at + 30_000);
}

async function keepPuttingObjects(): Promise<never> {
  const bucket = durable.objects(killedObjects);
  for (;;) {
    const own = serial++;
    const name = `object-${own % 3}`;
    tell({ kind: 'object', isDone: false, name, serial: own });
    await bucket.put(name, inPieces(contentOf(own, objectSizeOf(own))));
    tell({ kind: 'object', isDone: true, name, serial: own });
  }
}

async function consumerOf({ name, subject }: (typeof killedStreams)['kept' | 'work']): Promise<Consumer> {
  return durable.stream(name).ensureConsumer({
    ...{ name: killedConsumer, filter: subject, start: 'all' },
    ...{ ackWaitMs: killedAckWaitMs, maxDeliver: 1_000, maxInFlight: 64 },
  });
}

async function runLoad(): Promise<void> {
  const wanted = Object.values(killedStreams);
  for (const spec of streamsOf('ws')) {
    if (wanted.some(({ name }) => name === spec.name)) await durable.ensureStream(spec);
  }
  await durable.ensureKeyValue({ name: killedBucket, history: 3 });
  await durable.ensureObjects(killedObjects);
  const consumers = { kept: await consumerOf(killedStreams.kept), work: await consumerOf(killedStreams.work) };
  for (const id of resent.split(',').filter((one) => one !== '')) {
    await appendOne(id.startsWith(killedStreams.kept.name) ? killedStreams.kept : killedStreams.work, id);
  }
  await Promise.all([
    ...[keepAppending(killedStreams.kept), keepAppending(killedStreams.work)],
    ...[keepPulling(killedStreams.kept.name, consumers.kept), keepPulling(killedStreams.work.name, consumers.work)],
    ...[keepPuttingValues(), keepPuttingObjects()],
  ]);
}

/** So many MiB in one array that is used again and again: what grows is not the author's. */
async function* manyBytes(count: number, look: () => void = () => {}): AsyncGenerator<Uint8Array, void> {
  const piece = contentOf(1, 1024 * 1024);
  for (let at = 0; at < count; at++) {
    piece[at % piece.length] = at;
    yield piece;
    look();
  }
}

/** What the process has in memory of its own, in bytes: tables that are mapped from files are the system's to drop. */
function ownBytes(): number {
  const { heapTotal, external } = process.memoryUsage();
  if (process.platform !== 'linux') return heapTotal + external;
  const [, kibibytes] = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return Number(kibibytes) * 1024;
}

async function runLarge(): Promise<void> {
  await durable.ensureObjects(killedObjects);
  const bucket = durable.objects(killedObjects);
  await bucket.put('small', manyBytes(4));
  for await (const _ of bucket.get('small'));
  const before = ownBytes();
  let peak = before;
  const look = (): void => {
    peak = Math.max(peak, ownBytes());
  };
  const { sizeBytes } = await bucket.put('large', manyBytes(Number(largeMebibytes), look));
  const put = peak - before;
  let readBytes = 0;
  let chunks = 0;
  for await (const { length } of bucket.get('large')) {
    readBytes += length;
    if (chunks++ % 8 === 0) look();
  }
  await fabric.close();
  writeSync(1, `${JSON.stringify({ sizeBytes, readBytes, grown: { put, get: peak - before } })}\n`);
}

await (mode === 'large' ? runLarge() : runLoad());
