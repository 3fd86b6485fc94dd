import { describe, expect, it } from 'vitest';
import { createDisposer, toDisposable } from './disposer.ts';

describe('disposer', () => {
  it('releases last in first out, once, and everything even if one release throws', () => {
    const log: string[] = [];
    const disposer = createDisposer();
    disposer.defer(() => log.push('first'));
    disposer.defer(() => {
      throw new Error('boom');
    });
    disposer.defer(() => log.push('last'));
    expect(disposer.size).toBe(3);
    expect(() => disposer.dispose()).toThrowError('boom');
    disposer.dispose();
    expect(log).toEqual(['last', 'first']);
    expect(disposer.size).toBe(0);
  });

  it('disposes at once what is added after its end', () => {
    const disposer = createDisposer();
    disposer.dispose();
    let isReleased = false;
    disposer.add(toDisposable(() => (isReleased = true)));
    expect(isReleased).toBe(true);
  });
});
