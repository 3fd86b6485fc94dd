/** Read-only mirror of main's snapshots (architecture.md §4): written by the bridge alone, read with `useSnapshot`. */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { AppContract } from '../../shared/contract/app-contract.ts';
import type { Bridge, SnapshotName, SnapshotValue } from '../../shared/contract/define-contract.ts';
import type { KeyStoreState } from '../../shared/contract/identity-contract.ts';

/** Latest value of each snapshot by name; a name is missing until its first value came. */
export type Mirror = { readonly [N in SnapshotName<AppContract>]?: SnapshotValue<AppContract, N> };

/** Creates the mirror and keeps it current. Older versions than the one held are ignored. */
export function createMirrorStore(bridge: Pick<Bridge, 'onSnapshot'>): StoreApi<Mirror> {
  const store = createStore<Mirror>(() => ({}));
  const versions = new Map<string, number>();
  /** Nothing of the workspace stays in a window whose key store is locked. */
  const forget = (): void => {
    const { 'app.status': status, 'identity.keyStore': keyStore } = store.getState();
    store.setState(
      { ...(status && { 'app.status': status }), ...(keyStore && { 'identity.keyStore': keyStore }) },
      true,
    );
  };
  bridge.onSnapshot(({ name, version, text }) => {
    if (version <= (versions.get(name) ?? 0)) return;
    versions.set(name, version);
    const value: unknown = JSON.parse(text);
    store.setState({ [name]: value });
    if (name === 'identity.keyStore' && (value as KeyStoreState).kind !== 'unlocked') forget();
  });
  return store;
}
