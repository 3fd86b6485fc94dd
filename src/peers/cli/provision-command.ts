/** `vak provision`: what a workspace needs on a server, made once (protocol.md §1). */
import type { Fabric } from '../../engine/bus/fabric.ts';
import { type ProvisionedPart, provision } from '../../engine/bus/provision.ts';
import { grantAt, isInForce } from '../../engine/identity/grant-timeline.ts';
import { claimedConsumers } from '../../engine/work/claimed-consumers.ts';
import type { VakError } from '../../shared/base/vak-error.ts';
import { keptStreamsOf } from '../../shared/settings/kept-streams.ts';
import { withBus } from './bus-connection.ts';
import { type CliHost, type Command, type CommonOptions, exitCodes } from './command.ts';
import { contextNeed, serverNeed } from './example-needs.ts';
import { readCountUpTo } from './number-input.ts';
import { withProfile } from './profile.ts';
import { publishThrough, rootPerson } from './publish-records.ts';
import { type OpenWorkspace, openPlaces } from './workspace.ts';

/** What was granted before there was a place for it goes out as soon as there is one, where no passphrase has to be asked for. */
async function publishIfOpen(
  { open, fabric, common }: { readonly open: OpenWorkspace; readonly fabric: Fabric; readonly common: CommonOptions },
  host: CliHost,
): Promise<void> {
  if (open.profile.keyStore.state().kind !== 'unlocked') return;
  const isMember = open.contents().workspaces.some(({ workspace }) => workspace === open.workspace);
  const peer = isMember ? rootPerson(open) : undefined;
  if (peer !== undefined && (common.identity ?? peer) === peer) await publishThrough({ open, peer, fabric }, host);
}

/**
 * Peers whose grant is in force, sorted: a server that enforces access knows of no others. Where the key store is closed nobody can say
 * which grants the root signed, and the newest counts as it stands; it decides here only which buckets and consumers are asked for.
 */
function grantedPeers({ profile, directory, timelines, contents, workspace }: OpenWorkspace, { clock }: CliHost) {
  const nowMs = clock.now();
  const isOpen = profile.keyStore.state().kind === 'unlocked';
  const isMember = isOpen && contents().workspaces.some((one) => one.workspace === workspace);
  const timelineOf = isMember ? timelines(contents()) : undefined;
  const newestOf = (peer: string) =>
    timelineOf === undefined ? directory.grants(peer).at(-1)?.record : grantAt(timelineOf(peer), nowMs)?.grant;
  return directory
    .grantedPeers()
    .toSorted()
    .flatMap((peer) => {
      const newest = newestOf(peer);
      return newest !== undefined && isInForce(newest, nowMs)
        ? [{ peer, roles: newest.roles, queues: newest.queues }]
        : [];
    });
}

/** What JetStream takes. */
const maxReplicas = 5;

export const provisionCommand: Command = {
  words: ['provision'],
  changes: 'bus',
  args: [],
  options: {
    'dry-run': { help: 'changes nothing, says what would be done' },
    replicas: {
      value: 'N',
      help: 'copies of each stream and bucket in a cluster, 1–5 (default: 1, and as it is for what is there)',
    },
  },
  summary:
    'Makes the streams, buckets and consumers of the workspace on a server, or changes them to be as they should.',
  notes: `Prints {kind: stream|key-value|consumer|objects, name, outcome: created|updated|unchanged}, one a line; done again it changes nothing.
Where something of that name cannot be changed to what is needed, it ends there with exit code 1 and names the field; what was made
before stays. Each peer whose grant is in force here gets its bucket of large values and the consumers that it claims from (its queues, its
inbox), which it cannot make itself where the server enforces access (vak acl export): run it again after a grant. Elsewhere each peer
makes its own, too. One that the server refuses is named on stderr with what was refused, the others are made, and the exit code is 1. What the settings retention.… ask for is kept of each stream.
--replicas is for servers that form a cluster: 3 copies outlive the loss of one server, 5 that of two. The server's JetStream must be enabled.`,
  needs: `${serverNeed}; ${contextNeed}`,
  example:
    'vak provision --dry-run --nats-url nats://127.0.0.1:4222\nvak provision --context prod\nvak provision --context prod --workspace team',
  async run({ common, isOn, option }, host) {
    const dryRun = isOn('dry-run');
    const copies = option('replicas');
    const replicas = copies === undefined ? {} : { replicas: readCountUpTo(copies, '--replicas', maxReplicas) };
    const { output } = host;
    return await withProfile(common, host, (profile) =>
      withBus({ common, profile, host }, async (fabric, { label }) => {
        const { workspace } = common;
        const open = await openPlaces(profile, workspace, host);
        const peers = grantedPeers(open, host);
        const streams = keptStreamsOf(workspace, profile.settings.settings().retention);
        let failedCount = 0;
        const onFailed = ({ kind, name }: Omit<ProvisionedPart, 'outcome'>, { message }: VakError): void => {
          failedCount++;
          output.complain(`${kind} ${name}: is not made: ${message}`);
        };
        const onPart = ({ kind, name, outcome }: ProvisionedPart): void =>
          output.data({ kind, name, outcome }, `${outcome.padEnd(9)}  ${kind.padEnd(9)}  ${name}`);
        const parts = await provision(fabric.durable, workspace, {
          ...{ ...replicas, dryRun, streams, onPart, onFailed, writers: peers.map(({ peer }) => peer) },
          consumers: claimedConsumers(workspace, peers),
        });
        const changed = parts.filter(({ outcome }) => outcome !== 'unchanged').length;
        const all = parts.length + failedCount;
        output.talk(`${label}: ${changed} of ${all} ${dryRun ? 'would be' : 'were'} made or changed`);
        if (!dryRun) await publishIfOpen({ open, fabric, common }, host);
        return failedCount === 0 ? exitCodes.done : exitCodes.no;
      }),
    );
  },
};
