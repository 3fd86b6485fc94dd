/** Real keys, cards and grants for workers that tests start, of a workspace that lives in memory. */
import { emptyContents } from '../../src/engine/identity/contents-codec.ts';
import { createFirstIdentity, createPeerIdentity, currentBoxKey } from '../../src/engine/identity/operator-identity.ts';
import type { IssueCredentials } from '../../src/engine/identity/peer-credentials.ts';
import { workspaceIn } from '../../src/engine/identity/root-grants.ts';
import { createSystemClock } from '../../src/engine/ports/clock.ts';
import { createSystemRandomness } from '../../src/engine/ports/randomness.ts';

/** Issues credentials in a new workspace of that name. */
export function createTestIssuer(workspace: string): IssueCredentials {
  const ports = { clock: createSystemClock(), randomness: createSystemRandomness() };
  const operator = { contents: emptyContents, peer: 'operator', name: 'Operator', workspace, ...ports };
  const { contents } = createFirstIdentity(operator);
  return async ({ peer, roles, queues }) => {
    const wanted = { contents, workspace, peer, name: peer, roles, queues, ...ports };
    const { identity, card, grant } = createPeerIdentity({ ...wanted, kind: 'process', agent: false });
    const { rootPublic, secrets } = workspaceIn(contents, workspace);
    return {
      signSeed: identity.signSeed.reveal().slice(),
      boxSecret: currentBoxKey(identity).secret.reveal().slice(),
      card,
      grant,
      rootPublic,
      secrets: secrets.map(({ id, secret }) => ({ id, secret: secret.reveal().slice(), state: 'active' as const })),
    };
  };
}
