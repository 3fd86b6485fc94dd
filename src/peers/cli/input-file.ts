/** A file that is named as an argument: an ordinary one, so that opening and reading it waits for nobody. */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { systemCode } from '../../engine/identity/file-error.ts';
import { VakError } from '../../shared/base/vak-error.ts';

// A pipe is not waited for. On platforms without this flag it is undefined, so 0.
const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file; check the path',
  ENOTDIR: 'there is no such file; check the path',
  EACCES: 'this user may not read it',
  EPERM: 'this user may not read it',
};

/** Opens it for reading. Throws `invalid-input` that names the path; `field` is the argument or option that gave it. */
export async function openInputFile(path: string, field = 'FILE'): Promise<FileHandle> {
  const refuse = (why: string, cause?: unknown): never => {
    throw new VakError('invalid-input', `${field}: cannot read ${path}: ${why}`, { cause, details: { field } });
  };
  if (path.includes('\0')) return refuse('the path is not valid');
  let handle: FileHandle;
  try {
    handle = await open(path, flags);
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    return refuse(reasons[code] ?? `it cannot be opened (${code})`, error);
  }
  const stat = await handle.stat();
  if (stat.isFile()) return handle;
  await handle.close();
  return refuse(
    stat.isDirectory() ? 'it is a folder; give a file' : 'it is no ordinary file; give it on stdin (< FILE)',
  );
}

/** Throws `invalid-input` unless it is a file that can be read. */
export async function checkInputFile(path: string): Promise<void> {
  const handle = await openInputFile(path);
  await handle.close();
}
