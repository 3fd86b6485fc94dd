/** `vak id new|show|card`: the identities of the profile. */

import type { VerifiedCard } from '../../engine/identity/cards.ts';
import { emptyContents } from '../../engine/identity/contents-codec.ts';
import type { VerifiedGrant } from '../../engine/identity/grants.ts';
import { joinWorkspace } from '../../engine/identity/join-workspace.ts';
import type { KeyStore, KeyStoreContents, StoredIdentity } from '../../engine/identity/key-store.ts';
import { decodeNkey } from '../../engine/identity/nkey.ts';
import {
  cardOf,
  createFirstIdentity,
  createPeerIdentity,
  type MakerPorts,
  updateAndErase,
} from '../../engine/identity/operator-identity.ts';
import { highestGrantSerial, publishCard, publishGrant } from '../../engine/identity/own-records.ts';
import { selfSummary } from '../../engine/identity/self-summary.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { backupLine, backupStanding } from './backups.ts';
import type { CliHost, Command, CommandInput } from './command.ts';
import { passNeed } from './example-needs.ts';
import { readKey, readRoles } from './grant-input.ts';
import { idBackupCommands } from './id-backup-commands.ts';
import { makeKeyStore, unlockKeyStore } from './passphrase.ts';
import { checkProfile, withProfile } from './profile.ts';
import { publishRecords } from './publish-records.ts';
import { chosenIdentity, type OpenWorkspace, openPlaces, withWorkspace } from './workspace.ts';

const kinds = ['human', 'bot', 'process'] as const;
type Kind = (typeof kinds)[number];

async function show(open: OpenWorkspace, identity: StoredIdentity, host: CliHost): Promise<void> {
  const { clock, output } = host;
  const contents = open.contents();
  const backup = await backupStanding(open.profile, contents, host);
  const self = selfSummary({ contents, identity, records: open, backup, nowMs: clock.now() });
  const rows: [string, string][] = [
    ['workspace', self.workspace],
    ['peer', self.peer],
    ['name', self.name],
    ['kind', self.kind],
    ['sign', self.sign],
    ['box', self.box],
    ['box until', new Date(self.boxExpiresAtMs).toISOString()],
    ['card serial', String(self.cardSerial)],
    ['root', `${self.rootPublic}${self.holdsRoot ? ' (held here)' : ''}`],
    ['roles', self.grants.flatMap(({ roles }) => roles).join(', ') || 'none'],
    ['secrets', self.secrets.map(({ id, state }) => `${id} (${state})`).join(', ') || 'none'],
    ['backup', backupLine(backup)],
  ];
  output.data(self, rows.map(([name, value]) => `${name.padEnd(12)} ${value}`).join('\n'));
}

interface NewIdentity {
  readonly peer: string;
  readonly kind: Kind;
  readonly name: string;
  readonly roles: ReturnType<typeof readRoles>;
  readonly queues: readonly string[];
  /** Root of a workspace that another profile holds. */
  readonly root: string | undefined;
}

function readNewIdentity({ common, option, options }: CommandInput): NewIdentity {
  const kind = option('kind') ?? 'human';
  if (!(kinds as readonly string[]).includes(kind)) {
    throw new VakError('invalid-input', `--kind: found ${kind.length} characters, allowed: ${kinds.join(', ')}`);
  }
  const peer = common.identity ?? 'operator';
  const roles = readRoles(options('role'));
  const given = option('root');
  const root = given === undefined ? undefined : readKey(given, '--root');
  if (root !== undefined) decodeNkey(root, '--root');
  return { peer, kind: kind as Kind, name: option('name') ?? peer, roles, queues: options('queue'), root };
}

interface Joining extends MakerPorts {
  readonly workspace: string;
}

interface Making extends Joining {
  /** The highest serial of this peer's grants that was seen. */
  readonly seenSerial: number;
}

interface Made {
  readonly contents: KeyStoreContents;
  readonly card: VerifiedCard;
  readonly grants: readonly VerifiedGrant[];
}

/** Where the root is held elsewhere, the identity waits for its grant from there. */
function makeJoining(contents: KeyStoreContents, { root, roles, ...wanted }: NewIdentity & Joining): Made {
  if (roles.length > 0) {
    throw new VakError(
      'invalid-input',
      '--role: roles are granted where the root of the workspace is held (vak grant add); leave it out',
    );
  }
  return { ...joinWorkspace({ ...wanted, contents, rootPublic: root }), grants: [] };
}

/** The first identity of a workspace makes it; a later one is a peer in it, with the roles asked for. */
function makeIdentity(contents: KeyStoreContents, wanted: NewIdentity & Making): Made {
  const { workspace, peer, kind, name, roles, queues, clock, randomness, seenSerial } = wanted;
  const common = { contents, peer, name, workspace, clock, randomness, seenSerial };
  const held = contents.workspaces.find((one) => one.workspace === workspace);
  if (wanted.root !== undefined || held?.rootSeed === null) return makeJoining(contents, wanted);
  if (held === undefined) {
    if (kind !== 'human' || roles.length > 0) {
      throw new VakError(
        'invalid-input',
        `--kind, --role: the first identity of workspace ${workspace} is its operator; leave them out`,
      );
    }
    return createFirstIdentity(common);
  }
  if (contents.identities.some((one) => one.peer === peer))
    throw new VakError('exists', `there is an identity ${peer} already`);
  const made = createPeerIdentity({ ...common, kind, agent: false, roles, queues, notAfter: 0 });
  return {
    contents: { ...contents, identities: [...contents.identities, made.identity] },
    card: made.card,
    grants: roles.length === 0 ? [] : [made.grant],
  };
}

