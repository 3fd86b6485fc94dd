/** A peer of the work plane on a server: an identity of a profile with its outbox, its judge, and no right beyond its grant (protocol.md A4, B8, E8). */
import type { DeniedAccess } from '../engine/access/denial-teller.ts';
import { createPeerPermit } from '../engine/access/peer-permit.ts';
import type { Permit } from '../engine/access/permit.ts';
import { createPermittedFabric } from '../engine/access/permitted-fabric.ts';
import { createServerDenials } from '../engine/access/server-denials.ts';
import type { Fabric } from '../engine/bus/fabric.ts';
import { readOnlyRefusal } from '../engine/connections/read-only-fabric.ts';
import { createPinnedRoot } from '../engine/envelope/pinned-root.ts';
import { createProfileKnowledge, type TrustKnowledge } from '../engine/envelope/trust-knowledge.ts';
import type { BusDirectory } from '../engine/identity/bus-directory.ts';
import { grantAt } from '../engine/identity/grant-timeline.ts';
import { type OwnCredentials, takeCredentials } from '../engine/identity/own-credentials.ts';
import { createCredentialIssuer, heldCredentials, type PeerCredentials } from '../engine/identity/peer-credentials.ts';
import { createStandings, watchStanding } from '../engine/identity/standing.ts';
import { openOwnOutbox, outboxFolder } from '../engine/outbox/outbox-folder.ts';
import { createKnownGrants } from '../engine/work/known-grants.ts';
import { openWorkPeer, type WorkPeer } from '../engine/work/work-peer.ts';
import { createDisposer } from '../shared/base/disposer.ts';
import { VakError } from '../shared/base/vak-error.ts';
import type { Grant } from '../shared/protocol/identity-records.ts';
import type { Role } from '../shared/protocol/roles.ts';
import { type BusPlace, lockUnlessNeeded, withBus } from './cli/bus-connection.ts';
import { followDirectory, readyMs } from './cli/bus-directory.ts';
import type { CliHost, CommonOptions } from './cli/command.ts';
import { createOutageTalk } from './cli/outage-talk.ts';
import { wayBackInto } from './cli/passphrase.ts';
import { publishAs, publishThrough, rootPerson } from './cli/publish-records.ts';
import { type OpenWorkspace, withWorkspace } from './cli/workspace.ts';
import type { EventLog } from './event-log.ts';
import { followSecrets } from './secret-renewal.ts';

/** Its peer stays open until the work is over. */
export interface RunningPeer extends WorkPeer {
  readonly open: OpenWorkspace;
  readonly permit: Permit;
  /** How the connection is. */
  readonly fabric: Pick<Fabric, 'status' | 'onStatus' | 'ping'>;
  /** What its verdicts stand on. */
  readonly knowledge: TrustKnowledge;
  /** Resolves at the first signal; rejects when the connection is closed for good. */
  readonly ended: Promise<void>;
}

export interface WorkPeerAsked {
  /** `identity` names the peer. */
  readonly common: CommonOptions & { readonly identity: string };
  /** None: what it has been granted already. */
  readonly roles: readonly Role[];
  readonly queues: readonly string[];
  readonly log: EventLog;
  /** An engine of this process, which stays; undefined: the server of `common`. */
  readonly through?: { readonly fabric: Fabric; readonly place: BusPlace };
  /** Told of what the server refuses when no promise is left to reject; without it the peer has ended by that. */
  readonly onRefused?: (error: VakError) => void;
}

/** What is not stored when it stops waits for its next start, ms. */
const farewellMs = 5_000;

/** What is asked; where nothing is, what the identity has been granted already. */
function rightsOf({ common, roles, queues }: WorkPeerAsked, open: OpenWorkspace, host: CliHost) {
  if (roles.length + queues.length > 0) return { roles, queues };
  const held = grantAt(open.timelines(open.contents())(common.identity), host.clock.now())?.grant;
  return { roles: held?.roles ?? [], queues: held?.queues ?? [] };
}

