import { expect, test } from 'vitest';
import { createFakeClock } from './ports/fake-clock.ts';
import { pause } from './wait.ts';

/** Whether a pause of a second is over after so many ms, or once it was aborted; and that it leaves no timer. */
async function isOver(afterMs: number, abort: 'before' | 'during' | 'never'): Promise<boolean> {
  const clock = createFakeClock();
  const giveUp = new AbortController();
  if (abort === 'before') giveUp.abort();
  let over = false;
  const paused = pause(clock, 1000, giveUp.signal).then(() => {
    over = true;
  });
  clock.advance(afterMs);
  if (abort === 'during') giveUp.abort();
  await Promise.resolve();
  await Promise.resolve();
  const was = over;
  if (!was) clock.advance(1000);
  await paused;
  expect(clock.timerCount).toBe(0);
  return was;
}

test('a pause ends after its time, or when it is aborted, and leaves no timer', async () => {
  expect(await isOver(999, 'never')).toBe(false);
  expect(await isOver(1000, 'never')).toBe(true);
  expect(await isOver(1, 'during')).toBe(true);
  expect(await isOver(0, 'before')).toBe(true);
});
