/**
 * The embedded engine's object buckets, over the journal (protocol.md B5, B6).
 * Law: which objects there are is known in memory, their bytes pass through; what an interrupted writer left is removed at open.
 */
import { VakError } from '../../../shared/base/vak-error.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import { createSerialLane } from '../../serial-lane.ts';
import type { MakeOptions, ObjectBucket, Provisioned } from '../durable.ts';
import { checkBucketName } from './bucket-names.ts';
import type { Journal } from './journal.ts';
import { createLooseChunkKeeper } from './loose-chunks.ts';
import { createObjectBucket, type OpenObjectBucket } from './object-bucket.ts';
import {
  type LooseChunks,
  looseRange,
  type Manifest,
  manifestRange,
  objectBucketRange,
  objectBucketRow,
  readLooseRow,
  readManifestRow,
  readObjectBucketRow,
} from './object-rows.ts';
import { createRowReader } from './row-reader.ts';

/** Twice what an attachment may have (R12). */
const defaultMaxObjectBytes = 4 * 1024 * 1024 * 1024;

export interface ObjectStoreDeps {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Largest object; 4 GiB if it is not given. */
  readonly maxObjectBytes?: number;
}

export interface ObjectStore {
  /** Makes the bucket. Throws `invalid-input`, and what the journal throws. */
  ensure(name: string, options?: MakeOptions): Promise<Provisioned>;
  /** What it does throws `not-found` while there is no such bucket. Throws `invalid-input`. */
  bucket(name: string): ObjectBucket;
  /** Cancels what is being put and refuses what comes; resolves when all that has ended. */
  close(): Promise<void>;
}

interface Loaded {
  readonly buckets: ReadonlyMap<string, Map<string, Manifest>>;
  readonly loose: readonly LooseChunks[];
  readonly lastUpload: number;
}

/** Reads what there is: small rows, never the chunks. Throws `corrupt`, unless the journal is known to be damaged. */
async function loadObjects({ journal, logger }: ObjectStoreDeps): Promise<Loaded> {
  const buckets = new Map<string, Map<string, Manifest>>();
  const loose: LooseChunks[] = [];
  let lastUpload = 0;
  const rows = createRowReader({ journal, logger, event: 'objects.rows-skipped' });
  await rows.each(objectBucketRange, ({ key }) => buckets.set(readObjectBucketRow(key), new Map()));
  await rows.each(manifestRange, ({ key, value }) => {
    const { bucket, ...manifest } = readManifestRow(key, value);
    const known = buckets.get(bucket);
    if (known === undefined && journal.readOnlyReason === undefined) {
      throw new VakError('corrupt', `objects ${bucket}: has objects and is no bucket; restore a backup`);
    }
    buckets.set(bucket, (known ?? new Map<string, Manifest>()).set(manifest.info.name, manifest));
    lastUpload = Math.max(lastUpload, manifest.upload);
  });
  await rows.each(looseRange, ({ key, value }) => {
    const chunks = readLooseRow(key, value);
    loose.push(chunks);
    lastUpload = Math.max(lastUpload, chunks.upload);
  });
  return { buckets, loose, lastUpload };
}

/** Opens what the journal holds, and removes what interrupted writers left. Throws `corrupt` if its rows do not fit together. */
export async function createObjectStore(deps: ObjectStoreDeps): Promise<ObjectStore> {
  const loaded = await loadObjects(deps);
  const loose = createLooseChunkKeeper(deps, loaded.lastUpload);
  const bucketDeps = { maxObjectBytes: defaultMaxObjectBytes, ...deps, loose };
  const buckets = new Map<string, OpenObjectBucket>();
  for (const [name, objects] of loaded.buckets) buckets.set(name, createObjectBucket(bucketDeps, name, objects));
  if (deps.journal.readOnlyReason === undefined) for (const chunks of loaded.loose) loose.remove(chunks);
  await loose.idle();
  const lane = createSerialLane();
  let isClosed = false;

  function checkOpen(): void {
    if (isClosed) throw new VakError('closed', 'objects: the engine is closed');
  }

  function opened(name: string): OpenObjectBucket {
    checkOpen();
    const bucket = buckets.get(name);
    if (bucket === undefined) {
      throw new VakError('not-found', `objects ${name}: there is no such bucket; provision the workspace`);
    }
    return bucket;
  }

  async function ensure(name: string, dryRun: boolean): Promise<Provisioned> {
    checkOpen();
    if (buckets.has(name)) return 'unchanged';
    if (dryRun) return 'created';
    await deps.journal.commit([objectBucketRow(name)]);
    buckets.set(name, createObjectBucket(bucketDeps, name, new Map()));
    return 'created';
  }

  return {
    async ensure(name, { dryRun = false } = {}) {
      checkBucketName(name);
      return lane.run(() => ensure(name, dryRun));
    },
    bucket(name) {
      checkBucketName(name);
      return {
        put: async (object, chunks, options) => opened(name).put(object, chunks, options),
        info: async (object) => opened(name).info(object),
        async *get(object, options) {
          yield* opened(name).get(object, options);
        },
        delete: async (object) => opened(name).delete(object),
        list: async () => opened(name).list(),
      };
    },
    async close() {
      isClosed = true;
      await lane.idle();
      await Promise.all(Array.from(buckets.values(), (bucket) => bucket.close()));
      await loose.idle();
    },
  };
}
