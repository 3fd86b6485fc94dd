import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  createKeyStoreFolder,
  type KeyStoreFolder,
  otherPassphrase,
  passphrase,
} from '../../tests/support/key-store-fixture.ts';
import { createMemoryVault } from '../../tests/support/memory-vault.ts';
import type { FileKeyStore } from '../engine/identity/file-key-store.ts';
import type { StoredWorkspace } from '../engine/identity/key-store.ts';
import { createOwnSecrets } from '../engine/identity/peer-secrets.ts';
import { secretFromText } from '../engine/identity/secret.ts';
import { createFakeClock } from '../engine/ports/fake-clock.ts';
import { createSilentLogger } from '../engine/ports/logger.ts';
import { createDisposer, type Disposer } from '../shared/base/disposer.ts';
import { startAnewPhrase } from '../shared/contract/identity-contract.ts';
import type { CliHost } from './cli/command.ts';
import { wayBackInto } from './cli/passphrase.ts';
import type { OpenWorkspace } from './cli/workspace.ts';
import { followSecrets } from './secret-renewal.ts';

let place: KeyStoreFolder;
let held: Disposer;
beforeEach(() => {
  held = createDisposer();
  place = createKeyStoreFolder();
});
afterEach(() => {
  held.dispose();
  place.dispose();
});

const vault = Object.assign(createMemoryVault(), { isReal: false });
const workspaceWith = (...secrets: readonly (readonly [string, 'active' | 'revoked'])[]): StoredWorkspace => ({
  ...{ workspace: 'home', rootPublic: 'UROOT', rootSeed: null },
  secrets: secrets.map(([id, state]) => ({ id, state, secret: secretFromText(`secret ${id}`), openOnlyUntilMs: null })),
});

/** The key store that another process writes to, by its own passphrase. */
async function writer(): Promise<FileKeyStore> {
  const store = place.store({ vault });
  await store.create({ passphrase: passphrase() });
  await store.update((all) => ({ ...all, workspaces: [workspaceWith(['s1', 'active'])] }));
  return store;
}

/** A peer whose passphrase was typed: it has locked the key store, and there is nobody to be asked any more. */
async function typedPeer() {
  const clock = createFakeClock();
  const keyStore = place.store({ vault, clock });
  await keyStore.unlock({ passphrase: passphrase() });
  let asked = 0;
  const terminal = { isInteractive: true, ask: () => Promise.reject(new Error(`asked ${++asked}`)) };
  const host = { clock, logger: createSilentLogger(), vault, environment: {}, terminal } as unknown as CliHost;
  const wayBack = held.add(wayBackInto(keyStore, host));
  keyStore.lock();
  const secrets = held.add(createOwnSecrets({ secrets: [], ended: [] }));
  const log: [string, object][] = [];
  const open = {
    profile: { keyStore, files: { keyStore: place.file } },
    workspace: 'home',
  } as unknown as OpenWorkspace;
  const renewal = held.add(
    await followSecrets({
      ...{ open, secrets, wayBack, host, onRenewed: () => {} },
      log: (event, fields = {}) => log.push([event, fields]),
    }),
  );
  const names = () => secrets.secrets().map(({ id, state }) => `${id} ${state}`);
  return { clock, keyStore, renewal, log, names, asked: () => asked };
}

test('E7 a passphrase that was typed once is enough: secrets added and revoked later are followed, also behind another one', async () => {
  const store = await writer();
  const peer = await typedPeer();
  await store.update((all) => ({ ...all, workspaces: [workspaceWith(['s1', 'active'], ['s2', 'active'])] }));
  peer.clock.advance(5_000);
  await expect.poll(peer.names).toEqual(['s1 active', 's2 active']);
  await store.setPassphrase(otherPassphrase());
  await store.update((all) => ({ ...all, workspaces: [workspaceWith(['s1', 'revoked'], ['s2', 'active'])] }));
  peer.clock.advance(5_000);
  await expect.poll(peer.names).not.toContain('s1 active');
  expect(peer.log.filter(([event]) => event === 'trouble')).toEqual([]);
  expect(peer.asked()).toBe(0);
  await expect.poll(() => peer.keyStore.state().kind).toBe('locked');
});

test('E7 another key store in its place is not opened, and what to do is said', async () => {
  const store = await writer();
  const peer = await typedPeer();
  await store.startAnew({ confirmation: startAnewPhrase, passphrase: otherPassphrase() });
  peer.clock.advance(5_000);
  await expect.poll(() => peer.log).toHaveLength(1);
  expect(peer.log).toEqual([
    [
      'trouble',
      { code: 'locked', message: expect.stringMatching(/another key store has taken its place: start this anew/) },
    ],
  ]);
  expect(peer.asked()).toBe(0);
});
