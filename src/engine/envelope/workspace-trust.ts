/**
 * What this profile knows about a workspace for judging its messages: secrets to open with, grants to check signatures against.
 * Law: while the key store is locked it knows no secret; what is granted can be told as long as the root was seen once.
 */
import type { Disposable } from '../../shared/base/disposer.ts';
import type { SignatureReport } from '../../shared/contract/trust-report.ts';
import { rolesThatMayPublish } from '../../shared/protocol/acl.ts';
import type { Envelope } from '../../shared/protocol/envelope.ts';
import type { KeyStore, StoredWorkspaceSecret } from '../identity/key-store.ts';
import type { Secret } from '../identity/secret.ts';
import {
  createSignerResolution,
  type SignerQuestion,
  type SignerResolution,
  type SignerVerdict,
} from '../identity/signer-resolution.ts';
import type { WorkspaceRecords } from '../identity/workspace-records.ts';
import { createSignatureCheck, type SignatureCheck } from './envelope-signature.ts';
import type { PinnedRoot } from './pinned-root.ts';
import type { SecretSource, WorkspaceSecretEntry } from './secret-registry.ts';

/** Where the secrets of a workspace are. */
export interface WorkspaceSecretsDeps {
  readonly keyStore: Pick<KeyStore, 'state' | 'read' | 'onChange'>;
  readonly workspace: string;
  /** One from outside, which counts as the oldest. */
  readonly environmentSecret: () => WorkspaceSecretEntry | undefined;
}

/** The workspace's secrets in a key store, and the environment's; none of them while the store is locked. */
export function createWorkspaceSecrets(deps: WorkspaceSecretsDeps): SecretSource & Disposable {
  const { keyStore, workspace, environmentSecret } = deps;
  let version = 0;
  let known: readonly StoredWorkspaceSecret[] | undefined;
  let givenBefore: Secret | undefined;
  const listening = keyStore.onChange(() => {
    version++;
    known = undefined;
  });
  return {
    version: () => version,
    secrets() {
      if (keyStore.state().kind !== 'unlocked') return undefined;
      known ??= keyStore.read().workspaces.find((one) => one.workspace === workspace)?.secrets ?? [];
      const given = environmentSecret();
      // Its id stays when it is read anew: keys that were derived from the one before must not.
      if (given?.secret !== givenBefore) version++;
      givenBefore = given?.secret;
      return given === undefined ? known : [given, ...known.filter(({ id }) => id !== given.id)];
    },
    dispose: () => listening.dispose(),
  };
}

/** What of a workspace's records says who was granted what. */
export type GrantRecords = Pick<WorkspaceRecords, 'workspace' | 'directory' | 'floor' | 'checks'>;

/** Judges the signature of an envelope on a subject; undefined while the workspace's root was never seen. */
export interface ProfileSignatureCheck {
  check(envelope: Envelope, subject: string, atMs: number): SignatureReport | undefined;
  /** Who holds what; of records that are no envelopes. */
  resolve(question: SignerQuestion): SignerVerdict | undefined;
}

/** Roles any of which may publish on a subject as the peer and session that an envelope names. */
function rolesFor(subject: string, { workspaceid, agentid, sessionid }: Envelope) {
  return { roles: rolesThatMayPublish(subject, { workspace: workspaceid, peer: agentid, session: sessionid ?? '' }) };
}

/**
 * Creates the check over a profile's records, as they were seen last: whoever asks looks at them before. It follows the root when the
 * key store is restored or begun anew.
 */
export function createProfileSignatureCheck(
  { workspace: ws, directory, floor, checks }: GrantRecords,
  pinned: Pick<PinnedRoot, 'current'>,
): ProfileSignatureCheck {
  let root: string | undefined;
  let signatures: SignatureCheck | undefined;
  let resolution: SignerResolution | undefined;

  function follow(rootPublic: string | undefined): void {
    if (rootPublic === root) return;
    root = rootPublic;
    signatures = undefined;
    resolution = undefined;
    if (rootPublic === undefined) return;
    resolution = createSignerResolution({ ws, rootPublic, directory: directory.seen, floor, checks });
    signatures = createSignatureCheck({ verifier: checks.verifier, resolution, rolesFor });
  }

  return {
    check(envelope, subject, atMs) {
      follow(pinned.current());
      return signatures?.check(envelope, subject, atMs);
    },
    resolve(question) {
      follow(pinned.current());
      return resolution?.resolveSigner(question);
    },
  };
}
