/** Who an identity is and what it may, for command line and app alike. Law: no secret is in it. */
import type { BackupStanding, GrantSummary, SelfSummary } from '../../shared/contract/identity-contract.ts';
import { grantAt, type TimedGrant } from './grant-timeline.ts';
import type { KeyStoreContents, StoredIdentity } from './key-store.ts';
import { cardOf } from './operator-identity.ts';
import { workspaceIn } from './root-grants.ts';
import type { WorkspaceRecords } from './workspace-records.ts';

function toGrantSummary({ grant }: TimedGrant): GrantSummary {
  const { peer, sign, roles, queues, serial, notAfter } = grant;
  return { peer, sign, roles, queues, serial, notAfter };
}

/** What to sum up. */
export interface SelfQuestion {
  readonly contents: KeyStoreContents;
  readonly identity: StoredIdentity;
  readonly records: Pick<WorkspaceRecords, 'workspace' | 'timelines' | 'directory'>;
  readonly backup: BackupStanding;
  /** ms since the epoch. */
  readonly nowMs: number;
}

/** Sums up an identity in a workspace at a time. */
export function selfSummary({ contents, identity, records, backup, nowMs }: SelfQuestion): SelfSummary {
  const { workspace } = records;
  const { rootPublic, rootSeed, secrets } = workspaceIn(contents, workspace);
  const { peer, kind, name, sign, box, boxExpiresAt, serial } = cardOf(identity, workspace);
  const timelineOf = records.timelines(contents);
  const inForce = grantAt(timelineOf(peer), nowMs);
  const all = records.directory.grantedPeers().map((one) => grantAt(timelineOf(one), nowMs));
  return {
    ...{ workspace, peer, kind, name, sign, box, boxExpiresAtMs: boxExpiresAt * 1000, cardSerial: serial, rootPublic },
    holdsRoot: rootSeed !== null,
    grants: inForce === undefined ? [] : [toGrantSummary(inForce)],
    workspaceGrants: all.filter((one) => one !== undefined).map(toGrantSummary),
    secrets: secrets.map(({ id, state }) => ({ id, state })),
    backup,
  };
}
