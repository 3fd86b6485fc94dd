import { describe, expect, it } from 'vitest';
import { VakError } from '../../../shared/base/vak-error.ts';
import type { PeekedTask } from '../../../shared/contract/queues-contract.ts';
import { createPeekPages, type PeekPagesDeps } from './peek-pages.ts';

const task = (seq: number, sizeBytes = 100): PeekedTask => ({
  ...{ seq, storedMs: seq, sizeBytes, taskId: `t${seq}`, leaf: `l${seq}`, peer: 'operator', isSealed: true },
  ...{ signature: { kind: 'unsigned' }, refusal: null, attemptCount: 0, outcome: 'queued' },
});

/** A queue of `count` tasks, read by 50. */
function setUp(count: number, sizeBytes?: number) {
  const asked: (number | undefined)[] = [];
  const wanted = { failure: undefined as Error | undefined };
  const peek: PeekPagesDeps['peek'] = async ({ fromSeq, limit }, options) => {
    asked.push(fromSeq);
    await Promise.resolve();
    if (options?.signal?.aborted === true) throw new VakError('aborted', 'cancelled');
    if (wanted.failure !== undefined) throw wanted.failure;
    const first = fromSeq ?? 1;
    const last = Math.min(count, first + limit - 1);
    const tasks = Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => task(first + at, sizeBytes));
    return { tasks, nextSeq: last < count ? last + 1 : null };
  };
  const pages = createPeekPages({
    queue: 'render',
    peek,
    standing: async () => ({ count, lastSeq: count }),
    now: () => 7,
  });
  const shown = (): readonly number[] => pages.store.getState().page?.tasks.map(({ seq }) => seq) ?? [];
  return { pages, asked, wanted, shown };
}

describe('looking at what waits', () => {
  it('goes from page to page and back, and says when it was read', async () => {
    const { pages, shown } = setUp(120);
    await pages.again();
    expect([shown()[0], shown().at(-1)]).toEqual([1, 50]);
    expect(pages.store.getState().page).toMatchObject({ readAtMs: 7, standingCount: 120 });
    await pages.next();
    await pages.next();
    expect([shown()[0], shown().at(-1)]).toEqual([101, 120]);
    await pages.next();
    expect(shown()[0]).toBe(101);
    await pages.previous();
    await pages.previous();
    await pages.previous();
    expect([shown()[0], pages.store.getState().trail]).toEqual([1, []]);
  });

  it('reads one page at a time', async () => {
    const { pages, asked } = setUp(120);
    await Promise.all([pages.again(), pages.again(), pages.next()]);
    expect(asked).toEqual([undefined]);
  });

  it('keeps the page that is shown when the next one cannot be read, and says why', async () => {
    const { pages, wanted, shown } = setUp(120);
    await pages.again();
    wanted.failure = new VakError('disconnected', 'no server');
    await pages.next();
    expect([shown()[0], pages.store.getState().failure?.error]).toEqual([1, wanted.failure]);
    wanted.failure = undefined;
    await pages.again();
    expect(pages.store.getState().failure).toBeUndefined();
  });

  it('by itself it reads only the first page again, and none that is heavy', async () => {
    const light = setUp(120);
    await light.pages.again();
    await light.pages.refresh();
    await light.pages.next();
    await light.pages.refresh();
    expect(light.asked).toEqual([undefined, undefined, 51]);
    const heavy = setUp(120, 512 * 1024);
    await heavy.pages.refresh();
    await heavy.pages.refresh();
    expect(heavy.asked).toEqual([undefined]);
  });

  it('what comes after it was left changes nothing', async () => {
    const { pages, shown } = setUp(120);
    const reading = pages.again();
    pages.dispose();
    await reading;
    await pages.again();
    expect([shown(), pages.store.getState().failure]).toEqual([[], undefined]);
  });
});
