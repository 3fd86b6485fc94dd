import { createUser } from 'nkeys.js';
import { afterAll, expect, it } from 'vitest';
import { type NatsServer, startNatsServer } from '../../../tests/support/nats-server.ts';
import { toText, utf8 } from '../../shared/base/bytes.ts';
import { jwtConfig, serverPolicyOf } from '../access/server-config.ts';
import { openCredentials } from '../bus/nats/nats-auth.ts';
import { connectNats } from '../bus/nats/nats-fabric.ts';
import type { KeyStore } from '../identity/key-store.ts';
import { createSecret, secretFromText } from '../identity/secret.ts';
import { signServerJwts } from '../identity/server-jwt.ts';
import { deriveServerKeys } from '../identity/server-keys.ts';
import { createSystemClock } from '../ports/clock.ts';
import { createSilentLogger } from '../ports/logger.ts';
import { createSystemRandomness } from '../ports/randomness.ts';
import { createOwnServerAuth, provenBy } from './own-server-auth.ts';

const clock = createSystemClock();
const jwtLifeMs = 30 * 24 * 3_600_000;
let server: NatsServer | undefined;
afterAll(() => server?.stop());

const own = createUser();
const root = createUser();
const secretOf = (key: typeof own) => createSecret(Uint8Array.from(key.getSeed()));

/** A key store with one identity, and the root of its workspace if so wanted; it can be locked. */
function storeOf({ holdsRoot }: { readonly holdsRoot: boolean }) {
  const workspaces = [{ workspace: 'ws', rootSeed: holdsRoot ? secretOf(root) : null }];
  const contents = { identities: [{ peer: 'me', signSeed: secretOf(own) }], workspaces };
  const store = { isLocked: false, readCount: 0 };
  const keyStore = {
    state: () => ({ kind: store.isLocked ? 'locked' : 'unlocked' }),
    read() {
      store.readCount++;
      return contents;
    },
  } as unknown as Pick<KeyStore, 'read' | 'state'>;
  return { ...store, store, keyStore };
}

it('B8 B9 a JWT that expires is renewed from the key store, and the session goes on', async () => {
  const nowSeconds = Math.floor(clock.now() / 1_000);
  const keys = deriveServerKeys('ws', secretOf(root));
  const granted = { peer: 'me', sign: own.getPublicKey(), roles: ['human'] as const, queues: [], notAfter: 0 };
  const policy = serverPolicyOf('ws', [{ ...granted, holdsRoot: true }], []);
  server = await startNatsServer({
    jetStream: false,
    config: jwtConfig(signServerJwts(policy, { keys, nowSeconds })),
  });
  keys.dispose();

  // The first one was made long ago.
  let behindMs = jwtLifeMs - 2_500;
  const { keyStore } = storeOf({ holdsRoot: true });
  const auth = createOwnServerAuth({
    keyStore,
    workspace: 'ws',
    peer: 'me',
    clock: { now: () => clock.now() - behindMs },
  });
  const fabric = await connectNats({
    ...{ clock, logger: createSilentLogger(), randomness: createSystemRandomness() },
    ...{ servers: [server.url], name: 'me', inboxPrefix: '_INBOX.ws.me', auth: () => auth.read() },
    timing: { backoffFromMs: 20, backoffCapMs: 100, settleMs: 20 },
  });
  behindMs = 0;
  const kinds: string[] = [];
  fabric.onStatus(({ kind }) => kinds.push(kind));
  let heard = 0;
  fabric.bus.subscribe('vak.rooms.ws.r.presence', { kind: 'inline', onMessage: () => heard++ });
  await expect.poll(() => kinds, { timeout: 8_000 }).toEqual(['reconnecting', 'connected']);
  fabric.bus.publish('vak.rooms.ws.r.presence', utf8('x'));
  await fabric.ping();
  await expect.poll(() => heard).toBe(1);
  await fabric.close();
  auth.dispose();
});

it('I3 without the root it is the key alone, what was read serves while the store is locked, and is erased at the end', () => {
  const { keyStore, store } = storeOf({ holdsRoot: false });
  const auth = createOwnServerAuth({ keyStore, workspace: 'ws', peer: 'me', clock });
  expect(createOwnServerAuth({ keyStore, workspace: 'ws', peer: 'nobody', clock }).read()).toBeUndefined();
  expect(auth.read()).toMatchObject({ kind: 'nkey' });
  store.isLocked = true;
  const held = auth.read();
  expect(held).toMatchObject({ kind: 'nkey' });
  auth.dispose();
  expect(() => held?.kind === 'nkey' && held.seed.reveal()).toThrow(/erased/);
});

it('E13 a server gets nothing signed that could be part of an envelope', () => {
  const credentials = openCredentials({ kind: 'nkey', seed: secretOf(own) });
  expect(credentials.answer('aB3_-xyz')).toMatchObject({ sig: expect.stringMatching(/^[\w-]{86}$/) });
  for (const nonce of ['vak-envelope-sig-v1\u0000', '', 'a b', 'x'.repeat(129), 'ä'])
    expect(credentials.answer(nonce)).toMatchObject({ sig: '' });
  credentials.dispose();
});

it('A37 a JWT alone is proved by the peer’s own key; without that, or of another key, it is refused with what to do', () => {
  const { keyStore } = storeOf({ holdsRoot: false });
  const auth = createOwnServerAuth({ keyStore, workspace: 'ws', peer: 'me', clock });
  const jwtOf = (sub: string) =>
    secretFromText(`eyJh.${Buffer.from(JSON.stringify({ sub })).toString('base64url')}.c2ln`);
  const given = { kind: 'jwt-alone', jwt: jwtOf(own.getPublicKey()) } as const;
  const proven = provenBy(auth, given);
  expect(proven).toMatchObject({ kind: 'jwt', jwt: given.jwt });
  expect(proven.kind === 'jwt' && toText(proven.seed.reveal())).toBe(toText(Uint8Array.from(own.getSeed())));
  expect(() => provenBy(auth, { ...given, jwt: jwtOf(root.getPublicKey()) })).toThrow(
    `credentials: the JWT is of the key ${root.getPublicKey()}, and the peer has ${own.getPublicKey()}; name`,
  );
  expect(() => provenBy(undefined, given)).toThrow(/needs its peer's own key of the key store; open it/);
  const token = { kind: 'token', token: secretFromText('t') } as const;
  expect(provenBy(undefined, token)).toBe(token);
  auth.dispose();
});
