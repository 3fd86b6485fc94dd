/**
 * The port to what the embedded engine keeps on disk (protocol.md B6): ordered keys, changed in atomic batches.
 * Law: when `commit` resolves the batch is kept as the setting says; a batch is there whole or not at all, in the order of the calls.
 */

/** Keys are bytes, ordered as bytes. `value` undefined: deleted. */
export interface JournalChange {
  readonly key: Uint8Array;
  readonly value: Uint8Array | undefined;
}

/** Keys from `from` (included) to `to` (excluded). */
export interface JournalRange {
  readonly from: Uint8Array;
  readonly to: Uint8Array;
}

export interface Journal {
  /** Undefined, or why nothing can be changed (a damaged store, a full disk), where, and what to do. May come at any time; stays. */
  readonly readOnlyReason: string | undefined;
  /**
   * Keeps a batch; the bytes are taken at the call. Commits made in one turn, or while one is under way, are written together.
   * Throws `disk-full` or `corrupt` (the write was refused; nothing of it is kept, and it is read-only from then on), `read-only`, `closed`.
   */
  commit(changes: readonly JournalChange[]): Promise<void>;
  /** The value as the last answered commit left it. Throws `corrupt` (damaged, or the disk refuses), `closed`. */
  get(key: Uint8Array): Promise<Uint8Array | undefined>;
  /**
   * Entries of a range in the order of their keys, as they were when it was asked. Throws `corrupt`, `closed`; of a store that was
   * damaged when it was opened it gives what can be read. Whoever asks reads it, to the end or until he stops.
   */
  entries(range: JournalRange): AsyncIterable<{ readonly key: Uint8Array; readonly value: Uint8Array }>;
  /** Writes what waits, then closes. */
  close(): Promise<void>;
}

/** `written`: handed to the system, survives the process; `fsynced`: survives the machine too. */
export type JournalDurability = 'written' | 'fsynced';
