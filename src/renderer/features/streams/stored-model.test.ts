import { describe, expect, it } from 'vitest';
import { createFakeFeeds, createFakeFrames, type FakeFeed } from '../../../../tests/support/fake-feed.ts';
import { VakError } from '../../../shared/base/vak-error.ts';
import type { PageInput, RowsFrame, StoredPage } from '../../../shared/contract/streams-contract.ts';
import { createLiveBuffer } from '../../state/live-buffer.ts';
import { createStoredModel } from './stored-model.ts';
import { moveSelection, moveToOldest } from './table-moves.ts';
import { rowPx } from './table-scroll.ts';

interface Tail {
  readonly stream: string;
  readonly fromSeq: number;
}

const pageRows = 50;

function frameOf(seq: readonly number[], scannedSeq: number): RowsFrame {
  return {
    seq,
    atMs: seq.map((one) => one * 1000),
    ...{ subjects: ['s'], subjectIndex: seq.map(() => 0), peers: [], peerIndex: seq.map(() => -1) },
    ...{ sizeBytes: seq.map(() => 1), preview: seq.map((one) => `n${one}`), marks: seq.map(() => 0) },
    ...{ dropped: 0, scannedSeq },
  };
}

/** A stream of messages 1 to `count` behind real pages of 50, and a table of ten rows that holds `capacity`. */
function setUp(count: number, capacity = 1000) {
  const { opened: tails, openFeed } = createFakeFeeds<Tail, RowsFrame>();
  const { frameClock, draw } = createFakeFrames();
  const lies = { firstSeq: 1, lastSeq: count, failure: undefined as VakError | undefined };
  const asked: PageInput['at'][] = [];
  const range = (from: number, to: number): number[] =>
    Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at);
  async function page({ at }: PageInput): Promise<StoredPage> {
    asked.push(at);
    await Promise.resolve();
    if (lies.failure !== undefined) throw lies.failure;
    const { firstSeq, lastSeq } = lies;
    const isBack = at.kind === 'newest' || at.kind === 'before';
    const high = at.kind === 'before' ? at.seq - 1 : lastSeq;
    const fromSeq = isBack
      ? Math.max(firstSeq, high - pageRows + 1)
      : at.kind === 'time'
        ? Math.min(lastSeq + 1, Math.ceil(at.ms / 1000))
        : at.seq;
    const toSeq = isBack ? high : Math.min(lastSeq, fromSeq + pageRows - 1);
    return { rows: frameOf(range(fromSeq, toSeq), toSeq), fromSeq, toSeq, firstSeq, lastSeq };
  }
  const model = createStoredModel({
    ...{ openFeed, frameClock, page, afterPaint: (run: () => void) => run() },
    buffer: createLiveBuffer(capacity, true),
  });
  model.scroll.setHeight(10 * rowPx);
  model.setShown(true);
  model.open('VAK_DLQ_acme', '', 'here');
  const settle = async (): Promise<void> => {
    for (let at = 0; at < 60; at++) await Promise.resolve();
    draw();
  };
  /** As the engine's tail sends it, if one is followed. */
  const store = (seqs: number): void => {
    const from = lies.lastSeq + 1;
    lies.lastSeq += seqs;
    const tail = tails.at(-1);
    if (tail?.isDisposed === false) tail.handlers.onFrame(frameOf(range(from, lies.lastSeq), lies.lastSeq));
  };
  const held = (): (number | undefined)[] => {
    const { buffer } = model;
    return [buffer.rowAt(buffer.firstIndex)?.seq, buffer.rowAt(buffer.endIndex - 1)?.seq, buffer.size];
  };
  /** The seq at the upper edge, and how far above the edge its row begins. */
  const edge = (): readonly [number | undefined, number] => {
    const { topPx } = model.scroll;
    return [model.buffer.rowAt(Math.floor(topPx / rowPx))?.seq, topPx % rowPx];
  };
  return { model, tails: tails as readonly FakeFeed<Tail, RowsFrame>[], asked, lies, settle, store, held, edge };
}

