import { expect, test } from 'vitest';
import { createFakeClock } from '../engine/ports/fake-clock.ts';
import { createDeferred } from '../engine/wait.ts';
import { createBotQueue } from './bot-queue.ts';

const bounds = { concurrency: 2, maxWaiting: 2, maxPerMinute: 3 };

/** Questions that run until they are ended. */
function prepare() {
  const clock = createFakeClock();
  const queue = createBotQueue(bounds, clock);
  const ends: (() => void)[] = [];
  const take = (sender: string) =>
    queue.take(sender, () => {
      const { promise, resolve } = createDeferred<void>();
      ends.push(() => resolve());
      return promise;
    });
  return { clock, queue, ends, take };
}

test('R72 so many run at a time, so many wait, and what is more is told as busy', async () => {
  const { queue, ends, take } = prepare();
  expect(['a', 'b', 'c', 'd', 'e'].map(take)).toEqual([undefined, undefined, undefined, undefined, 'busy']);
  expect([queue.runningCount(), ends.length]).toEqual([2, 2]);
  ends[0]?.();
  await expect.poll(() => ends.length).toBe(3);
  expect(queue.runningCount()).toBe(2);
});

test('R72 one sender has so many questions a minute, whatever others ask', async () => {
  const { clock, ends, take } = prepare();
  const ask = async (sender: string) => {
    const refusal = take(sender);
    for (const end of ends.splice(0)) end();
    await Promise.resolve();
    await Promise.resolve();
    return refusal;
  };
  const said = [];
  for (let count = 0; count < 4; count++) said.push(await ask('loop'));
  expect([...said, await ask('other')]).toEqual([undefined, undefined, undefined, 'rate', undefined]);
  clock.advance(60_000);
  expect(await ask('loop')).toBeUndefined();
});

test('R72 a stopped one takes nothing, drops what waits, and is idle when what runs is over', async () => {
  const { queue, ends, take } = prepare();
  for (const sender of ['a', 'b', 'c']) take(sender);
  queue.stop();
  expect(take('d')).toBe('stopping');
  const idle = queue.idle();
  for (const end of ends) end();
  await idle;
  expect([queue.runningCount(), ends.length]).toEqual([0, 2]);
  await queue.idle();
});
