/**
 * Files of the person's machine on their way into the app and out of it (protocol.md R12, product.md "Rooms", "Streams").
 * Law: only a path that the person chose is read or written; what is saved appears whole under its name or not at all.
 */
import { createReadStream } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { VakError } from '../../shared/base/vak-error.ts';
import { fileError } from '../identity/file-error.ts';
import { imageTypeOf } from './image-type.ts';

const pieceBytes = 64 * 1024;
const types: Readonly<Record<string, string>> = {
  txt: 'text/plain',
  log: 'text/plain',
  md: 'text/markdown',
  json: 'application/json',
  pdf: 'application/pdf',
  zip: 'application/zip',
  csv: 'text/csv',
  mp4: 'video/mp4',
};

/** Size of a file in bytes. Throws `not-found` and the like, `invalid-input` for what is no file. */
export async function fileSize(path: string): Promise<number> {
  const found = await stat(path).catch((error: unknown) => {
    throw fileError('read', path, error);
  });
  if (found.isFile()) return found.size;
  throw new VakError('invalid-input', `${path}: is no file; choose one, or pack a folder into one first`);
}

/** The bytes of a file from its beginning. Throws `aborted`, and what reading throws. */
export async function* readFilePieces(path: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path, { highWaterMark: pieceBytes, signal });
  } catch (error) {
    if (signal.aborted) throw new VakError('aborted', 'attachment: cancelled', { cause: error });
    throw fileError('read', path, error);
  }
}

/** What a file is, by its first bytes and then by its name. */
export async function fileTypeOf(path: string): Promise<string> {
  const handle = await open(path, 'r').catch((error: unknown) => {
    throw fileError('read', path, error);
  });
  try {
    const { buffer } = await handle.read(new Uint8Array(16), 0, 16, 0);
    const extension = /\.([A-Za-z0-9]{1,8})$/.exec(path)?.[1]?.toLowerCase() ?? '';
    return imageTypeOf(buffer) ?? types[extension] ?? 'application/octet-stream';
  } finally {
    await handle.close();
  }
}

async function writeBeside(beside: string, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  const handle = await open(beside, 'wx', 0o600).catch((error: unknown) => {
    throw fileError('write', beside, error);
  });
  try {
    for await (const piece of pieces) {
      await handle.writeFile(piece).catch((error: unknown) => {
        throw fileError('write', beside, error);
      });
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Writes a file whole, beside its path first. Throws what `pieces` and writing throw; then nothing is left of it. */
export async function saveFile(path: string, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  const beside = `${path}.${process.pid}.part`;
  await rm(beside, { force: true }).catch((error: unknown) => {
    throw fileError('write', path, error);
  });
  try {
    await writeBeside(beside, pieces);
    await rename(beside, path).catch((error: unknown) => {
      throw fileError('write', path, error);
    });
  } catch (error) {
    // What went wrong first is what is told.
    await rm(beside, { force: true }).catch(() => {});
    throw error;
  }
}
