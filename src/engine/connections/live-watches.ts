/**
 * Watches of key-value buckets that outlive the engine (protocol.md B5, product.md "Configuration").
 * Law: after an exchange a listener believes what the present engine holds: what is not there any more is told as deleted.
 */
import { type Disposable, toDisposable } from '../../shared/base/disposer.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import type { DurablePlane, KeyValueBucket } from '../bus/durable.ts';

type OnChange = Parameters<KeyValueBucket['watch']>[0];
type Change = Parameters<OnChange>[0];

export interface LiveWatches extends Disposable {
  /** Throws what the engine throws: `not-found`, `closed`. */
  watch(bucket: string, onChange: OnChange, onReady?: () => void): Disposable;
  /** Watches on the present engine from now on. */
  move(): void;
  /** A bucket is there now: watches that found none begin. */
  arrived(bucket: string): void;
  readonly size: number;
}

interface Kept {
  readonly bucket: string;
  readonly onChange: OnChange;
  readonly onReady: () => void;
  /** Keys that the listener believes in. */
  readonly known: Set<string>;
  /** On the present engine; undefined while its bucket is not there. */
  inner: Disposable | undefined;
  isReady: boolean;
}

/** Tells of several changes; a listener that throws misses none. */
function tellAll(entry: Kept, changes: readonly Change[]): void {
  const errors: unknown[] = [];
  for (const change of changes) {
    try {
      entry.onChange(change);
    } catch (thrown) {
      errors.push(thrown);
    }
  }
  if (errors.length > 0) throw errors[0];
}

/** Those keys are not there: forgets and tells it. */
function forget(entry: Kept, isGone: (key: string) => boolean): void {
  const gone = [...entry.known].filter(isGone);
  for (const key of gone) entry.known.delete(key);
  tellAll(
    entry,
    gone.map((key) => ({ key, entry: undefined })),
  );
}

/** Begins on an engine: present values, then what is missing among them, then each change. */
function attach(entry: Kept, durable: DurablePlane): void {
  /** Keys that this engine has told of, until it has told all. */
  let seen: Set<string> | undefined = new Set();
  entry.inner = durable.keyValue(entry.bucket).watch(
    (change) => {
      seen?.add(change.key);
      if (change.entry === undefined) entry.known.delete(change.key);
      else entry.known.add(change.key);
      entry.onChange(change);
    },
    () => {
      const present = seen ?? new Set();
      seen = undefined;
      const isFirst = !entry.isReady;
      entry.isReady = true;
      forget(entry, (key) => !present.has(key));
      if (isFirst) entry.onReady();
    },
  );
}

/** `present`: the durable plane of the present engine. */
export function createLiveWatches(present: () => DurablePlane, onBug: (thrown: unknown) => void): LiveWatches {
  const kept = new Set<Kept>();

  /** A bucket that is not there is an empty one, until it is. */
  function tryToAttach(entry: Kept): void {
    try {
      attach(entry, present());
    } catch (error) {
      if (!isVakError(error)) throw error;
      forget(entry, () => true);
    }
  }
  function each(run: (entry: Kept) => void): void {
    for (const entry of [...kept]) {
      try {
        run(entry);
      } catch (thrown) {
        onBug(thrown);
      }
    }
  }

  return {
    get size() {
      return kept.size;
    },
    watch(bucket, onChange, onReady = () => {}) {
      const entry: Kept = { bucket, onChange, onReady, known: new Set(), inner: undefined, isReady: false };
      attach(entry, present());
      kept.add(entry);
      return toDisposable(() => {
        kept.delete(entry);
        entry.inner?.dispose();
      });
    },
    move() {
      each((entry) => {
        entry.inner?.dispose();
        entry.inner = undefined;
        tryToAttach(entry);
      });
    },
    arrived(bucket) {
      each((entry) => {
        if (entry.bucket === bucket && entry.inner === undefined) tryToAttach(entry);
      });
    },
    dispose() {
      for (const { inner } of kept) inner?.dispose();
      kept.clear();
    },
  };
}
