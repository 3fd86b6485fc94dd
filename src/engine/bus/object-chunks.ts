/**
 * Cuts what an author gives into chunks of one size (protocol.md B5).
 * Law: it holds one chunk and one piece of its author, ends at once on the signal, and then lets its author know.
 */
import { VakError } from '../../shared/base/vak-error.ts';

/** Rejects with `aborted` as soon as the signal says so; else it is the promise. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(abortion());
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

function abortion(): VakError {
  return new VakError('aborted', 'object: cancelled; nothing of it is kept');
}

/** Pieces as they come. Throws `aborted`, `invalid-input`, and what the author throws. */
async function* piecesOf(author: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
  const pieces = author[Symbol.asyncIterator]();
  let isDone = false;
  try {
    for (;;) {
      if (signal.aborted) throw abortion();
      const next = await untilAborted(pieces.next(), signal);
      isDone = next.done === true;
      if (next.done === true) return;
      if (!(next.value instanceof Uint8Array)) {
        throw new VakError('invalid-input', `object: expected pieces of bytes, got ${typeof next.value}`);
      }
      yield next.value;
    }
  } finally {
    // Not awaited: an author that hangs would hold up whoever cancelled it.
    if (!isDone) void Promise.resolve(pieces.return?.()).catch(() => {});
  }
}

/** Chunks of `chunkBytes`, the last one smaller; fresh arrays. Throws `aborted`, `invalid-input`, and what the author throws. */
export async function* cutIntoChunks(
  author: AsyncIterable<Uint8Array>,
  chunkBytes: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  let chunk = new Uint8Array(chunkBytes);
  let filled = 0;
  for await (const piece of piecesOf(author, signal)) {
    for (let at = 0; at < piece.length; ) {
      const part = piece.subarray(at, at + chunkBytes - filled);
      chunk.set(part, filled);
      filled += part.length;
      at += part.length;
      if (filled < chunkBytes) continue;
      yield chunk;
      chunk = new Uint8Array(chunkBytes);
      filled = 0;
    }
  }
  if (filled > 0) yield chunk.slice(0, filled);
}