/** Makes it for a profile that has nothing yet, and erases it: what cannot be made fails before there is a key store. */
async function rehearse(wanted: NewIdentity, workspace: string, { clock, randomness }: CliHost): Promise<void> {
  const making = { ...wanted, workspace, clock, randomness, seenSerial: 0 };
  const nowhere: Pick<KeyStore, 'update'> = {
    async update(change) {
      change(emptyContents);
    },
  };
  await updateAndErase(nowhere, (contents) => makeIdentity(contents, making).contents);
}

async function makeAndPublish(open: OpenWorkspace, wanted: NewIdentity, host: CliHost): Promise<StoredIdentity> {
  const { workspace } = open;
  const { clock, randomness } = host;
  const making = { ...wanted, workspace, clock, randomness };
  let made: Made | undefined;
  await updateAndErase(open.profile.keyStore, (contents) => {
    made = makeIdentity(contents, { ...making, seenSerial: highestGrantSerial(workspace, wanted.peer, open) });
    return made.contents;
  });
  if (made !== undefined) {
    await publishCard(made.card, open);
    for (const one of made.grants) await publishGrant(one, open);
  }
  return chosenIdentity(open.contents(), wanted.peer);
}

const create: Command = {
  words: ['id', 'new'],
  changes: 'machine',
  args: [],
  options: {
    name: { value: 'TEXT', help: 'display name (default: that of --identity)' },
    kind: { value: 'KIND', help: `${kinds.join(', ')} (default: human)` },
    role: { value: 'R', isMultiple: true, help: 'role to grant at once, of a later identity' },
    queue: { value: 'Q', isMultiple: true, help: 'queue of the role worker' },
    root: { value: 'U…', help: 'joins the workspace of that root, which another profile holds' },
  },
  summary: 'Makes an identity (--identity, default: operator); the first also makes key store and workspace.',
  notes: `Prints what vak id show prints. The first identity of a workspace is its operator: it holds the root key, and a random workspace
secret is made. With --root it belongs to a workspace that is held elsewhere: it has no secret (vak config bus set
VAK_WORKSPACE_SECRET) and no role (vak grant add there, vak grant import here) until they are brought. The root's key is what vak
id show prints there, as root; with --json as rootPublic. An identity that is there already is left as it is: exit code 1. The key store's passphrase (10 characters at
least) is read from the file that VAK_PASSPHRASE_FILE names, or asked for.`,
  needs: passNeed,
  example:
    "VAK_PASSPHRASE_FILE=~/pass vak id new --name 'Ada Lovelace'\nvak id new --identity builder --kind process --role worker --queue builds",
  async run(input, host) {
    const wanted = readNewIdentity(input);
    return await withProfile(input.common, host, async (profile) => {
      checkProfile(profile, input.common);
      const { keyStore } = profile;
      if (keyStore.state().kind === 'absent') {
        await rehearse(wanted, input.common.workspace, host);
        await makeKeyStore(keyStore, host);
      } else await unlockKeyStore(keyStore, host);
      const open = await openPlaces(profile, input.common.workspace, host);
      const identity = await makeAndPublish(open, wanted, host);
      host.output.talk(`identity ${identity.peer} is made in ${input.common.profile}`);
      await show(open, identity, host);
      await publishRecords(open, input.common, host);
      return undefined;
    });
  },
};

const showOne: Command = {
  words: ['id', 'show'],
  changes: 'nothing',
  args: [],
  options: {},
  summary: 'Shows an identity: its keys, its roles, the ids of its secrets.',
  notes:
    'Prints {workspace, peer, kind, name, sign, box, boxExpiresAtMs, cardSerial, rootPublic, holdsRoot, grants: [grant in force],\nsecrets: [{id, state}], backup: {last: {atMs, how: made|restored} or null, changed: [{kind, count}]}}: when the key store was backed up\nlast, and what that lacks. No secret is shown.',
  example: 'vak id show --json',
  async run({ common }, host) {
    await withWorkspace(common, host, (open) => show(open, chosenIdentity(open.contents(), common.identity), host));
    return undefined;
  },
};

const card: Command = {
  words: ['id', 'card'],
  changes: 'nothing',
  args: [],
  options: {},
  summary: 'Prints the signed card of an identity, to be handed to others.',
  example: 'vak id card > ada.card.json',
  async run({ common }, host) {
    await withWorkspace(common, host, (open) => {
      const signed = cardOf(chosenIdentity(open.contents(), common.identity), open.workspace);
      host.output.data(signed, JSON.stringify(signed));
    });
    return undefined;
  },
};

export const idCommands: readonly Command[] = [create, showOne, card, ...idBackupCommands];
