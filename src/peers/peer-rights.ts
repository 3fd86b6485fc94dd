/** Keys and grant of a peer that a profile runs: what is asked, what it has, and what is made for it (protocol.md I4). */

import { grantAt } from '../engine/identity/grant-timeline.ts';
import { joinWorkspace } from '../engine/identity/join-workspace.ts';
import type { StoredIdentity } from '../engine/identity/key-store.ts';
import { cardOf, type MakerPorts, updateAndErase } from '../engine/identity/operator-identity.ts';
import { publishCard } from '../engine/identity/own-records.ts';
import { createCredentialIssuer, heldCredentials, type PeerCredentials } from '../engine/identity/peer-credentials.ts';
import { workspaceIn } from '../engine/identity/root-grants.ts';
import { VakError } from '../shared/base/vak-error.ts';
import type { Grant } from '../shared/protocol/identity-records.ts';
import type { Role } from '../shared/protocol/roles.ts';
import type { CliHost, CommonOptions } from './cli/command.ts';
import type { OpenWorkspace } from './cli/workspace.ts';

/** What an identity is made as at its first use. One that is there stays what it is; `isMust`: it is to be that. */
export interface PeerKind extends Pick<StoredIdentity, 'kind' | 'agent'> {
  readonly isMust?: boolean;
}

interface RightsAsked {
  readonly roles: readonly Role[];
  readonly queues: readonly string[];
  readonly as?: PeerKind;
  /** For an engine of this process, whose grants nobody gives by hand. */
  readonly mayWiden?: boolean;
}

/** A peer whose identity is named. */
export interface NamedPeer extends RightsAsked {
  readonly common: CommonOptions & { readonly identity: string };
  readonly log: (event: string, fields?: Readonly<Record<string, unknown>>) => void;
}

/** What is asked; where nothing is, what the identity has been granted already. */
function rightsOf({ common, roles, queues }: NamedPeer, open: OpenWorkspace, host: CliHost) {
  const held = grantAt(open.timelines(open.contents())(common.identity), host.clock.now())?.grant;
  if (roles.length + queues.length > 0) return { roles, queues, held };
  return { roles: held?.roles ?? [], queues: held?.queues ?? [], held };
}

/** In whose name somebody talks in rooms, by what it is. */
const talkingRole = (kind: PeerKind['kind']): Role => (kind === 'human' ? 'human' : 'bot');

const identityOf = (open: OpenWorkspace, peer: string): StoredIdentity | undefined =>
  open.contents().identities.find((one) => one.peer === peer);

/** Makes an identity where the root is held elsewhere: it is granted something there. */
async function makeJoining(peer: string, as: PeerKind, { open, ports }: { open: OpenWorkspace; ports: MakerPorts }) {
  const { workspace, profile } = open;
  const wanted = { ...as, ...ports, workspace, peer, name: peer, rootPublic: undefined };
  await updateAndErase(profile.keyStore, (contents) => joinWorkspace({ ...wanted, contents }).contents);
  const made = identityOf(open, peer);
  if (made !== undefined) await publishCard(cardOf(made, workspace), open);
}

/** Throws `conflict` if an identity that is there is not what is asked for. */
function checkKind(peer: string, known: StoredIdentity | undefined, { kind, agent, isMust }: PeerKind): void {
  if (known === undefined || isMust !== true) return;
  if (known.kind !== kind)
    throw new VakError('conflict', `${peer}: is a ${known.kind} of this profile, no ${kind}; give another --identity`);
  if (agent && !known.agent) {
    const what = 'its card does not say that it is an agent, and was made without --agent';
    throw new VakError('conflict', `${peer}: ${what}; give another --identity`);
  }
}

/** Says where and how it gets its role. */
function notGranted(peer: string, { sign, role }: { readonly sign: string; readonly role: Role }): VakError {
  const line = `vak grant add ${peer} --sign ${sign} --role ${role}`;
  return new VakError(
    'forbidden',
    `${peer}: is not granted the role ${role}; where the root is: ${line}; it comes here over the bus (or by vak grant import)`,
  );
}

/** Keys and grant of whoever talks in rooms, with its role where this profile holds the root. Throws `forbidden` that says what to run where it is held elsewhere. */
async function talkerCredentials(
  asked: NamedPeer & { readonly as: PeerKind },
  open: OpenWorkspace,
  host: CliHost,
): Promise<PeerCredentials> {
  const { clock, randomness } = host;
  const { workspace, profile } = open;
  const { identity: peer } = asked.common;
  const holdsRoot = workspaceIn(open.contents(), workspace).rootSeed !== null;
  const known = identityOf(open, peer);
  checkKind(peer, known, asked.as);
  const as = known ?? asked.as;
  const { kind, agent } = as;
  const role = talkingRole(kind);
  const { roles, queues, held } = rightsOf({ ...asked, roles: [...asked.roles, role] }, open, host);
  if (known === undefined && !holdsRoot) await makeJoining(peer, as, { open, ports: host });
  const identity = identityOf(open, peer);
  if (!holdsRoot && identity !== undefined && held?.roles.includes(role) !== true)
    throw notGranted(peer, { sign: cardOf(identity, workspace).sign, role });
  const issue = createCredentialIssuer({ keyStore: profile.keyStore, records: open, clock, randomness });
  const issued = await issue({ peer, roles, queues, as: { kind, agent } });
  if (known === undefined) asked.log('made', { identity: peer, kind, role });
  return issued;
}

/** Its keys and its grant. A process is made and granted what is asked if it has no grant (A28); people and bots that do not talk in rooms are what they have been granted. */
export async function credentialsFor(asked: NamedPeer, open: OpenWorkspace, host: CliHost): Promise<PeerCredentials> {
  const { clock, randomness } = host;
  const { keyStore } = open.profile;
  const { as, mayWiden = false } = asked;
  const { identity: peer } = asked.common;
  if (as !== undefined) return await talkerCredentials({ ...asked, as }, open, host);
  const { roles, queues } = rightsOf(asked, open, host);
  const isOther = open.contents().identities.some((one) => one.peer === peer && one.kind !== 'process');
  if (isOther || roles.length === 0) return heldCredentials(peer, { keyStore, records: open, clock });
  return await createCredentialIssuer({ keyStore, records: open, clock, randomness })({
    peer,
    roles,
    queues,
    mayWiden,
  });
}

/** Throws `forbidden` unless the grant gives what is asked: where the root is held elsewhere it stands as it was imported. */
export function checkGranted(
  { peer, roles, queues }: Grant,
  { roles: wantedRoles, queues: wantedQueues }: RightsAsked,
): void {
  const missingRoles = wantedRoles.filter((role) => !roles.includes(role));
  const missingQueues = wantedQueues.filter((queue) => !queues.includes(queue));
  if (missingRoles.length + missingQueues.length === 0) return;
  const role = `role ${(missingRoles.length === 0 ? wantedRoles : missingRoles).join(', ')}`;
  const what = missingQueues.length === 0 ? role : `${role} of queue ${missingQueues.join(', ')}`;
  throw new VakError(
    'forbidden',
    `${peer}: is not granted the ${what}; grant it where the root is (vak grant add), and it comes here over the bus (or by vak grant import)`,
  );
}
