/**
 * A workspace's access as a nats-server is told of it: a block of its configuration, or signed JWTs (protocol.md A4).
 * Law: it says what the grants in force say, by the tables of A2 and A10, and holds no secret.
 */
import type { Role } from '../../shared/protocol/roles.ts';
import { serverRights } from '../../shared/protocol/server-rights.ts';
import type { ServerJwts, ServerUser } from '../identity/server-jwt.ts';

/** A peer as its grant has it; `holdsRoot`: it has the workspace's root key. */
export interface GrantedPeer {
  readonly peer: string;
  readonly sign: string;
  readonly roles: readonly Role[];
  readonly queues: readonly string[];
  /** Seconds since the epoch; 0: without end. */
  readonly notAfter: number;
  readonly holdsRoot: boolean;
}

/** Who reads what lies in others' buckets, or makes them. */
const mediaRoles: ReadonlySet<Role> = new Set(['operator', 'provisioner']);

/** The users of a server, by grants: one for each. `all`: every peer of the workspace. Throws `invalid-subject`. */
export function serverUsersOf(
  workspace: string,
  granted: readonly GrantedPeer[],
  all: readonly string[],
): readonly ServerUser[] {
  return granted.map(({ peer, sign, roles, queues, notAfter, holdsRoot }) => {
    const mediaOf = roles.some((role) => mediaRoles.has(role)) ? all : [];
    const rights = serverRights({ workspace, peer, roles, queues, holdsRoot, mediaOf });
    return { peer, nkey: sign, notAfter, rights };
  });
}

const listed = (subjects: readonly string[]): string =>
  subjects.length === 0
    ? '[]'
    : `[\n${subjects.map((one) => `          ${JSON.stringify(one)}`).join('\n')}\n        ]`;

function sideBlock(name: string, { allow, deny }: { allow: readonly string[]; deny: readonly string[] }): string {
  const denied = deny.length === 0 ? '' : `\n        deny: ${listed(deny)}`;
  return `      ${name}: {\n        allow: ${listed(allow)}${denied}\n      }`;
}

function userBlock({ peer, nkey, rights: { publish, subscribe } }: ServerUser): string {
  const sides = `${sideBlock('publish', publish)}\n${sideBlock('subscribe', subscribe)}`;
  return `    # ${peer}\n    {\n      nkey: ${nkey}\n      permissions: {\n${sides.replaceAll(/^/gm, '  ')}\n      }\n    }`;
}

/** The `authorization` block of a server's configuration. It knows no end of a grant: export anew when one ends. */
export function authorizationBlock(users: readonly ServerUser[]): string {
  return `authorization {\n  users: [\n${users.map(userBlock).join('\n')}\n  ]\n}\n`;
}

/** Operator, system account and accounts for a server's configuration, and each peer's JWT as a comment. */
export function jwtConfig({ operator, accounts, systemAccount, users }: ServerJwts): string {
  const preload = accounts.map(({ name, jwt }) => `  ${name}: ${jwt}`).join('\n');
  const jwts = Array.from(users, ([peer, jwt]) => `# user JWT of ${peer}\n# ${jwt}`).join('\n');
  return `operator: ${operator}\nsystem_account: ${systemAccount}\nresolver: MEMORY\nresolver_preload: {\n${preload}\n}\n${jwts}\n`;
}
