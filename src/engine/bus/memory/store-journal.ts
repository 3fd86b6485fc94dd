/**
 * A journal over an open LevelDB store (protocol.md B6, ADR 4): group commit, checked reads, what happens after a refusal.
 * Law: after a write was refused nothing is written again, and what was refused is not kept.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { VakError } from '../../../shared/base/vak-error.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import { createCommitQueue } from './commit-queue.ts';
import type { Journal, JournalChange, JournalDurability } from './journal.ts';
import { type LevelChange, numberChange, portKey, putChange, readValue, storedKey } from './level-entry.ts';
import { isFullDiskOfLevel, levelCode } from './level-failure.ts';
import { damageMarker } from './level-inspection.ts';
import { cutRefusedWrite } from './level-refusal.ts';

/** Entries as they were when it was made. */
export interface LevelIterator extends AsyncIterable<[Uint8Array, Uint8Array]> {
  close(): Promise<void>;
}

/** What the journal needs of `classic-level`. Its errors carry codes `LEVEL_…`. */
export interface LevelStore {
  get(key: Uint8Array): Promise<Uint8Array | undefined>;
  batch(changes: LevelChange[], options: { readonly sync: boolean }): Promise<void>;
  iterator(range: {
    readonly gte?: Uint8Array;
    readonly lt?: Uint8Array;
    readonly limit?: number;
    readonly highWaterMarkBytes?: number;
  }): LevelIterator;
  close(): Promise<void>;
}

export interface StoreJournalOptions {
  readonly folder: string;
  readonly durability: JournalDurability;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly store: LevelStore;
  /** Why nothing may be written, and so the entries that are damaged are left out. */
  readonly readOnlyReason: string | undefined;
  /** Number of the last write that is there. */
  readonly lastWrite: number;
}

/** Bounds of one write; a larger commit is written by itself. */
const maxCommits = 256;
const maxBytes = 4 * 1024 * 1024;
/** A write that took longer is worth a line in the log. */
const slowMs = 1000;
const readAheadBytes = 256 * 1024;

/** Why nothing can be changed, from when on, and what there is to say to those who ask. */
function createHealth({ folder, logger, readOnlyReason }: StoreJournalOptions) {
  let reason = readOnlyReason;
  const details = { folder };

  function note(why: string): string {
    if (reason === undefined) logger.error('journal-read-only', { folder, reason: why });
    reason ??= why;
    return why;
  }

  return {
    get reason() {
      return reason;
    },
    refused(): VakError {
      return new VakError('read-only', reason ?? 'nothing can be changed', { details });
    },
    fullDisk(cause: unknown): VakError {
      const why = `the disk of the journal in ${folder} is full: nothing more is kept; make room: it can be written when it is opened next`;
      return new VakError('disk-full', note(why), { cause, details });
    },
    /** The disk or the file system refused, for another reason. */
    failed(action: string, cause: unknown): VakError {
      const why = `the journal in ${folder} cannot be ${action}: nothing more is kept; mend its folder or disk: it can be used when it is opened next`;
      return new VakError('corrupt', note(why), { cause, details });
    },
    /** Content is not what was written. The next start knows it by a file, and opens read-only. */
    async damaged(cause?: unknown): Promise<VakError> {
      const why = `an entry of the journal in ${folder} is damaged: nothing more is kept; when it is opened next it shows what can be read`;
      if (reason === undefined)
        await writeFile(join(folder, damageMarker), `${why}\n`, { mode: 0o600 }).catch(() => {});
      return new VakError('corrupt', note(why), { cause, details });
    },
  };
}

type Health = ReturnType<typeof createHealth>;

