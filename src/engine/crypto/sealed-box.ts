/**
 * Sealed boxes as libsodium's `crypto_box_seal` makes them (protocol.md R5): ephemeral key ‖ tag ‖ ciphertext.
 * Law: a key that is not canonical or of small order seals nothing and opens nothing, so that no box is under a secret that anybody knows.
 */
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import type { Randomness } from '../ports/randomness.ts';
import { isCanonicalX25519 } from './public-key-check.ts';
import { type CryptoPrimitives, runtimePrimitives } from './runtime-primitives.ts';
import { openX25519Key, type X25519Key, type X25519KeyPair } from './x25519.ts';

const keyLength = 32;
const nonceLength = 24;
/** How many bytes a box is longer than what is in it: the ephemeral key and the tag. */
export const sealedBoxOverhead = keyLength + 16;

const noAad = new Uint8Array(0);
const zeroInput = new Uint8Array(16);

/** The primitives that a box is made of. */
export type BoxPrimitives = Pick<CryptoPrimitives, 'x25519' | 'hsalsa20' | 'xsalsa20Poly1305' | 'blake2b'>;

/** Zero is what a key of small order gives: both X25519 of the runtime and this look for it. */
function isZero(bytes: Uint8Array): boolean {
  let seen = 0;
  for (const byte of bytes) seen |= byte;
  return seen === 0;
}

/** The key of `crypto_box`: HSalsa20 of the shared secret. Throws `invalid-payload` that names `field`. */
function boxKey(
  primitives: BoxPrimitives,
  agree: X25519Key['agree'],
  other: { key: Uint8Array; field: string },
): Uint8Array {
  const { key, field } = other;
  const refuse = (why: string, cause?: unknown): never => {
    throw new VakError('invalid-payload', `${field}: ${why} (${key.length} bytes)`, { cause, details: { field } });
  };
  if (key.length !== keyLength) return refuse('a box key has 32 bytes');
  if (!isCanonicalX25519(key)) return refuse('the key is not in its canonical encoding');
  let shared: Uint8Array;
  try {
    shared = agree(key);
  } catch (cause) {
    if (!isVakError(cause, 'invalid-payload')) throw cause;
    return refuse('the key is a point of small order, so anybody could open the box', cause);
  }
  try {
    if (isZero(shared)) return refuse('the shared secret is zero, so anybody could open the box');
    return primitives.hsalsa20(shared, zeroInput);
  } finally {
    shared.fill(0);
  }
}

function boxNonce(primitives: BoxPrimitives, ephemeral: Uint8Array, recipient: Uint8Array): Uint8Array {
  const both = new Uint8Array(2 * keyLength);
  both.set(ephemeral);
  both.set(recipient, keyLength);
  return primitives.blake2b(both, nonceLength);
}

/**
 * Seals with a given ephemeral key, which must never be used again: for known answers. Everything else takes {@link sealBox}.
 * Throws `invalid-payload` that names `recipient box`.
 */
export function sealBoxWith(
  primitives: BoxPrimitives,
  message: Uint8Array,
  { ephemeral, recipient }: { readonly ephemeral: X25519Key; readonly recipient: Uint8Array },
): Uint8Array {
  const key = boxKey(primitives, ephemeral.agree, { key: recipient, field: 'recipient box' });
  try {
    const nonce = boxNonce(primitives, ephemeral.publicKey, recipient);
    const sealed = primitives.xsalsa20Poly1305.seal({ key, nonce, text: message, aad: noAad });
    const box = new Uint8Array(keyLength + sealed.length);
    box.set(ephemeral.publicKey);
    box.set(sealed, keyLength);
    return box;
  } finally {
    key.fill(0);
  }
}

/** Opens with given primitives; undefined if no tag fits. Throws `invalid-payload` that names `box key` for an ephemeral key that is unsound. */
export function openBoxWith(
  primitives: BoxPrimitives,
  box: Uint8Array,
  { publicKey, secretKey }: X25519KeyPair,
): Uint8Array | undefined {
  if (box.length < sealedBoxOverhead) return undefined;
  const ephemeral = box.subarray(0, keyLength);
  const agree = (other: Uint8Array): Uint8Array => primitives.x25519(secretKey, other);
  const key = boxKey(primitives, agree, { key: ephemeral, field: 'box key' });
  const nonce = boxNonce(primitives, ephemeral, publicKey);
  try {
    return primitives.xsalsa20Poly1305.open({ key, nonce, text: box.subarray(keyLength), aad: noAad });
  } catch {
    // The lengths fit, so the tag is all that can be refused.
    return undefined;
  } finally {
    key.fill(0);
  }
}

/** Seals a message to a public key (32 bytes) under a fresh ephemeral key. Throws `invalid-payload` that names `recipient box`. */
export function sealBox(message: Uint8Array, recipient: Uint8Array, randomness: Randomness): Uint8Array {
  const secretKey = randomness.bytes(keyLength);
  try {
    return sealBoxWith(runtimePrimitives, message, { ephemeral: openX25519Key(secretKey), recipient });
  } finally {
    secretKey.fill(0);
  }
}

/**
 * What a box holds, which the caller erases; undefined if it was not sealed to this pair or any byte of it was changed.
 * Throws `invalid-payload` that names `box key` if its ephemeral key is unsound.
 */
export function openBox(box: Uint8Array, pair: X25519KeyPair): Uint8Array | undefined {
  return openBoxWith(runtimePrimitives, box, pair);
}
