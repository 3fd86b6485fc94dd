/**
 * Randomness and the ids made of it (protocol.md B7).
 * Law: no engine code draws random bytes but through this port, so that one seed gives one history.
 */
import { randomBytes } from 'node:crypto';
import type { ChainKind } from '../../shared/protocol/chain-kind.ts';
import type { Clock } from './clock.ts';

export interface Randomness {
  /** Fresh unpredictable bytes; the caller owns the array. */
  bytes(length: number): Uint8Array;
}

/** The operating system's generator. */
export function createSystemRandomness(): Randomness {
  return { bytes: (length) => new Uint8Array(randomBytes(length)) };
}

/** A repeatable generator for tests (xorshift32): never for keys. */
export function createSeededRandomness(seed: number): Randomness {
  let state = seed >>> 0 || 1;
  return {
    bytes(length) {
      const out = new Uint8Array(length);
      for (let i = 0; i < length; i++) {
        state ^= state << 13;
        state >>>= 0;
        state ^= state >>> 17;
        state ^= state << 5;
        state >>>= 0;
        out[i] = state & 0xff;
      }
      return out;
    },
  };
}

/** A UUID version 7 (RFC 9562 §5.7) in lower hex: 48 bits of ms since the epoch, then random bits (E1). */
export function createUuid(clock: Clock, randomness: Randomness): string {
  const bytes = randomness.bytes(16);
  let rest = clock.now();
  for (let i = 5; i >= 0; i--) {
    bytes[i] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x70;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Buffer.from(bytes).toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

const base32 = 'abcdefghijklmnopqrstuvwxyz234567';

const sessionEnd = /^-[a-z2-7]{8}-[eqd]$/;
/** As much of a peer's name stands in its sessions' ids. */
const peerLength = 53;

/** Id of a peer's new session of a kind (E12): `<peer>-<8 random characters>-<kind>`, a token (S1). */
export function createSessionId(peer: string, randomness: Randomness, kind: ChainKind = 'e'): string {
  let suffix = '';
  for (const byte of randomness.bytes(8)) suffix += base32[byte & 31];
  return `${peer.slice(0, peerLength)}-${suffix}-${kind}`;
}

/** Whether a session's id is one that {@link createSessionId} makes for this peer, and for no other: a longer name is cut off, so it owns none. */
export function isSessionOf(peer: string, session: string): boolean {
  return peer.length <= peerLength && session.startsWith(`${peer}-`) && sessionEnd.test(session.slice(peer.length));
}
