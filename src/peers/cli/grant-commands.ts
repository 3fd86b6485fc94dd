/** `vak grant add|ls|revoke`: what peers of the workspace may do, signed by its root (protocol.md I4). */
import { grantAt } from '../../engine/identity/grant-timeline.ts';
import type { VerifiedGrant } from '../../engine/identity/grants.ts';
import { checkKeyIsFree } from '../../engine/identity/key-owner.ts';
import { cardOf } from '../../engine/identity/operator-identity.ts';
import { highestGrantSerial, publishGrant } from '../../engine/identity/own-records.ts';
import { grant, revokeGrant } from '../../engine/identity/root-grants.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { checkToken } from '../../shared/protocol/subject.ts';
import type { CliHost, Command } from './command.ts';
import { builderNeed } from './example-needs.ts';
import { readKey, readRoles, readUntil } from './grant-input.ts';
import { publishRecords } from './publish-records.ts';
import { type OpenWorkspace, withWorkspace } from './workspace.ts';

type GrantState = 'in-force' | 'expired' | 'revoked';

function stateOf({ roles, notAfter }: VerifiedGrant, nowMs: number): GrantState {
  if (roles.length === 0) return 'revoked';
  return notAfter !== 0 && Math.floor(nowMs / 1000) > notAfter ? 'expired' : 'in-force';
}

function showGrant(made: VerifiedGrant, { clock, output }: CliHost): void {
  const { peer, sign, roles, queues, serial, notAfter } = made;
  const state = stateOf(made, clock.now());
  const until = notAfter === 0 ? '' : `  until ${new Date(notAfter * 1000).toISOString()}`;
  const of = queues.length === 0 ? '' : ` (${queues.join(', ')})`;
  output.data(
    { peer, sign, roles, queues, serial, notAfter, state },
    `${peer}  ${sign}  ${roles.join(', ') || '-'}${of}  ${state}${until}`,
  );
}

function targetOf(open: OpenWorkspace, peer: string, { clock }: CliHost) {
  const { workspace } = open;
  const seenSerial = highestGrantSerial(workspace, peer, open);
  return { contents: open.contents(), workspace, peer, seenSerial, clock };
}

/** The key of an identity that the key store holds. Throws `invalid-input` if it holds none of that name. */
function ownKey(open: OpenWorkspace, peer: string): string {
  const identity = open.contents().identities.find((one) => one.peer === peer);
  if (identity !== undefined) return cardOf(identity, open.workspace).sign;
  const where = 'give its public key (U…), which vak id show prints as sign where the peer is';
  throw new VakError('invalid-input', `--sign: missing, and this key store has no identity of that name; ${where}`);
}

const goesOut = `It goes to the server of the context
(--context, --nats-url) at once, where every peer learns of it; where that cannot be, it stands in the profile, which is said on
stderr, and goes out with its next connection: the app, or a command that publishes.`;

const add: Command = {
  words: ['grant', 'add'],
  changes: 'machine',
  args: ['PEER'],
  options: {
    sign: {
      value: 'U…',
      help: 'its public key, which vak id show prints as sign (default: of the identity PEER here)',
    },
    role: { value: 'R', isMultiple: true, help: 'role, once for each' },
    queue: { value: 'Q', isMultiple: true, help: 'queue of the role worker, once for each' },
    until: { value: 'ISO', help: 'end of the grant (default: none)' },
  },
  summary: 'Grants roles to a peer; replaces what it was granted before.',
  notes: `Needs the root key of the workspace. Prints {peer, sign, roles, queues, serial, notAfter, state}. --sign is the peer's public key:
what vak id show prints as sign where the peer is, or sign in its card (vak id card); of an identity of this key store it is known. A key
that another peer has or had is refused. For a peer of another machine see docs/join-a-workspace.md. ${goesOut}`,
  needs: builderNeed,
  example: 'vak grant add builder --role worker --queue builds --until 2099-12-31',
  async run({ args, common, option, options }, host) {
    const peer = checkToken(args[0], 'PEER');
    const typed = option('sign');
    const key = typed === undefined ? undefined : readKey(typed, '--sign');
    const roles = readRoles(options('role'));
    if (roles.length === 0)
      throw new VakError('invalid-input', '--role: missing; to take roles away see vak grant revoke');
    const rights = { roles, queues: options('queue'), notAfter: readUntil(option('until')) };
    await withWorkspace(common, host, async (open) => {
      const sign = key ?? ownKey(open, peer);
      checkKeyIsFree({ peer, sign, contents: open.contents() }, open);
      const made = grant({ ...targetOf(open, peer, host), ...rights, sign });
      await publishGrant(made, open);
      showGrant(made, host);
      await publishRecords(open, common, host);
    });
    return undefined;
  },
};

const list: Command = {
  words: ['grant', 'ls'],
  changes: 'nothing',
  args: [],
  options: {},
  summary: "Lists the newest grant of each peer, those that the workspace's root signed.",
  notes: 'Prints {peer, sign, roles, queues, serial, notAfter, state: in-force|expired|revoked}, one a line.',
  example: 'vak grant ls --json',
  async run({ common }, host) {
    await withWorkspace(common, host, (open) => {
      const timelineOf = open.timelines(open.contents());
      for (const peer of [...open.directory.grantedPeers()].sort()) {
        const newest = grantAt(timelineOf(peer), host.clock.now());
        if (newest === undefined)
          host.output.talk(`vak: ${peer}: its grants are not signed by the root of this workspace`);
        else showGrant(newest.grant, host);
      }
    });
    return undefined;
  },
};

const revoke: Command = {
  words: ['grant', 'revoke'],
  changes: 'machine',
  args: ['PEER'],
  options: {},
  summary: 'Takes every role from a peer; what it signed before still counts.',
  notes: `Needs the root key of the workspace. Prints the grant without roles that replaces the others. ${goesOut}`,
  needs: builderNeed,
  example: 'vak grant revoke builder',
  async run({ args, common }, host) {
    const peer = checkToken(args[0], 'PEER');
    await withWorkspace(common, host, async (open) => {
      const newest = open.timelines(open.contents())(peer).grants.at(-1);
      if (newest === undefined) throw new VakError('not-found', `${peer}: has no grant here; see vak grant ls`);
      const made = revokeGrant({ ...targetOf(open, peer, host), sign: newest.grant.sign });
      await publishGrant(made, open);
      showGrant(made, host);
      await publishRecords(open, common, host);
    });
    return undefined;
  },
};

export const grantCommands: readonly Command[] = [add, list, revoke];
