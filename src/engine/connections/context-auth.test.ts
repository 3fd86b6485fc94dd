import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createKeyStoreFolder } from '../../../tests/support/key-store-fixture.ts';
import { toText } from '../../shared/base/bytes.ts';
import type { GivenAuth } from '../bus/nats/nats-auth.ts';
import { type Secret, secretFromText } from '../identity/secret.ts';
import { createContextAuth } from './context-auth.ts';
import {
  type ContextSecretPart,
  contextCredentials,
  contextSecretName,
  storeContextSecrets,
} from './context-secrets.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vak-auth-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function authOf(
  environment: Record<string, string>,
  stored: Record<string, string> = {},
  context: string | null = 'c',
) {
  const keyStore = new Map(Object.entries(stored).map(([name, text]) => [name, secretFromText(text)]));
  const auth = createContextAuth({
    context: context ?? undefined,
    sources: () => ({ environment, keyStore: (name) => keyStore.get(name) }),
  });
  return { auth, keyStore };
}

/** An answer with its secrets as texts. */
function shown(auth: GivenAuth | undefined): unknown {
  return (
    auth &&
    Object.fromEntries(
      Object.entries(auth).map(([name, value]) => [
        name,
        typeof value === 'string' ? value : toText((value as Secret).reveal()),
      ]),
    )
  );
}

const profile = { VAK_BUS_NATS_CREDENTIALS_JWT: 'pj', VAK_BUS_NATS_NKEY_SEED: 'ps' };
const own = { 'contexts.c.jwt': 'cj', 'contexts.c.seed': 'cs' };

it('B9 the environment goes before the context, the context before the profile, and each is taken whole', async () => {
  const environment = { VAK_BUS_NATS_NKEY_SEED: 'es' };
  expect(shown(await authOf(environment, { ...profile, ...own }).auth.read())).toEqual({ kind: 'nkey', seed: 'es' });
  expect(shown(await authOf({}, { ...profile, ...own }).auth.read())).toEqual({ kind: 'jwt', jwt: 'cj', seed: 'cs' });
  expect(shown(await authOf({}, { ...profile, 'contexts.c.seed': 'cs' }).auth.read())).toEqual({
    kind: 'nkey',
    seed: 'cs',
  });
  expect(shown(await authOf({}, profile).auth.read())).toEqual({ kind: 'jwt', jwt: 'pj', seed: 'ps' });
  expect(await authOf({}).auth.read()).toBeUndefined();
});

it('B9 user and password, and token, of a context', async () => {
  const named = authOf({}, { 'contexts.c.user': 'u', 'contexts.c.password': 'p' });
  expect(shown(await named.auth.read())).toEqual({ kind: 'password', user: 'u', password: 'p' });
  expect(shown(await authOf({}, { 'contexts.c.token': 't' }).auth.read())).toEqual({ kind: 'token', token: 't' });
});

it("I3 at another server's address the context's own secrets are not used", async () => {
  const { auth } = authOf({}, { ...own, 'contexts.c.tlsCa': 'pem' }, null);
  const { auth: other } = authOf({}, own, 'd');
  expect([await auth.read(), auth.tls(), await other.read()]).toEqual([undefined, undefined, undefined]);
});

it.each([
  ['environment', { VAK_BUS_NATS_CREDENTIALS_JWT: 'ej' }, profile],
  ['context', {}, { ...profile, 'contexts.c.jwt': 'cj' }],
  ['profile', {}, { VAK_BUS_NATS_CREDENTIALS_JWT: 'pj' }],
])(
  'B9 A37 a JWT of the %s without its seed is for the peer’s own key to prove, not a reason to look further',
  async (_name, environment, stored) => {
    expect(await authOf(environment, stored).auth.read()).toMatchObject({ kind: 'jwt-alone' });
  },
);

it('B8 each try reads anew, what was read before is erased, and what is the key store’s is not', async () => {
  const path = join(folder, 'seed');
  await writeFile(path, 'first', { mode: 0o600 });
  const { auth } = authOf({ VAK_BUS_NATS_NKEY_SEED_FILE: path });
  const first = await auth.read();
  expect(shown(first)).toEqual({ kind: 'nkey', seed: 'first' });
  await writeFile(path, 'second');
  const second = await auth.read();
  expect(shown(second)).toEqual({ kind: 'nkey', seed: 'second' });
  expect(() => shown(first)).toThrow(/erased/);
  auth.dispose();
  expect(() => shown(second)).toThrow(/erased/);
  const stored = authOf({}, profile);
  const read = await stored.auth.read();
  stored.auth.dispose();
  expect(shown(read)).toMatchObject({ seed: 'ps' });
});

it('B9 the TLS key outlives the lock of the key store, and ends with the connection', () => {
  const { auth, keyStore } = authOf(
    {},
    { 'contexts.c.tlsCa': 'ca', 'contexts.c.tlsCert': 'cert', 'contexts.c.tlsKey': 'key' },
  );
  const tls = auth.tls();
  for (const secret of keyStore.values()) secret.dispose();
  expect([tls?.ca, tls?.cert, tls?.key?.reveal()].map((bytes) => toText(bytes as Uint8Array))).toEqual([
    'ca',
    'cert',
    'key',
  ]);
  auth.dispose();
  expect(() => tls?.key?.reveal()).toThrow(/erased/);
  expect(() => authOf({}, { 'contexts.c.tlsCert': 'cert' }).auth.tls()).toThrow(/import both/);
});

it('I3 a context’s secrets are replaced whole in the key store, and forgotten with it', async () => {
  const at = createKeyStoreFolder();
  try {
    const store = at.store();
    await store.create({});
    const secrets = (parts: Partial<Record<ContextSecretPart, string>>): Map<ContextSecretPart, Secret> =>
      new Map(Object.entries(parts).map(([part, text]) => [part as ContextSecretPart, secretFromText(text)]));
    const kind = (context: string): string => contextCredentials(context, store.read().credentials);
    await storeContextSecrets(store, 'a', secrets({ user: 'u', password: 'p', tlsCa: 'pem' }));
    await storeContextSecrets(store, 'b', secrets({ token: 't' }));
    expect([kind('a'), kind('b'), kind('c')]).toEqual(['password', 'token', 'none']);
    await storeContextSecrets(store, 'a', secrets({ jwt: 'j', seed: 's' }));
    expect([...store.read().credentials.keys()].sort()).toEqual([
      'contexts.a.jwt',
      'contexts.a.seed',
      'contexts.b.token',
    ]);
    expect(kind('a')).toBe('jwt');
    await storeContextSecrets(store, 'a', secrets({ seed: 's' }));
    expect(kind('a')).toBe('nkey');
    await storeContextSecrets(store, 'a', new Map());
    expect([...store.read().credentials.keys()]).toEqual([contextSecretName('b', 'token')]);
  } finally {
    at.dispose();
  }
});
