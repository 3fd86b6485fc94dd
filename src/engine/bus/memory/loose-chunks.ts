/**
 * Removes chunks that belong to no object: of uploads that failed, of objects that were replaced or deleted (protocol.md B6).
 * Law: they are removed once nobody reads them, in the background; what a crash or a full disk leaves is removed at the next open.
 */
import { isVakError } from '../../../shared/base/vak-error.ts';
import type { Logger } from '../../ports/logger.ts';
import { createSerialLane } from '../../serial-lane.ts';
import type { Journal } from './journal.ts';
import { chunkKey, type LooseChunks, looseRow } from './object-rows.ts';

const deletionsTogether = 256;

export interface LooseChunkKeeper {
  /** A number that no upload has, or had. */
  nextUpload(): number;
  /** Keeps an upload's chunks from being removed until it is released. */
  hold(upload: number): () => void;
  /** Removes chunks as soon as nobody holds them; their row stands already. */
  remove(chunks: LooseChunks): void;
  /** Resolves when what can be removed now is removed. */
  idle(): Promise<void>;
}

/** Creates a keeper that counts uploads on from `lastUpload`. */
export function createLooseChunkKeeper(
  { journal, logger }: { readonly journal: Journal; readonly logger: Logger },
  lastUpload: number,
): LooseChunkKeeper {
  const lane = createSerialLane();
  const holders = new Map<number, number>();
  /** What is removed when its last holder lets go. */
  const awaited = new Map<number, LooseChunks>();
  let last = lastUpload;

  async function removeNow({ upload, count }: LooseChunks): Promise<void> {
    for (let from = 0; from < count; from += deletionsTogether) {
      const length = Math.min(deletionsTogether, count - from);
      await journal.commit(Array.from({ length }, (_, at) => ({ key: chunkKey(upload, from + at), value: undefined })));
    }
    await journal.commit([looseRow(upload, undefined)]);
  }

  function remove(chunks: LooseChunks): void {
    if (holders.has(chunks.upload)) {
      awaited.set(chunks.upload, chunks);
      return;
    }
    void lane
      .run(() => removeNow(chunks))
      .catch((thrown: unknown) => {
        if (isVakError(thrown)) logger.warn('objects.chunks-left', { code: thrown.code, count: chunks.count });
        else logger.bug('objects.chunks-left', thrown);
      });
  }

  return {
    nextUpload: () => ++last,
    hold(upload) {
      holders.set(upload, (holders.get(upload) ?? 0) + 1);
      return () => {
        const left = (holders.get(upload) ?? 1) - 1;
        if (left > 0) {
          holders.set(upload, left);
          return;
        }
        holders.delete(upload);
        const chunks = awaited.get(upload);
        if (chunks === undefined) return;
        awaited.delete(upload);
        remove(chunks);
      };
    },
    remove,
    idle: () => lane.idle(),
  };
}
