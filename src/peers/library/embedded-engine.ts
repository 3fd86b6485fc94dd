/** An engine of this process for tests of programs: memory alone, with a profile that nobody else has and that goes with it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEmbeddedFabric } from '../../engine/bus/memory/embedded-fabric.ts';
import { provision } from '../../engine/bus/provision.ts';
import { keyBytes, openBytes, sealBytes } from '../../engine/identity/body-cipher.ts';
import { createFileKeyStore } from '../../engine/identity/file-key-store.ts';
import { createFirstIdentity, updateAndErase } from '../../engine/identity/operator-identity.ts';
import { createSystemClock } from '../../engine/ports/clock.ts';
import { createSilentLogger } from '../../engine/ports/logger.ts';
import { createSystemRandomness, type Randomness } from '../../engine/ports/randomness.ts';
import type { Vault } from '../../engine/ports/vault.ts';
import { profileFiles } from '../../engine/settings/profile-files.ts';
import { createDisposer } from '../../shared/base/disposer.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { checkToken } from '../../shared/protocol/subject.ts';
import type { WorkPeerAsked } from '../work-peer.ts';
import type { Embedded, EmbeddedOptions } from './library-api.ts';

/** What connections take from it. */
export interface EmbeddedParts {
  readonly workspace: string;
  readonly profile: string;
  readonly vault: Vault;
  readonly through: NonNullable<WorkPeerAsked['through']>;
}

const parts = Symbol('vak.embedded');
type WithParts = Embedded & { readonly [parts]: EmbeddedParts };

/** The parts of what `openEmbedded` gave. Throws `invalid-input` for anything else. */
export function embeddedParts(embedded: Embedded): EmbeddedParts {
  if (parts in embedded) return (embedded as WithParts)[parts];
  throw new VakError('invalid-input', 'connect: embedded: expected what openEmbedded gave');
}

/** Keeps a key under one of this process alone: the files are of no use to anybody else. */
function createProcessVault(randomness: Randomness): Vault & { dispose(): void } {
  const key = randomness.bytes(keyBytes);
  const bound = new Uint8Array();
  return {
    backend: () => ({ name: 'process', isReal: true }),
    wrap: async (bytes) => sealBytes(bytes, randomness, { key, bound }),
    async unwrap(wrapped) {
      const opened = openBytes(wrapped, { key, bound });
      if (opened === undefined) throw new VakError('recovery-needed', 'the key store is not one of this engine');
      return opened;
    },
    dispose: () => void key.fill(0),
  };
}

/** Opens it. Throws `invalid-subject` for a workspace that is no token. */
export async function openEmbeddedEngine({ workspace = 'default' }: EmbeddedOptions = {}): Promise<Embedded> {
  checkToken(workspace, 'workspace');
  const ports = { clock: createSystemClock(), randomness: createSystemRandomness(), logger: createSilentLogger() };
  const held = createDisposer();
  const vault = createProcessVault(ports.randomness);
  held.add(vault);
  const profile = await mkdtemp(join(tmpdir(), 'vak-embedded-'));
  const fabric = await createEmbeddedFabric({ ...ports, folder: undefined, durability: 'written' });

  async function shut(): Promise<void> {
    await fabric.close();
    await rm(profile, { recursive: true, force: true, maxRetries: 3 });
    held.dispose();
  }

  try {
    const file = profileFiles(profile).keyStore;
    const keyStore = held.add(createFileKeyStore({ ...ports, file, vault, idleLockMinutes: 0 }));
    await keyStore.create({});
    const first = { ...ports, workspace, peer: 'operator', name: 'operator' };
    await updateAndErase(keyStore, (contents) => createFirstIdentity({ ...first, contents }).contents);
    keyStore.lock();
    await provision(fabric.durable, workspace);
  } catch (error) {
    await shut();
    throw error;
  }

  const place = { label: 'embedded', destination: 'embedded', readOnlyContext: undefined };
  let closing: Promise<void> | undefined;
  function close(): Promise<void> {
    closing ??= shut();
    return closing;
  }
  const embedded: WithParts = {
    workspace,
    close,
    [Symbol.asyncDispose]: close,
    [parts]: { workspace, profile, vault, through: { fabric, place } },
  };
  return embedded;
}
