/** The workspace's secrets as a peer holds them itself (protocol.md E7, I3). Law: they change only when whoever runs it renews them; what was renewed is owned, and erased when it is replaced and at the end. */
import type { Disposable } from '../../shared/base/disposer.ts';
import type { OwnCredentials } from '../identity/own-credentials.ts';
import { createSecret } from '../identity/secret.ts';
import type { SecretSource, WorkspaceSecretEntry } from './secret-registry.ts';

export interface OwnSecrets extends SecretSource, Disposable {
  /** Copies these in place of those that it has; gives whether they are others. */
  renew(secrets: readonly WorkspaceSecretEntry[]): boolean;
}

const nameOf = ({ id, state, openOnlyUntilMs }: WorkspaceSecretEntry): string => `${id} ${state} ${openOnlyUntilMs}`;
const namesOf = (all: readonly WorkspaceSecretEntry[]): string => all.map(nameOf).join('\n');

/** A source that begins with a peer's own credentials, which stay the caller's. */
export function createOwnSecrets({ secrets }: Pick<OwnCredentials, 'secrets'>): OwnSecrets {
  let entries: readonly WorkspaceSecretEntry[] = secrets.map((one) => ({ ...one, openOnlyUntilMs: null }));
  let renewed: readonly WorkspaceSecretEntry[] = [];
  let version = 0;

  function erase(): void {
    for (const { secret } of renewed) secret.dispose();
    renewed = [];
  }

  return {
    secrets: () => entries,
    version: () => version,
    renew(next) {
      // An id selects one secret for ever (E7): whatever has changed shows in the names.
      if (namesOf(next) === namesOf(entries)) return false;
      const copies = next.map((one) => ({ ...one, secret: createSecret(one.secret.reveal().slice()) }));
      erase();
      [entries, renewed] = [copies, copies];
      version++;
      return true;
    },
    dispose: erase,
  };
}
