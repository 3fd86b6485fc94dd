import { afterEach, beforeEach, expect, test } from 'vitest';
import { failure } from '../../../tests/support/expected-failure.ts';
import { openWatchedPlace, type WatchedPlace } from '../../../tests/support/watched-place.ts';
import type { PayloadOf } from '../../shared/protocol/payloads.ts';
import { type PurgeRequest, purgeQueue, rangesOf } from './queue-purge.ts';

let place: WatchedPlace;
/** What was told of its progress. */
let progress: [number, number][];
let recorded: PayloadOf<'vak.audit.action'>[];
/** What happens when something is put on record. */
let onRecord: () => void;

beforeEach(async () => {
  place = await openWatchedPlace();
  [recorded, progress, onRecord] = [[], [], () => {}];
});
afterEach(() => place.close());

async function purge(request: Partial<PurgeRequest> & Pick<PurgeRequest, 'lastSeq'>): Promise<number> {
  const work = purgeQueue(
    { queue: 'q', reason: undefined, signal: new AbortController().signal, ...request },
    {
      ...{ workspace: 'acme', durable: place.fabric.durable, operationId: 'op', partLimit: 2 },
      onProgress: (doneCount, totalCount) => progress.push([doneCount, totalCount]),
      async record(action) {
        recorded.push(action);
        onRecord();
      },
    },
  );
  work.catch(() => {});
  await place.pass(500);
  return await work;
}

const places = (): unknown => recorded.map(({ outcome, count, places: ranges }) => [outcome, count, ranges]);
const left = async (): Promise<number[]> =>
  (await place.fabric.durable.stream('VAK_WORK_acme').read({ limit: 100 })).messages.map(({ seq }) => seq);

test('W7 a purge goes in parts, each of them on record before it goes', async () => {
  const stood: number[] = [];
  for (const queue of ['q', 'q', 'other', 'q', 'q', 'q', 'q']) {
    const { seq } = await place.submit(undefined, queue);
    if (queue === 'q') stood.push(seq);
  }
  expect(stood).toEqual([1, 2, 4, 5, 6, 7]);
  const standing: number[] = [];
  onRecord = () => {
    void place.fabric.durable
      .stream('VAK_WORK_acme')
      .count('vak.work.acme.q.task')
      .then((count) => standing.push(count));
  };
  expect(await purge({ lastSeq: 6 })).toBe(5);
  expect(places()).toEqual([
    ['begun', 2, [[1, 2]]],
    ['begun', 2, [[4, 5]]],
    ['begun', 1, [[6, 6]]],
    ['done', 5, undefined],
  ]);
  expect(standing).toEqual([6, 4, 2, 1]);
  expect(progress).toEqual([
    [0, 6],
    [2, 6],
    [4, 6],
  ]);
  expect(await left()).toEqual([3, 7]);
});

test('W7 a purge is stopped between two parts, and says how far it came', async () => {
  for (let i = 0; i < 5; i++) await place.submit();
  const stopping = new AbortController();
  onRecord = () => stopping.abort();
  expect(await failure(purge({ lastSeq: 5, signal: stopping.signal }))).toMatchObject({
    ...{ code: 'aborted', details: { purgedCount: 2 } },
    message: expect.stringContaining('2 tasks had been taken out'),
  });
  expect(places()).toEqual([
    ['begun', 2, [[1, 2]]],
    ['stopped', 2, undefined],
  ]);
  expect(await left()).toEqual([3, 4, 5]);
});

test('W7 what is taken out meanwhile is not counted, and an empty queue is no fault', async () => {
  await place.submit();
  await place.submit();
  onRecord = () => void place.fabric.durable.stream('VAK_WORK_acme').delete(1);
  expect(await purge({ lastSeq: 9, reason: 'why' })).toBe(1);
  expect(recorded).toMatchObject([{ count: 2, reason: 'why', scope: 'tasks up to place 9' }, { count: 1 }]);
  recorded = [];
  expect(await purge({ lastSeq: 9 })).toBe(0);
  expect(places()).toEqual([['done', 0, undefined]]);
});

test('W7 places are told as ranges, and what lies between them is in none', () => {
  expect(rangesOf([4, 5, 6, 9, 11, 12].map((seq) => ({ seq })))).toEqual([
    [4, 6],
    [9, 9],
    [11, 12],
  ]);
  expect(rangesOf([])).toEqual([]);
});
