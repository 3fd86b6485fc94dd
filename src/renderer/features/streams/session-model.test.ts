import { describe, expect, it } from 'vitest';
import { createFakeFeeds, createFakeFrames } from '../../../../tests/support/fake-feed.ts';
import { toBase64, utf8 } from '../../../shared/base/bytes.ts';
import { VakError } from '../../../shared/base/vak-error.ts';
import type { SessionFrame } from '../../../shared/contract/streams-contract.ts';
import { createSessionModel } from './session-model.ts';
import { createTaskLog, maxTasks } from './task-log.ts';
import { appendPoints, emptySeries, seriesSpanMs } from './telemetry-series.ts';
import { taskBoundary } from './terminal-text.ts';

type Item = SessionFrame['items'][number];
const terminal = (seq: number, offset: number, text: string): Item => ({
  seq,
  atMs: seq,
  type: 'vak.events.terminal',
  payload: JSON.stringify({ stream: 'stdout', offset, bytes: toBase64(utf8(text)) }),
});
const item = (seq: number, type: string, payload: unknown): Item => ({
  seq,
  atMs: seq,
  type: `vak.events.${type}`,
  payload: JSON.stringify(payload),
});
const frameOf = (items: readonly Item[], dropped = 0, refused = 0): SessionFrame => ({
  items,
  refused,
  dropped,
  scannedSeq: items.at(-1)?.seq ?? 0,
});

function setUp() {
  const { opened: feeds, openFeed } = createFakeFeeds<{ readonly fromSeq: number }, SessionFrame>();
  const { frameClock, draw } = createFakeFrames();
  const written: string[] = [];
  const takes: (() => void)[] = [];
  const model = createSessionModel({
    session: 's',
    openFeed,
    frameClock,
    afterPaint: (run) => run(),
    seriesSpanMs: () => seriesSpanMs,
    terminal: {
      write: (text, onTaken) => {
        written.push(text);
        takes.push(onTaken);
      },
      clear: (onTaken) => {
        written.push('clear');
        takes.push(onTaken);
      },
    },
  });
  const first = feeds[0] as (typeof feeds)[number];
  return {
    model,
    feeds,
    feed: first,
    written,
    take: () => takes.shift()?.(),
    draw,
  };
}

describe('session model', () => {
  it('returns credits only when the terminal has taken everything', () => {
    const { feed, written, take, draw } = setUp();
    feed.handlers.onFrame(frameOf([terminal(1, 0, 'ab'), terminal(2, 2, 'cd')]));
    feed.handlers.onFrame(frameOf([terminal(3, 4, 'ef')]));
    draw();
    expect([written, feed.credits]).toEqual([['abcd', 'ef'], 0]);
    take();
    draw();
    expect(feed.credits).toBe(0);
    take();
    draw();
    expect(feed.credits).toBe(1);
  });

  it('returns credits for frames without output at once', () => {
    const { feed, draw, model } = setUp();
    feed.handlers.onFrame(frameOf([item(1, 'telemetry', { rssBytes: 5, cpuPercent: 2 })], 3));
    draw();
    expect(feed.credits).toBe(1);
    expect(model.series).toEqual({ times: [0.001], cpuPercent: [2], rssBytes: [5] });
    expect([model.droppedCount, model.hasOutput]).toEqual([3, false]);
  });

  it('E8 counts what was refused over all frames, and shows nothing of it', () => {
    const { feed, model, written } = setUp();
    feed.handlers.onFrame(frameOf([], 0, 2));
    feed.handlers.onFrame(frameOf([item(3, 'telemetry', { rssBytes: 5, cpuPercent: 2 })], 0, 1));
    expect([model.refusedCount, model.unreadableCount, written]).toEqual([3, 0, []]);
  });

  it('withholds credits while it is not shown', () => {
    const { feed, draw, model } = setUp();
    model.setShown(false);
    feed.handlers.onFrame(frameOf([item(1, 'telemetry', { rssBytes: 5, cpuPercent: 2 })]));
    draw();
    expect(feed.credits).toBe(0);
    model.setShown(true);
    draw();
    expect(feed.credits).toBe(1);
  });

  it('ends what a task has left open before the next one prints', () => {
    const { feed, written } = setUp();
    const done = item(2, 'status', { state: 'done', taskId: 't' });
    feed.handlers.onFrame(frameOf([terminal(1, 0, '\u001b]0;never closed'), done, terminal(3, 16, 'seen')]));
    expect(written).toEqual([`\u001b]0;never closed${taskBoundary}seen`]);
  });

  it('counts what it cannot read and goes on', () => {
    const { feed, model } = setUp();
    feed.handlers.onFrame(frameOf([item(1, 'terminal', { stream: 'x' }), item(2, 'status', 1), item(3, 'tokens', {})]));
    expect(model.unreadableCount).toBe(3);
  });

  it('one time cursor moves terminal, text, tasks and figures, and pays for what it does not show', () => {
    const { feed, model, written, take, draw } = setUp();
    feed.handlers.onFrame(
      frameOf([
        terminal(10, 0, 'a'),
        item(20, 'tokens', { channel: 'thinking', index: 0, text: 'hm' }),
        item(30, 'tokens', { channel: 'assistant', index: 0, text: 'yes' }),
        item(40, 'telemetry', { rssBytes: 5, cpuPercent: 2 }),
        terminal(50, 1, 'b'),
      ]),
    );
    take();
    draw();
    expect([written, model.moments, model.tokens.read(undefined).timing.count]).toEqual([['ab'], [10, 20, 30, 50], 2]);
    model.setCursor(20);
    take();
    take();
    expect([written, model.cursorMs]).toEqual([['ab', 'clear', 'a'], 20]);
    expect(model.tokens.read(model.cursorMs).blocks).toMatchObject([{ channel: 'thinking', text: 'hm' }]);
    feed.handlers.onFrame(frameOf([terminal(60, 2, 'c')]));
    draw();
    expect([written.length, feed.credits]).toEqual([3, 2]);
    model.setCursor(undefined);
    expect(written.at(-1)).toBe('bc');
  });

  it('opens again behind the last message after an error; closes its feed when disposed', () => {
    const { feeds, feed, model } = setUp();
    feed.handlers.onFrame(frameOf([terminal(7, 0, 'a')]));
    feed.handlers.onError(new VakError('closed', 'gone'));
    expect(model.error?.message).toBe('gone');
    model.retry();
    expect([model.error, feeds[1]?.params.fromSeq]).toEqual([undefined, 8]);
    model.dispose();
    expect(feeds[1]?.isDisposed).toBe(true);
  });
});

