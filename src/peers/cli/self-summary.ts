/** Who an identity is and what it may, for `vak id show` and the app alike; no secret is in it. */

import { grantAt, type TimedGrant } from '../../engine/identity/grant-timeline.ts';
import type { StoredIdentity } from '../../engine/identity/key-store.ts';
import { cardOf } from '../../engine/identity/operator-identity.ts';
import { workspaceIn } from '../../engine/identity/root-grants.ts';
import type { GrantSummary, SelfSummary } from '../../shared/contract/identity-contract.ts';
import { readTimelines } from './timelines.ts';
import type { OpenWorkspace } from './workspace.ts';

function toGrantSummary({ grant }: TimedGrant): GrantSummary {
  const { peer, sign, roles, queues, serial, notAfter } = grant;
  return { peer, sign, roles, queues, serial, notAfter };
}

/** Sums up an identity of the open workspace at a time, ms since the epoch. */
export function selfSummary(open: OpenWorkspace, identity: StoredIdentity, nowMs: number): SelfSummary {
  const { workspace } = open;
  const { rootPublic, rootSeed, secrets } = workspaceIn(open.contents(), workspace);
  const { peer, kind, name, sign, box, boxExpiresAt, serial } = cardOf(identity, workspace);
  const inForce = grantAt(readTimelines(open)(peer), nowMs);
  return {
    ...{ workspace, peer, kind, name, sign, box, boxExpiresAtMs: boxExpiresAt * 1000, cardSerial: serial, rootPublic },
    holdsRoot: rootSeed !== null,
    grants: inForce === undefined ? [] : [toGrantSummary(inForce)],
    secrets: secrets.map(({ id, state }) => ({ id, state })),
  };
}
