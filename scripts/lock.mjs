// A lock between processes: a folder that appears with its owner inside in one rename, so it never stands without an owner.
// A lock whose owner has died is taken over; one of another host counts as dead when its heartbeat stops.
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rename, rm, rmdir, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname, uptime } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SetUpError } from './report.mjs';

const heartbeatMs = 2_000;
const deadHeartbeatMs = 60_000;
const takeOverLimitMs = 10_000;

/**
 * Runs `action` while holding the lock folder `path`; waits for whoever holds it.
 * `onWait(owner)` is called once if there is a wait. Throws SetUpError after `limitMs`.
 */
export async function withLock(path, action, { onWait, limitMs = 20 * 60_000, pollMs = 200 } = {}) {
  const token = await acquire(path, { onWait, limitMs, pollMs });
  const beat = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => {});
  }, heartbeatMs);
  beat.unref();
  try {
    return await action();
  } finally {
    clearInterval(beat);
    const owner = await readOwner(path);
    if (owner?.token === token) await removeWhole(path);
  }
}

/**
 * Takes the lock folder away in one rename and then deletes it. Deleting it in place would leave it empty for a moment,
 * and a new owner's rename onto an empty folder succeeds.
 */
async function removeWhole(path) {
  const aside = `${path}.old-${randomUUID()}`;
  await rename(path, aside);
  await rm(aside, { recursive: true, force: true });
}

async function acquire(path, { onWait, limitMs, pollMs }) {
  await mkdir(dirname(path), { recursive: true });
  const startedAt = Date.now();
  let hasWaited = false;
  for (;;) {
    const token = await tryAcquire(path);
    if (token) return token;
    const owner = await readOwner(path);
    if (owner && (await isStale(path, owner))) {
      await removeStale(path);
      continue;
    }
    if (owner && !hasWaited) {
      hasWaited = true;
      onWait?.(owner);
    }
    if (Date.now() - startedAt > limitMs) {
      throw new SetUpError(
        `process ${owner?.pid} has held ${path} for more than ${Math.round(limitMs / 60_000)} minutes.\n` +
          'Next: end that process, or delete the folder if it is gone.',
      );
    }
    await sleep(pollMs);
  }
}

/** Makes the lock with its owner inside; undefined when somebody has it. */
async function tryAcquire(path) {
  const token = randomUUID();
  const staged = await mkdtemp(`${path}.new-`);
  const owner = { token, pid: process.pid, host: hostname(), startedAt: Date.now() };
  await writeFile(join(staged, 'owner.json'), JSON.stringify(owner));
  try {
    await rename(staged, path);
    return token;
  } catch (error) {
    await rm(staged, { recursive: true, force: true });
    if (['ENOTEMPTY', 'EEXIST', 'EPERM'].includes(error.code)) return undefined;
    throw error;
  }
}

async function readOwner(path) {
  try {
    return JSON.parse(await readFile(join(path, 'owner.json'), 'utf8'));
  } catch {
    return undefined;
  }
}

async function isStale(path, owner) {
  if (owner.host !== hostname()) {
    const beat = await stat(path).catch(() => undefined);
    return beat !== undefined && Date.now() - beat.mtimeMs > deadHeartbeatMs;
  }
  const isFromBeforeBoot = owner.startedAt < Date.now() - uptime() * 1000 - 1000;
  return isFromBeforeBoot || !isAlive(owner.pid);
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Removes a stale lock. One process at a time may judge and remove, so that none removes its successor's. */
async function removeStale(path) {
  const guard = `${path}.take-over`;
  try {
    await mkdir(guard);
  } catch {
    const made = await stat(guard).catch(() => undefined);
    if (made && Date.now() - made.mtimeMs > takeOverLimitMs) await rmdir(guard).catch(() => {});
    await sleep(20);
    return;
  }
  try {
    const owner = await readOwner(path);
    if (owner && (await isStale(path, owner))) await removeWhole(path);
  } finally {
    await rmdir(guard).catch(() => {});
  }
}
