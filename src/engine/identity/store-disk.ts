/**
 * The key store's files: the store, its last good copy, and what was set aside.
 * Law: both copies hold the same bytes after a write, and no bytes that might still be wanted are ever overwritten.
 */
import {
  copyFileSync,
  constants as fileConstants,
  linkSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { VakError } from '../../shared/base/vak-error.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Randomness } from '../ports/randomness.ts';
import { writeFileAtomically } from './atomic-file.ts';
import { fileError, systemCode } from './file-error.ts';
import { createFileLock, type HeldLock } from './file-lock.ts';
import { maxStoreBytes, type ParsedStoreFile, parseStoreFile } from './store-format.ts';

/** One of the two copies as it was found. */
export interface StoreCopy {
  readonly path: string;
  readonly bytes: Uint8Array;
  /** Absent if the header is not sound. */
  readonly parsed?: ParsedStoreFile;
  /** What is wrong with the header. */
  readonly problem?: string;
}

/** What is on disk. */
export interface StoreDisk {
  /** The store first, then its last good copy; without those that are not there. Throws `forbidden`, `limit-exceeded`, `unsupported`. */
  read(): readonly StoreCopy[];
  /** Runs `work` while no other process changes the files. Throws `timeout`. */
  withLock<T>(work: (held: HeldLock) => Promise<T>): Promise<T>;
  /** Whether anything stands where a copy would, readable or not. */
  isThere(): boolean;
  /** Keeps all that stands there under other names. Only under the lock. */
  setAllAside(why: 'damaged' | 'replaced'): void;
  /** Keeps what stands at `path` under another name, and gives that: `<file>.<why>-<time>`. Only under the lock. */
  setAside(path: string, why: 'damaged' | 'replaced'): string;
  /** Replaces both copies, the store first; true if the last good copy was written, too. Only under the lock. */
  write(bytes: Uint8Array): Promise<boolean>;
}

/** What it needs. */
export interface StoreDiskOptions {
  readonly file: string;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly logger: Logger;
  readonly lockWaitMs: number;
}

/** A path that is no file, or whose blocks cannot be read, is damaged; any other refusal may pass. */
const damageCodes = new Set(['EIO', 'EISDIR', 'ELOOP']);

function readCopy(path: string): StoreCopy | undefined {
  const damaged = (problem: string, bytes: Uint8Array = new Uint8Array()): StoreCopy => ({ path, bytes, problem });
  let bytes: Uint8Array;
  try {
    const found = statSync(path);
    if (!found.isFile()) return damaged('it is no file');
    if (found.size > maxStoreBytes) return damaged(`larger than ${maxStoreBytes} bytes`);
    bytes = readFileSync(path);
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT') return undefined;
    if (code !== undefined && damageCodes.has(code)) return damaged(`it cannot be read (${code})`);
    throw fileError('read', path, error);
  }
  try {
    return { path, bytes, parsed: parseStoreFile(bytes, 'vak-keys') };
  } catch (error) {
    if (error instanceof VakError && error.code === 'corrupt') return damaged(error.message, bytes);
    throw error;
  }
}

/** Gives the bytes at `path` a second name, so that the path is never empty; moves them where that cannot be. False: it is taken. */
function keepAs(path: string, target: string): boolean {
  const attempts = [
    () => linkSync(path, target),
    () => copyFileSync(path, target, fileConstants.COPYFILE_EXCL),
    () => renameSync(path, target),
  ];
  let failure: unknown;
  for (const attempt of attempts) {
    try {
      attempt();
      return true;
    } catch (error) {
      if (systemCode(error) === 'EEXIST') return false;
      failure = error;
    }
  }
  throw fileError('set aside', path, failure);
}

function isSameFile(a: string, b: string): boolean {
  try {
    return Buffer.compare(readFileSync(a), readFileSync(b)) === 0;
  } catch {
    return false;
  }
}

/** Removes what writers that were killed left beside the path. */
function removeParts(path: string): void {
  const prefix = `${basename(path)}.`;
  for (const name of readdirSync(dirname(path))) {
    if (name.startsWith(prefix) && /^(?:last-good\.)?\d+\.part$/.test(name.slice(prefix.length))) {
      rmSync(join(dirname(path), name), { force: true });
    }
  }
}

/** Creates the access to the files at `file`. */
export function createStoreDisk({ file, clock, randomness, logger, lockWaitMs }: StoreDiskOptions): StoreDisk {
  const copy = `${file}.last-good`;
  const lock = createFileLock({ path: `${file}.lock`, waitMs: lockWaitMs, clock, randomness });

  const present = (): string[] =>
    [file, copy].filter((path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined);

  function setAside(path: string, why: 'damaged' | 'replaced'): string {
    const stamp = new Date(clock.now()).toISOString().replace(/[-:.]/g, '');
    for (let count = 1; ; count++) {
      const target = `${file}.${why}-${stamp}${count === 1 ? '' : `-${count}`}`;
      if (lstatSync(target, { throwIfNoEntry: false }) === undefined && keepAs(path, target)) return target;
    }
  }

  return {
    setAside,
    isThere: () => present().length > 0,
    setAllAside(why) {
      const [first, second] = present();
      if (second !== undefined && !isSameFile(file, copy)) setAside(second, why);
      if (first !== undefined) setAside(first, why);
    },
    read: () => [file, copy].flatMap((path) => readCopy(path) ?? []),
    withLock: (work) =>
      lock.run(async (held) => {
        if (held.wasAbandoned) removeParts(file);
        return await work(held);
      }),
    async write(bytes) {
      try {
        await writeFileAtomically(file, bytes);
      } catch (error) {
        throw fileError('write', file, error);
      }
      try {
        await writeFileAtomically(copy, bytes);
        return true;
      } catch (error) {
        // The store itself is written: what was asked for is done.
        logger.warn('key-store.copy-not-written', { code: systemCode(error) ?? 'unknown' });
        return false;
      }
    },
  };
}
