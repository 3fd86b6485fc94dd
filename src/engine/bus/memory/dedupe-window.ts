/**
 * Message ids that a stream remembers (protocol.md B3): within the window a second append under one of them stores nothing.
 * Law: remembered from when it was stored until the window has passed, whatever becomes of the message.
 */
import { lowerBound } from './seq-list.ts';

interface Remembered {
  readonly messageId: string;
  readonly seq: number;
  readonly storedMs: number;
}

export interface DedupeWindow {
  readonly size: number;
  /** Where the message of that id was stored, if the window has not passed. */
  find(messageId: string, nowMs: number): number | undefined;
  /** Ids come in the order of their time and their numbers. */
  remember(entry: Remembered): void;
  /** The id of a message, while it is remembered. */
  idOf(seq: number): string | undefined;
  /** For a message that was not stored after all. */
  forget(seq: number): void;
  /** Forgets what has passed, and gives the numbers. */
  expire(nowMs: number): readonly number[];
}

/** Ids in the order of their time, columns side by side: a window may hold millions. Undefined: forgotten. */
interface Chunk {
  readonly ids: (string | undefined)[];
  readonly seqs: number[];
  readonly times: number[];
  /** What is before it has passed. */
  head: number;
}

const chunkLength = 1_024;
const none: readonly number[] = [];

/** Creates an empty window; `windowMs` is asked each time, for a stream can be changed. */
export function createDedupeWindow(windowMs: () => number): DedupeWindow {
  const seqById = new Map<string, number>();
  const chunks: Chunk[] = [];
  let size = 0;

  function find(seq: number): { readonly chunk: Chunk; readonly at: number } | undefined {
    const chunk = chunks[lowerBound(chunks.length, (index) => ((chunks[index] as Chunk).seqs.at(-1) as number) >= seq)];
    if (chunk === undefined) return undefined;
    const at = lowerBound(chunk.seqs.length, (index) => (chunk.seqs[index] as number) >= seq);
    return chunk.seqs[at] === seq && chunk.ids[at] !== undefined ? { chunk, at } : undefined;
  }

  /** Whether it was remembered until now. */
  function forgetAt({ ids, seqs }: Chunk, at: number): boolean {
    const messageId = ids[at];
    if (messageId === undefined) return false;
    ids[at] = undefined;
    size--;
    if (seqById.get(messageId) === seqs[at]) seqById.delete(messageId);
    return true;
  }

  /** The oldest one, if it has passed. */
  function firstPassed(nowMs: number): Chunk | undefined {
    const chunk = chunks[0];
    return chunk !== undefined && (chunk.times[chunk.head] as number) + windowMs() <= nowMs ? chunk : undefined;
  }

  return {
    get size() {
      return size;
    },
    find(messageId, nowMs) {
      const seq = seqById.get(messageId);
      if (seq === undefined) return undefined;
      const found = find(seq);
      return found !== undefined && (found.chunk.times[found.at] as number) + windowMs() > nowMs ? seq : undefined;
    },
    remember({ messageId, seq, storedMs }) {
      seqById.set(messageId, seq);
      let chunk = chunks.at(-1);
      if (chunk === undefined || chunk.seqs.length >= chunkLength) {
        chunk = { ids: [], seqs: [], times: [], head: 0 };
        chunks.push(chunk);
      }
      chunk.ids.push(messageId);
      chunk.seqs.push(seq);
      chunk.times.push(storedMs);
      size++;
    },
    idOf(seq) {
      const found = find(seq);
      return found?.chunk.ids[found.at];
    },
    forget(seq) {
      const found = find(seq);
      if (found !== undefined) forgetAt(found.chunk, found.at);
    },
    expire(nowMs) {
      let chunk = firstPassed(nowMs);
      if (chunk === undefined) return none;
      const passed: number[] = [];
      for (; chunk !== undefined; chunk = firstPassed(nowMs)) {
        if (forgetAt(chunk, chunk.head)) passed.push(chunk.seqs[chunk.head] as number);
        chunk.head++;
        if (chunk.head === chunk.seqs.length) chunks.shift();
      }
      return passed;
    },
  };
}
