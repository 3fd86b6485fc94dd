import { describe, expect, it } from 'vitest';
import { createFakeFeeds, createFakeFrames, type FakeFeed } from '../../../../tests/support/fake-feed.ts';
import { VakError } from '../../../shared/base/vak-error.ts';
import type { RowsFrame } from '../../../shared/contract/streams-contract.ts';
import { createLiveBuffer } from '../../state/live-buffer.ts';
import { createRowsModel } from './rows-model.ts';

function frame(from: number, to: number, dropped = 0): RowsFrame {
  const seq = Array.from({ length: to - from + 1 }, (_, i) => from + i);
  return {
    seq,
    atMs: seq.map(() => 0),
    subjects: ['s'],
    subjectIndex: seq.map(() => 0),
    peers: [],
    peerIndex: seq.map(() => -1),
    sizeBytes: seq.map(() => 1),
    preview: seq.map(() => ''),
    marks: seq.map(() => 0),
    dropped,
    scannedSeq: to,
  };
}

type RowsFeed = FakeFeed<{ readonly pattern: string; readonly fromSeq: number }, RowsFrame>;

function setUp() {
  const { opened: feeds, openFeed } = createFakeFeeds<RowsFeed['params'], RowsFrame>();
  const { frameClock, draw } = createFakeFrames();
  const paints: (() => void)[] = [];
  const held = { oldestSeq: 1, newestSeq: 0 };
  const model = createRowsModel({
    openFeed,
    frameClock,
    afterPaint: (run) => paints.push(run),
    buffer: createLiveBuffer(100),
    held: () => held,
  });
  model.scroll.setHeight(280);
  return {
    model,
    held,
    feeds,
    draw,
    paint: (): void => {
      for (const run of paints.splice(0)) run();
    },
  };
}

