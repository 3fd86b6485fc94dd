/**
 * What is known of a member by its card, and to which key its room keys are sealed (protocol.md I2, docs/spec/rooms.md R28, R61).
 * Law: only a pinned card that names the very key of the member gives a box; whose key is in doubt gets nothing.
 */
import { toBase64Url } from '../../shared/base/base64url.ts';
import type { PeerState } from '../../shared/contract/access-contract.ts';
import { deriveX25519PublicKey } from '../crypto/x25519.ts';
import type { KeyStore, StoredIdentity } from '../identity/key-store.ts';
import { createNkeySigner } from '../identity/nkey.ts';
import { currentBoxKey } from '../identity/operator-identity.ts';
import type { Pins } from '../identity/pins.ts';
import { peerStateOf } from '../identity/recipient-check.ts';
import type { Clock } from '../ports/clock.ts';
import type { BoxAnswer } from './room-key-exchange.ts';

export interface KnownCard {
  readonly peer: string;
  readonly sign: string;
  readonly name: string;
  readonly kind: 'human' | 'bot' | 'process';
  readonly isAgent: boolean;
  readonly state: PeerState;
  /** A card with another signing key that waits for the operator. */
  readonly offered: { readonly sign: string; readonly seenMs: number } | null;
}

export interface CardBoxes {
  /** Undefined: no card of it was seen. */
  find(peer: string): KnownCard | undefined;
  boxOf(peer: string, sign: string): BoxAnswer;
}

export interface CardBoxesDeps {
  readonly workspace: string;
  readonly keyStore: Pick<KeyStore, 'state' | 'read'>;
  readonly pins: Pick<Pins, 'find'>;
  readonly clock: Pick<Clock, 'now'>;
}

interface Boxed extends KnownCard {
  readonly box: string;
  readonly boxExpiresMs: number;
}

function ownCard(identity: StoredIdentity): Boxed {
  const { peer, name, kind, agent: isAgent, signSeed } = identity;
  const { secret, expiresMs: boxExpiresMs } = currentBoxKey(identity);
  const signer = createNkeySigner(signSeed);
  signer.dispose();
  const box = toBase64Url(deriveX25519PublicKey(secret.reveal()));
  return { peer, sign: signer.nkey, name, kind, isAgent, state: 'own', offered: null, box, boxExpiresMs };
}

/** Creates the lookup. */
export function createCardBoxes({ workspace, keyStore, pins, clock }: CardBoxesDeps): CardBoxes {
  /** Deriving keys takes its time; an identity is another object after each change. */
  const own = new WeakMap<StoredIdentity, Boxed>();

  function ownOf(peer: string): Boxed | undefined {
    const contents = keyStore.state().kind === 'unlocked' ? keyStore.read() : undefined;
    const identity = contents?.identities.find((one) => one.peer === peer);
    if (identity === undefined) return undefined;
    const known = own.get(identity) ?? ownCard(identity);
    own.set(identity, known);
    return known;
  }

  function pinned(peer: string): Boxed | undefined {
    const pin = pins.find({ ws: workspace, peer });
    if (pin === undefined) return undefined;
    const { sign, name, kind, agent: isAgent, box, boxExpiresAt } = pin.card;
    const offered = pin.offered && { sign: pin.offered.card.sign, seenMs: pin.offered.seenMs };
    return {
      ...{ peer, sign, name, kind, isAgent, state: peerStateOf(pin), offered, box },
      boxExpiresMs: boxExpiresAt * 1000,
    };
  }

  const find = (peer: string): Boxed | undefined => ownOf(peer) ?? pinned(peer);

  return {
    find,
    boxOf(peer, sign) {
      const known = find(peer);
      if (known === undefined) return { reason: 'no-box-key' };
      const isDoubted = known.state === 'blocked' || known.state === 'changed';
      // The log has let in another key than the one that is known here under this name.
      if (isDoubted || known.sign !== sign) return { reason: 'blocked' };
      return known.boxExpiresMs <= clock.now() ? { reason: 'no-box-key' } : { box: known.box };
    },
  };
}
