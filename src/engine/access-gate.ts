/**
 * What a window may ask for while the key store is not open, and in a read-only context.
 * Law: locked means that nothing of the workspace is shown or done but how many things are new, only opening it is possible; through a
 * read-only context no call that changes the bus reaches its service.
 */
import { createDisposer, type Disposable, toDisposable } from '../shared/base/disposer.ts';
import { VakError } from '../shared/base/vak-error.ts';
import type { AppContract } from '../shared/contract/app-contract.ts';
import { callChanges } from '../shared/contract/call-changes.ts';
import type { SnapshotName } from '../shared/contract/define-contract.ts';
import { readOnlyRefusal } from './connections/read-only-fabric.ts';
import type { KeyStore } from './identity/key-store.ts';

export interface AccessGate extends Disposable {
  readonly isOpen: boolean;
  /** Throws `locked` for a call or feed that needs an open key store, `read-only` for a call that changes the bus of a read-only context. */
  check(name: string): void;
  isVisible(name: SnapshotName<AppContract>): boolean;
  /** Called when it opens and when it closes. */
  onChange(listener: (isOpen: boolean) => void): Disposable;
}

const visibleWhileLocked: ReadonlySet<string> = new Set<SnapshotName<AppContract>>([
  ...(['app.status', 'identity.keyStore', 'operations.lockedNews'] as const),
]);

const changes: ReadonlyMap<string, string> = new Map(Object.entries(callChanges));

export interface AccessGateDeps {
  readonly keyStore: Pick<KeyStore, 'state' | 'onChange'>;
  /** The self-test has passed. */
  readonly isTrusted: boolean;
  /** Name of the context in use, or that is sought, if it is read-only. */
  readonly readOnlyContext: () => string | undefined;
}

/** Creates the gate. */
export function createAccessGate({ keyStore, isTrusted, readOnlyContext }: AccessGateDeps): AccessGate {
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
      if (!name.startsWith('identity.') && !isOpenNow()) {
        throw new VakError('locked', `${name}: the key store is locked; unlock it first`);
      }
      const context = changes.get(name) === 'bus' ? readOnlyContext() : undefined;
      if (context !== undefined) throw readOnlyRefusal(context, name);
    },
    isVisible: (name) => visibleWhileLocked.has(name) || isOpenNow(),
    onChange(listener) {
      listeners.add(listener);
      return toDisposable(() => listeners.delete(listener));
    },
    dispose: () => held.dispose(),
  };
}
