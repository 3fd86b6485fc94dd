/**
 * Message ids that a stream remembers (protocol.md B3): within the window a second append under one of them stores nothing.
 * Law: remembered from when it was stored until the window has passed, whatever becomes of the message.
 */
import { createIdTable } from './id-table.ts';
import { lowerBound } from './seq-list.ts';

interface Remembered {
  readonly messageId: string;
  readonly seq: number;
  readonly storedMs: number;
}

export interface DedupeWindow {
  size(): number;
  /** Where the message of that id was stored, if the window has not passed. */
  find(messageId: string, nowMs: number): number | undefined;
  /** Ids come in the order of their time and their numbers; a later one takes over an id. */
  remember(entry: Remembered): void;
  /** The id of a message, while it is remembered. */
  idOf(seq: number): string | undefined;
  /** For a message that was not stored after all. */
  forget(seq: number): void;
  /** Forgets what has passed, and gives the numbers. */
  expire(nowMs: number): readonly number[];
}

/** Entries in the order of their time, columns side by side: a window may hold millions. An id undefined: forgotten. */
interface Chunk {
  readonly ids: (string | undefined)[];
  readonly seqs: number[];
  readonly times: number[];
}

/** Entries of every chunk but the last. */
const chunkLength = 1_024;
const none: readonly number[] = [];

/** Creates an empty window; `windowMs` is asked each time, for a stream can be changed. `seed`: 32 random bits. */
export function createDedupeWindow(windowMs: () => number, seed: number): DedupeWindow {
  const chunks: Chunk[] = [];
  /** Entries at the front that have passed; fewer than a chunk. */
  let head = 0;
  let size = 0;
  /** Entries count from the first one that is there. */
  const chunkOf = (entry: number): Chunk => chunks[Math.floor(entry / chunkLength)] as Chunk;
  const length = (): number => {
    const last = chunks.at(-1);
    return last === undefined ? 0 : (chunks.length - 1) * chunkLength + last.seqs.length;
  };
  const table = createIdTable((entry) => chunkOf(entry).ids[entry % chunkLength], seed);

  /** The entry of a message, if it is remembered. */
  function entryOf(seq: number): number | undefined {
    const seqAt = (entry: number): number => chunkOf(entry).seqs[entry % chunkLength] as number;
    const entry = lowerBound(length(), (index) => seqAt(index) >= seq);
    const isThere = entry < length() && seqAt(entry) === seq && chunkOf(entry).ids[entry % chunkLength] !== undefined;
    return isThere ? entry : undefined;
  }

  function forget(entry: number): void {
    chunkOf(entry).ids[entry % chunkLength] = undefined;
    size--;
  }

  function hasPassed(entry: number, nowMs: number): boolean {
    return (chunkOf(entry).times[entry % chunkLength] as number) + windowMs() <= nowMs;
  }

  return {
    size: () => size,
    find(messageId, nowMs) {
      const entry = table.find(messageId);
      if (entry === undefined || hasPassed(entry, nowMs)) return undefined;
      return chunkOf(entry).seqs[entry % chunkLength];
    },
    remember({ messageId, seq, storedMs }) {
      let chunk = chunks.at(-1);
      if (chunk === undefined || chunk.seqs.length === chunkLength) {
        chunk = { ids: [], seqs: [], times: [] };
        chunks.push(chunk);
      }
      chunk.ids.push(messageId);
      chunk.seqs.push(seq);
      chunk.times.push(storedMs);
      table.add(messageId);
      size++;
    },
    idOf(seq) {
      const entry = entryOf(seq);
      return entry === undefined ? undefined : chunkOf(entry).ids[entry % chunkLength];
    },
    forget(seq) {
      const entry = entryOf(seq);
      if (entry !== undefined) forget(entry);
    },
    expire(nowMs) {
      if (chunks.length === 0 || head === length() || !hasPassed(head, nowMs)) return none;
      const passed: number[] = [];
      for (; head < length() && hasPassed(head, nowMs); head++) {
        const { ids, seqs } = chunkOf(head);
        if (ids[head % chunkLength] !== undefined) {
          forget(head);
          passed.push(seqs[head % chunkLength] as number);
        }
      }
      const gone = Math.floor(head / chunkLength);
      chunks.splice(0, gone);
      head -= gone * chunkLength;
      table.shift(gone * chunkLength);
      return passed;
    },
  };
}
