/**
 * One bucket of the embedded engine's object store (protocol.md B5, B6).
 * Law: an object is seen whole or not at all, whatever ends its writer; a reader keeps what it reads until it is done.
 */
import { createHash } from 'node:crypto';
import { VakError } from '../../../shared/base/vak-error.ts';
import type { Clock } from '../../ports/clock.ts';
import { createSerialLane } from '../../serial-lane.ts';
import type { ObjectBucket, ObjectInfo } from '../durable.ts';
import { cutIntoChunks } from '../object-chunks.ts';
import { checkObjectName } from './bucket-names.ts';
import type { Journal, JournalChange } from './journal.ts';
import type { LooseChunkKeeper } from './loose-chunks.ts';
import { chunkCount, chunkKey, looseRow, type Manifest, manifestRow } from './object-rows.ts';

const chunkBytes = 128 * 1024;
/** Chunks that are kept with one commit. */
const chunksTogether = 8;

export interface ObjectBucketDeps {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly loose: LooseChunkKeeper;
  /** Largest object. */
  readonly maxObjectBytes: number;
}

/** A bucket, and what its store does with it. */
export interface OpenObjectBucket extends ObjectBucket {
  /** Cancels what is being put; resolves when all of it has ended. */
  close(): Promise<void>;
}

/** What an upload has written so far, and what it has in hand. */
interface Upload {
  readonly number: number;
  /** Chunks that are kept. */
  keptCount: number;
  sizeBytes: number;
  inHand: JournalChange[];
}

/** Keeps an author's bytes under a number, all but the last few, which come back with their size and digest. */
async function keepChunks(
  { journal, maxObjectBytes }: ObjectBucketDeps,
  upload: Upload,
  chunks: AsyncIterable<Uint8Array>,
): Promise<string> {
  const digest = createHash('sha256');
  for await (const chunk of chunks) {
    if (upload.inHand.length === chunksTogether) {
      const count = upload.keptCount + chunksTogether;
      const rows = [...upload.inHand, looseRow(upload.number, count)];
      // Counted before it is known to be kept: what may be there is removed.
      upload.keptCount = count;
      upload.inHand = [];
      await journal.commit(rows);
    }
    upload.sizeBytes += chunk.length;
    if (upload.sizeBytes > maxObjectBytes) {
      throw new VakError('limit-exceeded', `object: more than ${maxObjectBytes} bytes`, {
        details: { limitBytes: maxObjectBytes },
      });
    }
    digest.update(chunk);
    upload.inHand.push({ key: chunkKey(upload.number, upload.keptCount + upload.inHand.length), value: chunk });
  }
  return digest.digest('hex');
}

/** Reads an object chunk by chunk. Throws `corrupt`, `aborted`. */
async function* readChunks(
  journal: Journal,
  manifest: Manifest,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void> {
  const corrupt = (why: string): VakError =>
    new VakError('corrupt', `object: ${why}; what was read of it must not be used`, {
      details: { sizeBytes: manifest.info.sizeBytes },
    });
  const digest = createHash('sha256');
  for (let chunk = 0; chunk < chunkCount(manifest); chunk++) {
    if (signal?.aborted === true) throw new VakError('aborted', 'object: reading was cancelled');
    const bytes = await journal.get(chunkKey(manifest.upload, chunk));
    if (bytes === undefined) throw corrupt(`chunk ${chunk} of ${chunkCount(manifest)} is missing`);
    digest.update(bytes);
    yield bytes;
  }
  if (digest.digest('hex') !== manifest.info.sha256) throw corrupt('its digest is not the one that was stored');
}

/** Uploads that are under way, and how all of them are cancelled. */
function createUploads() {
  const running = new Map<AbortController, Promise<unknown>>();
  return {
    run<T>(signal: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
      const controller = new AbortController();
      const abort = (): void => controller.abort();
      signal?.addEventListener('abort', abort, { once: true });
      if (signal?.aborted === true) abort();
      const result = work(controller.signal).finally(() => {
        signal?.removeEventListener('abort', abort);
        running.delete(controller);
      });
      running.set(controller, result);
      return result;
    },
    async cancelAll(): Promise<void> {
      for (const controller of running.keys()) controller.abort();
      await Promise.allSettled(running.values());
    },
  };
}

/** Creates a bucket on the objects that it holds, which it owns from then on. */
export function createObjectBucket(
  deps: ObjectBucketDeps,
  bucket: string,
  objects: Map<string, Manifest>,
): OpenObjectBucket {
  const { journal, clock, loose } = deps;
  const lane = createSerialLane();
  const uploads = createUploads();

  /** Puts another manifest in a name's place, or none; the chunks of the one before are loose from then on. */
  async function replace(name: string, next: Manifest | undefined, chunks: readonly JournalChange[]): Promise<boolean> {
    const before = objects.get(name);
    if (before === undefined && next === undefined) return false;
    const rows = [...chunks, manifestRow(bucket, name, next)];
    if (next !== undefined) rows.push(looseRow(next.upload, undefined));
    if (before !== undefined) rows.push(looseRow(before.upload, chunkCount(before)));
    await journal.commit(rows);
    if (next === undefined) objects.delete(name);
    else objects.set(name, next);
    if (before !== undefined) loose.remove({ upload: before.upload, count: chunkCount(before) });
    return before !== undefined;
  }

  async function put(name: string, author: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<ObjectInfo> {
    const upload: Upload = { number: loose.nextUpload(), keptCount: 0, sizeBytes: 0, inHand: [] };
    try {
      const sha256 = await keepChunks(deps, upload, cutIntoChunks(author, chunkBytes, signal));
      return await lane.run(async () => {
        if (signal.aborted) throw new VakError('aborted', 'object: cancelled; nothing of it is kept');
        const info = { name, sizeBytes: upload.sizeBytes, sha256, storedMs: Math.floor(clock.now()) };
        await replace(name, { upload: upload.number, chunkBytes, info }, upload.inHand);
        return info;
      });
    } catch (error) {
      if (upload.keptCount > 0) loose.remove({ upload: upload.number, count: upload.keptCount });
      throw error;
    }
  }

  return {
    async put(name, chunks, { signal } = {}) {
      checkObjectName(name);
      if (journal.readOnlyReason !== undefined) {
        throw new VakError('read-only', `objects ${bucket}: nothing can be stored: ${journal.readOnlyReason}`);
      }
      return uploads.run(signal, (ended) => put(name, chunks, ended));
    },
    async info(name) {
      checkObjectName(name);
      return objects.get(name)?.info;
    },
    async *get(name, { signal } = {}) {
      checkObjectName(name);
      const manifest = objects.get(name);
      if (manifest === undefined) throw new VakError('not-found', `objects ${bucket}: there is no such object`);
      const release = loose.hold(manifest.upload);
      try {
        yield* readChunks(journal, manifest, signal);
      } finally {
        release();
      }
    },
    async delete(name) {
      checkObjectName(name);
      return lane.run(() => replace(name, undefined, []));
    },
    list: async () => Array.from(objects.values(), ({ info }) => info).sort((a, b) => (a.name < b.name ? -1 : 1)),
    async close() {
      await uploads.cancelAll();
      await lane.idle();
    },
  };
}
