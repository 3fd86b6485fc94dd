import { expect, it } from 'vitest';
import { VakError } from '../../../shared/base/vak-error.ts';
import type { LetterRow } from '../../../shared/contract/dlq-contract.ts';
import { createLetterPages, type PageAnswer } from './letter-pages.ts';

const rowOf = (seq: number): LetterRow => ({
  ...{ seq, storedMs: 0, failedMs: 0, state: 'open', queue: 'q', taskId: null, type: null, workerId: null },
  ...{ errorClass: 'e', reason: 'r', attempts: 1, fingerprint: 'f', isSealed: false, closedWhy: null },
});

/** A book of letters 1…count, newest first; answers come in the next turns. */
function setUp(count: number) {
  const book = { newest: count, asked: [] as number[], isAway: false };
  const gone = new Set<number>();
  const pages = createLetterPages({
    async page({ fromIndex, limit }): Promise<PageAnswer> {
      book.asked.push(fromIndex);
      if (book.isAway) throw new VakError('disconnected', 'no answer');
      const all = Array.from({ length: book.newest }, (_, at) => book.newest - at).filter((seq) => !gone.has(seq));
      const rows = all.slice(fromIndex, fromIndex + limit).map(rowOf);
      return { rows, version: 1, matchingCount: all.length, allCount: all.length, faults: [] };
    },
  });
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 50; turn++) await Promise.resolve();
  };
  const seqAt = (index: number): number | undefined => pages.store.getState().slots[index]?.row?.seq;
  return { book, gone, pages, settle, seqAt };
}

it('W5 of thousands of letters only those in sight are asked for', async () => {
  const { book, pages, settle, seqAt } = setUp(5000);
  pages.show('');
  await settle();
  expect(pages.store.getState().slots).toHaveLength(5000);
  expect([seqAt(0), seqAt(99), seqAt(100)]).toEqual([5000, 4901, undefined]);
  for (let index = 3010; index < 3040; index++) pages.want(index);
  await settle();
  expect([seqAt(3010), seqAt(3099), seqAt(3100)]).toEqual([1990, 1901, undefined]);
  expect(book.asked).toEqual([0, 3000]);
});

it('W5 while it is held no letter changes its row: what came since is counted, and let in when it is asked for', async () => {
  const { book, pages, settle, seqAt } = setUp(500);
  pages.show('');
  await settle();
  pages.hold(true);
  pages.want(250);
  await settle();
  book.newest = 503;
  pages.refresh();
  await settle();
  expect([seqAt(0), seqAt(250), pages.store.getState().newCount]).toEqual([500, 250, 3]);
  expect(pages.store.getState()).toMatchObject({ matchingCount: 503 });
  book.newest = 900;
  pages.refresh();
  await settle();
  expect([seqAt(250), pages.store.getState().newCount]).toEqual([250, 400]);
  pages.want(300);
  await settle();
  expect(seqAt(300)).toBe(200);
  pages.showNew();
  await settle();
  expect([seqAt(0), pages.store.getState().newCount]).toEqual([900, 0]);
});

it('W5 what is held no more takes in what came, and a row that left gives way', async () => {
  const { book, gone, pages, settle, seqAt } = setUp(50);
  pages.show('');
  await settle();
  pages.hold(true);
  book.newest = 51;
  gone.add(49);
  pages.refresh();
  await settle();
  expect([seqAt(0), seqAt(1), pages.store.getState().newCount]).toEqual([50, 48, 1]);
  pages.hold(false);
  await settle();
  expect([seqAt(0), pages.store.getState().newCount]).toEqual([51, 0]);
});

it('W5 what comes into sight while all is read anew is read too', async () => {
  const { pages, settle, seqAt } = setUp(5000);
  pages.show('');
  await settle();
  pages.refresh();
  await Promise.resolve();
  pages.want(3010);
  await settle();
  expect([seqAt(0), seqAt(3010)]).toEqual([5000, 1990]);
});

it('W5 a reading that fails leaves the rows as they were, and says so until one succeeds; those of another filter do not count', async () => {
  const { book, pages, settle, seqAt } = setUp(300);
  pages.show('queue:q');
  await settle();
  book.isAway = true;
  pages.refresh();
  pages.want(250);
  await settle();
  const failed = pages.store.getState();
  expect([seqAt(0), failed.slots.length, failed.slotsOf]).toEqual([300, 300, 'queue:q']);
  expect(failed.error).toMatchObject({ code: 'disconnected' });
  pages.show('queue:other');
  await settle();
  expect(pages.store.getState()).toMatchObject({
    filter: 'queue:other',
    slotsOf: 'queue:q',
    error: { code: 'disconnected' },
  });
  book.isAway = false;
  pages.refresh();
  await settle();
  expect(pages.store.getState()).toMatchObject({ slotsOf: 'queue:other', error: undefined });
});
