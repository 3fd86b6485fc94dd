/** Real profiles in scratch folders: real key store, directory and settings, a keychain and a clock that the test plays. */

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KeyStoreContents } from '../../src/engine/identity/key-store.ts';
import { openProfile, type Profile } from '../../src/engine/identity/profile.ts';
import { createFakeClock, type FakeClock } from '../../src/engine/ports/fake-clock.ts';
import type { Logger } from '../../src/engine/ports/logger.ts';
import { createSystemRandomness, type Randomness } from '../../src/engine/ports/randomness.ts';
import { secretsOf } from './key-store-fixture.ts';
import { createLineLogger } from './line-logger.ts';
import { createMemoryVault, type MemoryVault } from './memory-vault.ts';
import type { KnownSecret } from './secret-search.ts';

export interface TestProfiles {
  readonly clock: FakeClock;
  /** Sets the wall clock forward, as after a sleep: no timer runs. */
  sleep(ms: number): void;
  readonly vault: MemoryVault;
  readonly randomness: Randomness;
  readonly logger: Logger;
  /** Lines of the log. */
  readonly log: readonly string[];
  /** A new folder. */
  folder(): string;
  /** Opens the profile in a folder, as a start of the app does; closed by `remove`, or before. */
  open(folder: string): Promise<Profile>;
  remove(): Promise<void>;
}

/** Workspace of these profiles. */
export const testWorkspace = 'ws';

/** Creates a place for profiles whose keychain is real. */
export function createTestProfiles(): TestProfiles {
  const root = mkdtempSync(join(tmpdir(), 'vak-profiles-'));
  let sleptMs = 0;
  const awake = createFakeClock();
  const clock: FakeClock = {
    ...awake,
    now: () => awake.now() + sleptMs,
    get timerCount() {
      return awake.timerCount;
    },
  };
  const vault = createMemoryVault();
  const randomness = createSystemRandomness();
  const log: string[] = [];
  const logger = createLineLogger(log, clock.now);
  const opened: Profile[] = [];
  return {
    ...{ clock, vault, randomness, log, logger },
    sleep(ms) {
      sleptMs += ms;
    },
    folder: () => mkdtempSync(join(root, 'p-')),
    async open(folder) {
      const profile = await openProfile({ folder, workspace: testWorkspace, vault, clock, randomness, logger });
      opened.push(profile);
      return profile;
    },
    async remove() {
      for (const profile of opened) await profile.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** Every file under a folder with its bytes. */
export function filesUnder(folder: string): ReadonlyMap<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  const files = names.filter((name) => statSync(join(folder, name)).isFile());
  return new Map(files.map((name) => [name, readFileSync(join(folder, name)).toString('base64')]));
}

/** Copies of all secrets in contents, to look for. */
export function knownSecrets(contents: KeyStoreContents): readonly KnownSecret[] {
  return secretsOf(contents).map((secret, index) => ({ name: `secret ${index}`, bytes: secret.reveal().slice() }));
}
