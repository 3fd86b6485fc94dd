/**
 * Finds programs as a shell of the user would.
 * Law: only absolute folders count, and only files that may be run; folders of servers that a desktop's path leaves out are looked at last.
 */
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import type { FindOnPath } from './server-program.ts';

/** Where systems and package managers put servers; a program that a desktop starts often has them not on its path. */
const moreFolders = ['/usr/local/bin', '/opt/homebrew/bin', '/usr/sbin', '/usr/local/sbin'];

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/** Creates the search over the variable `PATH`. */
export function createFindOnPath(path: string): FindOnPath {
  const folders = [...path.split(delimiter).filter((folder) => isAbsolute(folder)), ...moreFolders];
  return async (name) => {
    for (const folder of folders) {
      const file = join(folder, name);
      if (await isProgram(file)) return file;
    }
    return undefined;
  };
}
