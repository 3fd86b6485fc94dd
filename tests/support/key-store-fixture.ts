/** Key stores in a scratch folder, and what is put into them. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFileKeyStore, type FileKeyStore } from '../../src/engine/identity/file-key-store.ts';
import type { KeyStoreContents, StoredIdentity } from '../../src/engine/identity/key-store.ts';
import { createSecret, type Secret, secretFromText } from '../../src/engine/identity/secret.ts';
import type { FileKeyStoreOptions } from '../../src/engine/identity/store-core.ts';
import { createFakeClock } from '../../src/engine/ports/fake-clock.ts';
import { createSilentLogger } from '../../src/engine/ports/logger.ts';
import { createSystemRandomness } from '../../src/engine/ports/randomness.ts';
import { toHex } from '../../src/shared/base/bytes.ts';
import { type Disposable, toDisposable } from '../../src/shared/base/disposer.ts';
import { createMemoryVault } from './memory-vault.ts';

export interface KeyStoreFolder extends Disposable {
  readonly folder: string;
  readonly file: string;
  /** A store over the file; disposed with the folder. */
  store(options?: Partial<FileKeyStoreOptions>): FileKeyStore;
  /** Every file of the folder by its name. */
  files(): Map<string, Buffer>;
}

export function createKeyStoreFolder(): KeyStoreFolder {
  const folder = mkdtempSync(join(tmpdir(), 'vak-keys-'));
  const file = join(folder, 'keys', 'store.vak');
  const stores: FileKeyStore[] = [];
  return {
    folder,
    file,
    store(options = {}) {
      const store = createFileKeyStore({
        ...{ file, vault: createMemoryVault(), clock: createFakeClock(), randomness: createSystemRandomness() },
        ...{ logger: createSilentLogger(), idleLockMinutes: 0 },
        ...options,
      });
      stores.push(store);
      return store;
    },
    files() {
      const path = join(folder, 'keys');
      return new Map(readdirSync(path).map((name) => [name, readFileSync(join(path, name))]));
    },
    ...toDisposable(() => {
      for (const store of stores) store.dispose();
      rmSync(folder, { recursive: true, force: true });
    }),
  };
}

const filled = (length: number, byte: number): Secret => createSecret(new Uint8Array(length).fill(byte));

export function sampleIdentity(peer: string, cardSerial: number): StoredIdentity {
  return {
    ...{ peer, kind: 'human', agent: false, name: 'Zoë 漢字', cardSerial, signSeed: secretFromText('SUsecretSEED') },
    boxKeys: [
      { secret: filled(32, 1), createdMs: 1, expiresMs: 2.5 },
      { secret: filled(32, 2), createdMs: 3, expiresMs: 4 },
    ],
  };
}

/** Something in every field. */
export function sampleContents(): KeyStoreContents {
  return {
    identities: [sampleIdentity('mira', 7), { ...sampleIdentity('bot-1', 0), kind: 'bot', agent: true, boxKeys: [] }],
    workspaces: [
      {
        ...{ workspace: 'home', rootPublic: 'UROOT', rootSeed: secretFromText('SUrootSEED') },
        secrets: [
          { id: 'a', secret: filled(32, 3), state: 'active', openOnlyUntilMs: null },
          { id: 'b', secret: filled(9, 4), state: 'open-only', openOnlyUntilMs: 99 },
        ],
      },
      { workspace: 'away', rootPublic: 'UOTHER', rootSeed: null, secrets: [] },
    ],
    credentials: new Map([
      ['VAK_BUS_NATS_NKEY_SEED', secretFromText('SUnatsSEED')],
      ['__proto__', secretFromText('a name like any other')],
    ]),
    roomKeys: new Map([['room.1', filled(32, 5)]]),
  };
}

/** Contents with the secrets' bytes in the open, to compare. */
export function plainContents(value: unknown): unknown {
  if (value instanceof Map) return [...value].map(plainContents);
  if (Array.isArray(value)) return value.map(plainContents);
  if (typeof value !== 'object' || value === null) return value;
  if ('reveal' in value) return toHex((value as Secret).reveal());
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plainContents(inner)]));
}

/** Every secret in contents. */
export function secretsOf(value: unknown): Secret[] {
  if (value instanceof Map) return [...value.values()].flatMap(secretsOf);
  if (Array.isArray(value)) return value.flatMap(secretsOf);
  if (typeof value !== 'object' || value === null) return [];
  return 'reveal' in value ? [value as Secret] : Object.values(value).flatMap(secretsOf);
}

export const passphrase = (): Secret => secretFromText('correct horse battery');
export const otherPassphrase = (): Secret => secretFromText('another long passphrase');

export const serials = ({ identities }: KeyStoreContents): number[] => identities.map(({ cardSerial }) => cardSerial);

export const addIdentity =
  (serial: number) =>
  (contents: KeyStoreContents): KeyStoreContents => ({
    ...contents,
    identities: [...contents.identities, sampleIdentity(`peer-${serial}`, serial)],
  });
