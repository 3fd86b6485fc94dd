/**
 * Moves a damaged file out of the way (product.md "Configuration").
 * Law: its bytes are kept under a name that nothing else has; nothing is overwritten.
 */
import { link, rename, unlink } from 'node:fs/promises';
import { systemCode } from '../identity/file-error.ts';

const maxTries = 100;

/** Renames `file` to `<file>.damaged-<time>` and gives that name; undefined if it is gone already. Throws what the file system throws. */
export async function setAside(file: string, nowMs: number): Promise<string | undefined> {
  const stamp = new Date(nowMs).toISOString().replace(/[:.]/g, '-');
  for (let count = 1; count <= maxTries; count++) {
    const aside = `${file}.damaged-${stamp}${count === 1 ? '' : `-${count}`}`;
    try {
      // A hard link fails where a rename would overwrite.
      await link(file, aside);
    } catch (error) {
      const code = systemCode(error);
      if (code === 'EEXIST') continue;
      if (code === 'ENOENT') return undefined;
      // A disk without hard links.
      await rename(file, aside);
      return aside;
    }
    await unlink(file);
    return aside;
  }
  throw new Error(`no free name beside a damaged file after ${maxTries} tries`);
}