/** Its keys and its grant. A process is made and granted what is asked if it has no grant (A28); people and bots are what they have been granted. */
async function credentialsFor(asked: WorkPeerAsked, open: OpenWorkspace, host: CliHost): Promise<PeerCredentials> {
  const { clock, randomness } = host;
  const { keyStore } = open.profile;
  const { identity: peer } = asked.common;
  const rights = rightsOf(asked, open, host);
  const isOther = open.contents().identities.some((one) => one.peer === peer && one.kind !== 'process');
  if (isOther || rights.roles.length === 0) return heldCredentials(peer, { keyStore, records: open, clock });
  // An engine of this process has grants of its own, which nobody gives by hand.
  const mayWiden = asked.through !== undefined;
  return await createCredentialIssuer({ keyStore, records: open, clock, randomness })({ peer, ...rights, mayWiden });
}

/** Throws `forbidden` unless the grant gives what is asked: where the root is held elsewhere it stands as it was imported. */
function checkGranted(
  { peer, roles, queues }: Grant,
  { roles: wantedRoles, queues: wantedQueues }: WorkPeerAsked,
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

function createEnding({ signal }: CliHost) {
  let fail = (_: VakError): void => {};
  const ended = new Promise<void>((resolve, reject) => {
    fail = reject;
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  // It may fail before anybody waits for it.
  ended.catch(() => undefined);
  return { ended, fail };
}

/** What was tried, by whom, by which rule it was refused, and by whom (A20). */
function logDenied(
  log: EventLog,
  { peer, action, subject, rule, side }: DeniedAccess,
  roles: readonly Role[] = [],
): void {
  log('denied', { peer, roles, action, subject, rule, side });
}

interface Connected {
  readonly asked: WorkPeerAsked;
  readonly host: CliHost;
  readonly open: OpenWorkspace;
  readonly fabric: Fabric;
  readonly destination: string;
  readonly ended: Promise<void>;
  /** Ends the work. */
  readonly fail: (error: VakError) => void;
  /** Told what the peer was granted, when that is known. */
  readonly onGrant: (grant: Grant) => void;
}

/** What was granted by the root that this profile holds, others are to know before the peer speaks; it is its person's to publish. */
async function publishGrants({ asked, host, open, fabric }: Connected, directory: BusDirectory): Promise<void> {
  const { common, through } = asked;
  const person = rootPerson(open);
  if (person === undefined || !directory.lacksGrants()) return;
  if (through === undefined) await publishAs(person, { open, common }, host);
  else await publishThrough({ open, peer: person, fabric }, host);
}

/** What it may do, as long as it is granted; who is granted nothing any more ends. */
function followGrant({ asked, host, open, fail }: Connected, { grant, rootPublic }: OwnCredentials) {
  const { clock, logger } = host;
  const { directory } = open;
  const { ws: workspace, peer, sign, roles, queues } = grant;
  const permit = createPeerPermit({
    ...{ workspace, peer, roles, queues, clock, logger },
    onDenied: (denied) => logDenied(asked.log, denied, roles),
  });
  const watching = watchStanding({
    ...{ peer, sign, directory, clock, standing: createStandings({ workspace, directory, rootPublic, clock }) },
    onChange(now) {
      if (now.kind === 'held') return permit.regrant(now);
      permit.regrant({ roles: [], queues: [] });
      asked.log('revoked', { why: now.why });
      fail(new VakError('forbidden', `${peer}: ${now.why}; grant it again where the root is (vak grant add)`));
    },
  });
  return { permit, watching };
}

async function runAs<T>(connected: Connected, work: (peer: RunningPeer) => Promise<T>): Promise<T> {
  const { asked, host, open, fabric, destination, ended, onGrant } = connected;
  const { clock, randomness, logger } = host;
  const { workspace, identity: peer } = asked.common;
  const { profile } = open;
  const held = createDisposer();
  const busDirectory = followDirectory(
    {
      ...{ open, peer, fabric, isPublishing: true },
      onRefused: ({ kind, peer: of, why }) => asked.log('refused-record', { kind, peer: of, why }),
    },
    host,
  );
  try {
    const root = held.add(createPinnedRoot(profile.keyStore, workspace));
    root.current();
    // What was granted or revoked meanwhile counts before anything is taken for granted.
    await busDirectory.ready(readyMs);
    const own = held.add(takeCredentials(await credentialsFor(asked, open, host), { workspace, peer }));
    checkGranted(own.grant, asked);
    onGrant(own.grant);
    const wayBack = held.add(wayBackInto(profile.keyStore, host));
    await publishGrants(connected, busDirectory);
    lockUnlessNeeded(asked.common, open);
    const { permit, watching } = followGrant(connected, own);
    held.add(watching);
    const { keyStore, settings, files } = profile;
    const { directory } = open;
    const { secrets } = own;
    const known = held.add(createProfileKnowledge({ keyStore, directory, root, secrets, clock }));
    const onRenewed = known.changed;
    const renewal = held.add(await followSecrets({ open, secrets, wayBack, host, log: asked.log, onRenewed }));
    const knowledge: TrustKnowledge = { ...known, seekSecrets: renewal.seek };
    const { journal } = await openOwnOutbox(outboxFolder(files.outbox, { workspace, peer, destination }), host);
    const workPeer = await openWorkPeer({
      ...{ own, journal, fabric: createPermittedFabric(fabric, permit), clock, randomness, logger },
      ...{ grants: { ...createKnownGrants(open, root), knowledge }, isCardKept: true },
      policy: () => settings.settings().policy,
    });
    try {
      return await work({ ...workPeer, open, permit, fabric, knowledge, ended });
    } finally {
      await workPeer.close(fabric.status().kind === 'connected' ? farewellMs : 0);
    }
  } finally {
    held.dispose();
    await busDirectory.close();
  }
}

/**
 * Connects as the identity, which is made and granted what it needs at its first use, and runs the work. Throws what connecting and
 * opening throw, `read-only` for a context of that kind, `forbidden` if this profile cannot grant it.
 */
export async function withWorkPeer<T>(
  asked: WorkPeerAsked,
  host: CliHost,
  work: (peer: RunningPeer) => Promise<T>,
): Promise<T> {
  const { common, log } = asked;
  return await withWorkspace(common, host, async (open) => {
    const { profile } = open;
    // It runs for days.
    profile.keyStore.setIdleLockMinutes(0);
    const { ended, fail } = createEnding(host);
    let granted: Grant | undefined;
    const onDenied = createServerDenials({
      ...{ workspace: common.workspace, peer: common.identity, granted: () => granted },
      ...{ clock: host.clock, logger: host.logger },
      onDenied: (denied) => logDenied(log, denied, granted?.roles),
    });
    const run = async (fabric: Fabric, { destination, readOnlyContext, label }: BusPlace): Promise<T> => {
      if (readOnlyContext !== undefined) throw readOnlyRefusal(readOnlyContext, 'work');
      const held = createDisposer();
      const words = { lost: 'vak: the connection is lost; it is sought until it is back' };
      const back = (after: string): string => `vak: the connection is back after ${after}`;
      held.add(fabric.onStatus(createOutageTalk(host, { ...words, back, onClosed: fail })));
      try {
        log('connected', { server: label });
        const onGrant = (grant: Grant): void => {
          granted = grant;
        };
        return await runAs({ asked, host, open, fabric, destination, ended, fail, onGrant }, work);
      } finally {
        held.dispose();
      }
    };
    if (asked.through !== undefined) return await run(asked.through.fabric, asked.through.place);
    const onRefused = asked.onRefused ?? fail;
    const bus = { common, profile, host, peer: common.identity, onRefused, onDenied, granted: () => granted };
    return await withBus(bus, run);
  });
}
