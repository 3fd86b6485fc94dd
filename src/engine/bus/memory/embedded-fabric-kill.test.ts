/**
 * Kills a process that uses an embedded fabric in every way at once, at random moments, and looks at what is left.
 * `npm run endurance` kills it 200 times, and stores an object of 1 GiB.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  killedBucket,
  killedConsumer,
  killedObjects,
  killedStreams,
  serialOf,
} from '../../../../tests/support/fabric-content.ts';
import { createFabricFixture } from '../../../../tests/support/fabric-fixture.ts';
import { createFabricLedger, type FabricLedger } from '../../../../tests/support/fabric-ledger.ts';
import { startTelling, type TellingProcess } from '../../../../tests/support/telling-process.ts';
import { buildTestPrograms } from '../../../../tests/support/test-programs.ts';
import { createSystemClock } from '../../ports/clock.ts';
import { createSilentLogger } from '../../ports/logger.ts';
import type { DurablePlane, StoredMessage } from '../durable.ts';
import type { Fabric } from '../fabric.ts';
import { prefixRange } from './journal-keys.ts';
import { openLevelJournal } from './level-journal.ts';

const isEndurance = process.env['VAK_ENDURANCE'] !== undefined;
const killCount = isEndurance ? 200 : 20;
/** Folders that are used at the same time. */
const lanes = 2;
const largeMebibytes = isEndurance ? 1024 : 256;

const fixture = createFabricFixture();
let writer: string;
beforeAll(async () => {
  ({ fabricWriter: writer } = await buildTestPrograms());
}, 60_000);
afterAll(() => fixture.end());

const startWriter = (...args: readonly string[]): TellingProcess => startTelling(process.execPath, [writer, ...args]);

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function readStream(durable: DurablePlane, name: string): Promise<StoredMessage[]> {
  const messages: StoredMessage[] = [];
  for (let fromSeq: number | undefined = 1; fromSeq !== undefined; ) {
    const page = await durable.stream(name).read({ fromSeq, limit: 1_000 });
    messages.push(...page.messages);
    fromSeq = page.nextSeq;
  }
  return messages;
}

/** Every acknowledged append is there, in order, once; of the others none twice; what was acknowledged as done is gone. */
async function checkStreams({ durable }: Fabric, ledger: FabricLedger): Promise<void> {
  for (const { name } of Object.values(killedStreams)) {
    const messages = await readStream(durable, name);
    const ids = messages.map(({ messageId }) => messageId);
    const seqs = messages.map(({ seq }) => seq);
    expect(new Set(ids).size).toBe(ids.length);
    expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
    const byId = new Map(messages.map((message) => [message.messageId, message]));
    const { appended, acked, ackBegun } = ledger.stream(name);
    for (const { messageId = '', data } of messages) {
      expect(ledger.stream(name).begun.has(messageId), messageId).toBe(true);
      expect(serialOf(data)).toBe(Number(messageId.split('-').at(-1)));
    }
    const isWork = name === killedStreams.work.name;
    const lost = [...appended].filter(([id, seq]) => {
      const mayBeGone = isWork && (acked.has(seq) || ackBegun.has(seq));
      return byId.get(id)?.seq !== seq && !mayBeGone;
    });
    expect(lost).toEqual([]);
    if (isWork) expect(seqs.filter((seq) => acked.has(seq))).toEqual([]);
  }
}

/** Every value is whole, is the last one acknowledged or a later one, and revisions rise. */
async function checkValues({ durable }: Fabric, ledger: FabricLedger): Promise<void> {
  const bucket = durable.keyValue(killedBucket);
  const revisions: number[] = [];
  for (const [key, acknowledged] of ledger.values) {
    const history = await bucket.history(key);
    const serials = history.map(({ value }) => serialOf(value));
    expect(serials).not.toContain(-1);
    expect(serials).toEqual(serials.toSorted((a, b) => a - b));
    const entry = await bucket.get(key);
    expect(entry).toEqual(history.at(-1));
    const serial = serialOf(entry?.value ?? new Uint8Array(0));
    expect(serial).toBeGreaterThanOrEqual(acknowledged.serial);
    if (serial === acknowledged.serial) expect(entry?.revision).toBe(acknowledged.revision);
    else expect(ledger.begunValues.get(key)).toContain(serial);
    revisions.push(...history.map(({ revision }) => revision));
  }
  expect(new Set(revisions).size).toBe(revisions.length);
  expect(Math.max(0, ...revisions)).toBeGreaterThanOrEqual(ledger.lastRevision);
}

