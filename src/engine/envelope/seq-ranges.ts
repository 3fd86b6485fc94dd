/**
 * A set of sequence numbers, kept as merged ranges (protocol.md E11).
 * Law: exact while it has room for one more range; in any order an insertion costs the square root of what is held, at most.
 */

/** Ranges of one block; it is cut in two when it is full. */
const maxBlock = 512;

/** Ranges in order, none touching the next; `ends` are included. */
interface Block {
  readonly starts: number[];
  readonly ends: number[];
}

/** Where a range is: its block, and its place there; −1 is before the first. */
interface Spot {
  readonly block: number;
  readonly at: number;
}

export interface SeqRanges {
  /** Puts a number in; false if it is new and there is no room for a range of its own. */
  add(seq: number): boolean;
  /** Whether every number from `from` to `to` is in it. */
  covers(from: number, to: number): boolean;
  /** How many numbers from `from` to `to` are in it. */
  countWithin(from: number, to: number): number;
  /** Ranges held. */
  size(): number;
}

/** The last index whose number is at most `seq`; −1 if there is none. */
function lastAtMost(length: number, numberAt: (index: number) => number, seq: number): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (numberAt(middle) <= seq) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Creates an empty set; `hasRoom` is asked before a range is added. */
export function createSeqRanges(hasRoom: (size: number) => boolean): SeqRanges {
  const blocks: Block[] = [];
  let size = 0;

  /** The range that begins at or before a number, by its block and its place there. */
  function rangeBefore(seq: number): Spot {
    const block = lastAtMost(blocks.length, (index) => blocks[index]?.starts[0] ?? 0, seq);
    const starts = blocks[block]?.starts ?? [];
    return { block, at: lastAtMost(starts.length, (index) => starts[index] ?? 0, seq) };
  }

  /** The place after a range; of the last one of a block it is the next block's first. */
  function after({ block, at }: Spot): Spot {
    const isInside = block >= 0 && at + 1 < (blocks[block]?.starts.length ?? 0);
    return isInside ? { block, at: at + 1 } : { block: block + 1, at: 0 };
  }

  function removeAt({ block, at }: Spot): void {
    const held = blocks[block];
    held?.starts.splice(at, 1);
    held?.ends.splice(at, 1);
    if (held?.starts.length === 0) blocks.splice(block, 1);
    size--;
  }

  function insertAfter({ block, at }: Spot, seq: number): void {
    if (blocks.length === 0) blocks.push({ starts: [], ends: [] });
    const index = Math.max(block, 0);
    const held = blocks[index] as Block;
    held.starts.splice(at + 1, 0, seq);
    held.ends.splice(at + 1, 0, seq);
    size++;
    if (held.starts.length <= maxBlock) return;
    const half = maxBlock >>> 1;
    blocks.splice(index + 1, 0, { starts: held.starts.splice(half), ends: held.ends.splice(half) });
  }

  /** Lets a neighbour take the number in, or joins both; false if neither touches it. */
  function extend(before: Spot, seq: number): boolean {
    const next = after(before);
    const [left, right] = [blocks[before.block], blocks[next.block]];
    const isRight = right?.starts[next.at] === seq + 1;
    if (left?.ends[before.at] === seq - 1) {
      left.ends[before.at] = isRight ? (right?.ends[next.at] ?? seq) : seq;
      if (isRight) removeAt(next);
      return true;
    }
    if (right !== undefined && isRight) right.starts[next.at] = seq;
    return isRight;
  }

  return {
    add(seq) {
      const before = rangeBefore(seq);
      if ((blocks[before.block]?.ends[before.at] ?? -1) >= seq || extend(before, seq)) return true;
      if (!hasRoom(size)) return false;
      insertAfter(before, seq);
      return true;
    },
    covers(from, to) {
      const { block, at } = rangeBefore(from);
      return from > to || (blocks[block]?.ends[at] ?? -1) >= to;
    },
    countWithin(from, to) {
      let count = 0;
      for (const { starts, ends } of blocks) {
        for (const [index, start] of starts.entries()) {
          count += Math.max(0, Math.min(ends[index] ?? start, to) - Math.max(start, from) + 1);
        }
      }
      return count;
    },
    size: () => size,
  };
}
