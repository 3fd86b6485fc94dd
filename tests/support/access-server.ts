/**
 * Real nats-servers that were told of one peer of each role, in both formats of `vak acl export`.
 * Law: each role has a workspace of its own, in which its peer is called `me`; `admin` may do everything in all.
 */
import { createUser, type KeyPair } from 'nkeys.js';
import {
  authorizationBlock,
  type GrantedPeer,
  jwtConfig,
  serverUsersOf,
} from '../../src/engine/access/server-config.ts';
import type { NatsAuth } from '../../src/engine/bus/nats/nats-auth.ts';
import { createSecret, secretFromText } from '../../src/engine/identity/secret.ts';
import { type ServerUser, signServerJwts } from '../../src/engine/identity/server-jwt.ts';
import { deriveServerKeys } from '../../src/engine/identity/server-keys.ts';
import { createSystemClock } from '../../src/engine/ports/clock.ts';
import { createSilentLogger } from '../../src/engine/ports/logger.ts';
import { createSystemRandomness } from '../../src/engine/ports/randomness.ts';
import { type Role, roles } from '../../src/shared/protocol/roles.ts';
import { type NatsServer, startNatsServer } from './nats-server.ts';

export const ports = { clock: createSystemClock(), logger: createSilentLogger(), randomness: createSystemRandomness() };
/** Another peer of each workspace. */
export const other = 'other';
const seedOf = (key: KeyPair) => createSecret(Uint8Array.from(key.getSeed()));

/** A server that was told of one peer a role, each in a workspace of its own, and of `admin`, who may do everything in all. */
export interface AccessPlace {
  readonly server: NatsServer;
  authOf(who: Role | 'admin'): NatsAuth;
  /** The configuration as it is when the observer was revoked. */
  readonly withoutObserver: string;
}
/** The workspace of a role's peer. */
export const wsOf = (role: Role): string => `ws_${role.replace('-', '_')}`;

function grantOf(role: Role, key: KeyPair): GrantedPeer {
  const queues = role === 'worker' ? ['q'] : [];
  return { peer: 'me', sign: key.getPublicKey(), roles: [role], queues, notAfter: 0, holdsRoot: false };
}

export async function startWithConf(): Promise<AccessPlace> {
  const keys = new Map<string, KeyPair>([...roles, 'admin'].map((who) => [who, createUser()]));
  const key = (who: string): KeyPair => keys.get(who) as KeyPair;
  const users = roles.flatMap((role) => serverUsersOf(wsOf(role), [grantOf(role, key(role))], [other]));
  const configOf = (some: readonly ServerUser[]): string =>
    authorizationBlock(some).replace('users: [', `users: [\n{ nkey: ${key('admin').getPublicKey()} }`);
  return {
    server: await startNatsServer({ config: configOf(users) }),
    withoutObserver: configOf(users.filter(({ nkey }) => nkey !== key('observer').getPublicKey())),
    authOf: (who) => ({ kind: 'nkey', seed: seedOf(key(who)) }),
  };
}

/** One operator and one account hold what is of all workspaces here: each role is another peer's. */
export async function startWithJwts(): Promise<AccessPlace> {
  const keys = new Map<string, KeyPair>([...roles, 'admin'].map((who) => [who, createUser()]));
  const key = (who: string): KeyPair => keys.get(who) as KeyPair;
  const users = roles.flatMap((role) =>
    serverUsersOf(wsOf(role), [grantOf(role, key(role))], [other]).map((user) => ({ ...user, peer: role })),
  );
  const all = { allow: ['>'], deny: [] };
  const admin = {
    peer: 'admin',
    nkey: key('admin').getPublicKey(),
    notAfter: 0,
    rights: { publish: all, subscribe: all },
  };
  const serverKeys = deriveServerKeys('ws', seedOf(createUser()));
  const nowSeconds = Math.floor(ports.clock.now() / 1000);
  const signed = (some: readonly ServerUser[]) =>
    signServerJwts('ws', [...some, admin], { keys: serverKeys, nowSeconds });
  const jwts = signed(users);
  return {
    withoutObserver: jwtConfig(signed(users.filter(({ peer }) => peer !== 'observer'))),
    server: await startNatsServer({ config: jwtConfig(jwts) }),
    authOf: (who) => ({ kind: 'jwt', jwt: secretFromText(jwts.users.get(who) ?? ''), seed: seedOf(key(who)) }),
  };
}
