/**
 * Rising numbers of messages in chunks: those of one subject, or those of a whole stream (protocol.md B3).
 * Law: finding, adding at the end and removing cost the logarithm of the length and one chunk, never the length.
 */

const chunkLength = 512;

export interface SeqList {
  readonly size: number;
  /** Adds a number above all others. */
  push(seq: number): void;
  /** Whether it was there. */
  delete(seq: number): boolean;
  /** The first one that is `seq` or above. */
  firstFrom(seq: number): number | undefined;
  /** The last one that is `seq` or below. */
  lastUpTo(seq: number): number | undefined;
  /** How many are `seq` or above; costs the number of chunks. */
  countFrom(seq: number): number;
}

/** The first index in `[0, length)` for which `isAtOrAfter` holds, else `length`. */
export function lowerBound(length: number, isAtOrAfter: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isAtOrAfter(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Numbers from `head` on; those before it are gone. Queues lose their first ones: nothing is moved for that. */
interface Chunk {
  readonly seqs: number[];
  head: number;
}

/** The index of the first number from `seq` on. */
function indexFrom({ seqs, head }: Chunk, seq: number): number {
  let low = head;
  let high = seqs.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((seqs[middle] as number) >= seq) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Creates an empty list. */
export function createSeqList(): SeqList {
  /** None is empty. */
  const chunks: Chunk[] = [];

  /** The chunk that holds the first number from `seq` on, if any. */
  function chunkFrom(seq: number): number {
    let low = 0;
    let high = chunks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const { seqs } = chunks[middle] as Chunk;
      if ((seqs[seqs.length - 1] as number) >= seq) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  const list = {
    size: 0,
    push(seq: number) {
      const last = chunks.at(-1);
      if (last === undefined || last.seqs.length >= chunkLength) chunks.push({ seqs: [seq], head: 0 });
      else last.seqs.push(seq);
      list.size++;
    },
    delete(seq: number) {
      const at = chunkFrom(seq);
      const chunk = chunks[at];
      if (chunk === undefined) return false;
      const index = indexFrom(chunk, seq);
      if (chunk.seqs[index] !== seq) return false;
      if (index === chunk.head) chunk.head++;
      else chunk.seqs.splice(index, 1);
      if (chunk.head === chunk.seqs.length) chunks.splice(at, 1);
      list.size--;
      return true;
    },
    firstFrom(seq: number) {
      const chunk = chunks[chunkFrom(seq)];
      return chunk?.seqs[indexFrom(chunk, seq)];
    },
    lastUpTo(seq: number) {
      const at = lowerBound(chunks.length, (index) => {
        const { seqs, head } = chunks[index] as Chunk;
        return (seqs[head] as number) > seq;
      });
      const chunk = chunks[at - 1];
      return chunk?.seqs[indexFrom(chunk, seq + 1) - 1];
    },
    countFrom(seq: number) {
      const at = chunkFrom(seq);
      const chunk = chunks[at];
      if (chunk === undefined) return 0;
      let count = chunk.seqs.length - indexFrom(chunk, seq);
      for (let i = at + 1; i < chunks.length; i++) {
        const { seqs, head } = chunks[i] as Chunk;
        count += seqs.length - head;
      }
      return count;
    },
  };
  return list;
}
