/** An object store over a journal, and what its tests do with it. */

import { createHash } from 'node:crypto';
import type { ObjectBucket } from '../../src/engine/bus/durable.ts';
import type { Journal } from '../../src/engine/bus/memory/journal.ts';
import { everyKey, prefixRange } from '../../src/engine/bus/memory/journal-keys.ts';
import { createMemoryJournal } from '../../src/engine/bus/memory/memory-journal.ts';
import { createObjectStore, type ObjectStore } from '../../src/engine/bus/memory/object-store.ts';
import { createFakeClock } from '../../src/engine/ports/fake-clock.ts';
import { createSeededRandomness } from '../../src/engine/ports/randomness.ts';
import { createLineLogger } from './line-logger.ts';

export const someBytes = (length: number, seed = 7): Uint8Array => createSeededRandomness(seed).bytes(length);
export const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Bytes in pieces of a size. */
export async function* pieces(bytes: Uint8Array, size = 50_000): AsyncGenerator<Uint8Array, void> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

export async function readAll(bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  for await (const chunk of bytes) all.push(chunk);
  return new Uint8Array(Buffer.concat(all));
}

export interface ObjectStoreSetting {
  readonly maxObjectBytes?: number;
  /** Takes the lines of the log. */
  readonly logged?: string[];
}

/** Opens a store whose time stands at 1 000 ms. */
export async function openObjectStore(
  journal: Journal,
  { maxObjectBytes = 64 * 1024 * 1024, logged = [] }: ObjectStoreSetting = {},
): Promise<ObjectStore> {
  const logger = createLineLogger(logged);
  return createObjectStore({ journal, clock: createFakeClock(1_000), logger, maxObjectBytes });
}

/** Opens a store with the bucket `M`. */
export async function openObjectBucket(
  journal: Journal = createMemoryJournal(),
  setting: ObjectStoreSetting = {},
): Promise<ObjectBucket> {
  const store = await openObjectStore(journal, setting);
  await store.ensure('M');
  return store.bucket('M');
}

/** How many rows there are: of one kind, or of all. */
export async function countObjectRows(journal: Journal, kind?: 'bucket' | 'name' | 'chunk' | 'loose'): Promise<number> {
  let count = 0;
  for await (const _ of journal.entries(kind === undefined ? everyKey : prefixRange('object', kind))) count++;
  return count;
}
