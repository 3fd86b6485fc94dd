/**
 * A workspace's access as a nats-server is told of it: a block of its configuration, or signed JWTs (protocol.md A4).
 * Law: it says what the grants in force say, by the tables of A2 and A10, and holds no secret.
 */
import { VakError } from '../../shared/base/vak-error.ts';
import type { Role } from '../../shared/protocol/roles.ts';
import { serverRights } from '../../shared/protocol/server-rights.ts';
import {
  maxStreamConsumers,
  type StoreAccount,
  storeAccounts,
  storeImports,
  storeServices,
} from '../../shared/protocol/server-store.ts';
import { checkToken } from '../../shared/protocol/subject.ts';
import type { ServerJwts, ServerPolicy, ServerUser } from '../identity/server-jwt.ts';

/** A peer as its grant has it; `holdsRoot`: it has the workspace's root key. */
export interface GrantedPeer {
  readonly peer: string;
  readonly sign: string;
  readonly roles: readonly Role[];
  readonly queues: readonly string[];
  /** Seconds since the epoch; 0: without end. */
  readonly notAfter: number;
  /** When it was made, seconds since the epoch (I5). */
  readonly since?: number;
  readonly holdsRoot: boolean;
}

/** Who reads what lies in others' buckets, or makes them. */
const mediaRoles: ReadonlySet<Role> = new Set(['operator', 'provisioner']);

/** A server knows who somebody is by the key alone, and takes no configuration that names one twice. */
function checkKeys(granted: readonly GrantedPeer[]): void {
  const owners = new Map<string, string>();
  for (const { peer, sign } of granted) {
    const owner = owners.get(sign);
    if (owner !== undefined) {
      const advice = 'revoke one of them, and grant it with a key of its own';
      throw new VakError('conflict', `${owner} and ${peer} are granted with the same key: ${advice}`);
    }
    owners.set(sign, peer);
  }
}

/**
 * What a server is told of a workspace, by grants: one user for each. `all`: every peer of the workspace. Throws `invalid-subject`,
 * `conflict` for a key that two have.
 */
export function serverPolicyOf(
  workspace: string,
  granted: readonly GrantedPeer[],
  all: readonly string[],
): ServerPolicy {
  checkKeys(granted);
  const users = granted.map(({ peer, sign, roles, queues, notAfter, since, holdsRoot }): ServerUser => {
    const mediaOf = roles.some((role) => mediaRoles.has(role)) ? all : [];
    const rights = serverRights({ workspace, peer, roles, queues, holdsRoot, mediaOf });
    return { peer, nkey: sign, notAfter, rights, ...(since === undefined ? {} : { since }) };
  });
  return { workspace, users, writers: [...new Set([...all, ...granted.map(({ peer }) => peer)])].sort() };
}

const listed = (subjects: readonly string[]): string =>
  subjects.length === 0
    ? '[]'
    : `[\n${subjects.map((one) => `          ${JSON.stringify(one)}`).join('\n')}\n        ]`;

function sideBlock(name: string, { allow, deny }: { allow: readonly string[]; deny: readonly string[] }): string {
  const denied = deny.length === 0 ? '' : `\n        deny: ${listed(deny)}`;
  return `      ${name}: {\n        allow: ${listed(allow)}${denied}\n      }`;
}

const isoTime = (seconds: number): string => new Date(seconds * 1000).toISOString();

/** Whose grants end; a configuration cannot say so. */
export function endingOf(users: readonly ServerUser[]): readonly ServerUser[] {
  return users.filter(({ notAfter }) => notAfter !== 0);
}

function userBlock({ peer, nkey, notAfter, rights: { publish, subscribe } }: ServerUser): string {
  const sides = `${sideBlock('publish', publish)}\n${sideBlock('subscribe', subscribe)}`;
  const end = notAfter === 0 ? '' : `: its grant ends ${isoTime(notAfter)}, its rights here do not`;
  return `    # ${peer}${end}\n    {\n      nkey: ${nkey}\n      permissions: {\n${sides.replaceAll(/^/gm, '  ')}\n      }\n    }`;
}

/** An account of streams, of which nobody is a user. */
function storeBlock(workspace: string, account: StoreAccount, nameOf: NamesOfAccounts): string {
  const exported = storeServices(workspace, account).map(({ subject, answers }) => {
    const how = answers === 'many' ? ', response_type: stream' : '';
    return `      { service: ${JSON.stringify(subject)}${how}, accounts: [${nameOf.peers}] }`;
  });
  return `  ${nameOf[account]} {\n    jetstream: { max_consumers: ${maxStreamConsumers} }\n    exports: [\n${exported.join('\n')}\n    ]\n  }`;
}

type NamesOfAccounts = Readonly<Record<StoreAccount | 'peers', string>>;

/**
 * The `accounts` block of a server's configuration: the streams lie in accounts that nobody is a user of, and the peers' account asks
 * them by services, so that no answer can be directed at another's stream (A22), and nothing that is read at a claim (A35). It knows no
 * end of a grant: export anew when one ends.
 */
export function accountsBlock({ workspace, users, writers }: ServerPolicy): string {
  const ws = checkToken(workspace, 'workspace');
  const nameOf = { streams: `VAK_STREAMS_${ws}`, queues: `VAK_QUEUES_${ws}`, peers: `VAK_PEERS_${ws}` };
  const imported = storeImports(ws, writers).map(
    ({ account, subject }) => `      { service: { account: ${nameOf[account]}, subject: ${JSON.stringify(subject)} } }`,
  );
  const stores = storeAccounts.map((account) => storeBlock(ws, account, nameOf)).join('\n');
  const ofPeers = `  ${nameOf.peers} {\n    imports: [\n${imported.join('\n')}\n    ]\n    users: [\n${users.map(userBlock).join('\n')}\n    ]\n  }`;
  const ending = endingOf(users);
  const first = ending.reduce((least, { notAfter }) => Math.min(least, notAfter), Number.MAX_SAFE_INTEGER);
  const advice = `export anew then, or use --format jwt`;
  const warning =
    ending.length === 0 ? '' : `# ${ending.length} of these grants end, the first ${isoTime(first)}: ${advice}\n`;
  return `${warning}accounts {\n${stores}\n${ofPeers}\n}\n`;
}

/** Operator, system account and accounts for a server's configuration, and each peer's JWT as a comment. */
export function jwtConfig({ operator, accounts, systemAccount, users }: ServerJwts): string {
  const preload = accounts.map(({ name, jwt }) => `  ${name}: ${jwt}`).join('\n');
  const jwts = Array.from(users, ([peer, jwt]) => `# user JWT of ${peer}\n# ${jwt}`).join('\n');
  return `operator: ${operator}\nsystem_account: ${systemAccount}\nresolver: MEMORY\nresolver_preload: {\n${preload}\n}\n${jwts}\n`;
}
