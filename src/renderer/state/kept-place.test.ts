import { describe, expect, it } from 'vitest';
import { createStore } from 'zustand/vanilla';
import { keepPlace, keptText } from './kept-place.ts';
import { createViewStore, oneOf } from './view-store.ts';

interface Work {
  readonly tab: 'list' | 'map';
  readonly row: string | undefined;
  readonly busy: boolean;
}

function memoryStorage(initial?: string) {
  let kept = initial;
  return {
    getItem: () => kept ?? null,
    setItem(_key: string, value: string) {
      kept = value;
    },
  };
}

function open(storage: ReturnType<typeof memoryStorage>) {
  const view = createViewStore(storage);
  const store = createStore<Work>(() => ({ tab: 'list', row: undefined, busy: false }));
  const kept = keepPlace(view, {
    name: 'work',
    store,
    read: ({ tab, row }) => ({ tab, row }),
    restore: ({ tab, row }) => ({ tab: oneOf<Work['tab']>(tab, ['map'], 'list'), row: keptText(row) }),
  });
  return { view, store, kept };
}

describe('product.md "Everywhere": where a feature was left', () => {
  it('is there after a restart, and no more of it than was asked for', () => {
    const storage = memoryStorage();
    open(storage).store.setState({ tab: 'map', row: 'r7', busy: true });
    expect(open(storage).store.getState()).toEqual({ tab: 'map', row: 'r7', busy: false });
  });

  it.each(['nonsense', 'null', '{"tab":3,"row":{"deep":true}}'])('is as at first where %s was kept', (work) => {
    const storage = memoryStorage(JSON.stringify({ places: { work } }));
    expect(open(storage).store.getState()).toEqual({ tab: 'list', row: undefined, busy: false });
  });

  it('is not kept where it is too long, and no more after its end', () => {
    const storage = memoryStorage();
    const first = open(storage);
    first.store.setState({ row: 'r1' });
    first.store.setState({ row: 'x'.repeat(5_000) });
    expect(open(storage).store.getState().row).toBe('r1');
    first.kept.dispose();
    first.store.setState({ row: 'r2' });
    expect(open(storage).store.getState().row).toBe('r1');
  });
});
