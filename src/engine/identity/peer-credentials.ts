/**
 * What a peer that this profile starts is given: its own keys, its card and grant, and the workspace's secrets (protocol.md I3).
 * Law: a peer keeps its signing key from start to start; its secrets leave this process by its private channel alone.
 */
import { VakError } from '../../shared/base/vak-error.ts';
import type { Card, Grant } from '../../shared/protocol/identity-records.ts';
import type { Role } from '../../shared/protocol/roles.ts';
import type { Clock } from '../ports/clock.ts';
import type { Randomness } from '../ports/randomness.ts';
import { grantAt } from './grant-timeline.ts';
import type { KeyStore, KeyStoreContents, StoredIdentity } from './key-store.ts';
import { cardOf, createPeerIdentity, currentBoxKey, rotateBoxKey, updateAndErase } from './operator-identity.ts';
import { highestGrantSerial, publishCard, publishGrant, withFreshSerial } from './own-records.ts';
import { eraseSecrets, type PeerSecrets, secretsFor } from './peer-secrets.ts';
import { grant, workspaceIn } from './root-grants.ts';
import type { WorkspaceRecords } from './workspace-records.ts';

/** A peer's keys and standing, as they go over its channel. Byte fields are copies: the receiver erases them. */
export interface PeerCredentials extends PeerSecrets {
  /** nkey seed as text bytes (`SU…`). */
  readonly signSeed: Uint8Array;
  /** X25519 secret key, 32 bytes. */
  readonly boxSecret: Uint8Array;
  readonly card: Card;
  readonly grant: Grant;
  /** Root's public nkey. */
  readonly rootPublic: string;
}

/** Zeroes the copies once they are handed over. */
export function eraseCredentials({ signSeed, boxSecret, ...secrets }: PeerCredentials): void {
  for (const bytes of [signSeed, boxSecret]) bytes.fill(0);
  eraseSecrets(secrets);
}

type PeerRights = Pick<PeerWanted, 'roles' | 'queues'>;

/** What a peer is to be. */
export interface PeerWanted {
  readonly peer: string;
  readonly roles: readonly Role[];
  readonly queues: readonly string[];
  /** For a peer of this program alone: the longest that a grant of it lasts, ms, whoever gave it; left out: as long as its box key. */
  readonly grantLifeMs?: number;
  /** What it lacks is granted beside what it has: for an engine that nobody gives grants by hand. */
  readonly mayWiden?: boolean;
  /** What it is made as, and must be; left out: a process. */
  readonly as?: Pick<StoredIdentity, 'kind' | 'agent'>;
}

/**
 * Gives credentials. Throws `locked`, `exists` if the name is another kind of identity's, `forbidden` if the peer was revoked, or if what it
 * was granted does not give what is wanted, has ended as somebody wanted it to, or is another key's.
 */
export type IssueCredentials = (wanted: PeerWanted) => Promise<PeerCredentials>;

/** What issuing takes. */
export interface IssuerDeps {
  readonly keyStore: Pick<KeyStore, 'read' | 'update'>;
  readonly records: WorkspaceRecords;
  readonly clock: Clock;
  readonly randomness: Randomness;
}

/** A key or grant that ends sooner than this is made anew, ms. */
const renewBeforeMs = 24 * 3_600_000;

const process = { kind: 'process', agent: false } as const;

function findPeer({ identities }: KeyStoreContents, { peer, as = process }: PeerWanted): StoredIdentity | undefined {
  const found = identities.find((one) => one.peer === peer);
  if (found === undefined || found.kind === as.kind) return found;
  throw new VakError('exists', `${peer} is the name of a ${found.kind} of this profile; no ${as.kind} can have it`);
}

/** How long a grant lasts still, ms. */
function leftMsOf({ notAfter }: Grant, nowMs: number): number {
  return notAfter === 0 ? Number.POSITIVE_INFINITY : notAfter * 1000 - nowMs;
}

function together<T>(one: readonly T[], other: readonly T[]): T[] {
  return [...new Set([...one, ...other])];
}

function doesGive(present: PeerRights, { roles, queues }: PeerRights): boolean {
  return roles.every((role) => present.roles.includes(role)) && queues.every((queue) => present.queues.includes(queue));
}

/** Ends of an identity's box keys, as grants that this program made by itself have them, s since the epoch. */
function endsOf(identity: StoredIdentity | undefined): readonly number[] {
  return (identity?.boxKeys ?? []).map(({ expiresMs }) => Math.floor(expiresMs / 1000));
}

