/**
 * The file that a bundle is written into, line by line (docs/spec/triage.md D11).
 * Law: it is for its owner alone, and nobody finds half a one: until it is whole it has another name.
 */
import { type FileHandle, link, lstat, open, rename, rm } from 'node:fs/promises';
import { VakError } from '../../shared/base/vak-error.ts';
import { fileError, systemCode } from '../identity/file-error.ts';

export interface BundleSink {
  /** Appends. Throws `forbidden`, `disk-full`. */
  write(bytes: Uint8Array): Promise<void>;
  /** Puts `head` over the beginning, and gives the file its name. Throws `exists`, `forbidden`, `disk-full`. */
  finish(head: Uint8Array): Promise<void>;
  /** Takes away what is not finished. Never rejects. */
  discard(): Promise<void>;
}

/** Writes gather up to so many bytes. */
const gathered = 256 * 1024;

/** The system's words for what went wrong with a path. */
async function onPath<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw fileError('write', path, error);
  }
}

async function writeAll(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, at, bytes.length - at, position + at);
    at += bytesWritten;
  }
}

async function giveName(beside: string, path: string, mayReplace: boolean): Promise<void> {
  if (mayReplace) return await rename(beside, path);
  try {
    // Fails where a rename would overwrite.
    await link(beside, path);
  } catch (error) {
    if (systemCode(error) === 'EEXIST') throw new VakError('exists', `${path} is there already; give another name`);
    throw error;
  }
}

/** A rename would put the file in the place of a device, pipe or link, which whoever chose it did not mean. */
async function checkReplaceable(path: string): Promise<void> {
  const there = await lstat(path).catch(() => undefined);
  if (there === undefined || there.isFile()) return;
  throw new VakError('invalid-input', `${path}: what lies there is no ordinary file; give another name`);
}

/**
 * Begins a file beside `path`. `mayReplace`: whoever chose the path has said that the file that lies there may go. Throws `invalid-input` (what
 * lies there is no file), `forbidden`, `disk-full`.
 */
export async function openBundleFile(path: string, mayReplace: boolean): Promise<BundleSink> {
  if (mayReplace) await checkReplaceable(path);
  const beside = `${path}.${process.pid}.part`;
  const handle = await onPath(path, async () => {
    await rm(beside, { force: true });
    return await open(beside, 'wx', 0o600);
  });
  let position = 0;
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let isOpen = true;

  async function flush(): Promise<void> {
    const bytes = Buffer.concat(waiting);
    waiting = [];
    waitingBytes = 0;
    await writeAll(handle, bytes, position);
    position += bytes.length;
  }

  return {
    async write(bytes) {
      waiting.push(bytes);
      waitingBytes += bytes.length;
      if (waitingBytes >= gathered) await onPath(path, flush);
    },
    async finish(head) {
      await onPath(path, async () => {
        await flush();
        await writeAll(handle, head, 0);
        await handle.sync();
        await handle.close();
        isOpen = false;
        await giveName(beside, path, mayReplace);
        await rm(beside, { force: true });
      });
    },
    async discard() {
      if (isOpen) await handle.close().catch(() => {});
      isOpen = false;
      await rm(beside, { force: true }).catch(() => {});
    },
  };
}
