/**
 * A small JSON file of the profile that several processes read and change (app and command line).
 * Law: changes are made under a lock on what is on disk then, all that wait in one write, each done when it is on disk; a file that cannot be read is set aside and said, never overwritten.
 */
import { createHash } from 'node:crypto';
import { readFileSync, renameSync, statSync } from 'node:fs';
import type { z } from 'zod';
import { toTextStrict, utf8 } from '../../shared/base/bytes.ts';
import { createDisposer, type Disposable, toDisposable } from '../../shared/base/disposer.ts';
import { firstIssue } from '../../shared/base/issue-words.ts';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import type { Clock } from '../ports/clock.ts';
import type { Randomness } from '../ports/randomness.ts';
import { writeFileAtomically } from './atomic-file.ts';
import { fileError, systemCode } from './file-error.ts';
import { createFileLock } from './file-lock.ts';

const maxFileBytes = 64 * 1024 * 1024;
/** How long a read believes what it saw on disk last. */
const freshMs = 100;
/** The least time between two looks that somebody asks for. */
const askedMs = 10;
/** How often listeners learn of another process's change when nobody reads. */
const pollMs = 1000;
const lockWaitMs = 5000;

export interface SharedJsonFile<T> extends Disposable {
  /** The value now, at most 100 ms behind the disk; the last sound one if the file was damaged meanwhile. */
  read(): T;
  /** The value as it was at the last look. */
  seen(): T;
  /** Looks at the disk at once, unless it did within the last 10 ms; whether the value is another one then. */
  refresh(): boolean;
  /** Changes it; the same value back means no change. Throws `timeout`, `unsupported`, `limit-exceeded`, `forbidden`. */
  update(change: (value: T) => T): Promise<void>;
  /** Called after the value changed, here or by another process. */
  onChange(listener: () => void): Disposable;
}

/** What stands between a file's bytes and its JSON. */
export interface FileCover {
  cover(plain: Uint8Array): Uint8Array;
  /** Undefined: these bytes were not covered so. The caller erases the result. */
  uncover(bytes: Uint8Array): Uint8Array | undefined;
}

export interface SharedJsonFileOptions<T> {
  readonly path: string;
  /** Left out: the file is its JSON. */
  readonly cover?: FileCover;
  /** What the file holds: an object whose `v` is 1. */
  readonly schema: z.ZodType<T>;
  /** The value while there is no file. */
  readonly empty: T;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Told of a file that was found damaged, or of another version, while open. */
  readonly report: (error: VakError) => void;
}

/** Tells one state of the file from another; `absent` if there is none. What refuses to tell is refused again by reading it. */
function stampOf(path: string): string {
  try {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false });
    return found === undefined ? 'absent' : `${found.ino} ${found.size} ${found.mtimeNs}`;
  } catch (error) {
    return `unreadable ${systemCode(error) ?? ''}`;
  }
}

function readBytes(path: string): Uint8Array | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  if (!found.isFile()) throw new VakError('forbidden', `${path} is no file`, { details: { path } });
  if (found.size > maxFileBytes) throw new VakError('corrupt', `larger than ${maxFileBytes} bytes`);
  return readFileSync(path);
}

/** Reads JSON off a file's bytes. Throws `corrupt`. */
function jsonOf(bytes: Uint8Array, cover: FileCover | undefined): unknown {
  const plain = cover === undefined ? bytes : cover.uncover(bytes);
  if (plain === undefined) throw new VakError('corrupt', `not sealed by this profile (${bytes.length} bytes)`);
  try {
    return JSON.parse(toTextStrict(plain, 'file'));
  } catch (error) {
    // A parser's message quotes the text: of what is sealed nothing is told.
    const cause = cover === undefined ? { cause: error } : {};
    throw new VakError('corrupt', `no JSON in UTF-8 (${bytes.length} bytes)`, cause);
  } finally {
    if (cover !== undefined) plain.fill(0);
  }
}