describe('task log', () => {
  const change = (state: string, taskId?: string, exitCode?: number) => ({
    state,
    taskId,
    exitCode,
    signal: undefined,
    reason: undefined,
    cause: undefined,
  });

  it('follows a task from claim to end, newest first', () => {
    const log = createTaskLog();
    log.add(change('claimed', 'a'), 10);
    log.add(change('progress', 'a'), 15);
    log.add(change('claimed', 'b'), 20);
    log.add(change('failed', 'a', 3), 30);
    expect(log.rows).toMatchObject([
      { taskId: 'b', state: 'running', startedMs: 20, endedMs: null },
      { taskId: 'a', state: 'failed', startedMs: 10, endedMs: 30, exitCode: 3 },
    ]);
  });

  it('knows no beginning when it left the buffer', () => {
    const log = createTaskLog();
    log.add(change('done', 'a', 0), 30);
    expect(log.rows).toMatchObject([{ startedMs: null, endedMs: 30 }]);
  });

  it('ends running tasks with their session', () => {
    const log = createTaskLog();
    log.add(change('claimed', 'a'), 10);
    log.add(change('heartbeat'), 11);
    log.add({ ...change('ended'), reason: 'worker died' }, 12);
    expect(log.rows).toMatchObject([{ state: 'failed', endedMs: 12, reason: 'worker died' }]);
  });

  it('keeps a bounded number and counts the rest', () => {
    const log = createTaskLog();
    for (let i = 0; i < maxTasks + 5; i++) log.add(change('done', `t${i}`), i);
    expect([log.rows.length, log.forgottenCount]).toEqual([maxTasks, 5]);
  });
});

describe('telemetry series', () => {
  it('keeps ten minutes', () => {
    const point = (atMs: number) => ({ atMs, cpuPercent: 1, rssBytes: 2 });
    const early = appendPoints(emptySeries, [point(0), point(1000)]);
    const late = appendPoints(early, [point(seriesSpanMs + 500)]);
    expect(late.times).toEqual([1, (seriesSpanMs + 500) / 1000]);
    expect([late.cpuPercent.length, late.rssBytes.length]).toEqual([2, 2]);
  });

  it('keeps as long as the settings say', () => {
    const point = (atMs: number) => ({ atMs, cpuPercent: 1, rssBytes: 2 });
    const early = appendPoints(emptySeries, [point(0), point(30_000)], 60_000);
    expect(appendPoints(early, [point(61_000)], 60_000).times).toEqual([30, 61]);
    expect(appendPoints(early, [point(61_000)], 3_600_000).times).toEqual([0, 30, 61]);
  });

  it('keeps a bounded number of points even when they come fast', () => {
    const points = Array.from({ length: 10_000 }, (_, i) => ({ atMs: i, cpuPercent: i, rssBytes: i }));
    const series = appendPoints(emptySeries, points);
    expect(series.times.length).toBeLessThanOrEqual(2400);
    expect(series.cpuPercent.at(-1)).toBe(9999);
  });
});
