/**
 * Real nats-servers that were told of one peer of each role, in both formats of `vak acl export`.
 * Law: each role has a workspace of its own, in which its peer is called `me`, and `admin` may do everything.
 */
import { createUser, type KeyPair } from 'nkeys.js';
import { accountsBlock, type GrantedPeer, jwtConfig, serverPolicyOf } from '../../src/engine/access/server-config.ts';
import type { NatsAuth } from '../../src/engine/bus/nats/nats-auth.ts';
import { createSecret, secretFromText } from '../../src/engine/identity/secret.ts';
import { type ServerJwts, type ServerPolicy, signServerJwts } from '../../src/engine/identity/server-jwt.ts';
import { deriveServerKeys, type ServerKeys } from '../../src/engine/identity/server-keys.ts';
import { createSystemClock } from '../../src/engine/ports/clock.ts';
import { createSilentLogger } from '../../src/engine/ports/logger.ts';
import { createSystemRandomness } from '../../src/engine/ports/randomness.ts';
import { type Role, roles } from '../../src/shared/protocol/roles.ts';
import { type NatsServer, startNatsServer } from './nats-server.ts';

export const ports = { clock: createSystemClock(), logger: createSilentLogger(), randomness: createSystemRandomness() };
/** Another peer of each workspace. */
export const other = 'other';
const seedOf = (key: KeyPair) => createSecret(Uint8Array.from(key.getSeed()));

/** A server that was told of one peer a role, each in a workspace of its own, and of an `admin` in each, who may do everything there. */
export interface AccessPlace {
  readonly server: NatsServer;
  authOf(role: Role, who?: 'me' | 'admin'): NatsAuth;
  /** The configuration as it is when the observer was revoked. */
  readonly withoutObserver: string;
}
/** The workspace of a role's peer. */
export const wsOf = (role: Role): string => `ws_${role.replace('-', '_')}`;

function grantOf(role: Role, key: KeyPair): GrantedPeer {
  const queues = role === 'worker' ? ['q'] : [];
  return { peer: 'me', sign: key.getPublicKey(), roles: [role], queues, notAfter: 0, holdsRoot: false };
}

const keyPairs = () => {
  const keys = new Map(roles.flatMap((role) => ['me', 'admin'].map((who) => [`${role} ${who}`, createUser()])));
  return (role: Role, who: 'me' | 'admin' = 'me'): KeyPair => keys.get(`${role} ${who}`) as KeyPair;
};

/** What is told of a role's workspace; without its peer if `isRevoked`. */
function policyOf(role: Role, key: ReturnType<typeof keyPairs>, isRevoked = false): ServerPolicy {
  const all = { allow: ['>'], deny: [] };
  const rights = { publish: all, subscribe: all };
  const admin = { peer: 'admin', nkey: key(role, 'admin').getPublicKey(), notAfter: 0, rights };
  const policy = serverPolicyOf(wsOf(role), isRevoked ? [] : [grantOf(role, key(role))], [other, 'me']);
  return { ...policy, users: [...policy.users, admin] };
}

/** How the streams lie: as they should; those that are claimed from with the others; in the peers' account. */
type StoreLayout = 'apart' | 'one-store' | 'flat';

function laidOut(accounts: string, layout: StoreLayout): string {
  if (layout === 'apart') return accounts;
  if (layout === 'flat') return accounts.replaceAll(/imports: \[[\s\S]*?\n {4}\]/g, 'jetstream: enabled');
  // What only the queues' account answers, the streams' account answers too, and the former is gone.
  const queues = / {2}VAK_QUEUES_\w+ \{[\s\S]*?exports: \[\n([\s\S]*?)\n {4}\]\n {2}\}\n/;
  return accounts
    .split(/(?= {2}VAK_STREAMS_)/)
    .map((part) => {
      const exported = part.match(queues)?.[1]?.split('\n') ?? [];
      const more = exported.filter((line) => !part.slice(0, part.indexOf('VAK_QUEUES_')).includes(line));
      return part
        .replace(queues, '')
        .replace('exports: [\n', `exports: [\n${more.join('\n')}\n`)
        .replaceAll('VAK_QUEUES_', 'VAK_STREAMS_');
    })
    .join('');
}

export async function startWithConf(layout: StoreLayout = 'apart'): Promise<AccessPlace> {
  const key = keyPairs();
  const configOf = (revoked?: Role): string => {
    const blocks = roles.map((role) => accountsBlock(policyOf(role, key, role === revoked)));
    // One server for all workspaces: what stands in each block, in one.
    const text = blocks.map((block) => block.slice(block.indexOf('\n') + 1, block.lastIndexOf('}'))).join('');
    return `accounts {\n${laidOut(text, layout)}}\n`;
  };
  return {
    server: await startNatsServer({ config: configOf() }),
    withoutObserver: configOf('observer'),
    authOf: (role, who) => ({ kind: 'nkey', seed: seedOf(key(role, who)) }),
  };
}

/** One operator and one system account for the accounts of all workspaces. */
export async function startWithJwts(): Promise<AccessPlace> {
  const key = keyPairs();
  const { operator, system } = deriveServerKeys('ws', seedOf(createUser()));
  const keysOf = new Map(roles.map((role) => [role, { ...deriveServerKeys(wsOf(role), seedOf(createUser())) }]));
  const nowSeconds = Math.floor(ports.clock.now() / 1000);
  const jwts = new Map<string, string>();
  const configOf = (revoked?: Role): string => {
    const signed = roles.map((role) => {
      const keys = { ...(keysOf.get(role) as ServerKeys), operator, system };
      const made = signServerJwts(policyOf(role, key, role === revoked), { keys, nowSeconds });
      for (const [who, jwt] of made.users) jwts.set(`${role} ${who}`, jwt);
      return made;
    });
    const accounts = new Map(signed.flatMap((one) => one.accounts.map((account) => [account.name, account])));
    return jwtConfig({ ...(signed[0] as ServerJwts), accounts: [...accounts.values()], users: new Map() });
  };
  return {
    withoutObserver: configOf('observer'),
    server: await startNatsServer({ config: configOf() }),
    authOf: (role, who = 'me') => ({
      ...{ kind: 'jwt', jwt: secretFromText(jwts.get(`${role} ${who}`) ?? ''), seed: seedOf(key(role, who)) },
    }),
  };
}
