/**
 * Random nonces of AES-256-GCM, drawn from the generator by the hundred (protocol.md E6).
 * Law: no nonce is handed out twice, and each is a copy: a later refill changes none that somebody holds.
 */
import type { Randomness } from '../ports/randomness.ts';

/** Bytes of a nonce. */
const nonceLength = 12;
/** One call of the generator costs about as much as a hundred nonces. */
const noncesPerRefill = 256;

export interface NoncePool {
  /** 12 fresh random bytes; the caller owns them. */
  next(): Uint8Array;
}

/** Creates a pool; it is filled when the first nonce is asked for. */
export function createNoncePool(randomness: Randomness): NoncePool {
  let pool = new Uint8Array(0);
  let at = 0;
  return {
    next() {
      if (at >= pool.length) {
        pool = Uint8Array.from(randomness.bytes(nonceLength * noncesPerRefill));
        at = 0;
      }
      const nonce = pool.slice(at, at + nonceLength);
      at += nonceLength;
      return nonce;
    },
  };
}
