/** A file that a command writes for the user: whole, for its owner alone, and never over one that is there. */
import { link, open, rm } from 'node:fs/promises';
import { fileError, systemCode } from '../../engine/identity/file-error.ts';
import { VakError } from '../../shared/base/vak-error.ts';

/** Writes it. Throws `exists`, `forbidden`, `limit-exceeded`. */
export async function writeNewFile(path: string, bytes: Uint8Array): Promise<void> {
  const beside = `${path}.${process.pid}.part`;
  try {
    const handle = await open(beside, 'wx', 0o600);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    // Fails where a rename would overwrite.
    await link(beside, path);
  } catch (error) {
    if (systemCode(error) === 'EEXIST') throw new VakError('exists', `${path} is there already; give another name`);
    throw fileError('write', path, error);
  } finally {
    await rm(beside, { force: true });
  }
}
