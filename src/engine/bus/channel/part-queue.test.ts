import { expect, it } from 'vitest';
import { createPartQueue } from './part-queue.ts';

it('B5 parts come out as they went in, then the end', async () => {
  const queue = createPartQueue<number>();
  queue.push(1);
  queue.push(2);
  expect([await queue.next(), queue.size]).toEqual([1, 1]);
  expect(await queue.next()).toBe(2);
  const waiting = queue.next();
  queue.push(3);
  expect(await waiting).toBe(3);
  queue.push(4);
  queue.end();
  queue.push(5);
  queue.fail(new Error('late'));
  expect([await queue.next(), await queue.next(), await queue.next()]).toEqual([4, undefined, undefined]);
});

it('B5 after a failure nothing that waits comes out, and nothing is held', async () => {
  const queue = createPartQueue<number>();
  queue.push(1);
  const failure = new Error('why');
  queue.fail(failure);
  queue.fail(new Error('other'));
  queue.push(2);
  queue.end();
  expect(queue.size).toBe(0);
  for (let count = 0; count < 2; count++) await expect(queue.next()).rejects.toBe(failure);
});
