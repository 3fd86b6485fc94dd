/**
 * Which keys of a workspace count now: its root, and the secrets that open its messages (protocol.md E7, I4).
 * Law: it names them and holds none; while the key store is locked what was seen last stands.
 */
import type { Disposable } from '../../shared/base/disposer.ts';
import type { KeyStore } from '../identity/key-store.ts';

export interface KeyBasis extends Disposable {
  /** The same text as long as the same keys count; undefined before they were seen. */
  current(): string | undefined;
}

/** Creates the view of one workspace. `isOpen`: whether the key store may be read. */
export function createKeyBasis(
  keyStore: Pick<KeyStore, 'read' | 'onChange'>,
  { workspace, isOpen }: { readonly workspace: string; readonly isOpen: () => boolean },
): KeyBasis {
  let basis: string | undefined;
  let isStale = true;
  const listening = keyStore.onChange(() => {
    isStale = true;
  });
  return {
    current() {
      if (!isStale || !isOpen()) return basis;
      isStale = false;
      const found = keyStore.read().workspaces.find((one) => one.workspace === workspace);
      const secrets = found?.secrets.map(({ id, state, openOnlyUntilMs }) =>
        `${id} ${state} ${openOnlyUntilMs ?? ''}`.trimEnd(),
      );
      basis = found === undefined ? undefined : [found.rootPublic, ...(secrets ?? [])].join('\n');
      return basis;
    },
    dispose: () => listening.dispose(),
  };
}
