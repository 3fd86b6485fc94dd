/**
 * The file of a bundle, held open while it is looked at (docs/spec/triage.md D14).
 * Law: an ordinary file of bounded size, so that nothing is waited for; a line that is read again is the one that was looked at.
 */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import { VakError } from '../../shared/base/vak-error.ts';
import { visibleText } from '../../shared/base/visible-text.ts';
import { fileError } from '../identity/file-error.ts';
import type { BundlePlace } from './bundle-check.ts';
import { bundleBounds, bundleSizeWords, digestOfLine } from './bundle-format.ts';

export interface BundleSource {
  /** Its name, visible. */
  readonly name: string;
  readonly sizeBytes: number;
  /** From its beginning, as many times as it is called; throws what reading throws. */
  stream(): AsyncIterable<Uint8Array>;
  /** A line that was looked at. Throws `conflict` if it is another one by now. */
  line(place: BundlePlace): Promise<Uint8Array>;
  /** Never rejects. */
  close(): Promise<void>;
}

const maxName = 255;
const chunkBytes = 256 * 1024;

// A pipe is not waited for. On platforms without this flag it is undefined, so 0.
const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

async function onPath<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw fileError('read', path, error);
  }
}

async function sizeOf(handle: FileHandle, path: string): Promise<number> {
  const stat = await handle.stat();
  if (!stat.isFile()) throw new VakError('invalid-input', `${path}: it is no ordinary file; choose a .vakbundle file`);
  if (stat.size > bundleBounds.fileBytes) {
    const message = `${path}: ${bundleSizeWords(stat.size)}; it is none, or not one of ours`;
    throw new VakError('limit-exceeded', message);
  }
  return stat.size;
}

/** Opens it. Throws `forbidden` (it cannot be read), `invalid-input` (no ordinary file), `limit-exceeded` (larger than a bundle may be). */
export async function openBundleSource(path: string): Promise<BundleSource> {
  const handle = await onPath(path, () => open(path, flags));
  let sizeBytes: number;
  try {
    sizeBytes = await sizeOf(handle, path);
  } catch (error) {
    await handle.close();
    throw error;
  }

  async function readAt(offset: number, length: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(length);
    const { bytesRead } = await onPath(path, () => handle.read(bytes, 0, length, offset));
    return bytes.subarray(0, bytesRead);
  }

  return {
    name: visibleText(basename(path).slice(0, maxName)),
    sizeBytes,
    async *stream() {
      // What is added meanwhile is none of it.
      for (let at = 0; at < sizeBytes; ) {
        const chunk = await readAt(at, Math.min(chunkBytes, sizeBytes - at));
        if (chunk.length === 0) return;
        yield chunk;
        at += chunk.length;
      }
    },
    async line({ offset, sizeBytes: length, digest }) {
      const bytes = await readAt(offset, length);
      if (digestOfLine(bytes) === digest) return bytes;
      throw new VakError('conflict', `${path}: it was changed since it was looked through; open it again`);
    },
    async close() {
      await handle.close().catch(() => {});
    },
  };
}
