import { beforeEach, expect, it } from 'vitest';
import type { StreamState } from '../bus/durable.ts';
import { createGoneSearch, type GoneSearch, type GoneSearchDeps } from './gone-search.ts';
import type { TaskRecord } from './task-book.ts';

/** Tasks that stand in the stream, by their places, and how large each is. */
let standing: Set<number>;
let sizeBytes: number;
let lastSeq: number;
let open: TaskRecord[];
let asked: number[];
let deps: GoneSearchDeps;
let search: GoneSearch;

const task = (seq: number): TaskRecord =>
  ({ leaf: `${seq}`, state: 'queued', place: { seq, storedMs: 0 } }) as TaskRecord;

beforeEach(() => {
  [standing, sizeBytes, lastSeq, open, asked] = [new Set(), 10, 0, [], []];
  const state = async (): Promise<StreamState> =>
    ({ firstSeq: Math.min(lastSeq + 1, ...standing), lastSeq, messageCount: standing.size }) as StreamState;
  deps = {
    book: { open: () => open },
    stream: {
      state,
      async get(seq) {
        asked.push(seq);
        return standing.has(seq) ? ({ data: new Uint8Array(sizeBytes) } as never) : undefined;
      },
    },
  };
  search = createGoneSearch(deps);
});

function put(count: number): void {
  for (let i = 0; i < count; i++) {
    lastSeq++;
    standing.add(lastSeq);
    open.push(task(lastSeq));
  }
}

it('W7 while the stream is the same nobody is looked for again', async () => {
  put(40);
  expect(await search.find()).toEqual([]);
  expect(asked).toHaveLength(40);
  for (let i = 0; i < 5; i++) expect(await search.find()).toEqual([]);
  expect(asked).toHaveLength(40);
});

it('W7 what is gone is told until it is noted; what is before the first place needs no look', async () => {
  put(4);
  standing.delete(1);
  standing.delete(3);
  expect(await search.find()).toEqual(['1', '3']);
  expect(asked).toEqual([2, 3, 4]);
  expect(await search.find()).toEqual(['1', '3']);
  open = open.map((one) => (standing.has(one.place?.seq ?? 0) ? one : { ...one, state: 'lost' }));
  expect(await search.find()).toEqual([]);
  asked = [];
  expect(await search.find()).toEqual([]);
  expect(asked).toEqual([]);
});

it('W7 many are looked for in turns of 500, those first that were not, and all of them in the end', async () => {
  put(1_200);
  standing.delete(1_190);
  const found: string[] = [];
  for (let i = 0; i < 3; i++) {
    const before = asked.length;
    found.push(...(await search.find()));
    expect(asked.length - before).toBeLessThanOrEqual(500);
  }
  expect(found).toEqual(['1190']);
  expect(new Set(asked).size).toBe(1_200);
});

it('W7 C5 who has other things to ask looks for as few at a time as it says, and for all of them in the end', async () => {
  const few = createGoneSearch({ ...deps, maxLooks: 50 });
  put(60);
  standing.delete(60);
  expect(await few.find()).toEqual([]);
  expect(asked).toHaveLength(50);
  expect(await few.find()).toEqual(['60']);
  expect(asked).toHaveLength(60);
});

it('W7 large tasks end a turn sooner', async () => {
  sizeBytes = 512 * 1024;
  put(200);
  await search.find();
  expect(asked).toHaveLength(32);
});
