/**
 * JWTs of nats-server, version 2: operator, accounts, users (protocol.md A4).
 * Law: rights stand in the account, under a signing key of each peer's own; a user's JWT holds none, so it stays small enough for CONNECT.
 */
import { hash } from 'node:crypto';
import { toBase64Url } from '../../shared/base/base64url.ts';
import { utf8 } from '../../shared/base/bytes.ts';
import type { ServerRights } from '../../shared/protocol/server-rights.ts';
import {
  maxStreamConsumers,
  type StoreAccount,
  storeAccounts,
  storeImports,
  storeServices,
} from '../../shared/protocol/server-store.ts';
import type { ServerKey, ServerKeys } from './server-keys.ts';

/** Somebody who may connect. */
export interface ServerUser {
  readonly peer: string;
  /** `U…`, the peer's signing key. */
  readonly nkey: string;
  /** Seconds since the epoch; 0: without end. */
  readonly notAfter: number;
  /** When its grant was made, seconds since the epoch: what was signed for it before counts no more. Left out: whatever was signed counts. */
  readonly since?: number;
  readonly rights: ServerRights;
}

/** What a server is told of a workspace. */
export interface ServerPolicy {
  readonly workspace: string;
  readonly users: readonly ServerUser[];
  /** Peers that have a bucket of large values. */
  readonly writers: readonly string[];
}

export interface ServerJwts {
  /** For a server's configuration. */
  readonly operator: string;
  /** Public keys of accounts, and their JWTs: those of the streams first, then the peers'. */
  readonly accounts: readonly { readonly name: string; readonly jwt: string }[];
  readonly systemAccount: string;
  /** By peer. */
  readonly users: ReadonlyMap<string, string>;
}

interface Claims {
  readonly sub: string;
  readonly name: string;
  readonly exp?: number;
  readonly nats: object;
}

/** When operator and system account were signed, as they say: always the same text, as no server takes another operator while it runs. */
const signedOnce = 1_577_836_800;

const unlimited = -1;
const noLimits = { subs: unlimited, data: unlimited, payload: unlimited };
const accountLimits = {
  ...noLimits,
  ...{ imports: unlimited, exports: unlimited, wildcards: true, conn: unlimited, leaf: 0 },
};
/** Subscriptions of one connection: many times what a peer has, and no more than a server bears. */
const maxSubscriptions = 16_384;
const jetStreamLimits = {
  mem_storage: unlimited,
  disk_storage: unlimited,
  streams: unlimited,
  consumer: maxStreamConsumers,
};

const jsonPart = (value: object): string => toBase64Url(utf8(JSON.stringify(value)));

function signJwt(claims: Claims, by: ServerKey, nowSeconds: number): string {
  const body = { ...claims, iat: nowSeconds, iss: by.name };
  const jti = hash('sha256', JSON.stringify(body), 'hex');
  const signed = `${jsonPart({ typ: 'JWT', alg: 'ed25519-nkey' })}.${jsonPart({ ...body, jti })}`;
  return `${signed}.${toBase64Url(by.sign(utf8(signed)))}`;
}

/** The rights of one peer, which hold for whatever its key signs. */
function scopeOf({ peer, rights: { publish, subscribe } }: ServerUser, key: ServerKey): object {
  return {
    kind: 'user_scope',
    ...{ key: key.name, role: peer },
    template: { pub: publish, sub: subscribe, ...noLimits, subs: maxSubscriptions },
  };
}

/** Up to when JWTs of each key were signed that count no more. A grant's time may be ahead of the clock (I5); what is signed now counts. */
function revocationsOf(users: readonly ServerUser[], nowSeconds: number): Readonly<Record<string, number>> {
  const dated = users.flatMap(({ nkey, since }) => (since === undefined ? [] : [[nkey, since] as const]));
  return Object.fromEntries(dated.map(([nkey, since]) => [nkey, Math.min(since, nowSeconds) - 1]));
}

