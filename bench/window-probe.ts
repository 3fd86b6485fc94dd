/** What a window's own clock says of it: its frames, its long tasks, and how long a key takes to the frame that shows it. */
import type { Page } from 'playwright';

export interface Frames {
  readonly perSecond: number;
  /** The longest time between two, ms. */
  readonly longestMs: number;
}

/** Counts animation frames for a while. */
export async function countFrames(page: Page, forMs: number): Promise<Frames> {
  const times = await page.evaluate(
    (lastMs) =>
      new Promise<number[]>((resolve) => {
        const seen: number[] = [];
        const onFrame = (nowMs: number): void => {
          seen.push(nowMs);
          if (nowMs - (seen[0] ?? nowMs) < lastMs) requestAnimationFrame(onFrame);
          else resolve(seen);
        };
        requestAnimationFrame(onFrame);
      }),
    forMs,
  );
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? time));
  const elapsedMs = gaps.reduce((sum, gap) => sum + gap, 0);
  return { perSecond: (gaps.length * 1000) / elapsedMs, longestMs: Math.max(...gaps) };
}

const wallMs = (): number => performance.timeOrigin + performance.now();

/** Longest that keys are pressed, ms: where each takes long, fewer tell as much. */
const keysMs = 6_000;

/**
 * Presses keys, one after the other with a pause between, and gives for each the time from the press to when the page had painted its
 * next frame, ms: on its way it passes main, which hands input on to the window.
 */
export async function timeKeys(page: Page, keys: readonly string[], pauseMs: number): Promise<readonly number[]> {
  const probe = await page.evaluateHandle(() => {
    const painted: number[] = [];
    let waitingCount = 0;
    const channel = new MessageChannel();
    // Behind the paint of the frame that posted it.
    channel.port1.onmessage = () => {
      for (; waitingCount > 0; waitingCount--) painted.push(performance.timeOrigin + performance.now());
    };
    const onKey = (): void => {
      requestAnimationFrame(() => {
        waitingCount++;
        channel.port2.postMessage(0);
      });
    };
    window.addEventListener('keydown', onKey, { capture: true });
    return {
      async end(count: number): Promise<number[]> {
        for (let tries = 0; painted.length < count && tries < 500; tries++)
          await new Promise((resolve) => setTimeout(resolve, 10));
        window.removeEventListener('keydown', onKey, { capture: true });
        channel.port1.close();
        return painted;
      },
    };
  });
  const pressed: number[] = [];
  const endsMs = wallMs() + keysMs;
  for (const key of keys) {
    if (wallMs() > endsMs) break;
    pressed.push(wallMs());
    await page.keyboard.press(key);
    await page.waitForTimeout(pauseMs);
  }
  const painted = await probe.evaluate((started, count) => started.end(count), pressed.length);
  if (painted.length !== pressed.length)
    throw new Error(`of ${pressed.length} keys ${painted.length} reached the page`);
  return painted.map((atMs, index) => atMs - (pressed[index] ?? atMs));
}

/** Milliseconds of tasks over 50 ms since the page was asked first. */
export function longTasks(page: Page): Promise<{ readonly count: number; readonly longestMs: number }> {
  return page.evaluate(() => {
    const held = window as { longTaskList?: number[] };
    if (held.longTaskList === undefined) {
      const list: number[] = [];
      held.longTaskList = list;
      new PerformanceObserver((entries) => list.push(...entries.getEntries().map(({ duration }) => duration))).observe({
        type: 'longtask',
      });
    }
    return { count: held.longTaskList.length, longestMs: Math.max(0, ...held.longTaskList) };
  });
}
