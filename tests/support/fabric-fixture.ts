/** Embedded fabrics of a test, in memory and in folders, and what tests ask of them. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bus } from '../../src/engine/bus/bus.ts';
import type { ConsumerSpec, StoredMessage } from '../../src/engine/bus/durable.ts';
import type { Fabric } from '../../src/engine/bus/fabric.ts';
import { createEmbeddedFabric, createFabricOver } from '../../src/engine/bus/memory/embedded-fabric.ts';
import type { Journal } from '../../src/engine/bus/memory/journal.ts';
import { createSystemClock } from '../../src/engine/ports/clock.ts';
import { createSilentLogger } from '../../src/engine/ports/logger.ts';
import { createSystemRandomness } from '../../src/engine/ports/randomness.ts';
import { toText, utf8 } from '../../src/shared/base/bytes.ts';
import { streamsOf } from '../../src/shared/protocol/stream-table.ts';

export const receiptSubject = 'vak.receipts.ws.s.completed';
export const taskSubject = 'vak.work.ws.q.task';
export const values = 'VAK_STATE_ws';
export const media = 'VAK_MEDIA_2_ws_p';

export const workConsumer: ConsumerSpec = {
  ...{ name: 'q', filter: taskSubject, ackWaitMs: 30_000, maxDeliver: 4, maxInFlight: 100, start: 'all' },
};

export interface FabricFixture {
  /** A folder that is not there yet. */
  createFolder(): Promise<string>;
  /** In memory without a folder. */
  open(folder?: string): Promise<Fabric>;
  /** With the streams of the workspace `ws`, a key-value and an object bucket. */
  openProvisioned(folder?: string): Promise<Fabric>;
  /** Over a journal, provisioned. */
  openOver(journal: Journal): Promise<Fabric>;
  /** Closes all of them, and removes their folders. */
  end(): Promise<void>;
}

export async function provision({ durable }: Fabric): Promise<void> {
  for (const spec of streamsOf('ws')) await durable.ensureStream(spec);
  await durable.ensureKeyValue({ name: values, history: 4 });
  await durable.ensureObjects(media);
}

export function createFabricFixture(): FabricFixture {
  const ports = { clock: createSystemClock(), randomness: createSystemRandomness(), logger: createSilentLogger() };
  const folders: string[] = [];
  const opened: Fabric[] = [];

  async function keep(opening: Promise<Fabric>): Promise<Fabric> {
    const fabric = await opening;
    opened.push(fabric);
    return fabric;
  }

  const open = (folder?: string): Promise<Fabric> =>
    keep(createEmbeddedFabric({ ...ports, folder, durability: 'written' }));

  async function provisioned(opening: Promise<Fabric>): Promise<Fabric> {
    const fabric = await opening;
    await provision(fabric);
    return fabric;
  }

  return {
    async createFolder() {
      const folder = await mkdtemp(join(tmpdir(), 'vak-fabric-'));
      folders.push(folder);
      return join(folder, 'journal');
    },
    open,
    openProvisioned: (folder) => provisioned(open(folder)),
    openOver: (journal) => provisioned(keep(createFabricOver(journal, ports))),
    async end() {
      await Promise.all(opened.splice(0).map((fabric) => fabric.close().catch(() => {})));
      await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true, force: true })));
    },
  };
}

/** Lets what is under way get on. */
export async function turns(count = 4): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** The first thousand messages of a stream. */
export async function storedIn({ durable }: Fabric, stream = 'VAK_RECEIPTS_ws'): Promise<readonly StoredMessage[]> {
  return (await durable.stream(stream).read({ limit: 1_000 })).messages;
}

/** The texts of what is heard live from now on. */
export function hearTexts(bus: Bus): string[] {
  const heard: string[] = [];
  bus.subscribe('>', { kind: 'inline', onMessage: ({ data }) => heard.push(toText(data)) });
  return heard;
}

export async function* oneChunk(text: string): AsyncGenerator<Uint8Array, void> {
  yield utf8(text);
}

export async function readText(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  let text = '';
  for await (const chunk of bytes) text += toText(chunk);
  return text;
}
