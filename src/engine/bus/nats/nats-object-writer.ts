/**
 * Writes the content of an object in chunks (protocol.md R12, B5).
 * Law: a bounded number of chunks is under way, and the digest is over what was sent, in its order.
 */
import { createHash } from 'node:crypto';
import { VakError } from '../../../shared/base/vak-error.ts';
import { appendOnce, type NatsAppendDeps } from './nats-append.ts';

export interface ChunkSource {
  readonly stream: string;
  readonly subject: string;
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly chunkBytes: number;
  readonly where: string;
  readonly signal?: AbortSignal | undefined;
}

export interface WrittenChunks {
  readonly sizeBytes: number;
  readonly chunkCount: number;
  /** Lower hex. */
  readonly sha256: string;
}

/** Chunks that are sent and not acknowledged yet: 2 MiB. */
const maxUnderWay = 16;

/** The source until its signal says otherwise: a source that hangs is left behind, not waited for. */
async function* untilAborted(source: AsyncIterable<Uint8Array>, options: ChunkSource): AsyncGenerator<Uint8Array> {
  const { signal, where } = options;
  const iterator = source[Symbol.asyncIterator]();
  /** Of the part that is waited for. One promise for all would hold on to every part. */
  let giveUp: ((error: VakError) => void) | undefined;
  const abort = (): void => giveUp?.(new VakError('aborted', `${where}: cancelled`));
  signal?.addEventListener('abort', abort, { once: true });
  try {
    for (;;) {
      const { done, value } = await new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
        giveUp = reject;
        if (signal?.aborted === true) abort();
        else iterator.next().then(resolve, reject);
      });
      giveUp = undefined;
      if (done === true) return;
      yield value;
    }
  } finally {
    signal?.removeEventListener('abort', abort);
    const ending = iterator.return?.();
    // Who was waited for may never go on.
    if (giveUp === undefined) await ending;
    else ending?.catch(() => {});
  }
}

/** Parts of exactly `size` bytes, the last one smaller; a part of them is never a view of what the source gave. */
async function* inChunks(source: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array> {
  let part = new Uint8Array(size);
  let filled = 0;
  for await (const piece of source) {
    let at = 0;
    while (at < piece.length) {
      const taken = Math.min(size - filled, piece.length - at);
      part.set(piece.subarray(at, at + taken), filled);
      filled += taken;
      at += taken;
      if (filled < size) continue;
      yield part;
      part = new Uint8Array(size);
      filled = 0;
    }
  }
  if (filled > 0) yield part.subarray(0, filled);
}

/** Throws what the source throws, `aborted`, and what an append does. */
export async function writeChunks(deps: NatsAppendDeps, source: ChunkSource): Promise<WrittenChunks> {
  const { stream, subject, chunks, chunkBytes, where, signal } = source;
  const hash = createHash('sha256');
  const underWay: Promise<unknown>[] = [];
  let failure: { readonly error: unknown } | undefined;
  let sizeBytes = 0;
  let chunkCount = 0;
  try {
    for await (const chunk of inChunks(untilAborted(chunks, source), chunkBytes)) {
      if (signal?.aborted === true) throw new VakError('aborted', `${where}: cancelled`);
      if (failure !== undefined) throw failure.error;
      hash.update(chunk);
      sizeBytes += chunk.length;
      chunkCount += 1;
      const sent = appendOnce(deps, { stream, subject, data: chunk, options: signal === undefined ? {} : { signal } });
      underWay.push(
        sent.catch((error: unknown) => {
          failure ??= { error };
        }),
      );
      if (underWay.length >= maxUnderWay) await underWay.shift();
    }
  } finally {
    // Whoever cleans up after a failure must find all that was sent.
    await Promise.all(underWay);
  }
  if (failure !== undefined) throw failure.error;
  return { sizeBytes, chunkCount, sha256: hash.digest('hex') };
}
