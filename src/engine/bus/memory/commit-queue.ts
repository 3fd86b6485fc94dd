/**
 * Group commit (ADR 4): what is asked for in one turn, or while a write is under way, is written together.
 * Law: items are written in the order of the calls, each once; a promise settles with the write that its item was in.
 */

export interface CommitQueueOptions<T> {
  /** Writes items together, wholly or not at all. What it throws is what the promises of these items are rejected with. */
  readonly write: (items: readonly T[]) => Promise<void>;
  /** Most items of a write. */
  readonly maxItems: number;
  /** Most bytes of a write; a larger item is written by itself. */
  readonly maxBytes: number;
}

export interface CommitQueue<T> {
  add(item: T, sizeBytes: number): Promise<void>;
  /** Resolves when nothing waits. */
  whenIdle(): Promise<void>;
}

interface Waiting<T> {
  readonly item: T;
  readonly sizeBytes: number;
  resolve(): void;
  reject(reason: unknown): void;
}

/** Creates an empty queue. */
export function createCommitQueue<T>({ write, maxItems, maxBytes }: CommitQueueOptions<T>): CommitQueue<T> {
  let waiting: Waiting<T>[] = [];
  let running: Promise<void> | undefined;

  function takeBatch(): readonly Waiting<T>[] {
    let count = 0;
    let bytes = 0;
    for (const { sizeBytes } of waiting) {
      if (count === maxItems || (count > 0 && bytes + sizeBytes > maxBytes)) break;
      bytes += sizeBytes;
      count++;
    }
    const batch = waiting.slice(0, count);
    waiting = waiting.slice(count);
    return batch;
  }

  async function run(): Promise<void> {
    // Whatever else this turn asks for comes along.
    await Promise.resolve();
    while (waiting.length > 0) {
      const batch = takeBatch();
      try {
        await write(batch.map(({ item }) => item));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
      // Who goes on at once after an answer is in the next write.
      await Promise.resolve();
    }
    running = undefined;
  }

  return {
    add(item, sizeBytes) {
      return new Promise<void>((resolve, reject) => {
        waiting.push({ item, sizeBytes, resolve, reject });
        running ??= run();
      });
    },
    whenIdle: async () => running,
  };
}
