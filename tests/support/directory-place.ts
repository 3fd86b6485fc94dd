/** Profiles of workspace `acme` on one embedded engine whose buckets are there: what each knows, and what lies in between. */
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import type { DurablePlane } from '../../src/engine/bus/durable.ts';
import type { Fabric } from '../../src/engine/bus/fabric.ts';
import { createEmbeddedFabric } from '../../src/engine/bus/memory/embedded-fabric.ts';
import { keyValuesOf } from '../../src/engine/bus/provision.ts';
import { type BusDirectory, createBusDirectory } from '../../src/engine/identity/bus-directory.ts';
import { cardBucketOf, grantBucketOf } from '../../src/engine/identity/bus-entry.ts';
import type { GrantFields, VerifiedGrant } from '../../src/engine/identity/grants.ts';
import { publishCard, publishGrant } from '../../src/engine/identity/own-records.ts';
import type { DirectoryRefusal } from '../../src/engine/identity/refusal-teller.ts';
import { createRecordChecks } from '../../src/engine/identity/signed-record.ts';
import { createSignerResolution, type SignerQuestion } from '../../src/engine/identity/signer-resolution.ts';
import { openWorkspaceRecords, type WorkspaceRecords } from '../../src/engine/identity/workspace-records.ts';
import type { Clock } from '../../src/engine/ports/clock.ts';
import type { Stored } from '../../src/engine/ports/directory.ts';
import { createFakeClock, type FakeClock } from '../../src/engine/ports/fake-clock.ts';
import { createSilentLogger } from '../../src/engine/ports/logger.ts';
import { createSystemRandomness } from '../../src/engine/ports/randomness.ts';
import { profileFiles } from '../../src/engine/settings/profile-files.ts';
import { utf8 } from '../../src/shared/base/bytes.ts';
import type { Grant } from '../../src/shared/protocol/identity-records.ts';
import { cardWith, createScratchFolder, grantWith, root, signerOf } from './identity-fixture.ts';

export interface ProfileOptions {
  readonly holdsRoot?: boolean;
  readonly isReadOnly?: boolean;
  /** Number of its peer's key; 1 unless told. */
  readonly key?: number;
  /** In place of the engine's own. */
  readonly durable?: DurablePlane;
  /** In place of the place's engine: a connection of this profile's own, which stays the caller's. */
  readonly fabric?: Fabric;
  /** Of this profile's machine, in place of the place's. */
  readonly clock?: Clock;
}

/** A profile that is connected. */
export interface ConnectedProfile {
  readonly records: WorkspaceRecords;
  readonly bus: BusDirectory;
  readonly refused: readonly DirectoryRefusal[];
  /** Roles that a peer has now: an empty list is a revoked one, undefined one that is not known. */
  rolesOf(peer: string): readonly string[] | undefined;
  /** What is said of what a key signed at a time. */
  verdict(question: Pick<SignerQuestion, 'peer' | 'signer' | 'at'> & Partial<SignerQuestion>): string;
  /** Puts a grant of the root into the profile. */
  grant(fields?: Partial<GrantFields>): Promise<VerifiedGrant>;
  close(): Promise<void>;
}

export interface DirectoryPlace {
  readonly clock: FakeClock;
  readonly fabric: Fabric;
  /** A profile by its name: the same folder for the same name. */
  connect(name: string, options?: ProfileOptions): Promise<ConnectedProfile>;
  /** Puts something under a key, as anybody may who can write there. */
  put(kind: 'card' | 'grant', key: string, value: object | string | Uint8Array): Promise<number>;
  /** What lies under a key: the record, or undefined. */
  lies(kind: 'card' | 'grant', key: string): Promise<Record<string, unknown> | undefined>;
  /** Waits until something is so; no time passes unless `everyMs` does at each look. */
  until(check: () => unknown, everyMs?: number): Promise<void>;
  /** Waits until these have taken what lies there, and what they have to say lies there. */
  settled(...profiles: readonly ConnectedProfile[]): Promise<void>;
  close(): Promise<void>;
}

const bytesOf = (value: object | string | Uint8Array): Uint8Array =>
  value instanceof Uint8Array ? value : utf8(typeof value === 'string' ? value : JSON.stringify(value));

/** The key that a peer of these tests signs with, by number. */
export const keyOf = (n: number): string => signerOf(n).nkey;

