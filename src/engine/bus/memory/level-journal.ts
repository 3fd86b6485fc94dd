/**
 * The journal on disk, over LevelDB (protocol.md B6, ADR 4).
 * Law: what `commit` has answered survives the process, or the machine, as the setting says; a damaged store is told, is never
 * changed, and never looks like an empty one.
 */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { VakError } from '../../../shared/base/vak-error.ts';
import { fileError } from '../../identity/file-error.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Journal, JournalDurability } from './journal.ts';
import { decodeU64, encodeU64 } from './journal-keys.ts';
import { formatKey, levelFormat, putChange, readValue, writeNumberKey } from './level-entry.ts';
import { isFullDisk, isFullDiskOfLevel, levelCode } from './level-failure.ts';
import { damageMarker, inspectLevelFolder, type LevelInspection } from './level-inspection.ts';
import { openLevelSalvage } from './level-salvage.ts';
import { createStoreJournal, type LevelStore } from './store-journal.ts';

export interface LevelJournalOptions {
  /** Made, for its owner alone, if it is not there. */
  readonly folder: string;
  readonly durability: JournalDurability;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** LevelDB keeps so much in memory before it writes a table; its log may be as long. */
const writeBufferSize = 16 * 1024 * 1024;
/** Sealed content does not shrink, and only what is not compressed can be checked. */
const storeOptions = { keyEncoding: 'view', valueEncoding: 'view', compression: false, writeBufferSize } as const;

/** What to do with a store that cannot be mended here. */
const remedy = 'copy the folder, then restore it from a backup or move it away to begin anew';
/** Room that opening takes, about: what is in the log becomes a table. */
const openBytes = writeBufferSize / 4;

function alreadyRunning(folder: string, cause: unknown): VakError {
  const message = `the journal in ${folder} is open in another process: end that first, or use another profile`;
  return new VakError('already-running', message, { cause, details: { folder } });
}

function corrupt(folder: string, why: string, cause?: unknown): VakError {
  const message = `the journal in ${folder} cannot be opened: ${why}; nothing in it was changed: ${remedy}`;
  return new VakError('corrupt', message, { cause, details: { folder } });
}

function noRoom(folder: string, cause: unknown): VakError {
  const message = `there is no room to open the journal in ${folder}: make room on its disk, then try again`;
  return new VakError('disk-full', message, { cause, details: { folder } });
}

/** Runs what reads the folder; the file system's refusals become errors of ours. */
async function reading<T>(folder: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw isFullDisk(error) ? noRoom(folder, error) : fileError('read', folder, error);
  }
}

async function openStore(folder: string): Promise<LevelStore> {
  const store = new ClassicLevel<Uint8Array, Uint8Array>(folder, storeOptions);
  await store.open();
  return {
    get: (key) => store.get(key),
    // Change by change: given a list, the library makes objects of its own of each, which takes most of a write's time.
    async batch(changes, options) {
      const batch = store.batch();
      for (const change of changes) {
        if (change.type === 'put') batch.put(change.key, change.value);
        else batch.del(change.key);
      }
      await batch.write(options);
    },
    iterator: (range) => store.iterator(range),
    close: () => store.close(),
  };
}

/**
 * Throws `already-running` if a process has the folder open. Asked through a link, so that LevelDB's notes in the folder stay as
 * they are; where no link can be made, LevelDB will ask when it opens.
 */
async function assertUnlocked(folder: string): Promise<void> {
  const lock = resolve(folder, 'LOCK');
  if (!existsSync(lock)) return;
  const outside = await mkdtemp(join(tmpdir(), 'vak-journal-'));
  try {
    await symlink(lock, join(outside, 'LOCK'));
    await new ClassicLevel(outside).open({ createIfMissing: false });
  } catch (error) {
    // Any other refusal: it came behind the lock, which was free.
    if (levelCode(error) === 'LEVEL_LOCKED') throw alreadyRunning(folder, error);
  } finally {
    await rm(outside, { recursive: true, force: true });
  }
}

async function numberUnder(store: LevelStore, key: Uint8Array): Promise<number | undefined> {
  const bytes = await store.get(key);
  const value = bytes && readValue(key, bytes);
  return value && decodeU64(value);
}

