import { expect, it } from 'vitest';
import { createCommitQueue } from './commit-queue.ts';

interface Write {
  readonly items: readonly string[];
  finish(error?: Error): void;
}

function heldWrites(): { readonly writes: Write[]; readonly write: (items: readonly string[]) => Promise<void> } {
  const writes: Write[] = [];
  return {
    writes,
    write: (items) =>
      new Promise<void>((resolve, reject) => {
        writes.push({ items, finish: (error) => (error ? reject(error) : resolve()) });
      }),
  };
}

/** Lets every promise that can settle do so. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('B6 what is asked in one turn is one write, what is asked meanwhile the next', async () => {
  const { writes, write } = heldWrites();
  const queue = createCommitQueue({ write, maxItems: 256, maxBytes: 1000 });
  const first = [queue.add('a', 1), queue.add('b', 1)];
  await settle();
  const second = [queue.add('c', 1), settle().then(() => queue.add('d', 1))];
  await settle();
  await settle();
  expect(writes.map(({ items }) => items)).toEqual([['a', 'b']]);
  writes[0]?.finish();
  await Promise.all(first);
  await settle();
  expect(writes.map(({ items }) => items)).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ]);
  writes[1]?.finish();
  await Promise.all(second);
  await queue.whenIdle();
});

it('B6 a write has at most so many items and bytes; a larger item goes by itself, in its turn', async () => {
  const batches: string[][] = [];
  const queue = createCommitQueue<string>({
    write: async (items) => void batches.push([...items]),
    ...{ maxItems: 3, maxBytes: 10 },
  });
  const sizes = { a: 1, b: 1, c: 1, d: 1, e: 8, f: 2, g: 50, h: 1 };
  await Promise.all(Object.entries(sizes).map(([item, size]) => queue.add(item, size)));
  expect(batches).toEqual([['a', 'b', 'c'], ['d', 'e'], ['f'], ['g'], ['h']]);
});

it('B6 a write that fails rejects its own items and no other', async () => {
  const { writes, write } = heldWrites();
  const queue = createCommitQueue({ write, maxItems: 2, maxBytes: 1000 });
  const outcomes = ['a', 'b', 'c', 'd', 'e'].map((item) =>
    queue.add(item, 1).then(
      () => `${item} done`,
      (error: Error) => `${item} ${error.message}`,
    ),
  );
  for (const error of [undefined, new Error('refused'), undefined]) {
    await settle();
    writes.at(-1)?.finish(error);
  }
  expect(await Promise.all(outcomes)).toEqual(['a done', 'b done', 'c refused', 'd refused', 'e done']);
});
