/**
 * A lock between processes: a file that only one of them can create (app and command line share a profile).
 * Law: the lock of a process that lives is never taken from it, one of a dead process does not outlive the next wait, and no
 * wait is without end.
 */
import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  unlinkSync,
  unwatchFile,
  watchFile,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { toHex } from '../../shared/base/bytes.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import type { Clock } from '../ports/clock.ts';
import type { Randomness } from '../ports/randomness.ts';
import { fileError, systemCode } from './file-error.ts';
import { birthOf, birthPlace, isSameBirth } from './process-birth.ts';

const pollMs = 10;
/** Locks are held for milliseconds: one whose holder cannot be judged, unchanged for so long, is taken for left behind. */
const abandonedMs = 3000;

/** Who holds it. `token` makes each hold its own. */
const holderSchema = z.strictObject({
  pid: z.int().min(1),
  birth: z.string().min(1).max(64),
  place: z.string().max(128),
  token: z.string().length(32),
});
type Holder = z.infer<typeof holderSchema>;

/** What a lock needs. */
export interface FileLockOptions {
  readonly path: string;
  /** The longest wait for another holder, ms. */
  readonly waitMs: number;
  readonly clock: Clock;
  readonly randomness: Randomness;
}

/** The lock while it is held. */
export interface HeldLock {
  /** Whether a holder before was found dead: it may have left things behind. */
  readonly wasAbandoned: boolean;
  /** Throws `timeout` (retryable) if somebody removed the lock: do not write then. */
  assertHeld(): void;
}

/** A lock that is not held yet. */
export interface FileLock {
  /** Holds it while `work` runs. Throws `timeout` (retryable) if others hold it too long. */
  run<T>(work: (held: HeldLock) => Promise<T>): Promise<T>;
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw fileError('read', path, error);
  }
}

function removeIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw fileError('remove', path, error);
  }
}

/** Creates the file; false if it is there. A file that could not be written whole is removed again. */
function createExclusively(path: string, content: string): boolean {
  let file: number;
  try {
    file = openSync(path, 'wx', 0o600);
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw fileError('create', path, error);
  }
  try {
    writeSync(file, content);
  } catch (error) {
    removeIfThere(path);
    throw fileError('write', path, error);
  } finally {
    closeSync(file);
  }
  return true;
}

function parseHolder(content: string): Holder | undefined {
  try {
    return holderSchema.safeParse(JSON.parse(content)).data;
  } catch {
    return undefined;
  }
}

/** Whether the holder is gone, given how long the lock has stood unchanged. */
async function isAbandoned(content: string, unchangedMs: number, place: string): Promise<boolean> {
  const holder = parseHolder(content);
  // Not written whole (its process died between two calls), or of another boot, machine or namespace of pids.
  if (holder === undefined || holder.place !== place) return unchangedMs >= abandonedMs;
  const birth = await birthOf(holder.pid);
  return birth === undefined || !isSameBirth(birth, holder.birth);
}

/**
 * Removes a lock that was judged to be left behind, if it is still that very one. Whoever removes does so behind a guard file, in
 * one turn: two that judged alike cannot remove, one after the other, first the old lock and then the other's new one.
 */
function breakLock(path: string, judged: string, nowWallMs: number): boolean {
  const guard = `${path}.break`;
  if (!createExclusively(guard, '')) {
    // Its process died within that one turn, or is in it now.
    const age = nowWallMs - (statSync(guard, { throwIfNoEntry: false })?.mtimeMs ?? nowWallMs);
    if (Math.abs(age) >= abandonedMs) removeIfThere(guard);
    return false;
  }
  try {
    if (readIfThere(path) !== judged) return false;
    removeIfThere(path);
    return true;
  } finally {
    removeIfThere(guard);
  }
}

/** Waits for a moment. Timers of the clock do not keep a process alive; whoever waits for a lock must not just end. */
function pause(path: string, clock: Clock): Promise<void> {
  const staysAlive = (): void => {};
  watchFile(path, { persistent: true, interval: 1000 }, staysAlive).setMaxListeners(0);
  return new Promise<void>((resolve) => {
    clock.setTimer(pollMs, resolve);
  }).finally(() => unwatchFile(path, staysAlive));
}

/** Removes the lock if its holder is gone, and says whether it did; remembers since when the lock looks as it does. */
function createBreaker(path: string, place: string, clock: Clock): () => Promise<boolean> {
  let seen: { readonly content: string; readonly sinceMs: number } | undefined;
  return async () => {
    const content = readIfThere(path);
    if (content === undefined) return false;
    if (seen?.content !== content) seen = { content, sinceMs: clock.monotonic() };
    const isGone = await isAbandoned(content, clock.monotonic() - seen.sinceMs, place);
    return isGone && breakLock(path, content, clock.now());
  };
}

/** Creates a lock at `path`; its folder is made (mode 0700) if it is absent. */
export function createFileLock({ path, waitMs, clock, randomness }: FileLockOptions): FileLock {
  const place = birthPlace();
  let ownBirth: string | undefined;

  /** Waits until the lock is ours; true if a dead holder's was removed. */
  async function acquire(content: string): Promise<boolean> {
    const beganMs = clock.monotonic();
    const breakAbandoned = createBreaker(path, place, clock);
    let wasAbandoned = false;
    while (!createExclusively(path, content)) {
      if (await breakAbandoned()) {
        wasAbandoned = true;
      } else if (clock.monotonic() - beganMs >= waitMs) {
        const message = `${path} is held by another process for more than ${waitMs} ms`;
        throw new VakError('timeout', message, { retryable: true, details: { path } });
      } else {
        await pause(path, clock);
      }
    }
    return wasAbandoned;
  }

  return {
    async run(work) {
      try {
        mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      } catch (error) {
        throw fileError('make the folder of', path, error);
      }
      ownBirth ??= (await birthOf(process.pid)) ?? 'untold';
      const holder: Holder = { pid: process.pid, birth: ownBirth, place, token: toHex(randomness.bytes(16)) };
      const content = JSON.stringify(holder);
      const wasAbandoned = await acquire(content);
      try {
        return await work({
          wasAbandoned,
          assertHeld() {
            if (readIfThere(path) === content) return;
            throw new VakError('timeout', `${path} was taken away; nothing was written`, { retryable: true });
          },
        });
      } finally {
        if (readIfThere(path) === content) removeIfThere(path);
      }
    },
  };
}
