/**
 * One peer's watch of a bucket, at main's end of its channel (protocol.md B5).
 * Law: one batch is under way; of what waits meanwhile the newest change of each key is known, and values of 4 MiB are kept: the
 * others are read again when they are told, unless something newer is on its way.
 */
import { createDisposer, type Disposable } from '../../../shared/base/disposer.ts';
import { isVakError } from '../../../shared/base/vak-error.ts';
import type { Clock } from '../../ports/clock.ts';
import type { KeyValueBucket, KeyValueEntry } from '../durable.ts';
import { alone } from './channel-frames.ts';
import type { WireChange } from './durable-frames.ts';

const maxKeptBytes = 4 * 1024 * 1024;
/** After so many bytes, or changes, a batch takes no further one. */
const maxBatchBytes = 1024 * 1024;
const maxBatchCount = 256;
/** How soon a value is read again after it could not be, ms. */
const retryMs = 1_000;

export interface WatchFeedDeps {
  readonly bucket: Pick<KeyValueBucket, 'get' | 'watch'>;
  readonly clock: Clock;
  readonly send: (changes: readonly WireChange[], isReady: boolean) => void;
  /** What is no expected failure. */
  readonly onBug: (thrown: unknown) => void;
}

export interface WatchFeed extends Disposable {
  /** The peer has heard the last batch. */
  next(): void;
}

/** A change that waits. `revision`: of a value that is not kept. */
type Waiting =
  | { readonly kind: 'kept'; readonly entry: KeyValueEntry | undefined }
  | { readonly kind: 'left'; readonly revision: number };

interface Batch {
  readonly changes: WireChange[];
  bytes: number;
}

const sizeOf = (waiting: Waiting | undefined): number =>
  waiting?.kind === 'kept' ? (waiting.entry?.value.length ?? 0) : 0;

const toOwn = ({ key, entry }: WireChange): WireChange => ({
  key,
  entry: entry && { ...entry, value: alone(entry.value) },
});

/** Changes that wait, of each key the newest; what was there at the beginning comes before `ready`, all else after it. */
function createWaitingChanges() {
  const present = new Map<string, Waiting>();
  const later = new Map<string, Waiting>();
  let keptBytes = 0;
  let ready: 'not-yet' | 'due' | 'told' = 'not-yet';

  function put(changes: Map<string, Waiting>, key: string, waiting: Waiting): void {
    keptBytes += sizeOf(waiting) - sizeOf(changes.get(key));
    changes.set(key, waiting);
  }

  function take(changes: Map<string, Waiting>): readonly [string, Waiting] | undefined {
    for (const [key, waiting] of changes) {
      changes.delete(key);
      keptBytes -= sizeOf(waiting);
      return [key, waiting];
    }
    return undefined;
  }

  function toWaiting(entry: KeyValueEntry | undefined): Waiting {
    if (entry === undefined || keptBytes + entry.value.length <= maxKeptBytes) return { kind: 'kept', entry };
    return { kind: 'left', revision: entry.revision };
  }

  return {
    add({ key, entry }: WireChange): void {
      const waiting = toWaiting(entry);
      // Nobody may hear of `ready` before a key that was there: it keeps its place.
      if (ready === 'not-yet' || present.has(key)) {
        put(present, key, waiting);
        return;
      }
      keptBytes -= sizeOf(later.get(key));
      later.delete(key);
      put(later, key, waiting);
    },
    ready(): void {
      if (ready === 'not-yet') ready = 'due';
    },
    /** Once, when all that was there has been taken. */
    takeReady(): boolean {
      if (ready !== 'due' || present.size > 0) return false;
      ready = 'told';
      return true;
    },
    take: () => take(present) ?? (ready === 'told' ? take(later) : undefined),
    putBack(key: string, waiting: Waiting): void {
      const changes = ready === 'told' ? later : present;
      if (!changes.has(key)) put(changes, key, waiting);
    },
    isBeforeReady: () => ready !== 'told',
    isEmpty: () => present.size === 0 && later.size === 0 && ready !== 'due',
    clear(): void {
      present.clear();
      later.clear();
      keptBytes = 0;
    },
  };
}

/** Begins to watch; the peer has credit for one batch. Throws what the engine throws: `not-found`, `closed`. */
export function createWatchFeed({ bucket, clock, send, onBug }: WatchFeedDeps): WatchFeed {
  const held = createDisposer();
  const waiting = createWaitingChanges();
  let hasCredit = true;
  let isSending = false;
  let retry: Disposable | undefined;

  /** The change as it is told; undefined: something newer is on its way. */
  async function changeOf(key: string, change: Waiting): Promise<WireChange | undefined> {
    if (change.kind === 'kept') return { key, entry: change.entry };
    const entry = await bucket.get(key);
    if (entry === undefined) return undefined;
    return entry.revision === change.revision || waiting.isBeforeReady() ? { key, entry } : undefined;
  }

  /** Adds a change to a batch; false if its value cannot be read now. */
  async function addTo(batch: Batch, taken: readonly [string, Waiting]): Promise<boolean> {
    try {
      const change = await changeOf(...taken);
      if (change === undefined) return true;
      batch.changes.push(change);
      batch.bytes += change.entry?.value.length ?? 0;
      return true;
    } catch (error) {
      if (!isVakError(error)) throw error;
      waiting.putBack(...taken);
      return false;
    }
  }

  /** Takes a batch; whether all that was taken could be read. */
  async function collect(batch: Batch): Promise<boolean> {
    while (batch.changes.length < maxBatchCount && batch.bytes < maxBatchBytes) {
      const taken = waiting.take();
      if (taken === undefined) return true;
      if (!(await addTo(batch, taken))) return false;
    }
    return true;
  }

  async function sendBatch(): Promise<void> {
    const batch: Batch = { changes: [], bytes: 0 };
    const isWhole = await collect(batch);
    if (held.isDisposed) return;
    const isReady = isWhole && waiting.takeReady();
    if (batch.changes.length > 0 || isReady) {
      hasCredit = false;
      send(batch.changes.map(toOwn), isReady);
    }
    if (!isWhole) {
      retry = clock.setTimer(retryMs, () => {
        retry = undefined;
        pump();
      });
    }
  }

  function pump(): void {
    if (isSending || !hasCredit || retry !== undefined || held.isDisposed || waiting.isEmpty()) return;
    isSending = true;
    sendBatch()
      .catch(onBug)
      .finally(() => {
        isSending = false;
        pump();
      });
  }

  held.add(
    bucket.watch(
      (change) => {
        waiting.add(change);
        pump();
      },
      () => {
        waiting.ready();
        pump();
      },
    ),
  );
  held.defer(() => {
    retry?.dispose();
    waiting.clear();
  });
  return {
    next() {
      hasCredit = true;
      pump();
    },
    dispose: () => held.dispose(),
  };
}
