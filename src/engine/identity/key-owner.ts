/**
 * Whose a signing key is that somebody is to be granted with (protocol.md I1, I4).
 * Law: a key is one peer's for ever: a server knows who somebody is by it alone, and so does whoever reads what it signed.
 */
import { VakError } from '../../shared/base/vak-error.ts';
import type { KeyStoreContents, StoredIdentity } from './key-store.ts';
import { createNkeySigner } from './nkey.ts';
import type { WorkspaceRecords } from './workspace-records.ts';

export interface KeyClaim {
  readonly peer: string;
  /** `U…`. */
  readonly sign: string;
  readonly contents: KeyStoreContents;
}

function keyOf({ signSeed }: StoredIdentity): string {
  const signer = createNkeySigner(signSeed);
  try {
    return signer.nkey;
  } finally {
    signer.dispose();
  }
}

/** Throws `conflict` that names both if another peer has the key, or was ever granted with it. */
export function checkKeyIsFree(
  { peer, sign, contents }: KeyClaim,
  records: Pick<WorkspaceRecords, 'directory' | 'timelines'>,
): void {
  const timelineOf = records.timelines(contents);
  const granted = records.directory
    .grantedPeers()
    .find((other) => other !== peer && timelineOf(other).grants.some(({ grant }) => grant.sign === sign));
  const owner = granted ?? contents.identities.find((one) => one.peer !== peer && keyOf(one) === sign)?.peer;
  if (owner === undefined) return;
  const message = `grant ${peer}: this key is that of ${owner}, and a key is one peer's alone; let ${peer} make a key of its own`;
  throw new VakError('conflict', message, { details: { field: 'sign', peer: owner } });
}
