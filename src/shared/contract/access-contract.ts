/**
 * Who may what in the workspace, and whose keys are known here (product.md "Identity & access", protocol.md I1, I2, I4).
 * Law: what changes something is signed and on record; what is confirmed is the very key or name that was shown.
 */
import { z } from 'zod';
import { roles } from '../protocol/roles.ts';
import { call, snapshot } from './define-contract.ts';

/**
 * `own`: its keys are held here. `pinned`: at first sight. `verified`: its safety number was compared. `changed`: a card with another
 * signing key waits for the operator, and nothing is sent. `blocked`: by the operator; nothing is sent.
 */
export type PeerState = 'own' | 'pinned' | 'verified' | 'changed' | 'blocked';

/** A peer by its card (I1). Times in ms since the epoch. */
export interface PeerSummary {
  readonly peer: string;
  readonly kind: 'human' | 'bot' | 'process';
  /** A bot with a model in its decision loop. */
  readonly agent: boolean;
  readonly name: string;
  /** `U…` */
  readonly sign: string;
  /** X25519 public key, base64url. */
  readonly box: string;
  readonly boxExpiresAtMs: number;
  readonly cardSerial: number;
  readonly state: PeerState;
  /** Null of own ones. */
  readonly firstSeenMs: number | null;
  /** Since when it is verified or blocked. */
  readonly sinceMs: number | null;
  /** The card that changed the key: when it came, and whether the workspace's root has granted the new key. */
  readonly offered: {
    readonly sign: string;
    readonly cardSerial: number;
    readonly seenMs: number;
    readonly isGranted: boolean;
  } | null;
}

export interface PeersState {
  /** By name; at most 1 000. */
  readonly peers: readonly PeerSummary[];
  readonly leftOutCount: number;
}

/** What a card was: `renewed` keeps the signing key. A `replay` is older than what was seen, and changes nothing. */
export interface AddedCard {
  readonly peer: string;
  readonly sight: 'own' | 'first' | 'known' | 'renewed' | 'changed' | 'replay';
}

/** What two people compare. */
export interface SafetyReport {
  readonly ws: string;
  /** Sixty digits. */
  readonly number: string;
  /** This operator first. */
  readonly peers: readonly [
    { readonly peer: string; readonly sign: string },
    { readonly peer: string; readonly sign: string },
  ];
  /** The text of the QR code. */
  readonly text: string;
}

/** Access as a nats-server is told of it. */
export interface AccessExport {
  /** A block of its configuration with the peers' public keys, or signed JWTs. */
  readonly format: 'nats-conf' | 'jwt';
  readonly text: string;
  readonly peerCount: number;
  /** Peers whose grant ends. A block of a configuration knows no end: they are let in after it. */
  readonly endingCount: number;
}

const peer = z.string().min(1).max(64);
const sign = z.string().min(1).max(64);
/** Name of the context that was shown; `conflict` if it is another by now. */
const environment = z.string().max(256).optional();

const format = z.enum(['nats-conf', 'jwt']);

export const accessContract = {
  /**
   * What a nats-server needs to enforce the access of this workspace, by the grants in force. `jwt`: with the root's signature. Nothing in
   * it is secret. Throws `not-found` (nobody is granted anything), `forbidden` (`jwt` without the root).
   */
  exportServer: call(z.object({ format }))<AccessExport>(),
  /** The same, into a file that main asks for; throws `aborted` too. */
  saveServer: call(z.object({ format }))<{ readonly path: string }>(),
  /** The credentials of a peer whose keys are in this profile, into a file that main asks for. Throws `not-found`, `forbidden`, `aborted`. */
  saveCredentials: call(z.object({ peer }))<{ readonly path: string }>(),
  /**
   * Grants as the workspace's root, which supersedes what the peer was granted before. `notAfter`: seconds since the epoch, 0 without
   * end. Throws `read-only`, `forbidden` (no operator, no root, or the peer is blocked), `invalid-input`, `conflict`.
   */
  grant: call(
    z.object({
      ...{ peer, sign, environment },
      roles: z.array(z.enum(roles)).min(1).max(roles.length),
      queues: z.array(z.string().min(1).max(64)).max(64),
      notAfter: z.int().min(0),
    }),
  )<void>(),
  /** Takes every role from a peer. `confirmedName`: what was typed; throws `invalid-input` unless it is the peer's name, and as `grant`. */
  revoke: call(
    z.object({ peer, environment, confirmedName: z.string().max(64), reason: z.string().max(1024).optional() }),
  )<void>(),
  /** Gives this operator a new box key, and a card with it. Throws `read-only`, `forbidden`. */
  renewCard: call(z.object({}))<void>(),
  /** This operator's signed card, one line of JSON, to be handed to others. */
  ownCard: call(z.object({}))<{ readonly text: string }>(),
  /** Takes note of a card that somebody handed over. Throws `invalid-input`. */
  addCard: call(z.object({ text: z.string().max(16_384) }))<AddedCard>(),
  /** The same from a file, which main asks for; throws `aborted` too. */
  addCardFile: call(z.object({}))<AddedCard>(),
  /** What to compare with a peer; of one whose key changed, with the new key. Throws `not-found`. */
  safety: call(z.object({ peer }))<SafetyReport>(),
  /** The numbers match, or the mark is taken back. `sign`: the key that was compared; `not-found` if it is another by now. */
  setVerified: call(z.object({ peer, sign, isVerified: z.boolean() }))<void>(),
  /** Accepts the changed key `sign`, the one that was shown. `confirmedName`: what was typed. Throws `invalid-input`, `not-found`. */
  acceptKey: call(z.object({ peer, sign, confirmedName: z.string().max(64) }))<void>(),
  setBlocked: call(z.object({ peer, isBlocked: z.boolean() }))<void>(),
  peers: snapshot<PeersState>(),
} as const;
