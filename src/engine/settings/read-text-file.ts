/**
 * A small text file of the profile, read whole.
 * Law: only an ordinary file is read (no link, pipe or device), within a bound, and strictly as UTF-8.
 */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { toTextStrict } from '../../shared/base/bytes.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import { systemCode } from '../identity/file-error.ts';

/** What lies at a path. `signature` changes when the file is replaced or written. */
export type TextFile =
  | { readonly kind: 'absent' }
  | { readonly kind: 'text'; readonly text: string; readonly signature: string }
  | { readonly kind: 'damaged'; readonly reason: string; readonly signature: string }
  /** There is something that we must not or cannot read; it is left alone. */
  | { readonly kind: 'unreadable'; readonly reason: string };

interface Limits {
  readonly maxBytes: number;
}

// Not blocking: opening a pipe would wait for its writer. On platforms without these flags they are undefined, so 0.
const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'this user may not read it',
  EPERM: 'this user may not read it',
  EISDIR: 'it is a folder',
  ELOOP: 'it is a link',
  EMLINK: 'it is a link',
  ENXIO: 'it is no ordinary file',
};

async function readHandle(handle: FileHandle, { maxBytes }: Limits): Promise<TextFile> {
  const stats = await handle.stat({ bigint: true });
  if (!stats.isFile()) return { kind: 'unreadable', reason: 'it is no ordinary file' };
  const signature = [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(':');
  if (stats.size > BigInt(maxBytes)) {
    return { kind: 'damaged', reason: `it has ${stats.size} bytes, at most ${maxBytes} are read`, signature };
  }
  const bytes = await handle.readFile();
  try {
    return { kind: 'text', text: toTextStrict(bytes, 'file'), signature };
  } catch (error) {
    if (!isVakError(error)) throw error;
    return { kind: 'damaged', reason: 'it is not UTF-8', signature };
  }
}

/** Reads what lies at the path; never throws for what a file system can answer. */
export async function readTextFile(path: string, limits: Limits): Promise<TextFile> {
  let handle: FileHandle;
  try {
    handle = await open(path, flags);
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'absent' };
    return { kind: 'unreadable', reason: reasons[code] ?? code };
  }
  try {
    return await readHandle(handle, limits);
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    return { kind: 'unreadable', reason: reasons[code] ?? code };
  } finally {
    await handle.close();
  }
}
