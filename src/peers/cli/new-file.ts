/** A file that a command writes for the user: whole, for its owner alone, and never over one that is there unless that was said. */
import { link, lstat, open, rename, rm, writeFile } from 'node:fs/promises';
import { fileError, systemCode } from '../../engine/identity/file-error.ts';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';

const taken = (path: string): VakError => new VakError('exists', `${path} is there already; give another name`);

/** Before a long work whose file it is: whether the name is free now. Throws `exists`, `forbidden`. */
export async function checkNewFile(path: string): Promise<void> {
  try {
    await lstat(path);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return;
    throw fileError('write', path, error);
  }
  throw taken(path);
}

/** Writes it; of bytes that come piece by piece nothing stays if they do not come whole. Throws `exists`, `forbidden`, `limit-exceeded`, and what the pieces throw. */
export async function writeNewFile(
  path: string,
  bytes: Uint8Array | AsyncIterable<Uint8Array>,
  { mayReplace = false }: { readonly mayReplace?: boolean } = {},
): Promise<void> {
  const beside = `${path}.${process.pid}.part`;
  try {
    const handle = await open(beside, 'wx', 0o600);
    try {
      await writeFile(handle, bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    // A link fails where a rename would overwrite.
    await (mayReplace ? rename : link)(beside, path);
  } catch (error) {
    if (systemCode(error) === 'EEXIST') throw taken(path);
    throw isVakError(error) ? error : fileError('write', path, error);
  } finally {
    await rm(beside, { force: true });
  }
}
