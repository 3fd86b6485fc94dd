/**
 * What a failure of LevelDB comes to.
 * Law: it is told by codes where there are any; LevelDB hands on the system's refusals as text alone, so for those the folder is asked.
 */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../../identity/file-error.ts';

const fullDiskCodes = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);
/** What strerror says of them, which LevelDB puts behind the name of the file. */
const fullDiskTexts = ['No space left on device', 'Disk quota exceeded', 'File too large'];
const maxProbeBytes = 8 * 1024 * 1024;

/** The code that `classic-level` gave, of the error or what caused it. */
export function levelCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code } = error as NodeJS.ErrnoException;
  return levelCode(error.cause) ?? (typeof code === 'string' && code.startsWith('LEVEL_') ? code : undefined);
}

function textOf(error: unknown): string {
  return error instanceof Error ? `${error.message}\n${textOf(error.cause)}` : '';
}

/** Whether there is no room in the folder for `bytes` more. */
async function isFull(folder: string, bytes: number): Promise<boolean> {
  const probe = join(folder, 'room.part');
  try {
    await writeFile(probe, new Uint8Array(Math.min(bytes, maxProbeBytes)), { flush: true, mode: 0o600 });
    return false;
  } catch (error) {
    return isFullDisk(error);
  } finally {
    await rm(probe, { force: true }).catch(() => {});
  }
}

/** Whether the file system refused for want of room. */
export function isFullDisk(error: unknown): boolean {
  return fullDiskCodes.has(systemCode(error) ?? '');
}

/** Whether a failure of LevelDB came of a full disk, a quota or a limit of file sizes; `bytes`: what it was to write. */
export async function isFullDiskOfLevel(error: unknown, folder: string, bytes: number): Promise<boolean> {
  if (levelCode(error) !== 'LEVEL_IO_ERROR') return false;
  const text = textOf(error);
  return fullDiskTexts.some((known) => text.includes(known)) || isFull(folder, bytes);
}