/** Refuses a later format, and folders that hold something else; gives an empty store its format. */
async function checkFormat(folder: string, store: LevelStore, isReadOnly: boolean): Promise<void> {
  const format = await numberUnder(store, formatKey);
  if (format === levelFormat) return;
  if (format !== undefined) {
    const message = `the journal in ${folder} has format ${format}, this version knows ${levelFormat}: use the version that made it`;
    throw new VakError('unsupported', message, { details: { folder, format } });
  }
  if (isReadOnly) return;
  for await (const _ of store.iterator({ limit: 1 })) throw corrupt(folder, 'it holds something that is no journal');
  await store.batch([putChange(formatKey, encodeU64(levelFormat))], { sync: true });
}

/** Checks the format and gives the journal; on a refusal the store is closed again. */
async function begin(options: LevelJournalOptions, store: LevelStore, readOnlyReason?: string): Promise<Journal> {
  const { folder } = options;
  try {
    await checkFormat(folder, store, readOnlyReason !== undefined);
    const lastWrite = (await numberUnder(store, writeNumberKey)) ?? 0;
    return createStoreJournal({ ...options, store, readOnlyReason, lastWrite });
  } catch (error) {
    await store.close();
    if (await isFullDiskOfLevel(error, folder, openBytes)) throw noRoom(folder, error);
    throw levelCode(error) === undefined ? error : corrupt(folder, 'its first entries cannot be read', error);
  }
}

/** Opens what can be read. */
async function beginReadOnly(
  options: LevelJournalOptions,
  reason: string,
  tables?: readonly number[],
): Promise<Journal> {
  const { folder, logger } = options;
  const store = await reading(folder, () => openLevelSalvage(folder, tables));
  logger.error('journal-read-only', { folder, reason });
  return begin(options, store, reason);
}

/** Opens a damaged store, if it is: one that a process opened meanwhile, and is changing, looks damaged too. */
async function openDamaged(options: LevelJournalOptions): Promise<Journal> {
  const { folder } = options;
  await assertUnlocked(folder);
  const found = await reading(folder, () => inspectLevelFolder(folder));
  if (found.kind !== 'damaged') return openSound(options, found);
  const what = found.file === damageMarker ? 'an entry' : found.file;
  const reason = `the journal in ${folder} is damaged (${what}): what can be read is shown, nothing is changed; ${remedy}`;
  return beginReadOnly(options, reason, found.tables);
}

/** Opens a store that was found sound. If it cannot be written, read-only. */
async function openSound(options: LevelJournalOptions, found: LevelInspection): Promise<Journal> {
  const { folder } = options;
  let store: LevelStore;
  try {
    store = await openStore(folder);
  } catch (error) {
    if (levelCode(error) === 'LEVEL_LOCKED') throw alreadyRunning(folder, error);
    const isFull = await isFullDiskOfLevel(error, folder, openBytes);
    if (found.kind !== 'sound') throw isFull ? noRoom(folder, error) : corrupt(folder, 'it cannot be made', error);
    const reason = isFull
      ? `the disk of the journal in ${folder} is full: nothing more is kept; make room: it can be written when it is opened next`
      : `the journal in ${folder} cannot be written: nothing more is kept; mend its folder or disk: it can be written when it is opened next`;
    return beginReadOnly(options, reason, found.tables);
  }
  return begin(options, store);
}

/**
 * Opens the journal in a folder, and makes it if there is none. One that is damaged, or cannot be written, opens read-only.
 * Throws `already-running`, `corrupt` (it is no journal), `disk-full`, `forbidden`, `unsupported` (a later format).
 */
export async function openLevelJournal(options: LevelJournalOptions): Promise<Journal> {
  const { folder, clock, logger } = options;
  const beganMs = clock.monotonic();
  const found = await reading(folder, async () => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await assertUnlocked(folder);
    return inspectLevelFolder(folder);
  });
  logger.debug('journal-inspected', { folder, found: found.kind, ms: Math.round(clock.monotonic() - beganMs) });
  return found.kind === 'damaged' ? openDamaged(options) : openSound(options, found);
}
