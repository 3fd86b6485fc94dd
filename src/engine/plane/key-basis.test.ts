import { expect, test } from 'vitest';
import { toDisposable } from '../../shared/base/disposer.ts';
import type { KeyStoreContents } from '../identity/key-store.ts';
import { createKeyBasis } from './key-basis.ts';

function setUp() {
  const listeners = new Set<() => void>();
  const at = { isOpen: false, root: 'UROOT', secrets: ['s1 active'], reads: 0 };
  const contents = (): KeyStoreContents => {
    const secrets = at.secrets.map((one) => {
      const [id, state, until] = one.split(' ');
      return { id, state, openOnlyUntilMs: until === undefined ? null : Number(until) };
    });
    return { workspaces: [{ workspace: 'ws', rootPublic: at.root, secrets }] } as unknown as KeyStoreContents;
  };
  const keyStore = {
    read() {
      at.reads++;
      return contents();
    },
    onChange(listener: () => void) {
      listeners.add(listener);
      return toDisposable(() => listeners.delete(listener));
    },
  };
  const of = (workspace: string) => createKeyBasis(keyStore, { workspace, isOpen: () => at.isOpen });
  const change = (): void => {
    for (const listener of listeners) listener();
  };
  return { at, of, change, listeners };
}

test('E7 I4 it is another one when the root or a secret is, and the same while nothing has changed', () => {
  const { at, of, change } = setUp();
  const basis = of('ws');
  expect(basis.current()).toBeUndefined();
  at.isOpen = true;
  const first = basis.current();
  expect(first).toBe('UROOT\ns1 active');
  expect([basis.current(), at.reads]).toEqual([first, 1]);
  change();
  expect([basis.current(), at.reads]).toEqual([first, 2]);
  at.secrets = ['s1 open-only', 's2 active'];
  change();
  const second = basis.current();
  at.secrets = ['s1 open-only 5', 's2 active'];
  change();
  const third = basis.current();
  at.root = 'UOTHER';
  change();
  expect(new Set([first, second, third, basis.current()]).size).toBe(4);
});

test('I3 while the key store is locked what was seen last stands, and nothing is read', () => {
  const { at, of, change, listeners } = setUp();
  const basis = of('ws');
  at.isOpen = true;
  const seen = basis.current();
  at.isOpen = false;
  at.root = 'UOTHER';
  change();
  expect([basis.current(), at.reads]).toEqual([seen, 1]);
  at.isOpen = true;
  expect(basis.current()).not.toBe(seen);
  expect(of('elsewhere').current()).toBeUndefined();
  basis.dispose();
  expect(listeners.size).toBe(1);
});
