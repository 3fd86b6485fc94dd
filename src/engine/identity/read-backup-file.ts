/** Reads the file of a backup. Law: bounded before it is read, and a clear error says what it is instead. */
import { readFile, stat } from 'node:fs/promises';
import { VakError } from '../../shared/base/vak-error.ts';
import { fileError } from './file-error.ts';

/** Far above any key store; what is larger is no backup. */
const maxBackupBytes = 64 * 1024 * 1024;

/** The bytes of a backup. Throws `invalid-input` for a file that is too large, and what the file system says. */
export async function readBackupFile(path: string): Promise<Uint8Array> {
  try {
    const { size } = await stat(path);
    if (size <= maxBackupBytes) return new Uint8Array(await readFile(path));
    throw new VakError('invalid-input', `${path}: ${size} bytes are no backup of a key store`);
  } catch (error) {
    if (error instanceof VakError) throw error;
    throw fileError('read', path, error);
  }
}
