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
import { type OwnCredentials, takeCredentials } from '../engine/identity/own-credentials.ts';
import { eraseCredentials, type PeerCredentials } from '../engine/identity/peer-credentials.ts';
import type { DirectoryRefusal } from '../engine/identity/refusal-teller.ts';
import { createStandings, watchStanding } from '../engine/identity/standing.ts';
import type { OutboxGuard } from '../engine/outbox/outbox.ts';
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
import { chosenIdentity, type OpenWorkspace, withWorkspace } from './cli/workspace.ts';
import type { EventLog } from './event-log.ts';
import { checkGranted, credentialsFor, type NamedPeer, type PeerKind } from './peer-rights.ts';
import { followSecrets } from './secret-renewal.ts';

/** Its peer stays open until the work is over. */
export interface RunningPeer extends WorkPeer {
  readonly open: OpenWorkspace;
  readonly permit: Permit;
  /** How the connection is. */
  readonly fabric: Pick<Fabric, 'status' | 'onStatus' | 'ping'>;
  /** Names the engine, for what is kept for it alone. */
  readonly destination: string;
  /** Makes what ends soon anew: its box key with a card, its grant where this profile holds the root. Throws what making it throws. */
  renewKeys(): Promise<void>;
  /** What its verdicts stand on. */
  readonly knowledge: TrustKnowledge;
  /** Resolves at the first signal; rejects when the connection is closed for good. */
  readonly ended: Promise<void>;
}

export interface WorkPeerAsked {
  /** `identity` names the peer; undefined: the profile's person. */
  readonly common: CommonOptions;
  /** None: what it has been granted already. */
  readonly roles: readonly Role[];
  readonly queues: readonly string[];
  readonly log: EventLog;
  /** Whoever is no process: made as such at its first use. Its key store stays open, for there its room keys lie. */
  readonly as?: PeerKind;
  /** Of its outbox. */
  readonly guard?: OutboxGuard;
  /** As in {@link BusAsked}. */
  readonly isManaging?: boolean;
  /** An engine of this process, which stays; undefined: the server of `common`. */
  readonly through?: { readonly fabric: Fabric; readonly place: BusPlace };
  /** Told of what the server refuses when no promise is left to reject; without it the peer has ended by that. */
  readonly onRefused?: (error: VakError) => void;
}

/** What is not stored when it stops waits for its next start, ms. */
const farewellMs = 5_000;

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
  readonly asked: WorkPeerAsked & NamedPeer;
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

/** Follows what the bus says of cards and grants, and says the own. */
function followRecords({ asked, open, fabric, host }: Connected): BusDirectory {
  const onRefused = ({ kind, peer, why }: DirectoryRefusal): void => asked.log('refused-record', { kind, peer, why });
  return followDirectory({ ...{ open, fabric, isPublishing: true, onRefused }, peer: asked.common.identity }, host);
}

/** Its keys and grant, made or renewed if need be: an engine of this process has grants of its own. */
const credentialsOf = ({ asked, open, host }: Connected): Promise<PeerCredentials> =>
  credentialsFor({ ...asked, mayWiden: asked.through !== undefined }, open, host);

async function runAs<T>(connected: Connected, work: (peer: RunningPeer) => Promise<T>): Promise<T> {
  const { asked, host, open, fabric, destination, ended, onGrant } = connected;
  const { clock, randomness, logger } = host;
  const { workspace, identity: peer } = asked.common;
  const { profile } = open;
  const held = createDisposer();
  const busDirectory = followRecords(connected);
  try {
    const root = held.add(createPinnedRoot(profile.keyStore, workspace));
    root.current();
    // What was granted or revoked meanwhile counts before anything is taken for granted.
    await busDirectory.ready(readyMs);
    const own = held.add(takeCredentials(await credentialsOf(connected), { workspace, peer }));
    checkGranted(own.grant, asked);
    onGrant(own.grant);
    const wayBack = held.add(wayBackInto(profile.keyStore, host));
    await publishGrants(connected, busDirectory);
    if (asked.as === undefined) lockUnlessNeeded(asked.common, open);
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
      ...(asked.guard === undefined ? {} : { guard: asked.guard }),
      policy: () => settings.settings().policy,
    });
    try {
      const renewKeys = async (): Promise<void> => eraseCredentials(await credentialsOf(connected));
      return await work({ ...workPeer, open, permit, fabric, destination, renewKeys, knowledge, ended });
    } finally {
      await workPeer.close(fabric.status().kind === 'connected' ? farewellMs : 0);
    }
  } finally {
    held.dispose();
    await busDirectory.close();
  }
}

/** The profile's person is whom the app takes for it: the first. Throws as choosing does where there is none. */
function personOf(open: OpenWorkspace): string {
  const contents = open.contents();
  const person = contents.identities.find(({ kind }) => kind === 'human');
  return (person ?? chosenIdentity(contents, undefined)).peer;
}

/**
 * Connects as the identity, which is made and granted what it needs at its first use, and runs the work. Throws what connecting and
 * opening throw, `read-only` for a context of that kind, `forbidden` if this profile cannot grant it.
 */
export async function withWorkPeer<T>(
  given: WorkPeerAsked,
  host: CliHost,
  work: (peer: RunningPeer) => Promise<T>,
): Promise<T> {
  const { log } = given;
  return await withWorkspace(given.common, host, async (open) => {
    const { profile } = open;
    const identity = given.common.identity ?? personOf(open);
    const common = { ...given.common, identity };
    const asked = { ...given, common };
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
    const { isManaging = false } = asked;
    const bus = {
      common,
      profile,
      host,
      isManaging,
      peer: common.identity,
      onRefused,
      onDenied,
      granted: () => granted,
    };
    return await withBus(bus, run);
  });
}
