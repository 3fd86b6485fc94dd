/**
 * Identities made anew: the operator's with its workspace, a spawned peer's, and a fresh box key (protocol.md I1, I4, R14).
 * Law: nothing here is stored or published: contents come back for the key store, records for the directory.
 */
import { toBase64Url } from '../../shared/base/base64url.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import type { Role } from '../../shared/protocol/roles.ts';
import { createX25519KeyPair, deriveX25519PublicKey } from '../crypto/x25519.ts';
import type { Clock } from '../ports/clock.ts';
import type { Randomness } from '../ports/randomness.ts';
import { signCard, type VerifiedCard } from './cards.ts';
import type { VerifiedGrant } from './grants.ts';
import type { KeyStore, KeyStoreContents, StoredBoxKey, StoredIdentity, StoredWorkspace } from './key-store.ts';
import { createNkeySeed, createNkeySigner } from './nkey.ts';
import { checkInputToken, grant, nextSerial, workspaceIn } from './root-grants.ts';
import { createSecret, type Secret } from './secret.ts';
import { createWorkspaceSecret } from './workspace-secrets.ts';

const dayMs = 24 * 60 * 60 * 1000;
/** R14: box keys rotate. */
const boxKeyLifeMs = 30 * dayMs;
/** An ended box key opens what was sealed for it late, and what its owner has not read yet; then it is erased. */
const boxKeyGraceMs = 30 * dayMs;

/**
 * The operator's own roles. `operator` and `human` because a receiver asks for a role by its name, and rooms ask for `human`;
 * `provisioner` because in an embedded workspace nobody else could make streams and buckets. Not `coordinator`: an operator may
 * publish tasks. Not `membershipd` and `dlq-supervisor`: those are services with identities of their own, as one key that
 * operates and orders a room's log could do what R2 keeps apart.
 */
export const operatorRoles = ['operator', 'human', 'provisioner'] as const satisfies readonly Role[];

/** Where time and bytes come from. */
export interface MakerPorts {
  readonly clock: Clock;
  readonly randomness: Randomness;
}

function createBoxKey({ clock, randomness }: MakerPorts): StoredBoxKey {
  const { secretKey } = createX25519KeyPair(randomness);
  const createdMs = clock.now();
  // Cards count in seconds.
  const expiresMs = Math.floor((createdMs + boxKeyLifeMs) / 1000) * 1000;
  return { secret: createSecret(secretKey), createdMs, expiresMs };
}

/** The box key that stands on an identity's card: the newest. Throws `not-found` if it has none. */
export function currentBoxKey({ peer, boxKeys }: StoredIdentity): StoredBoxKey {
  const newest = boxKeys.reduce<StoredBoxKey | undefined>((best, one) => {
    return best === undefined || one.createdMs >= best.createdMs ? one : best;
  }, undefined);
  if (newest === undefined) throw new VakError('not-found', `identity ${peer} has no box key`);
  return newest;
}

/** An identity with keys of its own; its secrets are the caller's to dispose. Throws `invalid-input` that names the field. */
export function createIdentity(
  own: { readonly peer: string; readonly kind: StoredIdentity['kind']; readonly agent: boolean; readonly name: string },
  ports: MakerPorts,
): StoredIdentity {
  checkInputToken(own.peer, 'peer');
  if (own.name.length < 1 || own.name.length > 64) {
    throw new VakError('invalid-input', `name: expected 1–64 characters, got ${own.name.length}`, {
      details: { field: 'name' },
    });
  }
  const { peer, kind, agent, name } = own;
  const signSeed = createNkeySeed(ports.randomness);
  return { peer, kind, agent, name, signSeed, boxKeys: [createBoxKey(ports)], cardSerial: nextSerial(0, ports.clock) };
}

/** The card of an identity in a workspace, under its present serial. */
export function cardOf(identity: StoredIdentity, workspace: string): VerifiedCard {
  const { peer, kind, agent, name, cardSerial } = identity;
  const boxKey = currentBoxKey(identity);
  const box = toBase64Url(deriveX25519PublicKey(boxKey.secret.reveal()));
  const boxExpiresAt = Math.floor(boxKey.expiresMs / 1000);
  const signer = createNkeySigner(identity.signSeed);
  try {
    return signCard({ ws: workspace, peer, kind, agent, name, box, boxExpiresAt, serial: cardSerial }, signer);
  } finally {
    signer.dispose();
  }
}

function secretsIn({ identities, workspaces }: Pick<KeyStoreContents, 'identities' | 'workspaces'>): readonly Secret[] {
  const own = identities.flatMap(({ signSeed, boxKeys }) => [signSeed, ...boxKeys.map(({ secret }) => secret)]);
  const shared = workspaces.flatMap(({ rootSeed, secrets }) => [rootSeed, ...secrets.map(({ secret }) => secret)]);
  return [...own, ...shared].filter((secret) => secret !== null);
}

/** Runs `make`; if it throws, the identity that nobody will get is erased. */
function orErase<T>(identity: StoredIdentity, make: () => T): T {
  try {
    return make();
  } catch (error) {
    for (const secret of secretsIn({ identities: [identity], workspaces: [] })) secret.dispose();
    throw error;
  }
}

/**
 * Updates the key store by a change that makes identities, box keys or workspaces. The store keeps copies of its own: the secrets
 * that were made are erased, whether they were stored or not, and those that were taken out, once they are. Throws as `update` does.
 */
