/**
 * One bucket of the embedded engine's key-value store (protocol.md B5, B6).
 * Law: a write is seen when it is stored, by everybody, in the order of revisions; what waits meanwhile is stored together.
 */
import { type Disposable, toDisposable } from '../../../shared/base/disposer.ts';
import { VakError } from '../../../shared/base/vak-error.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import { createSerialLane } from '../../serial-lane.ts';
import { maxMessageBytes } from '../bus.ts';
import type { KeyValueBucket } from '../durable.ts';
import { checkValueKey } from './bucket-names.ts';
import type { Journal } from './journal.ts';
import { bucketRow, type KeyValueRow, readValueRow, valueKey, valueRange } from './key-value-rows.ts';
import {
  type BucketIndex,
  type KeyState,
  type KeyValueWrite,
  presentRevision,
  stageHistory,
  stageWrites,
  type WriteOutcome,
} from './key-value-staging.ts';
import { createKeyValueWatcher, type KeyValueWatcher, toEntry } from './key-value-watcher.ts';

/** Most writes that are stored as one batch, and that may wait. */
const maxWritesTogether = 64;
const maxWaitingBytes = 64 * 1024 * 1024;

export interface KeyValueDeps {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A bucket, and what its store does with it. */
export interface OpenBucket extends KeyValueBucket {
  readonly index: BucketIndex;
  /** Keeps so many values of each key from now on. */
  setHistory(history: number): Promise<void>;
  /** Ends the watches; resolves when what was asked before is stored or refused. */
  close(): Promise<void>;
}

interface WaitingWrite extends KeyValueWrite {
  readonly resolve: (revision: number | undefined) => void;
  readonly reject: (error: unknown) => void;
}

function checkValue(value: Uint8Array): void {
  if (value.length <= maxMessageBytes) return;
  throw new VakError(
    'limit-exceeded',
    `value: ${value.length} bytes, at most ${maxMessageBytes} fit one value; store an object instead`,
    { details: { field: 'value', sizeBytes: value.length, limitBytes: maxMessageBytes } },
  );
}

function checkRevision(revision: number | undefined): void {
  if (revision === undefined || (Number.isSafeInteger(revision) && revision >= 0)) return;
  throw new VakError('invalid-input', 'revision: expected a whole number ≥ 0', { details: { field: 'revision' } });
}

/** The reading half: it never waits for writes. */
function createReader({ journal }: KeyValueDeps, index: BucketIndex) {
  const bucket = index.name;

  async function rows(key: string, revision: number): Promise<KeyValueRow[]> {
    const found: KeyValueRow[] = [];
    for await (const row of journal.entries(valueRange({ bucket, key, revision }))) {
      found.push(readValueRow(row.key, row.value));
    }
    return found;
  }

  async function newest(key: string): Promise<KeyValueRow | undefined> {
    const revision = index.keys.get(key)?.revisions.at(-1);
    if (revision === undefined) return undefined;
    const at = valueKey({ bucket, key, revision });
    const row = await journal.get(at);
    if (row !== undefined) return readValueRow(at, row);
    // It was replaced while it was asked for: then a later one lies there.
    const later = (await rows(key, revision)).at(-1);
    if (later === undefined) {
      throw new VakError('corrupt', `key-value ${bucket}: a value is missing in the journal; restore a backup of it`);
    }
    return later;
  }

  return { rows, newest };
}

/** The writing half: one run of writes at a time; `onStored` is told of each that changed something, in order. */
function createWriter(
  { journal, clock }: KeyValueDeps,
  index: BucketIndex,
  onStored: (write: KeyValueWrite, revision: number, storedMs: number) => void,
) {
  const lane = createSerialLane();
  const waiting: WaitingWrite[] = [];
  let waitingBytes = 0;

  function apply(keys: ReadonlyMap<string, KeyState>): void {
    for (const [key, state] of keys) index.keys.set(key, state);
  }

  function settle(write: WaitingWrite, outcome: WriteOutcome | undefined, storedMs: number): void {
    if (outcome?.refused !== undefined) write.reject(outcome.refused);
    else write.resolve(outcome?.revision);
    if (outcome?.revision !== undefined) onStored(write, outcome.revision, storedMs);
  }

  async function storeWaiting(): Promise<void> {
    const writes = waiting.splice(0, maxWritesTogether);
    if (writes.length === 0) return;
    waitingBytes -= writes.reduce((sum, { value }) => sum + (value?.length ?? 0), 0);
    const storedMs = Math.floor(clock.now());
    try {
      const staged = stageWrites(index, writes, storedMs);
      if (staged.changes.length > 0) await journal.commit(staged.changes);
      apply(staged.keys);
      index.revision = staged.revision;
      for (const [at, write] of writes.entries()) settle(write, staged.outcomes[at], storedMs);
    } catch (error) {
      for (const { reject } of writes) reject(error);
    }
  }

  return {
    write(write: KeyValueWrite): Promise<number | undefined> {
      const size = write.value?.length ?? 0;
      if (waitingBytes + size > maxWaitingBytes) {
        const text = `key-value ${index.name}: ${waitingBytes} bytes wait to be stored already; wait for those`;
        throw new VakError('limit-exceeded', text, { retryable: true, details: { limitBytes: maxWaitingBytes } });
      }
      waitingBytes += size;
      const result = new Promise<number | undefined>((resolve, reject) => waiting.push({ ...write, resolve, reject }));
      void lane.run(storeWaiting);
      return result;
    },
    setHistory: (history: number) =>
      lane.run(async () => {
        const { changes, keys } = stageHistory(index, history);
        await journal.commit([...changes, bucketRow(index.name, history)]);
        apply(keys);
        index.history = history;
      }),
    idle: () => lane.idle(),
  };
}

/** Creates a bucket on what is known of it; the store has checked that it is still open. */
export function createKeyValueBucket(deps: KeyValueDeps, index: BucketIndex): OpenBucket {
  const watchers = new Set<KeyValueWatcher>();
  const reader = createReader(deps, index);
  const writer = createWriter(deps, index, ({ key, value }, revision, storedMs) => {
    const entry = value === undefined ? undefined : { key, value, revision, storedMs };
    for (const watcher of [...watchers]) watcher.changed({ key, revision, entry });
  });

  function presentKeys(): string[] {
    return Array.from(index.keys, ([key, state]) => ({ key, revision: presentRevision(state) }))
      .filter(({ revision }) => revision > 0)
      .sort((a, b) => a.revision - b.revision)
      .map(({ key }) => key);
  }

  return {
    index,
    async get(key) {
      checkValueKey(key);
      const row = await reader.newest(key);
      return row === undefined ? undefined : toEntry(key, row);
    },
    async history(key) {
      checkValueKey(key);
      const rows = await reader.rows(key, 0);
      return rows.map((row) => toEntry(key, row)).filter((entry) => entry !== undefined);
    },
    async put(key, value, { revision } = {}) {
      checkValueKey(key);
      checkValue(value);
      checkRevision(revision);
      // A copy: the caller may go on using its array, and what watchers get must not change.
      return (await writer.write({ key, value: value.slice(), expected: revision })) as number;
    },
    async delete(key) {
      checkValueKey(key);
      await writer.write({ key, value: undefined, expected: undefined });
    },
    keys: async () => presentKeys().sort(),
    watch(onChange, onReady = () => {}): Disposable {
      const watcher = createKeyValueWatcher({
        ...{ onChange, onReady, present: presentKeys(), readNewest: reader.newest, logger: deps.logger },
        lastRevision: () => index.revision,
      });
      watchers.add(watcher);
      return toDisposable(() => {
        watchers.delete(watcher);
        watcher.stop();
      });
    },
    setHistory: writer.setHistory,
    async close() {
      for (const watcher of watchers) watcher.stop();
      watchers.clear();
      await writer.idle();
    },
  };
}