/** Why a peer is given nothing, and the command that gives it what is wanted beside what it has. */
function notGranted(why: string, held: PeerRights, wanted: PeerWanted): VakError {
  const { peer } = wanted;
  const words = [
    ...together(held.roles, wanted.roles).map((role) => `--role ${role}`),
    ...together(held.queues, wanted.queues).map((queue) => `--queue ${queue}`),
  ];
  return new VakError('forbidden', `${peer}: ${why}; to grant it: vak grant add ${[peer, ...words].join(' ')}`);
}

/** The credentials of an identity under its grant. */
function credentialsOf(
  identity: StoredIdentity,
  { card, granted }: { readonly card: Card; readonly granted: Grant },
  { workspace, contents, nowMs }: { workspace: string; contents: KeyStoreContents; nowMs: number },
): PeerCredentials {
  const { rootPublic } = workspaceIn(contents, workspace);
  return {
    signSeed: identity.signSeed.reveal().slice(),
    boxSecret: currentBoxKey(identity).secret.reveal().slice(),
    card,
    grant: granted,
    rootPublic,
    ...secretsFor(contents, workspace, nowMs),
  };
}

/**
 * The credentials of an identity that is there, of whichever kind, as it has been granted: nothing is made. Throws `not-found`, `locked`,
 * `forbidden` if no grant of it is in force.
 */
export function heldCredentials(
  peer: string,
  { keyStore, records, clock }: Pick<IssuerDeps, 'records' | 'clock'> & { readonly keyStore: Pick<KeyStore, 'read'> },
): PeerCredentials {
  const { workspace } = records;
  const contents = keyStore.read();
  const identity = contents.identities.find((one) => one.peer === peer);
  if (identity === undefined) {
    const names = contents.identities.map((one) => one.peer).join(', ');
    throw new VakError('not-found', `identity ${peer}: this profile has none of this name; it has ${names || 'none'}`);
  }
  const card = cardOf(identity, workspace);
  const nowMs = clock.now();
  const granted = grantAt(records.timelines(contents)(peer), nowMs)?.grant;
  const isInForce = granted?.sign === card.sign && granted.roles.length > 0 && leftMsOf(granted, nowMs) > 0;
  if (granted !== undefined && isInForce) {
    return credentialsOf(identity, { card, granted }, { workspace, contents, nowMs });
  }
  const advice = 'grant it a role where the root is (vak grant add), and import that here';
  throw new VakError('forbidden', `${peer}: has no role in workspace ${workspace} now; ${advice}`);
}