export async function updateAndErase(
  keyStore: Pick<KeyStore, 'update'>,
  change: (contents: KeyStoreContents) => KeyStoreContents,
): Promise<void> {
  let made: readonly Secret[] = [];
  let retired: readonly Secret[] = [];
  try {
    await keyStore.update((before) => {
      const after = change(before);
      const [old, fresh] = [new Set(secretsIn(before)), new Set(secretsIn(after))];
      made = [...fresh].filter((secret) => !old.has(secret));
      retired = [...old].filter((secret) => !fresh.has(secret));
      return after;
    });
    for (const secret of retired) secret.dispose();
  } finally {
    for (const secret of made) secret.dispose();
  }
}

/** `U…` of an identity: what it signs with. */
export function nkeyOf(identity: Pick<StoredIdentity, 'signSeed'>): string {
  const signer = createNkeySigner(identity.signSeed);
  signer.dispose();
  return signer.nkey;
}

function createWorkspace(workspace: string, { randomness }: MakerPorts): StoredWorkspace {
  const rootSeed = createNkeySeed(randomness);
  const root = createNkeySigner(rootSeed);
  root.dispose();
  return { workspace, rootPublic: root.nkey, rootSeed, secrets: [createWorkspaceSecret('s1', randomness)] };
}

/** What a first start needs. */
export interface FirstIdentity extends MakerPorts {
  /** What the key store holds: nothing, or other identities. */
  readonly contents: KeyStoreContents;
  readonly peer: string;
  /** Display name, 1–64 characters. */
  readonly name: string;
  readonly workspace: string;
  /** The highest serial of this peer's grants that was seen; 0 for none. */
  readonly seenSerial?: number;
}

/**
 * Makes the operator's identity, the workspace's root and its first secret, `s1`. Gives the contents to store (by `updateAndErase`),
 * then the card and grants to publish. Throws `exists` if there is such a peer or workspace, `invalid-input` that names the field.
 */
export function createFirstIdentity(first: FirstIdentity): {
  readonly contents: KeyStoreContents;
  readonly card: VerifiedCard;
  readonly grants: readonly VerifiedGrant[];
} {
  const { contents: before, peer, name, workspace, clock, seenSerial = 0 } = first;
  checkInputToken(workspace, 'workspace');
  if (before.identities.some((one) => one.peer === peer)) throw new VakError('exists', `there is an identity ${peer}`);
  if (before.workspaces.some((one) => one.workspace === workspace)) {
    throw new VakError('exists', `this profile belongs to workspace ${workspace} already`);
  }
  const identity = createIdentity({ peer, kind: 'human', agent: false, name }, first);
  const contents: KeyStoreContents = {
    ...before,
    identities: [...before.identities, identity],
    workspaces: [...before.workspaces, createWorkspace(workspace, first)],
  };
  const target = { contents, workspace, peer, sign: nkeyOf(identity), seenSerial, clock };
  const own = grant({ ...target, roles: operatorRoles, queues: [], notAfter: 0 });
  return { contents, card: cardOf(identity, workspace), grants: [own] };
}

/** A peer that this profile starts or sets up. */
export interface PeerIdentity extends MakerPorts {
  readonly contents: KeyStoreContents;
  readonly workspace: string;
  readonly peer: string;
  readonly kind: StoredIdentity['kind'];
  /** A bot with a model in its decision loop. */
  readonly agent: boolean;
  readonly name: string;
  readonly roles: readonly Role[];
  readonly queues: readonly string[];
  /** Seconds since the epoch; 0: without end. By default the end of its box key: it is made anew, or granted anew, before. */
  readonly notAfter?: number;
  /** The highest serial of this peer's grants that was seen; 0 for none. */
  readonly seenSerial?: number;
}

/**
 * Makes an identity for another process, with its grant. Its secrets are the caller's to dispose: stored by `updateAndErase`,
 * they are. Throws as `grant` does.
 */
export function createPeerIdentity(wanted: PeerIdentity): {
  readonly identity: StoredIdentity;
  readonly card: VerifiedCard;
  readonly grant: VerifiedGrant;
} {
  const { contents, workspace, peer, roles, queues, seenSerial = 0, clock } = wanted;
  workspaceIn(contents, workspace);
  const identity = createIdentity(wanted, wanted);
  return orErase(identity, () => {
    const card = cardOf(identity, workspace);
    const target = { contents, workspace, peer, sign: card.sign, seenSerial, clock };
    const granted = grant({ ...target, roles, queues, notAfter: wanted.notAfter ?? card.boxExpiresAt });
    return { identity, card, grant: granted };
  });
}

/** Whose box key rotates. */
export interface BoxKeyRotation extends MakerPorts {
  readonly peer: string;
}

/**
 * Gives an identity a new box key (R14), with a card of a higher serial for each workspace of the profile. Keys that ended more
 * than 30 days ago are left out: `updateAndErase` erases these `retired` once the contents are stored. Throws `not-found`.
 */
export function rotateBoxKey(
  contents: KeyStoreContents,
  rotation: BoxKeyRotation,
): {
  readonly contents: KeyStoreContents;
  readonly cards: readonly VerifiedCard[];
  readonly retired: readonly StoredBoxKey[];
} {
  const { peer, clock } = rotation;
  const identity = contents.identities.find((one) => one.peer === peer);
  if (identity === undefined) throw new VakError('not-found', `this profile has no identity ${peer}`);
  const isRetired = ({ expiresMs }: StoredBoxKey): boolean => expiresMs + boxKeyGraceMs <= clock.now();
  const renewed: StoredIdentity = {
    ...identity,
    boxKeys: [...identity.boxKeys.filter((one) => !isRetired(one)), createBoxKey(rotation)],
    cardSerial: nextSerial(identity.cardSerial, clock),
  };
  return {
    contents: { ...contents, identities: contents.identities.map((one) => (one === identity ? renewed : one)) },
    cards: contents.workspaces.map(({ workspace }) => cardOf(renewed, workspace)),
    retired: identity.boxKeys.filter(isRetired),
  };
}
