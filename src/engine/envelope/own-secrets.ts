/** The workspace's secrets as a spawned peer was given them (protocol.md E7, I3). Law: they change only with a new start of the peer. */
import type { OwnCredentials } from '../identity/own-credentials.ts';
import type { SecretSource } from './secret-registry.ts';

/** A source over a peer's own credentials. */
export function createOwnSecrets({ secrets }: Pick<OwnCredentials, 'secrets'>): SecretSource {
  const entries = secrets.map((one) => ({ ...one, openOnlyUntilMs: null }));
  return { secrets: () => entries, version: () => 0 };
}
