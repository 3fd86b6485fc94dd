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

/** What a peer is to be. */
export interface PeerWanted {
  readonly peer: string;
  readonly roles: readonly Role[];
  readonly queues: readonly string[];
  /** Longest that a grant of it lasts, ms; left out: as long as its box key. One that lasts longer is replaced. */
  readonly grantLifeMs?: number;
}

/** Gives credentials. Throws `locked`, `exists` if the name is another kind of identity's, `forbidden` if the peer was revoked. */
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

function findPeer({ identities }: KeyStoreContents, peer: string): StoredIdentity | undefined {
  const found = identities.find((one) => one.peer === peer);
  if (found === undefined || found.kind === 'process') return found;
  throw new VakError('exists', `${peer} is the name of a ${found.kind} of this profile; no process can have it`);
}

/** How long a grant lasts still, ms. */
function leftMsOf({ notAfter }: Grant, nowMs: number): number {
  return notAfter === 0 ? Number.POSITIVE_INFINITY : notAfter * 1000 - nowMs;
}

function isSame(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((one) => right.includes(one));
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

  function withKey(before: KeyStoreContents, { peer, roles, queues }: PeerWanted): KeyStoreContents {
    const known = findPeer(before, peer);
    if (known !== undefined)
      return needsKey(known) ? rotateBoxKey(before, { peer, clock, randomness }).contents : before;
    const common = { contents: before, workspace, peer, name: peer, roles, queues, clock, randomness };
    const { identity } = createPeerIdentity({ ...common, kind: 'process', agent: false });
    return { ...before, identities: [...before.identities, identity] };
  }

  /** Contents with the peer in them: a new identity, or a box key that lasts; its card is newer than what was seen. */
  function withPeer(before: KeyStoreContents, wanted: PeerWanted): KeyStoreContents {
    const after = withKey(before, wanted);
    return { ...after, identities: after.identities.map((one) => (one.peer === wanted.peer ? fresh(one) : one)) };
  }

  /** Whether a grant lasts long enough, and no longer than it may. */
  function isLasting(grant: Grant, grantLifeMs: number | undefined): boolean {
    const leftMs = leftMsOf(grant, clock.now());
    return grantLifeMs === undefined ? leftMs > renewBeforeMs : leftMs > grantLifeMs / 2 && leftMs <= grantLifeMs;
  }

  async function grantFor({ peer, roles, queues, grantLifeMs }: PeerWanted, card: Card): Promise<Grant> {
    const contents = keyStore.read();
    const present = grantAt(records.timelines(contents)(peer), clock.now())?.grant;
    if (present !== undefined && present.sign === card.sign && present.roles.length === 0) {
      throw new VakError('forbidden', `${peer} was revoked; grant it its role again, or use another name`);
    }
    // What the root's holder gave stands as it is until its end: nobody here could make it anew.
    const isHeldElsewhere = workspaceIn(contents, workspace).rootSeed === null;
    const isFit =
      present !== undefined &&
      present.sign === card.sign &&
      (isHeldElsewhere
        ? roles.every((role) => present.roles.includes(role)) && leftMsOf(present, clock.now()) > 0
        : isSame(present.roles, roles) && isSame(present.queues, queues) && isLasting(present, grantLifeMs));
    if (isFit) return present;
    const seenSerial = highestGrantSerial(workspace, peer, records);
    const target = { contents, workspace, peer, sign: card.sign, seenSerial, clock };
    const endsAt = grantLifeMs === undefined ? card.boxExpiresAt : Math.floor((clock.now() + grantLifeMs) / 1000);
    const made = grant({ ...target, roles, queues, notAfter: Math.min(card.boxExpiresAt, endsAt) });
    await publishGrant(made, records);
    return made;
  }

  async function issue(wanted: PeerWanted): Promise<PeerCredentials> {
    const { peer } = wanted;
    const known = findPeer(keyStore.read(), peer);
    if (known === undefined || needsKey(known) || fresh(known) !== known)
      await updateAndErase(keyStore, (before) => withPeer(before, wanted));
    const identity = findPeer(keyStore.read(), peer);
    if (identity === undefined) throw new VakError('not-found', `identity ${peer} is gone from the key store`);
    const card = cardOf(identity, workspace);
    if (records.directory.card(peer)?.record.signature !== card.signature) await publishCard(card, records);
    const granted = await grantFor(wanted, card);
    return credentialsOf(identity, { card, granted }, { workspace, contents: keyStore.read(), nowMs: clock.now() });
  }

  return (wanted) => {
    const run = queue.then(() => issue(wanted));
    queue = run.catch(() => {});
    return run;
  };
}
