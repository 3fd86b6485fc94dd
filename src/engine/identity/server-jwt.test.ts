import { createUser } from 'nkeys.js';
import { afterEach, expect, it } from 'vitest';
import { type NatsServer, startNatsServer } from '../../../tests/support/nats-server.ts';
import { streamsOf } from '../../shared/protocol/stream-table.ts';
import { jwtConfig, serverPolicyOf } from '../access/server-config.ts';
import { connectNats } from '../bus/nats/nats-fabric.ts';
import { createSystemClock } from '../ports/clock.ts';
import { createSilentLogger } from '../ports/logger.ts';
import { createSystemRandomness } from '../ports/randomness.ts';
import { createSecret, secretFromText } from './secret.ts';
import { type ServerUser, signServerJwts, signUserJwt } from './server-jwt.ts';
import { deriveServerKeys } from './server-keys.ts';

const clock = createSystemClock();
const ports = { clock, logger: createSilentLogger(), randomness: createSystemRandomness() };
const [root, former, present, admin] = [createUser(), createUser(), createUser(), createUser()];
type Key = typeof root;
const secretOf = (key: Key) => createSecret(Uint8Array.from(key.getSeed()));
const nowSeconds = Math.floor(clock.now() / 1_000);
const all = { allow: ['>'], deny: [] };

let server: NatsServer | undefined;
afterEach(() => server?.stop());

const userOf = (key: Key, more: { readonly notAfter?: number; readonly since?: number } = {}): readonly ServerUser[] =>
  serverPolicyOf(
    'ws',
    [{ peer: 'bot', sign: key.getPublicKey(), roles: ['bot'], queues: [], notAfter: 0, holdsRoot: false, ...more }],
    [],
  ).users;
const adminUser: ServerUser = {
  peer: 'admin',
  nkey: admin.getPublicKey(),
  notAfter: 0,
  rights: { publish: all, subscribe: all },
};

/** The configuration of a server that is told of these. */
function configOf(users: readonly ServerUser[], atSeconds = nowSeconds): string {
  const keys = deriveServerKeys('ws', secretOf(root));
  try {
    return jwtConfig(
      signServerJwts(
        { workspace: 'ws', users: [...users, adminUser], writers: ['bot'] },
        { keys, nowSeconds: atSeconds },
      ),
    );
  } finally {
    keys.dispose();
  }
}

/** What somebody holds in a file: signed at a time, with an end. */
function heldJwt(key: Key, atSeconds: number, notAfter = 0): string {
  const keys = deriveServerKeys('ws', secretOf(root));
  try {
    return signUserJwt(
      { peer: key === admin ? 'admin' : 'bot', nkey: key.getPublicKey(), notAfter },
      { keys, nowSeconds: atSeconds },
    );
  } finally {
    keys.dispose();
  }
}

async function connect(key: Key, jwt: string) {
  return await connectNats({
    ...{ ...ports, servers: [server?.url ?? ''], name: 'me', inboxPrefix: '_INBOX.ws.bot' },
    auth: () => ({ kind: 'jwt', jwt: secretFromText(jwt), seed: secretOf(key) }),
  });
}

async function isLetIn(key: Key, jwt: string): Promise<boolean> {
  try {
    await (await connect(key, jwt)).close();
    return true;
  } catch {
    return false;
  }
}

it('A17 I4 who had a key before another one was granted is not let in by it, also where its JWT has no end', async () => {
  const [old, fresh] = [heldJwt(former, nowSeconds - 100), heldJwt(present, nowSeconds)];
  server = await startNatsServer({ config: configOf(userOf(former)) });
  expect(await isLetIn(former, old)).toBe(true);
  await server.config(configOf(userOf(present)));
  expect([await isLetIn(former, old), await isLetIn(present, fresh)]).toEqual([false, true]);
});

it('A17 I8 what was signed before a grant was made anew counts no more: its end holds, whatever a JWT says', async () => {
  const old = heldJwt(present, nowSeconds - 100);
  server = await startNatsServer({ config: configOf(userOf(present, { since: nowSeconds - 200 })) });
  expect(await isLetIn(present, old)).toBe(true);
  const ending = { since: nowSeconds - 50, notAfter: nowSeconds + 1_000 };
  await server.config(configOf(userOf(present, ending)));
  expect(await isLetIn(present, old)).toBe(false);
  expect(await isLetIn(present, heldJwt(present, nowSeconds, ending.notAfter))).toBe(true);
  // Serials may be ahead of the clock.
  await server.config(configOf(userOf(present, { since: nowSeconds + 500 })));
  expect(await isLetIn(present, heldJwt(present, nowSeconds))).toBe(true);
});

it('A17 A22 a server that reads new exports while it runs goes on storing', async () => {
  server = await startNatsServer({ config: configOf([]) });
  const fabric = await connect(admin, heldJwt(admin, nowSeconds));
  const spec = streamsOf('ws').find(({ name }) => name === 'VAK_AUDIT_ws');
  if (spec === undefined) throw new TypeError('no stream of actions');
  await fabric.durable.ensureStream(spec);
  const data = new Uint8Array([1]);
  for (let export_ = 1; export_ <= 3; export_++) {
    await server.config(configOf(userOf(present), nowSeconds + export_));
    await expect
      .poll(
        () =>
          fabric.durable.append('vak.audit.ws.admin.action', data).then(
            () => true,
            () => false,
          ),
        { timeout: 15_000 },
      )
      .toBe(true);
  }
  expect(server.log()).not.toContain('maximum account active connections');
  await fabric.close();
});