/** The root's holder, an operator, with its own grant on the bus; and bob, who was granted nothing. */
export async function twoProfiles(at: DirectoryPlace) {
  const boss = await at.connect('boss', { holdsRoot: true, key: 1 });
  await boss.grant({ roles: ['operator', 'human'] });
  const bob = await at.connect('bob', { key: 2 });
  await at.settled(boss);
  return { boss, bob };
}

/** The root grants bob his key as a worker, or no role at all. */
export async function grantBob(
  boss: ConnectedProfile,
  serial: number,
  roles: readonly 'worker'[] = ['worker'],
): Promise<VerifiedGrant> {
  const queues = roles.length === 0 ? [] : ['q'];
  return await boss.grant({ peer: 'bob', sign: keyOf(2), roles: [...roles], queues, serial });
}

/** Creates it; `withBuckets` false: nobody has provisioned it. */
export async function createDirectoryPlace(withBuckets = true): Promise<DirectoryPlace> {
  const clock = createFakeClock();
  const randomness = createSystemRandomness();
  const logger = createSilentLogger();
  const scratch = createScratchFolder();
  const fabric = await createEmbeddedFabric({ folder: undefined, durability: 'written', clock, randomness, logger });
  const open: ConnectedProfile[] = [];
  const bucketOf = { card: cardBucketOf('acme'), grant: grantBucketOf('acme') };
  if (withBuckets) for (const spec of keyValuesOf('acme')) await fabric.durable.ensureKeyValue(spec);

  async function connect(name: string, options: ProfileOptions = {}): Promise<ConnectedProfile> {
    const { holdsRoot = false, isReadOnly = false, key = 1, fabric: engine = fabric, clock: own = clock } = options;
    const { durable = engine.durable } = options;
    const files = profileFiles(join(scratch.path, name));
    const report = (error: unknown): never => {
      throw error;
    };
    const records = await openWorkspaceRecords({ files, workspace: 'acme', clock: own, randomness, report });
    await publishCard(cardWith({ peer: name, name }, signerOf(key)), records);
    const refused: DirectoryRefusal[] = [];
    const bus = createBusDirectory({
      ...{ records, isReadOnly, clock: own, logger, onRefused: (one) => refused.push(one) },
      fabric: { durable, status: engine.status, onStatus: engine.onStatus },
      self: {
        ...{ peer: name, rootPublic: root.nkey, holdsRoot: () => holdsRoot },
        ownSign: (peer) => (peer === name ? keyOf(key) : undefined),
      },
    });
    const resolution = createSignerResolution({
      ...{ ws: 'acme', rootPublic: root.nkey, directory: records.directory, floor: records.floor },
      checks: createRecordChecks(),
    });
    const countsUnderRoot = (grants: readonly Stored<Grant>[]): Grant | undefined => grants.at(-1)?.record;
    let isClosed = false;
    const profile: ConnectedProfile = {
      ...{ records, bus, refused },
      rolesOf: (peer) => countsUnderRoot(records.directory.grants(peer))?.roles,
      verdict: (question) => resolution.resolveSigner({ ws: 'acme', roles: ['human'], ...question }).kind,
      async grant(fields = {}) {
        const made = grantWith({ peer: name, sign: keyOf(key), ...fields });
        await publishGrant(made, records);
        return made;
      },
      async close() {
        if (isClosed) return;
        isClosed = true;
        await bus.close();
        await records.close();
      },
    };
    open.push(profile);
    return profile;
  }

  async function until(check: () => unknown, everyMs = 0): Promise<void> {
    await vi.waitFor(
      async () => {
        clock.advance(everyMs);
        expect(await check()).toBeTruthy();
      },
      { interval: 1, timeout: 5_000 },
    );
  }

  return {
    ...{ clock, fabric, connect, until },
    async settled(...profiles) {
      for (const { bus } of profiles) {
        let isSettled = false;
        void bus.published(1_000).then(() => {
          isSettled = true;
        });
        await until(() => isSettled);
      }
    },
    put: (kind, key, value) => fabric.durable.keyValue(bucketOf[kind]).put(key, bytesOf(value)),
    async lies(kind, key) {
      const entry = await fabric.durable.keyValue(bucketOf[kind]).get(key);
      if (entry === undefined) return undefined;
      try {
        return JSON.parse(new TextDecoder().decode(entry.value)) as Record<string, unknown>;
      } catch {
        return {};
      }
    },
    async close() {
      for (const profile of open) await profile.close();
      await fabric.close();
      scratch.dispose();
    },
  };
}
