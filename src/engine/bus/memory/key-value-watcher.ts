/**
 * One watch of a bucket (protocol.md B5): present values, then each change.
 * Law: while present values are read it remembers which keys have changed, not what to, so a slow start costs no memory.
 */
import { isVakError } from '../../../shared/base/vak-error.ts';
import type { Logger } from '../../ports/logger.ts';
import type { KeyValueEntry } from '../durable.ts';
import type { KeyValueRow } from './key-value-rows.ts';

/** A revision as it is told. */
export interface KeyValueChange {
  readonly key: string;
  readonly revision: number;
  readonly entry: KeyValueEntry | undefined;
}

export interface KeyValueWatcher {
  /** Tells of a revision that is stored now. */
  changed(change: KeyValueChange): void;
  stop(): void;
}

export interface KeyValueWatcherOptions {
  readonly onChange: (change: { readonly key: string; readonly entry: KeyValueEntry | undefined }) => void;
  readonly onReady: () => void;
  /** Keys that have a value now, in the order in which they are told. */
  readonly present: readonly string[];
  /** The newest row of a key; undefined if there is none. */
  readonly readNewest: (key: string) => Promise<KeyValueRow | undefined>;
  /** The bucket's revision now. */
  readonly lastRevision: () => number;
  readonly logger: Logger;
}

/** The entry that a row is, of a marker undefined. */
export function toEntry(key: string, row: KeyValueRow): KeyValueEntry | undefined {
  const { value, revision, storedMs, isDeleted } = row;
  return isDeleted ? undefined : { key, value, revision, storedMs };
}

/** Starts a watch; nothing is called back before the next turn. */
export function createKeyValueWatcher(options: KeyValueWatcherOptions): KeyValueWatcher {
  const { onChange, onReady, present, readNewest, lastRevision, logger } = options;
  /** Keys that changed while it read, in the order of their last change. */
  const changedKeys = new Set<string>();
  /** What was told of each key while it read; a row can be seen a little before it is told of. */
  const told = new Map<string, number>();
  let isLive = false;
  let isStopped = false;

  function guarded(callBack: () => void): void {
    try {
      callBack();
    } catch (thrown) {
      logger.bug('kv.watcher-threw', thrown);
    }
  }

  function tell({ key, revision, entry }: KeyValueChange): void {
    if (isStopped || revision <= (told.get(key) ?? 0)) return;
    if (!isLive) told.set(key, revision);
    guarded(() => onChange({ key, entry }));
  }

  async function tellNewest(key: string): Promise<void> {
    changedKeys.delete(key);
    const row = await readNewest(key);
    if (row === undefined) return;
    // What was deleted before it was told needs no word.
    if (row.isDeleted && !told.has(key)) return;
    tell({ key, revision: row.revision, entry: toEntry(key, row) });
  }

  async function start(): Promise<void> {
    for (const key of present) {
      if (isStopped) return;
      await tellNewest(key);
    }
    if (isStopped) return;
    guarded(onReady);
    for (let [key] = changedKeys; key !== undefined && !isStopped; [key] = changedKeys) await tellNewest(key);
    for (const [key, revision] of told) if (revision <= lastRevision()) told.delete(key);
    isLive = true;
  }

  void Promise.resolve()
    .then(start)
    .catch((thrown: unknown) => {
      if (!isStopped) {
        if (isVakError(thrown)) logger.warn('kv.watch-ended', { code: thrown.code });
        else logger.bug('kv.watch-ended', thrown);
      }
      isStopped = true;
    });
  return {
    changed(change) {
      if (isStopped) return;
      if (isLive) {
        tell(change);
        return;
      }
      changedKeys.delete(change.key);
      changedKeys.add(change.key);
    },
    stop() {
      isStopped = true;
      changedKeys.clear();
      told.clear();
    },
  };
}
