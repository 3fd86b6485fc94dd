/**
 * What a profile can tell a nats-server of its workspace's access (protocol.md A4).
 * Law: by the grants in force now; the keys of a server follow from the root's, and only a file of credentials holds a secret.
 */
import { VakError } from '../../shared/base/vak-error.ts';
import { grantAt } from '../identity/grant-timeline.ts';
import type { KeyStoreContents } from '../identity/key-store.ts';
import { workspaceIn } from '../identity/root-grants.ts';
import { credsText, type ServerJwts, type ServerPolicy, signServerJwts } from '../identity/server-jwt.ts';
import { deriveServerKeys } from '../identity/server-keys.ts';
import type { WorkspaceRecords } from '../identity/workspace-records.ts';
import type { GrantedPeer } from './server-config.ts';

export interface ExportPlace {
  readonly workspace: string;
  readonly contents: KeyStoreContents;
  readonly records: Pick<WorkspaceRecords, 'directory' | 'timelines'>;
  /** Ms since the epoch. */
  readonly nowMs: number;
}

/** Whether a peer acts with the root's key: the operator of the profile in whose key store it lies, and nobody else there (I4). */
export function holdsRoot(
  { peer, roles }: Pick<GrantedPeer, 'peer' | 'roles'>,
  { contents, workspace }: Pick<ExportPlace, 'contents' | 'workspace'>,
): boolean {
  const isPerson = contents.identities.some((one) => one.peer === peer && one.kind === 'human');
  return isPerson && roles.includes('operator') && workspaceIn(contents, workspace).rootSeed !== null;
}

/** Peers whose grant is in force, in the order of their names. */
export function grantedNow(place: ExportPlace): readonly GrantedPeer[] {
  const { contents, records, nowMs } = place;
  const timelineOf = records.timelines(contents);
  return [...records.directory.grantedPeers()].sort().flatMap((peer): GrantedPeer[] => {
    const granted = grantAt(timelineOf(peer), nowMs)?.grant;
    if (granted === undefined || granted.roles.length === 0) return [];
    const { sign, roles, queues, notAfter, serial: since } = granted;
    if (notAfter !== 0 && notAfter * 1000 <= nowMs) return [];
    return [{ peer, sign, roles, queues, notAfter, since, holdsRoot: holdsRoot({ peer, roles }, place) }];
  });
}

/** The JWTs of a server and its users. Throws `forbidden` where the root's key is not. */
export function signedAccess(
  policy: ServerPolicy,
  { contents, nowMs }: Pick<ExportPlace, 'contents' | 'nowMs'>,
): ServerJwts {
  const { workspace } = policy;
  const { rootSeed } = workspaceIn(contents, workspace);
  if (rootSeed === null) {
    const advice = 'export where it is held; nats-conf needs no key';
    throw new VakError('forbidden', `this profile does not hold the root key of workspace ${workspace}: ${advice}`);
  }
  const keys = deriveServerKeys(workspace, rootSeed);
  try {
    return signServerJwts(policy, { keys, nowSeconds: Math.floor(nowMs / 1000) });
  } finally {
    keys.dispose();
  }
}

/** The text of a credentials file, which is the caller's to erase. Throws `not-found` for a peer whose keys are not in this profile. */
export function credentialsText(
  { peer, jwt }: { readonly peer: string; readonly jwt: string },
  { contents }: Pick<ExportPlace, 'contents'>,
): Uint8Array {
  const identity = contents.identities.find((one) => one.peer === peer);
  if (identity !== undefined) return credsText(jwt, identity.signSeed.reveal());
  const advice = 'give it its JWT, which the export as JWTs names: the seed is where the peer is';
  throw new VakError('not-found', `the keys of ${peer} are not in this profile: ${advice}`);
}
