/**
 * Text forms of the Ed25519 keys of peers and roots (protocol.md I1): public `U…`, seed `SU…`.
 * Law: one text for one key: what would not be written exactly so is refused, and no error shows any of it.
 */
import { timingSafeEqual } from 'node:crypto';
import { NKeysError, Prefix } from 'nkeys.js';
import { Codec } from 'nkeys.js/lib/codec.js';
import { toText, utf8 } from '../../shared/base/bytes.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { createBoundedCache } from '../crypto/bounded-cache.ts';
import { createEd25519Signer, type Ed25519Signer } from '../crypto/ed25519.ts';
import type { Randomness } from '../ports/randomness.ts';
import { createSecret, type Secret } from './secret.ts';

const keyLength = 32;

/** A signer that knows its key's text. */
export interface NkeySigner extends Ed25519Signer {
  /** `U…` */
  readonly nkey: string;
}

function isSame(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && timingSafeEqual(left, right);
}

/** A public key and a seed have a text each: who is told of both might give the seed where the public key belongs. */
const publicForm = 'expected a user nkey, public: U and 55 characters of A–Z 2–7, canonical, with its checksum';
const seedForm = 'expected a user nkey, its seed: SU and 56 characters of A–Z 2–7, canonical, with its checksum';

/** Runs the decoder; what it refuses is `invalid-payload` with its own reason, which quotes nothing of the key. */
function decoded(field: string, form: string, decode: () => Uint8Array | undefined): Uint8Array {
  let bytes: Uint8Array | undefined;
  try {
    bytes = decode();
  } catch (error) {
    if (!(error instanceof NKeysError)) throw error;
  }
  if (bytes !== undefined) return bytes;
  throw new VakError('invalid-payload', `${field}: ${form}`, { details: { field } });
}

/** `U…` of a public key (32 bytes). */
export function encodeNkey(publicKey: Uint8Array): string {
  if (publicKey.length !== keyLength)
    throw new VakError('invalid-input', `publicKey: expected 32 bytes, got ${publicKey.length}`);
  return toText(Codec.encode(Prefix.User, publicKey));
}

/** Public keys that were found sound, by their text: each record of a peer names its key once more. */
const known = createBoundedCache<Uint8Array>(4_096);

/** 32 bytes of `U…`, a copy: prefix, checksum, length and canonical base32 are checked. Throws `invalid-payload` naming the field. */
export function decodeNkey(nkey: string, field: string): Uint8Array {
  const before = known.get(nkey);
  if (before !== undefined) return Uint8Array.from(before);
  const bytes = decoded(field, publicForm, () => {
    const found = Codec.decode(Prefix.User, utf8(nkey));
    return found.length === keyLength && encodeNkey(found) === nkey ? found : undefined;
  });
  known.set(nkey, bytes);
  return Uint8Array.from(bytes);
}

/** `SU…` of a seed (32 bytes), as a secret; the seed stays the caller's. */
export function encodeNkeySeed(seed: Uint8Array): Secret {
  if (seed.length !== keyLength) throw new VakError('invalid-input', `seed: expected 32 bytes, got ${seed.length}`);
  return createSecret(Codec.encodeSeed(Prefix.User, seed));
}

/** 32 bytes of `SU…`, checked as {@link decodeNkey} does; the caller erases them. */
export function decodeNkeySeed(text: Uint8Array, field: string): Uint8Array {
  return decoded(field, seedForm, () => {
    const { prefix, buf } = Codec.decodeSeed(text);
    if (prefix !== Prefix.User || buf.length !== keyLength) return undefined;
    const canonical = Codec.encodeSeed(prefix, buf);
    const isCanonical = isSame(canonical, text);
    canonical.fill(0);
    return isCanonical ? buf : undefined;
  });
}

/** A fresh seed as `SU…`. */
export function createNkeySeed(randomness: Randomness): Secret {
  const seed = randomness.bytes(keyLength);
  try {
    return encodeNkeySeed(seed);
  } finally {
    seed.fill(0);
  }
}

/** Signs with the key of an `SU…` seed. Dispose it when done. */
export function createNkeySigner(nkeySeed: Secret): NkeySigner {
  const seed = decodeNkeySeed(nkeySeed.reveal(), 'seed');
  try {
    const signer = createEd25519Signer(seed);
    return { ...signer, nkey: encodeNkey(signer.publicKey) };
  } finally {
    seed.fill(0);
  }
}
