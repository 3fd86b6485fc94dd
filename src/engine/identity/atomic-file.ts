/**
 * Whole-file writes that survive a crash (product.md "Configuration").
 * Law: at every moment the path holds either the old bytes or the new ones, whole, and nobody else may read them before.
 */
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Flushes a folder's entries to disk; a platform that cannot open folders needs none of it. */
async function syncFolder(folder: string): Promise<void> {
  let handle: Awaited<ReturnType<typeof open>>;
  try {
    handle = await open(folder, 'r');
  } catch {
    return;
  }
  try {
    await handle.sync();
  } catch {
    // Some file systems refuse to flush a folder; the rename is done all the same.
  } finally {
    await handle.close();
  }
}

/**
 * Writes `bytes` beside the path, flushes, and renames over it; makes the folder (mode 0700) if it is absent.
 * One writer a path at a time: whoever shares a path holds a lock. Throws what the file system throws.
 */
export async function writeFileAtomically(path: string, bytes: Uint8Array, mode = 0o600): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const beside = `${path}.${process.pid}.part`;
  // A rest of a process that died under our id, or a link that somebody planted: never written through.
  await rm(beside, { force: true });
  try {
    const handle = await open(beside, 'wx', mode);
    try {
      await handle.writeFile(bytes);
      await handle.chmod(mode);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
  await syncFolder(folder);
}