/** Writes batches of commits, each with its number, until one is refused. */
function createWriter({ folder, store, durability, clock, logger, lastWrite }: StoreJournalOptions, health: Health) {
  let written = lastWrite;
  let isRefused = false;

  async function cutRefused(): Promise<void> {
    if (!isRefused) return;
    await cutRefusedWrite(folder, written).catch((error: unknown) => logger.bug('journal-cut-failed', error));
  }

  async function refuse(error: unknown, sizeBytes: number): Promise<unknown> {
    const code = levelCode(error);
    if (code === undefined) return error;
    isRefused = true;
    await cutRefused();
    if (code === 'LEVEL_CORRUPTION') return health.damaged(error);
    const isFull = await isFullDiskOfLevel(error, folder, sizeBytes);
    return isFull ? health.fullDisk(error) : health.failed('written', error);
  }

  return {
    cutRefused,
    async write(commits: readonly (readonly LevelChange[])[]): Promise<void> {
      if (health.reason !== undefined) throw health.refused();
      const changes = commits.flat();
      if (changes.length === 0) return;
      const beganMs = clock.monotonic();
      try {
        await store.batch([numberChange(written + 1), ...changes], { sync: durability === 'fsynced' });
      } catch (error) {
        throw await refuse(
          error,
          changes.reduce((sum, change) => sum + sizeOf(change), 0),
        );
      }
      written++;
      const ms = clock.monotonic() - beganMs;
      if (ms > slowMs) logger.warn('journal-slow-write', { ms: Math.round(ms), changes: changes.length });
    },
  };
}

function sizeOf(change: LevelChange): number {
  return change.key.length + (change.type === 'put' ? change.value.length : 0);
}

/** The change as it is now: its owner may use the bytes again. */
function encodeChange({ key, value }: JournalChange): LevelChange {
  const stored = storedKey(key);
  return value === undefined ? { type: 'del', key: stored } : putChange(stored, value);
}

/** Reads that are checked. */
function createReader({ folder, store, readOnlyReason }: StoreJournalOptions, health: Health) {
  let isClosed = false;
  /** In a store that was damaged when it was opened, what is damaged is left out of ranges: the reason says so. */
  const skipsDamaged = readOnlyReason !== undefined;

  function assertOpen(): void {
    if (isClosed) throw new VakError('closed', `the journal in ${folder} is closed; open it again`);
  }

  async function translate(error: unknown): Promise<unknown> {
    assertOpen();
    const code = levelCode(error);
    if (code === undefined) return error;
    return code === 'LEVEL_CORRUPTION' ? health.damaged(error) : health.failed('read', error);
  }

  async function* checked(iterator: LevelIterator) {
    try {
      for await (const [stored, bytes] of iterator) {
        assertOpen();
        const value = readValue(stored, bytes);
        if (value !== undefined) yield { key: portKey(stored), value };
        else if (!skipsDamaged) throw await health.damaged();
      }
    } catch (error) {
      throw await translate(error);
    } finally {
      await iterator.close();
    }
  }

  return {
    assertOpen,
    end(): void {
      isClosed = true;
    },
    async get(key: Uint8Array): Promise<Uint8Array | undefined> {
      assertOpen();
      const stored = storedKey(key);
      const bytes = await store.get(stored).catch(async (error: unknown) => {
        throw await translate(error);
      });
      if (bytes === undefined) return undefined;
      const value = readValue(stored, bytes);
      if (value === undefined) throw await health.damaged();
      return value;
    },
    entries(from: Uint8Array, to: Uint8Array) {
      assertOpen();
      const range = { gte: storedKey(from), lt: storedKey(to), highWaterMarkBytes: readAheadBytes };
      return checked(store.iterator(range));
    },
  };
}

/** Creates the journal; it owns the store. */
export function createStoreJournal(options: StoreJournalOptions): Journal {
  const health = createHealth(options);
  const writer = createWriter(options, health);
  const reader = createReader(options, health);
  const queue = createCommitQueue({ write: writer.write, maxItems: maxCommits, maxBytes });
  let closing: Promise<void> | undefined;

  async function end(): Promise<void> {
    await queue.whenIdle();
    reader.end();
    await options.store.close();
    // Closing writes out what the library still had in hand.
    await writer.cutRefused();
  }

  return {
    get readOnlyReason() {
      return health.reason;
    },
    async commit(changes) {
      reader.assertOpen();
      if (closing !== undefined) throw new VakError('closed', `the journal in ${options.folder} is being closed`);
      if (health.reason !== undefined) throw health.refused();
      const encoded = changes.map(encodeChange);
      await queue.add(
        encoded,
        encoded.reduce((sum, change) => sum + sizeOf(change), 0),
      );
    },
    get: reader.get,
    entries: ({ from, to }) => reader.entries(from, to),
    close() {
      closing ??= end();
      return closing;
    },
  };
}