describe('the table over a stream', () => {
  it('V4 shows the newest first and follows what is stored from there on, history and what comes in one table', async () => {
    const { model, tails, settle, store, held, edge } = setUp(200);
    await settle();
    expect(held()).toEqual([151, 200, 50]);
    expect([tails.length, tails[0]?.params]).toEqual([1, { stream: 'VAK_DLQ_acme', filter: '', fromSeq: 201 }]);
    store(3);
    await settle();
    expect([held(), edge(), model.scroll.isFollowing]).toEqual([[151, 203, 53], [194, 0], true]);
    expect(tails[0]?.credits).toBe(1);
  });

  it('V4 older ones are read as somebody scrolls up, to the first one, and the row that is read moves 0 px meanwhile', async () => {
    const { model, settle, store, held, edge, asked } = setUp(200);
    await settle();
    while ((model.span?.fromSeq ?? 0) > 1) {
      model.scroll.scrollBy(-5 * rowPx - 3);
      const before = edge();
      model.touch();
      store(10);
      await settle();
      expect(edge()).toEqual(before);
    }
    expect(held()[0]).toBe(1);
    expect(asked.filter(({ kind }) => kind === 'before')).toHaveLength(3);
    expect(model.scroll.newCount).toBeGreaterThan(0);
    moveToOldest(model);
    await settle();
    expect([model.selectedSeq, edge()]).toEqual([1, [1, 0]]);
  });

  it('V4 memory is bounded: far up the newest rows give way and the tail is left; going down reads them again and follows it anew', async () => {
    const { model, tails, settle, store, held } = setUp(600, 120);
    await settle();
    for (let at = 0; at < 200 && model.span?.fromSeq !== 1; at++) {
      model.scroll.scrollBy(-20 * rowPx);
      model.touch();
      await settle();
    }
    expect([held(), model.hasNewer, tails[0]?.isDisposed]).toEqual([[1, 120, 120], true, true]);
    store(5);
    for (let at = 0; at < 200 && model.hasNewer === true; at++) {
      model.scroll.scrollBy(20 * rowPx);
      model.touch();
      await settle();
    }
    expect([held(), model.hasNewer, tails.length, tails.at(-1)?.params.fromSeq]).toEqual([
      [486, 605, 120],
      false,
      2,
      606,
    ]);
    expect([model.scroll.isFollowing, model.scroll.newCount]).toEqual([false, 0]);
  });

  it('V4 what is stored does not push out the rows that somebody reads: the tail is left, and End goes back to it', async () => {
    const { model, tails, settle, store, held, edge } = setUp(600, 120);
    await settle();
    model.scroll.scrollBy(-30 * rowPx);
    model.touch();
    await settle();
    const before = edge();
    for (let at = 0; at < 20; at++) {
      store(20);
      await settle();
      expect(edge()).toEqual(before);
    }
    expect([model.hasNewer, tails.at(-1)?.isDisposed]).toEqual([true, true]);
    model.follow();
    await settle();
    expect([held(), model.scroll.isFollowing, model.hasNewer]).toEqual([[951, 1000, 50], true, false]);
    store(1);
    await settle();
    expect(held()[1]).toBe(1001);
  });

  it('V5 goes to a seq and to a time wherever they lie, and selects what is there', async () => {
    const { model, settle, held, edge } = setUp(1000, 300);
    await settle();
    expect(await model.jump({ kind: 'from', seq: 400 })).toBe(400);
    await settle();
    expect([model.selectedSeq, edge(), model.hasNewer]).toEqual([400, [400, 0], true]);
    expect(held()).toEqual([350, 449, 100]);
    expect(await model.jump({ kind: 'from', seq: 420 })).toBe(420);
    expect(await model.jump({ kind: 'time', ms: 700_000 })).toBe(700);
    expect(await model.jump({ kind: 'time', ms: 2_000_000 })).toBeUndefined();
    await settle();
    expect([held(), model.scroll.isFollowing]).toEqual([[951, 1000, 50], true]);
    moveSelection(model, -1);
    expect(model.selectedSeq).toBe(1000);
  });

  it('V4 paused, nothing moves and no credit goes back; resumed, what waited comes', async () => {
    const { model, tails, settle, store, held } = setUp(100);
    await settle();
    model.pause({ seq: 0, receivedBytes: 0 });
    store(4);
    await settle();
    expect([held()[1], tails[0]?.credits]).toEqual([100, 0]);
    model.resume();
    await settle();
    expect([held()[1], tails[0]?.credits]).toEqual([104, 1]);
  });

  it('V4 a page that fails is told and asked for again on request; another stream or engine begins anew, the same does not', async () => {
    const { model, asked, lies, settle, held } = setUp(100);
    await settle();
    lies.failure = new VakError('timeout', 'no answer');
    model.scroll.scrollBy(-45 * rowPx);
    model.touch();
    await settle();
    expect(model.error?.message).toBe('no answer');
    const count = asked.length;
    model.touch();
    await settle();
    expect(asked).toHaveLength(count);
    lies.failure = undefined;
    model.retry(0);
    await settle();
    expect([model.error, held()[0]]).toEqual([undefined, 1]);
    const { epoch } = model;
    model.open('VAK_DLQ_acme', '', 'here');
    expect(model.epoch).toBe(epoch);
    model.open('VAK_DLQ_acme', '', 'there');
    expect([model.epoch, model.buffer.size]).toEqual([epoch + 1, 0]);
  });
});
