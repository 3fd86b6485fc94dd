/** A workspace that lives in memory: real keys, cards and grants for workers that tests start, and what reads their envelopes. */
import { createSignatureCheck, type SignatureCheck } from '../../src/engine/envelope/envelope-signature.ts';
import { createEnvelopeOpener } from '../../src/engine/envelope/open-envelope.ts';
import { createSecretRegistry } from '../../src/engine/envelope/secret-registry.ts';
import { emptyContents } from '../../src/engine/identity/contents-codec.ts';
import { createFirstIdentity, createPeerIdentity, currentBoxKey } from '../../src/engine/identity/operator-identity.ts';
import type { IssueCredentials } from '../../src/engine/identity/peer-credentials.ts';
import { secretsFor } from '../../src/engine/identity/peer-secrets.ts';
import { workspaceIn } from '../../src/engine/identity/root-grants.ts';
import { createRecordChecks } from '../../src/engine/identity/signed-record.ts';
import { createSignerResolution } from '../../src/engine/identity/signer-resolution.ts';
import { createSystemClock } from '../../src/engine/ports/clock.ts';
import type { Stored } from '../../src/engine/ports/directory.ts';
import { createSystemRandomness } from '../../src/engine/ports/randomness.ts';
import type { Envelope } from '../../src/shared/protocol/envelope.ts';
import type { Grant } from '../../src/shared/protocol/identity-records.ts';
import type { Role } from '../../src/shared/protocol/roles.ts';

export interface TestWorkspace {
  readonly rootPublic: string;
  /** A peer that asks again gets the keys and the grant that it has. */
  readonly issue: IssueCredentials;
  /** The payload of a sealed or plain envelope; throws why it does not open. */
  readonly open: (envelope: Envelope) => Uint8Array;
  /** Checks a signature under what was issued, for a role. */
  signaturesOf(role: Role): SignatureCheck;
}

/** Creates a workspace of that name. */
export function createTestWorkspace(workspace: string): TestWorkspace {
  const ports = { clock: createSystemClock(), randomness: createSystemRandomness() };
  const operator = { contents: emptyContents, peer: 'operator', name: 'Operator', workspace, ...ports };
  const { contents } = createFirstIdentity(operator);
  const { rootPublic, secrets } = workspaceIn(contents, workspace);
  const peers = new Map<string, ReturnType<typeof createPeerIdentity>>();
  const grants = new Map<string, readonly Stored<Grant>[]>();
  const checks = createRecordChecks();
  const resolution = createSignerResolution({
    ...{ ws: workspace, rootPublic, checks },
    directory: { grants: (peer) => grants.get(peer) ?? [], grantedPeers: () => [...grants.keys()] },
    floor: { judge: () => 'known', raise: () => {} },
  });
  const registry = createSecretRegistry({ source: { secrets: () => secrets, version: () => 0 }, clock: ports.clock });
  const opener = createEnvelopeOpener({ registry, workspace });
  return {
    rootPublic,
    async issue({ peer, roles, queues }) {
      const wanted = { contents, workspace, peer, name: peer, roles, queues, ...ports };
      const known = peers.get(peer) ?? createPeerIdentity({ ...wanted, kind: 'process', agent: false });
      const { identity, card, grant } = known;
      peers.set(peer, known);
      grants.set(peer, [{ record: grant, storedMs: 0 }]);
      return {
        signSeed: identity.signSeed.reveal().slice(),
        boxSecret: currentBoxKey(identity).secret.reveal().slice(),
        card,
        grant,
        rootPublic,
        ...secretsFor(contents, workspace, ports.clock.now()),
      };
    },
    open(envelope) {
      const opened = opener.open(envelope);
      if (opened.kind === 'opened') return opened.bytes;
      throw new Error(`${opened.failure.kind}: ${opened.failure.why}`);
    },
    signaturesOf: (role) =>
      createSignatureCheck({ verifier: checks.verifier, resolution, rolesFor: () => ({ roles: [role] }) }),
  };
}

/** Issues credentials in a new workspace of that name. */
export function createTestIssuer(workspace: string): IssueCredentials {
  return createTestWorkspace(workspace).issue;
}