/** Every object is whole, and is the last one acknowledged or a later one; none has gone. Gives their bytes. */
async function checkObjects({ durable }: Fabric, ledger: FabricLedger): Promise<number> {
  const bucket = durable.objects(killedObjects);
  const infos = await bucket.list();
  for (const { name } of infos) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of bucket.get(name)) chunks.push(chunk);
    const serial = serialOf(Buffer.concat(chunks));
    const acknowledged = ledger.objects.get(name) ?? 0;
    expect(serial).toBeGreaterThanOrEqual(acknowledged);
    if (serial !== acknowledged) expect(ledger.begunObjects.get(name)).toContain(serial);
  }
  expect(infos.map(({ name }) => name)).toEqual(expect.arrayContaining([...ledger.objects.keys()]));
  return infos.reduce((sum, { sizeBytes }) => sum + Math.ceil(sizeBytes / (128 * 1024)), 0);
}

async function countChunks(folder: string): Promise<number> {
  const ports = { clock: createSystemClock(), logger: createSilentLogger() };
  const journal = await openLevelJournal({ folder, durability: 'written', ...ports });
  let count = 0;
  for await (const _ of journal.entries(prefixRange('object', 'chunk'))) count++;
  await journal.close();
  return count;
}

/** What is still to be delivered now: nothing of it was acknowledged before. */
async function checkDeliveries({ durable }: Fabric, ledger: FabricLedger): Promise<void> {
  for (const { name } of Object.values(killedStreams)) {
    const consumer = durable.stream(name).consumer(killedConsumer);
    for (;;) {
      const deliveries = await consumer.pull({ batch: 256, waitMs: 0 });
      if (deliveries.length === 0) break;
      const { acked } = ledger.stream(name);
      expect(deliveries.filter(({ message }) => acked.has(message.seq))).toEqual([]);
    }
  }
}

async function killOnce(folder: string, ledger: FabricLedger, kill: number): Promise<void> {
  const run = startWriter(folder, String(ledger.nextSerial), ledger.unanswered().join(','));
  if (kill % 6 === 5) await wait(80 + Math.random() * 150);
  else {
    await run.toldAtLeast(1);
    await wait(Math.random() * 350);
  }
  run.process.kill('SIGKILL');
  const { lines, errors, signal } = await run.ended;
  expect(errors).toBe('');
  expect(signal).toBe('SIGKILL');
  for (const line of lines) ledger.take(line);
  expect(ledger.deliveredAgain).toEqual([]);
  const fabric = await fixture.open(folder);
  expect(fabric.facts().missing).toEqual([]);
  const isMade = (await fabric.durable.streams()).length === 2;
  if (isMade && ledger.objects.size > 0) {
    await checkStreams(fabric, ledger);
    await checkValues(fabric, ledger);
    const chunks = await checkObjects(fabric, ledger);
    if (kill % 10 === 9) await checkDeliveries(fabric, ledger);
    await fabric.close();
    if (kill % 5 === 4) expect(await countChunks(folder)).toBe(chunks);
  }
  await fabric.close();
}

it(
  `B6 kill −9 at ${killCount} random moments of everything at once: what was acknowledged is there, in order, once, and whole`,
  async () => {
    const ledgers = await Promise.all(
      Array.from({ length: lanes }, async () => {
        const folder = await fixture.createFolder();
        const ledger = createFabricLedger();
        for (let kill = 0; kill < killCount / lanes; kill++) await killOnce(folder, ledger, kill);
        return ledger;
      }),
    );
    for (const ledger of ledgers) {
      // There was a load, of every kind.
      const { kept, work } = killedStreams;
      expect(ledger.stream(kept.name).appended.size).toBeGreaterThan(killCount);
      expect(ledger.stream(work.name).acked.size).toBeGreaterThan(killCount);
      expect(ledger.stream(kept.name).acked.size).toBeGreaterThan(killCount);
      expect(ledger.lastRevision).toBeGreaterThan(killCount);
      expect(ledger.objects.size).toBe(3);
    }
  },
  killCount * 6_000,
);

it(
  `B5 an object of ${largeMebibytes} MiB passes through with less than 80 MB of memory`,
  async () => {
    const folder = await fixture.createFolder();
    const { lines, errors } = await startWriter(folder, '1', '', 'large', String(largeMebibytes)).ended;
    expect(errors).toBe('');
    const { sizeBytes, readBytes, grown } = JSON.parse(lines[0] ?? '{}');
    expect([sizeBytes, readBytes]).toEqual([largeMebibytes * 1024 * 1024, largeMebibytes * 1024 * 1024]);
    expect(Math.max(grown.put, grown.get)).toBeLessThan(80_000_000);
  },
  largeMebibytes * 500,
);