/** What an account of streams answers, and nothing else (A22). */
function exportsOf(workspace: string, account: StoreAccount): readonly object[] {
  return storeServices(workspace, account).map(({ subject, answers }) => {
    return { name: subject, subject, type: 'service', response_type: answers === 'many' ? 'Stream' : 'Singleton' };
  });
}

/** What the peers may ask of the streams. */
function importsOf({ workspace, writers }: ServerPolicy, keys: ServerKeys): readonly object[] {
  return storeImports(workspace, writers).map(({ account, subject }) => {
    return { name: subject, subject, account: keys[account].name, type: 'service' };
  });
}

/** Signs who a peer is, for the server that knows its rights. */
export function signUserJwt(
  { peer, nkey, notAfter }: Omit<ServerUser, 'rights' | 'since'>,
  { keys, nowSeconds }: { readonly keys: ServerKeys; readonly nowSeconds: number },
): string {
  const end = notAfter === 0 ? {} : { exp: notAfter };
  const nats = { issuer_account: keys.peers.name, type: 'user', version: 2 };
  return signJwt({ ...{ sub: nkey, name: peer, nats }, ...end }, keys.scopeOf(peer, nkey), nowSeconds);
}

/** Signs everything that a server needs to know of a workspace. `nowSeconds`: since the epoch. */
export function signServerJwts(
  policy: ServerPolicy,
  { keys, nowSeconds }: { readonly keys: ServerKeys; readonly nowSeconds: number },
): ServerJwts {
  const { workspace, users } = policy;
  const { operator, peers, system } = keys;
  const scoped = users.map((user) => ({ user, key: keys.scopeOf(user.peer, user.nkey) }));
  const ofOperator = (claims: Claims, atSeconds: number): string => signJwt(claims, operator, atSeconds);
  const accountOf = (key: ServerKey, name: string, nats: object): Claims => {
    return { sub: key.name, name, nats: { ...nats, type: 'account', version: 2 } };
  };
  return {
    operator: ofOperator(
      {
        ...{ sub: operator.name, name: workspace },
        nats: { system_account: system.name, type: 'operator', version: 2 },
      },
      signedOnce,
    ),
    accounts: [
      ...storeAccounts.map((account) => {
        // Nobody is a user of it, yet the server's own clients for the streams count as connections.
        const limits = { ...accountLimits, ...jetStreamLimits };
        const claims = { limits, exports: exportsOf(workspace, account) };
        const { name } = keys[account];
        return { name, jwt: ofOperator(accountOf(keys[account], `${workspace}-${account}`, claims), nowSeconds) };
      }),
      {
        name: peers.name,
        jwt: ofOperator(
          accountOf(peers, workspace, {
            limits: accountLimits,
            imports: importsOf(policy, keys),
            revocations: revocationsOf(users, nowSeconds),
            signing_keys: scoped.map(({ user, key }) => scopeOf(user, key)),
          }),
          nowSeconds,
        ),
      },
      { name: system.name, jwt: ofOperator(accountOf(system, 'system', { limits: accountLimits }), signedOnce) },
    ],
    systemAccount: system.name,
    users: new Map(users.map((user) => [user.peer, signUserJwt(user, { keys, nowSeconds })])),
  };
}

/** The text of a `.creds` file. `seed`: `SU…`; what is given back holds it. */
export function credsText(jwt: string, seed: Uint8Array): Uint8Array {
  const framed = (name: string, end: string): readonly [string, string] => [
    `-----BEGIN ${name}-----\n`,
    `\n------END ${name}------\n${end}`,
  ];
  const [jwtHead, jwtTail] = framed('NATS USER JWT', '\n');
  const [seedHead, seedTail] = framed('USER NKEY SEED', '');
  const head = utf8(`${jwtHead}${jwt}${jwtTail}${seedHead}`);
  const tail = utf8(seedTail);
  const text = new Uint8Array(head.length + seed.length + tail.length);
  text.set(head);
  text.set(seed, head.length);
  text.set(tail, head.length + seed.length);
  return text;
}
