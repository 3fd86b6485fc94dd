/**
 * The root of a workspace as a profile's key store pins it (protocol.md I4).
 * Law: once it was seen it is known while the key store is locked, too; it follows a key store that is restored or begun anew.
 */
import type { Disposable } from '../../shared/base/disposer.ts';
import type { KeyStore } from '../identity/key-store.ts';

export interface PinnedRoot extends Disposable {
  /** Root's public nkey; undefined before it was seen. */
  current(): string | undefined;
}

/** Creates the view of one workspace's root. */
export function createPinnedRoot(keyStore: Pick<KeyStore, 'state' | 'read' | 'onChange'>, ws: string): PinnedRoot {
  let root: string | undefined;
  let isStale = true;
  const listening = keyStore.onChange(() => {
    isStale = true;
  });
  return {
    current() {
      if (isStale && keyStore.state().kind === 'unlocked') {
        isStale = false;
        root = keyStore.read().workspaces.find(({ workspace }) => workspace === ws)?.rootPublic;
      }
      return root;
    },
    dispose: () => listening.dispose(),
  };
}
