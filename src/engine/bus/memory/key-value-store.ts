/**
 * The embedded engine's key-value buckets, over the journal (protocol.md B5, B6).
 * Law: which keys there are is known in memory, values are read from the journal; what is damaged is told, never taken for empty.
 */
import { VakError } from '../../../shared/base/vak-error.ts';
import { createSerialLane } from '../../serial-lane.ts';
import type { KeyValueBucket, KeyValueSpec, MakeOptions, Provisioned } from '../durable.ts';
import { checkBucketName } from './bucket-names.ts';
import { createKeyValueBucket, type KeyValueDeps, type OpenBucket } from './key-value-bucket.ts';
import {
  bucketRange,
  bucketRow,
  indexRange,
  readBucketRow,
  readIndexOfValue,
  readIndexRow,
  valuesRange,
} from './key-value-rows.ts';
import type { BucketIndex } from './key-value-staging.ts';
import { createRowReader } from './row-reader.ts';

const maxHistory = 64;

export interface KeyValueStore {
  /** Makes the bucket, or changes how many values it keeps. Throws `invalid-input`, and what the journal throws. */
  ensure(spec: KeyValueSpec, options?: MakeOptions): Promise<Provisioned>;
  /** What it does throws `not-found` while there is no such bucket. Throws `invalid-input`. */
  bucket(name: string): KeyValueBucket;
  /** Ends every watch and refuses what comes; resolves when what was asked before is stored or refused. */
  close(): Promise<void>;
}

/** Adds a revision that is kept; rows of the index and of the values may tell of the same one. */
function addRevision(index: BucketIndex, { key, revision, isDeleted }: ReturnType<typeof readIndexRow>): void {
  const known = index.keys.get(key) ?? { revisions: [], isDeleted };
  if (known.revisions.includes(revision)) return;
  const revisions = [...known.revisions, revision].sort((a, b) => a - b);
  index.keys.set(key, { revisions, isDeleted: revisions.at(-1) === revision ? isDeleted : known.isDeleted });
  index.revision = Math.max(index.revision, revision);
}

/**
 * Reads what there is: small rows, never the values, unless the journal is damaged: then whatever is left of either.
 * Throws `corrupt` if rows do not fit together in a journal that is none.
 */
async function loadBuckets({ journal, logger }: KeyValueDeps): Promise<Map<string, BucketIndex>> {
  const buckets = new Map<string, BucketIndex>();
  const isReadOnly = journal.readOnlyReason !== undefined;
  const rows = createRowReader({ journal, logger, event: 'kv.rows-skipped' });
  const addBucket = (name: string, history: number): BucketIndex => {
    const index = { name, history, revision: 0, keys: new Map() };
    buckets.set(name, index);
    return index;
  };
  const add = (row: ReturnType<typeof readIndexRow>): void => {
    const known = buckets.get(row.bucket);
    if (known === undefined && !isReadOnly) {
      throw new VakError('corrupt', `key-value ${row.bucket}: has values and is no bucket; restore a backup`);
    }
    addRevision(known ?? addBucket(row.bucket, maxHistory), row);
  };
  await rows.each(bucketRange, ({ key, value }) => {
    const { name, history } = readBucketRow(key, value);
    addBucket(name, history);
  });
  await rows.each(indexRange, ({ key, value }) => add(readIndexRow(key, value)));
  if (isReadOnly) await rows.each(valuesRange, ({ key, value }) => add(readIndexOfValue(key, value)));
  return buckets;
}

/** Opens what the journal holds. Throws `corrupt` if its rows do not fit together. */
export async function createKeyValueStore(deps: KeyValueDeps): Promise<KeyValueStore> {
  const buckets = new Map<string, OpenBucket>();
  for (const [name, index] of await loadBuckets(deps)) buckets.set(name, createKeyValueBucket(deps, index));
  const lane = createSerialLane();
  let isClosed = false;

  function checkOpen(): void {
    if (isClosed) throw new VakError('closed', 'key-value: the engine is closed');
  }

  function opened(name: string): OpenBucket {
    checkOpen();
    const bucket = buckets.get(name);
    if (bucket === undefined) {
      throw new VakError('not-found', `key-value ${name}: there is no such bucket; provision the workspace`);
    }
    return bucket;
  }

  async function ensure({ name, history }: KeyValueSpec, dryRun: boolean): Promise<Provisioned> {
    checkOpen();
    const bucket = buckets.get(name);
    if (bucket === undefined) {
      if (dryRun) return 'created';
      await deps.journal.commit([bucketRow(name, history)]);
      buckets.set(name, createKeyValueBucket(deps, { name, history, revision: 0, keys: new Map() }));
      return 'created';
    }
    if (bucket.index.history === history) return 'unchanged';
    if (!dryRun) await bucket.setHistory(history);
    return 'updated';
  }

  return {
    async ensure({ name, history }, { dryRun = false } = {}) {
      checkBucketName(name);
      if (!Number.isInteger(history) || history < 1 || history > maxHistory) {
        const text = `history: expected a whole number from 1 to ${maxHistory}`;
        throw new VakError('invalid-input', text, { details: { field: 'history' } });
      }
      return lane.run(() => ensure({ name, history }, dryRun));
    },
    bucket(name) {
      checkBucketName(name);
      return {
        get: async (key) => opened(name).get(key),
        history: async (key) => opened(name).history(key),
        put: async (key, value, options) => opened(name).put(key, value, options),
        delete: async (key) => opened(name).delete(key),
        keys: async () => opened(name).keys(),
        watch: (onChange, onReady) => opened(name).watch(onChange, onReady),
      };
    },
    async close() {
      isClosed = true;
      await lane.idle();
      await Promise.all(Array.from(buckets.values(), (bucket) => bucket.close()));
    },
  };
}
