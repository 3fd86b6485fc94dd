/** A peer of the work plane on a server: an identity of a profile with its outbox, its judge, and no right beyond its grant (protocol.md A4, B8, E8). */
import { createPeerPermit } from '../engine/access/peer-permit.ts';
import { createPermittedFabric } from '../engine/access/permitted-fabric.ts';
import type { Fabric } from '../engine/bus/fabric.ts';
import { readOnlyRefusal } from '../engine/connections/read-only-fabric.ts';
import { createPinnedRoot } from '../engine/envelope/pinned-root.ts';
import { grantAt } from '../engine/identity/grant-timeline.ts';
import { takeCredentials } from '../engine/identity/own-credentials.ts';
import { createCredentialIssuer } from '../engine/identity/peer-credentials.ts';
import { openOwnOutbox, outboxFolder } from '../engine/outbox/outbox-folder.ts';
import { createKnownGrants } from '../engine/work/known-grants.ts';
import { openWorkPeer, type WorkPeer } from '../engine/work/work-peer.ts';
import { createDisposer } from '../shared/base/disposer.ts';
import { VakError } from '../shared/base/vak-error.ts';
import type { Grant } from '../shared/protocol/identity-records.ts';
import type { Role } from '../shared/protocol/roles.ts';
import { lockUnlessNeeded, withBus } from './cli/bus-connection.ts';
import type { CliHost, CommonOptions } from './cli/command.ts';
import { createOutageTalk } from './cli/outage-talk.ts';
import { type OpenWorkspace, withWorkspace } from './cli/workspace.ts';
import type { EventLog } from './event-log.ts';

/** Its peer stays open until the work is over. */
export interface RunningPeer extends WorkPeer {
  readonly open: OpenWorkspace;
  /** Resolves at the first signal; rejects when the connection is closed for good. */
  readonly ended: Promise<void>;
}

export interface WorkPeerAsked {
  /** `identity` names the peer. */
  readonly common: CommonOptions & { readonly identity: string };
  readonly role: Role;
  readonly queues: readonly string[];
  readonly log: EventLog;
}

/** What is not stored when it stops waits for its next start, ms. */
const farewellMs = 5_000;

/** What is asked, and what the identity has been granted already: another process of it may need that. */
function rightsOf({ common, role, queues }: WorkPeerAsked, open: OpenWorkspace, host: CliHost) {
  const held = grantAt(open.timelines(open.contents())(common.identity), host.clock.now())?.grant;
  const both = <T>(one: readonly T[], other: readonly T[]): T[] => [...new Set([...one, ...other])].sort();
  return { roles: both(held?.roles ?? [], [role]), queues: both(held?.queues ?? [], queues) };
}

/** Throws `forbidden` unless the grant gives what is asked: where the root is held elsewhere it stands as it was imported. */
function checkGranted({ peer, roles, queues }: Grant, { role, queues: wanted }: WorkPeerAsked): void {
  const missing = wanted.filter((queue) => !queues.includes(queue));
  if (roles.includes(role) && missing.length === 0) return;
  const what = missing.length === 0 ? `role ${role}` : `role ${role} of queue ${missing.join(', ')}`;
  throw new VakError(
    'forbidden',
    `${peer}: is not granted the ${what}; grant it where the root is (vak grant add), and import it here`,
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

interface Connected {
  readonly asked: WorkPeerAsked;
  readonly host: CliHost;
  readonly open: OpenWorkspace;
  readonly fabric: Fabric;
  readonly destination: string;
  readonly ended: Promise<void>;
}

async function runAs<T>(connected: Connected, work: (peer: RunningPeer) => Promise<T>): Promise<T> {
  const { asked, host, open, fabric, destination, ended } = connected;
  const { clock, randomness, logger } = host;
  const { workspace, identity: peer } = asked.common;
  const { profile } = open;
  const held = createDisposer();
  try {
    const rights = rightsOf(asked, open, host);
    const issue = createCredentialIssuer({ keyStore: profile.keyStore, records: open, clock, randomness });
    const root = held.add(createPinnedRoot(profile.keyStore, workspace));
    root.current();
    const own = held.add(takeCredentials(await issue({ peer, ...rights }), { workspace, peer }));
    checkGranted(own.grant, asked);
    lockUnlessNeeded(asked.common, open);
    const { roles, queues } = own.grant;
    const permit = createPeerPermit({
      ...{ workspace, peer, roles, queues, clock, logger },
      onDenied: ({ action, subject, rule }) => asked.log('denied', { action, subject, rule }),
    });
    const { settings, files } = profile;
    const { journal } = await openOwnOutbox(outboxFolder(files.outbox, { workspace, peer, destination }), host);
    const workPeer = await openWorkPeer({
      ...{ own, journal, fabric: createPermittedFabric(fabric, permit), clock, randomness, logger },
      grants: createKnownGrants(open, root),
      policy: () => settings.settings().policy,
    });
    try {
      return await work({ ...workPeer, open, ended });
    } finally {
      await workPeer.close(fabric.status().kind === 'connected' ? farewellMs : 0);
    }
  } finally {
    held.dispose();
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
    const bus = { common, profile, host, peer: common.identity, onRefused: fail };
    return await withBus(bus, async (fabric, { destination, readOnlyContext, label }) => {
      if (readOnlyContext !== undefined) throw readOnlyRefusal(readOnlyContext, 'work');
      const held = createDisposer();
      const words = { lost: 'vak: the connection is lost; it is sought until it is back' };
      const back = (after: string): string => `vak: the connection is back after ${after}`;
      held.add(fabric.onStatus(createOutageTalk(host, { ...words, back, onClosed: fail })));
      try {
        log('connected', { server: label });
        return await runAs({ asked, host, open, fabric, destination, ended }, work);
      } finally {
        held.dispose();
      }
    });
  });
}
