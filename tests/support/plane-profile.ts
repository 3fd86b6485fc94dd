/** A real profile with an operator, engines in memory, and peers of the profile on them: what the app's work plane is tested with. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DeniedAccess } from '../../src/engine/access/denial-teller.ts';
import { createPeerPermit } from '../../src/engine/access/peer-permit.ts';
import { createPermittedFabric } from '../../src/engine/access/permitted-fabric.ts';
import type { Fabric } from '../../src/engine/bus/fabric.ts';
import { createEmbeddedFabric } from '../../src/engine/bus/memory/embedded-fabric.ts';
import { createMemoryJournal } from '../../src/engine/bus/memory/memory-journal.ts';
import { provision } from '../../src/engine/bus/provision.ts';
import type { EngineInUse } from '../../src/engine/connections/connection-switch.ts';
import { createFirstIdentity, updateAndErase } from '../../src/engine/identity/operator-identity.ts';
import { type OwnCredentials, takeCredentials } from '../../src/engine/identity/own-credentials.ts';
import { settleOwnRecords } from '../../src/engine/identity/own-records.ts';
import { createCredentialIssuer, type IssueCredentials } from '../../src/engine/identity/peer-credentials.ts';
import { openProfile, type Profile } from '../../src/engine/identity/profile.ts';
import type { OutboxGuard } from '../../src/engine/outbox/outbox.ts';
import type { Clock } from '../../src/engine/ports/clock.ts';
import { createSystemRandomness } from '../../src/engine/ports/randomness.ts';
import type { WorkPlace } from '../../src/engine/swarm/work-lanes.ts';
import { createKnownGrants } from '../../src/engine/work/known-grants.ts';
import { openWorkPeer, type WorkPeer, type WorkPorts } from '../../src/engine/work/work-peer.ts';
import type { Role } from '../../src/shared/protocol/roles.ts';
import type { ContextKind } from '../../src/shared/settings/settings-schema.ts';
import { createLineLogger } from './line-logger.ts';
import { createMemoryVault } from './memory-vault.ts';

/** Workspace of the profile. */
export const planeWorkspace = 'acme';

/** An engine in memory, with its streams. */
export type PlaneEngine = EngineInUse & { readonly fabric: Fabric };

export interface PlaneProfile {
  readonly ports: WorkPorts;
  readonly log: readonly string[];
  readonly profile: Profile;
  readonly issue: IssueCredentials;
  openEngine(destination: string, kind?: ContextKind): Promise<PlaneEngine>;
  /** A peer of the profile behind its permit, over a journal in memory; closed with the profile. */
  openPeer(
    engine: Pick<WorkPlace, 'fabric'>,
    name: string,
    rights: { readonly roles: readonly Role[]; readonly queues?: readonly string[]; readonly guard?: OutboxGuard },
  ): Promise<WorkPeer>;
  /** The same with credentials that somebody else has taken. */
  openPeerWith(own: OwnCredentials, engine: Pick<WorkPlace, 'fabric'>): Promise<WorkPeer>;
  /** What the peers were refused. */
  readonly denied: readonly DeniedAccess[];
  close(): Promise<void>;
}

/** Opens it in a scratch folder, unlocked. */
export async function openPlaneProfile(clock: Clock): Promise<PlaneProfile> {
  const folder = mkdtempSync(join(tmpdir(), 'vak-plane-'));
  const log: string[] = [];
  const ports = { clock, randomness: createSystemRandomness(), logger: createLineLogger(log, clock.now) };
  const workspace = planeWorkspace;
  const profile = await openProfile({ ...ports, folder, workspace, vault: createMemoryVault() });
  await profile.keyStore.create({});
  await updateAndErase(
    profile.keyStore,
    (contents) => createFirstIdentity({ ...ports, contents, workspace, peer: 'ada', name: 'Ada' }).contents,
  );
  await settleOwnRecords(profile.keyStore, { workspace, clock }, profile.records);
  const issue = createCredentialIssuer({ ...ports, keyStore: profile.keyStore, records: profile.records });
  const fabrics: Fabric[] = [];
  const peers: WorkPeer[] = [];
  const denied: DeniedAccess[] = [];

  async function openPeerWith(
    own: OwnCredentials,
    { fabric }: Pick<WorkPlace, 'fabric'>,
    guard?: OutboxGuard,
  ): Promise<WorkPeer> {
    const { peer, roles, queues } = own.grant;
    const permit = createPeerPermit({
      ...{ ...ports, workspace, peer, roles, queues },
      onDenied: (one) => denied.push(one),
    });
    return await openWorkPeer({
      ...{ ...ports, own, journal: createMemoryJournal(), fabric: createPermittedFabric(fabric, permit) },
      grants: createKnownGrants(profile.records, { current: () => own.rootPublic }),
      policy: () => profile.settings.settings().policy,
      ...(guard === undefined ? {} : { guard }),
    });
  }

  return {
    ...{ ports, log, profile, issue, openPeerWith, denied },
    async openEngine(destination, kind = 'embedded') {
      const fabric = await createEmbeddedFabric({ ...ports, folder: undefined, durability: 'written' });
      await provision(fabric.durable, workspace);
      fabrics.push(fabric);
      return { kind, fabric, destination, readOnlyContext: undefined };
    },
    async openPeer(engine, peer, { roles, queues = [], guard }) {
      const opened = await openPeerWith(
        takeCredentials(await issue({ peer, roles, queues }), { workspace, peer }),
        engine,
        guard,
      );
      peers.push(opened);
      return opened;
    },
    async close() {
      for (const peer of peers) await peer.close(0);
      for (const fabric of fabrics) await fabric.close();
      await profile.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
