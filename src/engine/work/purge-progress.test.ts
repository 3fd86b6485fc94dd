import { expect, test } from 'vitest';
import { createPurgeProgress } from './purge-progress.ts';

test('W7 a purge is stopped by its id, whoever began it, and only it; one that is over is not known any more', () => {
  const told: string[] = [];
  const purges = createPurgeProgress(() =>
    told.push(
      purges
        .list()
        .map((one) => `${one.queue} ${one.isStopping}`)
        .join(),
    ),
  );
  const asked = new AbortController();
  const first = purges.begin({ operationId: 'op-1', queue: 'q', signal: asked.signal });
  const second = purges.begin({ operationId: 'op-2', queue: 'r', signal: new AbortController().signal });
  expect(purges.stop('op-3')).toBe(false);
  expect(purges.stop('op-2')).toBe(true);
  // Another press changes nothing.
  expect(purges.stop('op-2')).toBe(true);
  expect([first.signal.aborted, second.signal.aborted]).toEqual([false, true]);
  asked.abort();
  expect(first.signal.aborted).toBe(true);
  first.end();
  second.end();
  expect(purges.stop('op-1')).toBe(false);
  expect(told).toEqual(['q false', 'q false,r false', 'q false,r true', 'q true,r true', 'r true', '']);
});
