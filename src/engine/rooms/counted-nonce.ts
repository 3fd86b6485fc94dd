/**
 * Nonces of rooms: 4 zero bytes ‖ u64be(counter) (protocol.md R7, R12).
 * Law: one number gives one nonce, and two numbers give two; so a key sees none twice if its counter only rises.
 */
const nonceLength = 12;
const counterAt = 4;

/** The nonce of a counter, 0 to 2^53−1. */
export function countedNonce(counter: number): Uint8Array {
  if (!Number.isSafeInteger(counter) || counter < 0) throw new RangeError('a counter is a whole number up to 2^53−1');
  const nonce = new Uint8Array(nonceLength);
  new DataView(nonce.buffer).setBigUint64(counterAt, BigInt(counter));
  return nonce;
}
