/** `vak acl export`: the workspace's access for a nats-server, so that it enforces it too (protocol.md A4). */
import { resolve } from 'node:path';
import {
  credentialsText,
  type ExportPlace,
  grantedNow,
  holdsRoot,
  signedAccess,
} from '../../engine/access/access-export.ts';
import {
  accountsBlock,
  endingOf,
  type GrantedPeer,
  jwtConfig,
  serverPolicyOf,
} from '../../engine/access/server-config.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { checkToken } from '../../shared/protocol/subject.ts';
import type { CliHost, Command, CommandInput } from './command.ts';
import { builderNeed } from './example-needs.ts';
import { readKey, readRoles, readUntil } from './grant-input.ts';
import { writeNewFile } from './new-file.ts';
import { type OpenWorkspace, withWorkspace } from './workspace.ts';

type Format = 'nats-conf' | 'jwt';

function readFormat(text: string | undefined): Format {
  if (text === 'nats-conf' || text === 'jwt') return text;
  const found = text === undefined ? 'missing' : `found ${text.length} characters`;
  throw new VakError('invalid-input', `--format: ${found}, allowed: nats-conf, jwt`);
}

const placeOf = (open: OpenWorkspace, { clock }: Pick<CliHost, 'clock'>): ExportPlace => {
  return { workspace: open.workspace, contents: open.contents(), records: open, nowMs: clock.now() };
};

/** The peer that the line describes, whether it is granted or not. */
function describedPeer({ option, options }: CommandInput, open: OpenWorkspace): GrantedPeer {
  const peer = checkToken(option('peer') ?? '', '--peer');
  const queues = options('queue').map((queue) => checkToken(queue, '--queue'));
  const known = open.directory.card(peer)?.record.sign;
  const typed = option('sign');
  const sign = typed === undefined ? known : readKey(typed, '--sign');
  if (sign === undefined) {
    const where = 'give its public key (U…), which vak id show prints as sign where the peer is';
    throw new VakError('invalid-input', `--sign: missing, and no card of ${peer} is known here; ${where}`);
  }
  const notAfter = readUntil(option('until'));
  const roles = readRoles(options('role'));
  const acts = holdsRoot({ peer, roles }, { contents: open.contents(), workspace: open.workspace });
  return { peer, sign, roles, queues, notAfter, holdsRoot: acts };
}

/** Whom the line asks for. */
function wantedPeers(input: CommandInput, all: readonly GrantedPeer[], open: OpenWorkspace): readonly GrantedPeer[] {
  const { option, options } = input;
  if (options('role').length > 0) return [describedPeer(input, open)];
  const wanted = option('peer');
  const found = wanted === undefined ? all : all.filter(({ peer }) => peer === wanted);
  if (found.length > 0) return found;
  const whom = wanted === undefined ? 'nobody has' : 'it has no';
  throw new VakError('not-found', `--peer: ${whom} grant in force in workspace ${open.workspace}; see vak grant ls`);
}

function warnOfEnds(peers: readonly string[]): string {
  const named = peers.length > 8 ? `${peers.slice(0, 8).join(', ')} …` : peers.join(', ');
  const what = `${peers.length} of these grants end (${named}), and this format knows no end`;
  return `${what}: the server goes on letting them in; export anew then, or use --format jwt, which ends by itself`;
}

/** A credentials file of one peer whose keys are in this profile. */
async function writeCreds(path: string, user: { readonly peer: string; readonly jwt: string }, place: ExportPlace) {
  const text = credentialsText(user, place);
  try {
    await writeNewFile(path, text);
  } finally {
    text.fill(0);
  }
}

export const aclExportCommand: Command = {
  words: ['acl', 'export'],
  changes: 'machine',
  args: [],
  options: {
    format: { value: 'F', help: 'nats-conf: a block of its configuration; jwt: signed JWTs' },
    peer: { value: 'P', help: 'this peer alone (default: each that has a grant in force)' },
    role: { value: 'R', isMultiple: true, help: 'as if --peer had this role, once for each' },
    queue: { value: 'Q', isMultiple: true, help: 'with --role: queue of a worker, once for each' },
    sign: { value: 'U…', help: 'with --role: its public key, if no card of it is here' },
    until: { value: 'ISO', help: 'with --role: end of its JWT (default: none)' },
    'creds-out': { value: 'FILE', help: 'with jwt and --peer: writes its credentials, for its owner alone' },
  },
  summary: 'Prints what a nats-server needs to enforce the access of the workspace.',
  notes: `nats-conf prints an accounts block with a user for each peer, by its public key: include it in the server's configuration.
jwt prints operator, accounts and resolver, and each peer's JWT as a comment; it needs the root key of the workspace, from which the
server's keys follow. The streams lie in two accounts of their own, which the peers' account asks. A grant with an end is told of, as nats-conf knows none.
After a change of grants export again and reload the server: who was revoked is disconnected then. A JWT ends
with its grant. Nothing that is printed is secret; the file of --creds-out is. What a server cannot enforce: docs/spec/access.md.`,
  needs: builderNeed,
  example: `vak acl export --format nats-conf > access.conf
vak acl export --format jwt > access-jwt.conf
vak acl export --format nats-conf --peer probe --role worker --queue builds --sign "$(vak id show --identity builder --json | jq -r .sign)"`,
  async run(input, host) {
    const format = readFormat(input.option('format'));
    const path = input.option('creds-out');
    if (path !== undefined && (format !== 'jwt' || input.option('peer') === undefined))
      throw new VakError('invalid-input', '--creds-out: needs --format jwt, and --peer for whose they are');
    if (input.options('role').length > 0 && input.option('peer') === undefined)
      throw new VakError('invalid-input', '--role: needs --peer, for whose rights they are');
    await withWorkspace(input.common, host, async (open) => {
      const { workspace } = open;
      const place = placeOf(open, host);
      const all = grantedNow(place);
      const names = all.map(({ peer }) => peer);
      const wanted = wantedPeers(input, all, open);
      if (format === 'nats-conf') {
        const policy = serverPolicyOf(workspace, wanted, names);
        host.output.print(accountsBlock(policy));
        const ending = endingOf(policy.users).map(({ peer }) => peer);
        if (ending.length > 0) host.output.complain(warnOfEnds(ending));
        return;
      }
      // The account holds every peer's rights, whomever a JWT is wanted for.
      const others = all.filter(({ peer }) => wanted.every((one) => one.peer !== peer));
      const jwts = signedAccess(serverPolicyOf(workspace, [...wanted, ...others], names), place);
      const users = new Map([...jwts.users].filter(([peer]) => wanted.some((one) => one.peer === peer)));
      if (path === undefined) {
        host.output.print(jwtConfig({ ...jwts, users }));
        return;
      }
      const [[peer, jwt] = ['', '']] = users;
      await writeCreds(resolve(path), { peer, jwt }, place);
      host.output.data({ peer, path: resolve(path) }, resolve(path));
    });
    return undefined;
  },
};
