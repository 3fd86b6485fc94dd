import { expect, it } from 'vitest';
import { createFrameClock } from './frame-clock.ts';

const intervalMs = 16;

/** A window whose frames come every 16 ms, or as much later as drawing kept it; `frames` runs so many. */
function setUp(drawMs: () => number) {
  let nowMs = 1000;
  let waiting: ((nowMs: number) => void) | undefined;
  const drawnAtMs: number[] = [];
  const clock = createFrameClock({
    requestAnimationFrame(run: (nowMs: number) => void) {
      if (waiting !== undefined) throw new Error('two frames were asked for');
      waiting = run;
      return 1;
    },
  });
  let keptMs = 0;
  clock.subscribe(() => {
    drawnAtMs.push(nowMs);
    keptMs = drawMs();
  });
  let emptyCount = 0;
  return {
    clock,
    drawnAtMs,
    get emptyCount() {
      return emptyCount;
    },
    get isWaiting() {
      return waiting !== undefined;
    },
    frames(count: number, isBusy = true): void {
      for (let frame = 0; frame < count; frame++) {
        if (isBusy) clock.request();
        nowMs += Math.ceil(Math.max(intervalMs, keptMs) / intervalMs) * intervalMs;
        keptMs = 0;
        const run = waiting;
        waiting = undefined;
        const before = drawnAtMs.length;
        run?.(nowMs);
        if (drawnAtMs.length === before) emptyCount++;
      }
    },
  };
}

it('P14 as long as drawing fits a frame, each frame that is asked for is drawn', () => {
  const { frames, drawnAtMs } = setUp(() => 12);
  frames(50);
  expect(drawnAtMs).toHaveLength(50);
});

it('P14 where drawing takes longer than a frame, as many frames are left as it took', () => {
  let drawMs = 10;
  const run = setUp(() => drawMs);
  run.frames(10);
  drawMs = 45;
  run.frames(60);
  const times = run.drawnAtMs.slice(12);
  const gaps = times.slice(1).map((time, at) => time - (times[at] ?? time));
  // 48 ms of drawing, and as much for others.
  expect([...new Set(gaps)]).toEqual([96]);
  expect(run.emptyCount).toBeGreaterThan(30);
  drawMs = 10;
  run.frames(10);
  const before = run.drawnAtMs.length;
  run.frames(20);
  expect(run.drawnAtMs.length - before).toBe(20);
});

it('P14 however long the window was held up, it draws again within a tenth of a second', () => {
  let drawMs = 10;
  const run = setUp(() => drawMs);
  run.frames(5);
  drawMs = 3000;
  run.frames(1);
  drawMs = 10;
  run.frames(8);
  expect(run.drawnAtMs.length).toBeGreaterThan(6);
});

it('P14 a slow display is no slow drawing', () => {
  const { frames, drawnAtMs } = setUp(() => 33);
  frames(30);
  expect(drawnAtMs).toHaveLength(30);
});

it('what is asked for once is drawn once; then nothing is asked of the window any more', () => {
  const run = setUp(() => 5);
  run.clock.request();
  run.clock.request();
  run.frames(5, false);
  expect(run.drawnAtMs).toHaveLength(1);
  expect(run.isWaiting).toBe(false);
});