/** Creates the issuer of one workspace; one request after the other. */
export function createCredentialIssuer({ keyStore, records, clock, randomness }: IssuerDeps): IssueCredentials {
  const { workspace } = records;
  let queue: Promise<unknown> = Promise.resolve();

  const fresh = (identity: StoredIdentity): StoredIdentity => withFreshSerial(identity, { workspace, clock }, records);

  function needsKey(identity: StoredIdentity): boolean {
    return currentBoxKey(identity).expiresMs - clock.now() <= renewBeforeMs;
  }

  /** Throws `forbidden` if another key holds a grant of that name. */
  function checkKey(peer: string, sign: string | undefined, contents: KeyStoreContents): void {
    const present = grantAt(records.timelines(contents)(peer), clock.now())?.grant;
    const isOver = present === undefined || present.roles.length === 0 || leftMsOf(present, clock.now()) <= 0;
    if (isOver || present.sign === sign) return;
    const message = `${peer}: is the name of a peer with another key, which holds a grant; use another name`;
    throw new VakError('forbidden', message);
  }

  function withKey(before: KeyStoreContents, wanted: PeerWanted): KeyStoreContents {
    const { peer, roles, queues, as = process } = wanted;
    const known = findPeer(before, wanted);
    if (known !== undefined)
      return needsKey(known) ? rotateBoxKey(before, { peer, clock, randomness }).contents : before;
    checkKey(peer, undefined, before);
    const common = { contents: before, workspace, peer, name: peer, roles, queues, clock, randomness };
    const { identity } = createPeerIdentity({ ...common, ...as });
    return { ...before, identities: [...before.identities, identity] };
  }

  /** Contents with the peer in them: a new identity, or a box key that lasts; its card is newer than what was seen. */
  function withPeer(before: KeyStoreContents, wanted: PeerWanted): KeyStoreContents {
    const after = withKey(before, wanted);
    return { ...after, identities: after.identities.map((one) => (one.peer === wanted.peer ? fresh(one) : one)) };
  }

  async function make(wanted: PeerWanted, card: Card): Promise<Grant> {
    const { peer, roles, queues, grantLifeMs } = wanted;
    const seenSerial = highestGrantSerial(workspace, peer, records);
    const target = { contents: keyStore.read(), workspace, peer, sign: card.sign, seenSerial, clock };
    const endsAt = grantLifeMs === undefined ? card.boxExpiresAt : Math.floor((clock.now() + grantLifeMs) / 1000);
    const made = grant({ ...target, roles, queues, notAfter: Math.min(card.boxExpiresAt, endsAt) });
    await publishGrant(made, records);
    return made;
  }

  /** A grant of this program's own peer: made anew at its half, and when it is another one than wanted. */
  async function briefly(wanted: PeerWanted, present: Grant, { card, lifeMs }: { card: Card; lifeMs: number }) {
    const leftMs = leftMsOf(present, clock.now());
    const isSame = doesGive(present, wanted) && doesGive(wanted, present);
    return isSame && leftMs > lifeMs / 2 && leftMs <= lifeMs ? present : await make(wanted, card);
  }

  /** What was granted, as it is: its breadth is nobody's to change here, its end only if it is one that this program set (A28). */
  async function asGranted(
    wanted: PeerWanted,
    present: Grant,
    { card, ends }: { card: Card; ends: readonly number[] },
  ) {
    const { roles, queues, notAfter } = present;
    const leftMs = leftMsOf(present, clock.now());
    if (wanted.mayWiden !== true && !doesGive(present, wanted)) {
      const has = `${roles.join(', ')}${queues.length === 0 ? '' : ` of ${queues.join(', ')}`}`;
      throw notGranted(
        `what it was granted (${has}) is not what this needs, and is not changed by starting it`,
        present,
        wanted,
      );
    }
    const isOfOwnMaking = ends.includes(notAfter);
    if (leftMs <= 0 && !isOfOwnMaking)
      throw notGranted('its grant has ended, as whoever gave it said', present, wanted);
    const isEnough = doesGive(present, wanted) && (leftMs > renewBeforeMs || !isOfOwnMaking);
    if (isEnough) return present;
    return await make(
      { ...wanted, roles: together(roles, wanted.roles), queues: together(queues, wanted.queues) },
      card,
    );
  }

  async function grantFor(wanted: PeerWanted, card: Card, ends: readonly number[]): Promise<Grant> {
    const { peer, roles, grantLifeMs } = wanted;
    const contents = keyStore.read();
    const present = grantAt(records.timelines(contents)(peer), clock.now())?.grant;
    checkKey(peer, card.sign, contents);
    if (present === undefined || present.sign !== card.sign) return await make(wanted, card);
    if (present.roles.length === 0) {
      throw new VakError('forbidden', `${peer} was revoked; grant it its role again, or use another name`);
    }
    // What the root's holder gave stands as it is until its end: nobody here could make it anew.
    if (workspaceIn(contents, workspace).rootSeed === null) {
      const isFit = leftMsOf(present, clock.now()) > 0 && roles.every((role) => present.roles.includes(role));
      return isFit ? present : await make(wanted, card);
    }
    return grantLifeMs === undefined
      ? await asGranted(wanted, present, { card, ends })
      : await briefly(wanted, present, { card, lifeMs: grantLifeMs });
  }

  async function issue(wanted: PeerWanted): Promise<PeerCredentials> {
    const { peer } = wanted;
    const known = findPeer(keyStore.read(), wanted);
    // Before a box key that has ended is taken out.
    const ends = endsOf(known);
    if (known === undefined || needsKey(known) || fresh(known) !== known)
      await updateAndErase(keyStore, (before) => withPeer(before, wanted));
    const identity = findPeer(keyStore.read(), wanted);
    if (identity === undefined) throw new VakError('not-found', `identity ${peer} is gone from the key store`);
    const card = cardOf(identity, workspace);
    if (records.directory.card(peer)?.record.signature !== card.signature) await publishCard(card, records);
    const granted = await grantFor(wanted, card, together(ends, endsOf(identity)));
    return credentialsOf(identity, { card, granted }, { workspace, contents: keyStore.read(), nowMs: clock.now() });
  }

  return (wanted) => {
    const run = queue.then(() => issue(wanted));
    queue = run.catch(() => {});
    return run;
  };
}