describe('rows model', () => {
  it('returns credits after the frame that shows the rows was painted, once', () => {
    const { model, feeds, draw, paint } = setUp();
    model.setShown(true);
    model.open('>');
    const feed = feeds[0] as RowsFeed;
    expect(feed.params).toEqual({ pattern: '>', filter: '', fromSeq: 0 });
    draw();
    feed.handlers.onFrame(frame(1, 5));
    feed.handlers.onFrame(frame(6, 9));
    const before = model.getVersion();
    draw();
    expect(model.getVersion()).toBe(before + 1);
    expect(feed.credits).toBe(0);
    paint();
    expect(feed.credits).toBe(1);
    expect(draw()).toBe(false);
  });

  it('asks for no frame and returns no credit while it is not shown, and catches up by itself', () => {
    const { model, feeds, draw, paint } = setUp();
    model.open('>');
    const feed = feeds[0] as RowsFeed;
    feed.handlers.onFrame(frame(1, 5));
    expect(draw()).toBe(false);
    model.setShown(true);
    draw();
    paint();
    expect(feed.credits).toBe(1);
    expect(model.buffer.messageCount).toBe(5);
  });

  it('pause freezes the rows, withholds credits and loses nothing', () => {
    const { model, feeds, draw, paint } = setUp();
    model.setShown(true);
    model.open('>');
    const feed = feeds[0] as RowsFeed;
    feed.handlers.onFrame(frame(1, 5));
    draw();
    paint();
    model.pause({ seq: 4, receivedBytes: 400 });
    feed.handlers.onFrame(frame(6, 9));
    draw();
    paint();
    expect([model.buffer.messageCount, feed.credits]).toEqual([5, 1]);
    expect(model.pausedAt).toEqual({ seq: 5, receivedBytes: 400 });
    model.resume();
    draw();
    paint();
    expect([model.buffer.messageCount, feed.credits]).toEqual([9, 2]);
  });

  it('a filter opened while paused is filled up to the pause', () => {
    const { model, feeds, draw } = setUp();
    model.setShown(true);
    model.open('>');
    (feeds[0] as RowsFeed).handlers.onFrame(frame(1, 50));
    model.pause({ seq: 50, receivedBytes: 0 });
    model.open('vak.events.w.s.>');
    expect((feeds[0] as RowsFeed).isDisposed).toBe(true);
    const feed = feeds[1] as RowsFeed;
    feed.handlers.onFrame(frame(10, 40));
    feed.handlers.onFrame(frame(41, 60));
    draw();
    expect(model.buffer.messageCount).toBe(31);
    model.resume();
    expect(model.buffer.messageCount).toBe(51);
  });

  it('ignores what a former feed still sends', () => {
    const { model, feeds } = setUp();
    model.open('a');
    model.open('b');
    (feeds[0] as RowsFeed).handlers.onFrame(frame(1, 5));
    (feeds[0] as RowsFeed).handlers.onError(new VakError('closed', 'gone'));
    expect([model.buffer.size, model.error]).toEqual([0, undefined]);
  });

  it('opens again behind the last row after an error, and keeps the rows', () => {
    const { model, feeds } = setUp();
    model.open('>');
    (feeds[0] as RowsFeed).handlers.onFrame(frame(1, 5));
    (feeds[0] as RowsFeed).handlers.onError(new VakError('closed', 'the engine stopped'));
    expect(model.error?.code).toBe('closed');
    model.retry(1);
    expect(model.error).toBeUndefined();
    expect((feeds[1] as RowsFeed).params.fromSeq).toBe(6);
    expect(model.buffer.size).toBe(5);
  });

  it('says what was lost while the feed was closed', () => {
    const { model, feeds } = setUp();
    model.open('>');
    (feeds[0] as RowsFeed).handlers.onFrame(frame(1, 5));
    (feeds[0] as RowsFeed).handlers.onError(new VakError('closed', 'the engine stopped'));
    model.retry(21);
    expect((feeds[1] as RowsFeed).params.fromSeq).toBe(21);
    expect(model.buffer.rowAt(5)).toMatchObject({ kind: 'dropped', droppedCount: 15 });
  });

  it('selecting detaches; another pattern forgets the selection and follows', () => {
    const { model, feeds } = setUp();
    model.open('>');
    (feeds[0] as RowsFeed).handlers.onFrame(frame(1, 50));
    model.select(48);
    expect([model.scroll.isFollowing, model.selectedSeq]).toEqual([false, 48]);
    model.open('a.>');
    expect([model.scroll.isFollowing, model.selectedSeq]).toEqual([true, undefined]);
  });

  it('a message that is shown before its row came is selected at once and in view when the row comes', () => {
    const { model, feeds } = setUp();
    model.open('>');
    const feed = feeds[0] as RowsFeed;
    model.show(12);
    expect([model.selectedSeq, model.scroll.isFollowing]).toEqual([12, false]);
    feed.handlers.onFrame(frame(1, 11));
    const before = model.scroll.topPx;
    feed.handlers.onFrame(frame(12, 60));
    expect(model.scroll.topPx).toBe(before + 28 * 2);
    model.scroll.scrollTo(30 * 28);
    feed.handlers.onFrame(frame(61, 70));
    expect(model.scroll.topPx).toBe(30 * 28);
  });

  it('a message whose row never comes is not waited for, and no later row moves the table', () => {
    const { model, feeds } = setUp();
    model.open('>');
    const feed = feeds[0] as RowsFeed;
    feed.handlers.onFrame(frame(1, 40));
    model.show(45);
    const place = model.scroll.topPx;
    feed.handlers.onFrame(frame(46, 50));
    feed.handlers.onFrame(frame(45, 45));
    expect([model.scroll.topPx, model.selectedSeq]).toEqual([place, 45]);
  });

  it('what was there before is a replay until its end is reached, and what comes behind it is followed', () => {
    const { model, feeds, held } = setUp();
    Object.assign(held, { oldestSeq: 11, newestSeq: 60 });
    model.open('>');
    expect(model.replay).toEqual({ doneCount: 0, totalCount: 50 });
    feeds[0]?.handlers.onFrame(frame(11, 40));
    held.newestSeq = 70;
    expect(model.replay).toEqual({ doneCount: 30, totalCount: 60 });
    feeds[0]?.handlers.onFrame(frame(41, 70));
    expect(model.replay).toBeUndefined();
    held.newestSeq = 900;
    expect(model.replay).toBeUndefined();
    model.setShown(true);
    expect(model.replay).toEqual({ doneCount: 0, totalCount: 830 });
  });

  it('a filter that nothing of the backlog passes reaches its end all the same', () => {
    const { model, feeds, held } = setUp();
    held.newestSeq = 60;
    model.open('vak.events.ws.s.>');
    feeds[0]?.handlers.onFrame({ ...frame(1, 0), scannedSeq: 60 });
    expect(model.replay).toBeUndefined();
    held.newestSeq = 900;
    model.setShown(true);
    expect(model.replay).toBeUndefined();
  });

  it('leads to the newest place where rows are missing, also before it was replayed, and says if there is none', () => {
    const { model, feeds, held } = setUp();
    held.newestSeq = 60;
    model.open('>');
    expect(model.showGap('dropped')).toBe(true);
    feeds[0]?.handlers.onFrame(frame(10, 30, 9));
    feeds[0]?.handlers.onFrame(frame(41, 60, 10));
    const index = model.buffer.indexOfSeq(41) - 1;
    expect(model.buffer.rowAt(index)?.kind).toBe('dropped');
    expect(model.scroll.isFollowing).toBe(false);
    expect(model.scroll.topPx).toBeLessThanOrEqual(index * 28);
    expect(model.scroll.topPx + model.scroll.heightPx).toBeGreaterThanOrEqual((index + 1) * 28);
    expect(model.showGap('outage')).toBe(false);
  });

  it('B8 an outage that is heard of late moves nothing that is being read', () => {
    const { model, feeds, draw } = setUp();
    model.setShown(true);
    model.open('>');
    (feeds[0] as RowsFeed).handlers.onFrame(frame(1, 50));
    model.scroll.scrollTo(20 * 28);
    draw();
    model.setOutages([{ fromMs: 1, toMs: 2, afterSeq: 10 }]);
    expect([draw(), model.scroll.topPx, model.buffer.findSeq(21)]).toEqual([true, 21 * 28, 21]);
    model.setOutages([
      { fromMs: 1, toMs: 2, afterSeq: 10 },
      { fromMs: 3, toMs: 4, afterSeq: 40 },
    ]);
    expect(model.scroll.topPx).toBe(21 * 28);
  });

  it('B8 an outage does not change a paused table, and stands in its place when it goes on', () => {
    const { model, feeds } = setUp();
    model.open('>');
    const feed = feeds[0] as RowsFeed;
    feed.handlers.onFrame(frame(1, 5));
    model.pause({ seq: 5, receivedBytes: 0 });
    model.setOutages([{ fromMs: 1, toMs: null, afterSeq: 5 }]);
    model.setOutages([{ fromMs: 1, toMs: 2, afterSeq: 5 }]);
    feed.handlers.onFrame(frame(6, 8));
    expect(model.buffer.size).toBe(5);
    model.resume();
    expect([model.buffer.rowAt(5)?.outage?.toMs, model.buffer.rowAt(6)?.seq, model.buffer.size]).toEqual([2, 6, 9]);
  });

  it('draws what is learned of a message in the table, and nothing for any other', () => {
    const { model, feeds, draw } = setUp();
    model.setShown(true);
    model.open('>');
    (feeds[0] as RowsFeed).handlers.onFrame(frame(1, 5));
    draw();
    model.learn(3, 77);
    expect([draw(), model.buffer.rowAt(2)?.marks]).toEqual([true, 77]);
    model.learn(3, 77);
    model.learn(9, 77);
    expect(draw()).toBe(false);
  });

  it('closes its feed and keeps no row when it is disposed', () => {
    const { model, feeds } = setUp();
    model.open('>');
    const feed = feeds[0] as RowsFeed;
    feed.handlers.onFrame(frame(1, 5));
    model.dispose();
    feed.handlers.onFrame(frame(6, 9));
    expect([feed.isDisposed, model.buffer.size]).toEqual([true, 0]);
  });
});
