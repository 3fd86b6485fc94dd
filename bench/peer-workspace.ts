/**
 * A profile whose workspace has granted many peers, made by the product's own code: what an operator finds who joins a large swarm.
 * Law: what a peer signs and seals with leaves this process by the channel to the load alone.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { passphrase, vak } from '../e2e/support/set-up-profile.ts';
import { createFileKeyStore } from '../src/engine/identity/file-key-store.ts';
import { signGrant } from '../src/engine/identity/grants.ts';
import type { StoredWorkspace } from '../src/engine/identity/key-store.ts';
import { createNkeySeed, createNkeySigner } from '../src/engine/identity/nkey.ts';
import { workspaceIn } from '../src/engine/identity/root-grants.ts';
import { secretFromText } from '../src/engine/identity/secret.ts';
import { createSystemClock } from '../src/engine/ports/clock.ts';
import { createSilentLogger } from '../src/engine/ports/logger.ts';
import { createSystemRandomness } from '../src/engine/ports/randomness.ts';
import { createNoVault } from '../src/engine/ports/vault.ts';
import { profileFiles } from '../src/engine/settings/profile-files.ts';
import { toBase64 } from '../src/shared/base/bytes.ts';
import type { Grant } from '../src/shared/protocol/identity-records.ts';
import type { LoadSecrets } from './load-frames.ts';

/** Name of the workspace that a profile belongs to from its first start on. */
const workspace = 'default';
const ports = { clock: createSystemClock(), randomness: createSystemRandomness() };

export interface PeerWorkspace {
  /** The user-data folder of an app that is connected to the server and belongs to the workspace. */
  readonly profile: string;
  readonly secrets: LoadSecrets;
  remove(): void;
}

/** Reads the workspace out of the key store that a first start made. */
async function readWorkspace<T>(profile: string, read: (held: StoredWorkspace) => T): Promise<T> {
  const keyStore = createFileKeyStore({
    ...{ ...ports, file: profileFiles(profile).keyStore, vault: createNoVault() },
    ...{ logger: createSilentLogger(), idleLockMinutes: 0 },
  });
  const given = secretFromText(passphrase);
  try {
    await keyStore.unlock({ passphrase: given });
    return read(workspaceIn(keyStore.read(), workspace));
  } finally {
    given.dispose();
    keyStore.dispose();
  }
}

/** Grants so many peers the role of a worker. */
function grantPeers({ rootSeed, secrets }: StoredWorkspace, count: number): { grants: Grant[]; secrets: LoadSecrets } {
  const [secret] = secrets;
  if (rootSeed === null || secret === undefined) throw new Error('the profile holds no root, or no secret');
  const root = createNkeySigner(rootSeed);
  const serial = Math.floor(ports.clock.now() / 1000);
  const made = Array.from({ length: count }, (_, index) => {
    const peer = `peer-${String(index + 1).padStart(4, '0')}`;
    const seed = createNkeySeed(ports.randomness);
    const signer = createNkeySigner(seed);
    const fields = { ws: workspace, peer, sign: signer.nkey, roles: ['worker' as const], queues: ['bench'] };
    const grant = signGrant({ ...fields, serial, notAfter: 0 }, root);
    signer.dispose();
    return { grant, peer: { peer, seed: toBase64(seed.reveal()) } };
  });
  root.dispose();
  return {
    grants: made.map(({ grant }) => grant),
    secrets: {
      workspace,
      secret: { id: secret.id, bytes: toBase64(secret.secret.reveal()) },
      peers: made.map(({ peer }) => peer),
    },
  };
}

/** Puts grants where the profile keeps them: at once, as thousands of single changes would take minutes. */
function storeGrants(profile: string, grants: readonly Grant[]): void {
  const file = profileFiles(profile).directory(workspace);
  const known = JSON.parse(readFileSync(file, 'utf8')) as { readonly grants: readonly unknown[] };
  const storedMs = ports.clock.now();
  const added = grants.map((record) => ({ record, storedMs }));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify({ ...known, grants: [...known.grants, ...added] })}\n`, { mode: 0o600 });
}

/** Makes the profile by a first start, grants the peers, and sets the server as its connection. */
export async function createPeerWorkspace(count: number, serverUrl: string): Promise<PeerWorkspace> {
  const profile = mkdtempSync(join(tmpdir(), 'vak-bench-peers-'));
  const remove = (): void => rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  try {
    const made = vak(profile, ['id', 'new', '--name', 'Operator']);
    if (made.code !== 0) throw new Error(`vak id new: ${made.code}: ${made.stderr}`);
    const { grants, secrets } = await readWorkspace(profile, (held) => grantPeers(held, count));
    storeGrants(profile, grants);
    const contexts = { bench: { kind: 'remote', url: serverUrl, colour: 'grey' } };
    const settings = { currentContext: 'bench', idleLockMinutes: 0, contexts };
    writeFileSync(profileFiles(profile).settings, `${JSON.stringify(settings)}\n`, { mode: 0o600 });
    return { profile, secrets, remove };
  } catch (error) {
    remove();
    throw error;
  }
}
