/**
 * Which tasks that stood in their queue do not any more (protocol.md W7).
 * Law: it costs nothing while the stream is the same; else it looks for a bounded number at a time, those first that it looked for
 * longest ago.
 */
import type { Stream } from '../bus/durable.ts';
import type { TaskBook, TaskRecord } from './task-book.ts';

export interface GoneSearch {
  /** Leaves of tasks that are gone. Throws what reading throws. */
  find(): Promise<readonly string[]>;
}

/** Tasks and bytes that are looked at in one search, and questions that are under way at once. */
const standardLooks = 500;
const maxBytes = 4 * 1024 * 1024;
const width = 32;

/** What a task was looked for in. */
interface Look {
  /** The stream as it was then. */
  readonly mark: string;
  /** Rises with each look. */
  readonly order: number;
}

export interface GoneSearchDeps {
  readonly book: Pick<TaskBook, 'open'>;
  /** Of tasks. */
  readonly stream: Pick<Stream, 'state' | 'get'>;
  /** Tasks that are looked for in one search at most; 500 unless told. */
  readonly maxLooks?: number;
}

/** Creates a search over the stream of tasks. */
export function createGoneSearch({ book, stream, maxLooks = standardLooks }: GoneSearchDeps): GoneSearch {
  let looks = new Map<string, Look>();
  let order = 0;
  /** The stream as it was when every open task was looked for. */
  let doneMark: string | undefined;

  /** Those that were not looked for in the stream as it is, longest ago first. Forgets those that are settled. */
  function toLookFor(mark: string): TaskRecord[] {
    const open = [...book.open()].filter(({ place, state }) => place !== undefined && state !== 'lost');
    looks = new Map(
      open.flatMap(({ leaf }) => {
        const look = looks.get(leaf);
        return look === undefined ? [] : [[leaf, look]];
      }),
    );
    const orderOf = ({ leaf }: TaskRecord): number => looks.get(leaf)?.order ?? -1;
    return open.filter(({ leaf }) => looks.get(leaf)?.mark !== mark).sort((a, b) => orderOf(a) - orderOf(b));
  }

  async function sizeOf({ place }: TaskRecord, firstSeq: number): Promise<number | undefined> {
    const seq = place?.seq ?? 0;
    return seq < firstSeq ? undefined : (await stream.get(seq))?.data.length;
  }

  /** Looks for some tasks; gives those that are gone, and how many bytes were read. */
  async function lookFor(
    some: readonly TaskRecord[],
    { mark, firstSeq }: { readonly mark: string; readonly firstSeq: number },
  ): Promise<{ readonly gone: readonly string[]; readonly bytes: number }> {
    const sizes = await Promise.all(some.map((one) => sizeOf(one, firstSeq)));
    const isGone = (index: number): boolean => sizes[index] === undefined;
    for (const [index, { leaf }] of some.entries()) if (!isGone(index)) looks.set(leaf, { mark, order: order++ });
    return {
      gone: some.filter((_, index) => isGone(index)).map(({ leaf }) => leaf),
      bytes: sizes.reduce<number>((sum, size = 0) => sum + size, 0),
    };
  }

  return {
    async find() {
      const { firstSeq, lastSeq, messageCount } = await stream.state();
      const mark = `${firstSeq} ${lastSeq} ${messageCount}`;
      if (mark === doneMark) return [];
      const wanted = toLookFor(mark);
      const gone: string[] = [];
      const end = Math.min(wanted.length, maxLooks);
      let [at, bytes] = [0, 0];
      while (at < end && bytes < maxBytes) {
        const some = wanted.slice(at, Math.min(at + width, end));
        const found = await lookFor(some, { mark, firstSeq });
        gone.push(...found.gone);
        bytes += found.bytes;
        at += some.length;
      }
      // What is gone is looked for again until whoever asked has taken note of it.
      if (gone.length === 0 && at >= wanted.length) doneMark = mark;
      return gone;
    },
  };
}