/** The value that a file's JSON is. Throws `corrupt`, or `unsupported` if a later version wrote it. */
function parse<T>(json: unknown, schema: z.ZodType<T>): T {
  const version = typeof json === 'object' && json !== null && 'v' in json ? json.v : undefined;
  if (Number.isInteger(version) && Number(version) > 1) {
    throw new VakError('unsupported', 'a later version of the program wrote it; use that one');
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  throw new VakError('corrupt', firstIssue(parsed.error));
}

/** A value and the bytes that it was read from or written as, by their hash. */
interface Loaded<T> {
  readonly value: T;
  readonly hash: string;
}

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/**
 * What the file holds now, `known` itself if that is the same; undefined if there is none. Throws `corrupt`, `unsupported`,
 * `forbidden` that name the path.
 */
function load<T>(
  { path, schema, cover }: Pick<SharedJsonFileOptions<T>, 'path' | 'schema' | 'cover'>,
  known: Loaded<T>,
): Loaded<T> | undefined {
  try {
    const bytes = readBytes(path);
    if (bytes === undefined) return undefined;
    const hash = hashOf(bytes);
    return hash === known.hash ? known : { value: parse(jsonOf(bytes, cover), schema), hash };
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    if (!isVakError(error)) throw fileError('read', path, error);
    throw new VakError(error.code, `${path}: ${error.message}`, { details: { path }, cause: error });
  }
}

/** Gives a damaged file another name. Only under the lock: no writer can have replaced it since it was read. */
function setAside(path: string, nowMs: number): string {
  const stamp = new Date(nowMs).toISOString().replace(/[-:.]/g, '');
  for (let count = 1; ; count++) {
    const target = `${path}.damaged-${stamp}${count === 1 ? '' : `-${count}`}`;
    if (statSync(target, { throwIfNoEntry: false }) !== undefined) continue;
    try {
      renameSync(path, target);
    } catch (error) {
      throw fileError('set aside', path, error);
    }
    return target;
  }
}

/** A change that waits for its turn. */
interface AskedChange<T> {
  readonly change: (value: T) => T;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Opens the file. Throws `corrupt` if it is damaged: then it was set aside (`details.asidePath`), and opening again begins
 * empty; `unsupported` if a later version wrote it; `forbidden` if it cannot be read.
 */
export async function openSharedJsonFile<T>(options: SharedJsonFileOptions<T>): Promise<SharedJsonFile<T>> {
  const { path, cover, clock, randomness, report } = options;
  const lock = createFileLock({ path: `${path}.lock`, waitMs: lockWaitMs, clock, randomness });
  const disposer = createDisposer();
  const listeners = new Set<() => void>();
  let held: Loaded<T> = { value: options.empty, hash: '' };
  let stamp = 'absent';
  let lookedMs = clock.monotonic();
  let turn: Promise<void> = Promise.resolve();
  const asked: AskedChange<T>[] = [];

  function take(next: Loaded<T>): void {
    if (next === held) return;
    held = next;
    for (const listener of [...listeners]) listener();
  }

  /** Reads what another process wrote. A file that vanished leaves the value as it was: the next change writes it again. */
  function look(): void {
    lookedMs = clock.monotonic();
    const found = stampOf(path);
    if (found === stamp) return;
    // Set before reading: what cannot be read is said once for each state of the file.
    stamp = found;
    take(load(options, held) ?? held);
  }

  function lookAndReport(): void {
    try {
      look();
    } catch (error) {
      if (!isVakError(error)) throw error;
      report(error);
    }
  }

  /** Under the lock: like `look`, but reads whatever its stamp says, and a damaged file makes way. */
  function lookOrSetAside(): VakError | undefined {
    stamp = 'unknown';
    try {
      look();
      return undefined;
    } catch (error) {
      if (!isVakError(error, 'corrupt')) throw error;
      const asidePath = setAside(path, clock.now());
      stamp = 'absent';
      return new VakError('corrupt', `${error.message}; it was set aside as ${asidePath}`, {
        details: { path, asidePath },
        cause: error,
      });
    }
  }

  async function write(next: T): Promise<Loaded<T>> {
    const plain = utf8(`${JSON.stringify(next)}\n`);
    const bytes = cover === undefined ? plain : cover.cover(plain);
    if (cover !== undefined) plain.fill(0);
    if (bytes.length > maxFileBytes) {
      throw new VakError('limit-exceeded', `${path} would be larger than ${maxFileBytes} bytes`, { details: { path } });
    }
    try {
      await writeFileAtomically(path, bytes, 0o600);
    } catch (error) {
      throw fileError('write', path, error);
    }
    return { value: next, hash: hashOf(bytes) };
  }

  /** Makes changes in their order. Those that throw are left out, and told so. */
  function changed(changes: readonly AskedChange<T>[]): { readonly next: T; readonly made: readonly AskedChange<T>[] } {
    let next = held.value;
    const made = changes.filter(({ change, reject }) => {
      try {
        next = change(next);
        return true;
      } catch (error) {
        reject(error);
        return false;
      }
    });
    return { next, made };
  }

  /** Writes once for all that were asked for meanwhile. Never rejects. */
  async function writeAsked(): Promise<void> {
    if (asked.length === 0) return;
    let taken: readonly AskedChange<T>[] = [];
    try {
      await lock.run(async (own) => {
        taken = asked.splice(0);
        const found = lookOrSetAside();
        if (found !== undefined) report(found);
        const { next, made } = changed(taken);
        taken = made;
        if (next === held.value) return;
        own.assertHeld();
        const written = await write(next);
        stamp = stampOf(path);
        take(written);
      });
      for (const { resolve } of taken) resolve();
    } catch (error) {
      // Without the lock none was taken.
      for (const { reject } of [...taken, ...asked.splice(0)]) reject(error);
    }
  }

  const damage = await lock.run(async () => lookOrSetAside());
  if (damage !== undefined) throw damage;
  disposer.add(clock.setTicker(pollMs, lookAndReport));

  return {
    read() {
      if (!disposer.isDisposed && clock.monotonic() - lookedMs >= freshMs) lookAndReport();
      return held.value;
    },
    seen: () => held.value,
    refresh() {
      if (disposer.isDisposed || clock.monotonic() - lookedMs < askedMs) return false;
      const before = held;
      lookAndReport();
      return held !== before;
    },
    update(change) {
      const done = new Promise<void>((resolve, reject) => void asked.push({ change, resolve, reject }));
      // One at a time within this process: the lock between processes is waited for by polling.
      turn = turn.then(writeAsked);
      return done;
    },
    onChange(listener) {
      listeners.add(listener);
      return toDisposable(() => listeners.delete(listener));
    },
    dispose() {
      disposer.dispose();
      listeners.clear();
    },
  };
}

/** Opens the file likewise, for what can be begun anew: a damaged one is reported. Throws `unsupported`, `forbidden`. */
export async function openOrBeginJsonFile<T>(options: SharedJsonFileOptions<T>): Promise<SharedJsonFile<T>> {
  try {
    return await openSharedJsonFile(options);
  } catch (error) {
    if (!isVakError(error, 'corrupt')) throw error;
    options.report(error);
    return await openSharedJsonFile(options);
  }
}
