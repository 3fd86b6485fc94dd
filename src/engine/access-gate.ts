/**
 * What a window may ask for while the key store is not open.
 * Law: locked means that nothing of the workspace is shown or done but how many things are new; only opening it is possible.
 */
import { createDisposer, type Disposable, toDisposable } from '../shared/base/disposer.ts';
import { VakError } from '../shared/base/vak-error.ts';
import type { AppContract } from '../shared/contract/app-contract.ts';
import type { SnapshotName } from '../shared/contract/define-contract.ts';
import type { KeyStore } from './identity/key-store.ts';

export interface AccessGate extends Disposable {
  readonly isOpen: boolean;
  /** Throws `locked` for a call or feed that needs an open key store. */
  check(name: string): void;
  isVisible(name: SnapshotName<AppContract>): boolean;
  /** Called when it opens and when it closes. */
  onChange(listener: (isOpen: boolean) => void): Disposable;
}

const visibleWhileLocked: ReadonlySet<string> = new Set<SnapshotName<AppContract>>([
  ...(['app.status', 'identity.keyStore', 'operations.lockedNews'] as const),
]);

/** Creates the gate over a key store. `isTrusted`: the self-test has passed. */
export function createAccessGate(keyStore: Pick<KeyStore, 'state' | 'onChange'>, isTrusted: boolean): AccessGate {
  const held = createDisposer();
  const listeners = new Set<(isOpen: boolean) => void>();
  const isOpenNow = (): boolean => isTrusted && keyStore.state().kind === 'unlocked';
  let isOpen = isOpenNow();
  held.add(
    keyStore.onChange(() => {
      if (isOpenNow() === isOpen) return;
      isOpen = !isOpen;
      for (const listener of [...listeners]) listener(isOpen);
    }),
  );
  return {
    get isOpen() {
      return isOpenNow();
    },
    check(name) {
      if (name.startsWith('identity.') || isOpenNow()) return;
      throw new VakError('locked', `${name}: the key store is locked; unlock it first`);
    },
    isVisible: (name) => visibleWhileLocked.has(name) || isOpenNow(),
    onChange(listener) {
      listeners.add(listener);
      return toDisposable(() => listeners.delete(listener));
    },
    dispose: () => held.dispose(),
  };
}
