import { expect, test } from 'vitest';
import { toDisposable } from '../../shared/base/disposer.ts';
import { followFormer } from './former-messages.ts';

function createPeer(count: number) {
  const listeners = { delivered: new Set<() => void>(), refused: new Set<() => void>() };
  const add = (kind: keyof typeof listeners) => (listener: () => void) => {
    listeners[kind].add(listener);
    return toDisposable(() => listeners[kind].delete(listener));
  };
  let left = count;
  const end = (kind: keyof typeof listeners): void => {
    left--;
    for (const tell of listeners[kind]) tell();
  };
  const waiting = () => ({ count: left, voidOwedCount: 0 }) as never;
  const peer = { waiting, onDelivered: add('delivered'), onRefused: add('refused'), drain: async () => left === 0 };
  return { peer, end, listeners };
}

test('B8 what an outbox sends before anybody waits for it is counted too', async () => {
  const { peer, end, listeners } = createPeer(4);
  const former = followFormer(peer as never);
  end('delivered');
  end('refused');
  const finishing = former.finish(1_000);
  end('delivered');
  expect(await finishing).toEqual({ sentCount: 2, refusedCount: 1, waitingCount: 1 });
  expect([listeners.delivered.size, listeners.refused.size]).toEqual([0, 0]);
});

test('B8 of an outbox in which nothing was left nothing is told', async () => {
  const { peer } = createPeer(0);
  expect(await followFormer(peer as never).finish(1_000)).toBeUndefined();
});
