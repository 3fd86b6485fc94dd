/**
 * Whether a public key may be used at all (protocol.md E13): Ed25519 keys of signers, X25519 keys of boxes.
 * Law: a key is canonical, of large order and, for signatures, torsion-free, or it is refused and the failed check is named.
 */
import { ed25519, x25519 } from '@noble/curves/ed25519.js';
import { toHex } from '../../shared/base/bytes.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { createBoundedCache } from './bounded-cache.ts';

/** The check that a key failed. */
export type PublicKeyFault = 'length' | 'canonical' | 'on-curve' | 'small-order' | 'torsion';

const faultTexts: Readonly<Record<PublicKeyFault, string>> = {
  length: 'a public key has 32 bytes',
  canonical: 'the key is not in its canonical encoding',
  'on-curve': 'the bytes are no point of the curve',
  'small-order': 'the key is a point of small order, so anybody could use it',
  torsion: 'the key has a part of small order, so two verifiers could disagree about it',
};

const keyLength = 32;
const fieldPrime = 2n ** 255n - 19n;
/** Any clamped scalar is a multiple of 8: its product with a key is zero exactly if the key is of small order. */
const anyScalar = new Uint8Array(keyLength).fill(1);

type EdwardsPoint = ReturnType<typeof ed25519.Point.fromBytes>;

/** Decodes leniently (ZIP 215), so that what is wrong with an encoding can be named. */
function decodePoint(key: Uint8Array): EdwardsPoint | undefined {
  try {
    return ed25519.Point.fromBytes(key, true);
  } catch {
    return undefined;
  }
}

/** First check that an Ed25519 key fails (RFC 8032 §5.1.3, E13), or undefined. Takes about a millisecond. */
export function findEd25519Fault(key: Uint8Array): PublicKeyFault | undefined {
  if (key.length !== keyLength) return 'length';
  const point = decodePoint(key);
  if (point === undefined) return 'on-curve';
  if (toHex(point.toBytes()) !== toHex(key)) return 'canonical';
  if (point.isSmallOrder()) return 'small-order';
  return point.isTorsionFree() ? undefined : 'torsion';
}

/** Whether 32 bytes are the canonical encoding of an X25519 key (RFC 7748 §5: below p, top bit clear). Takes microseconds. */
export function isCanonicalX25519(key: Uint8Array): boolean {
  return BigInt(`0x${toHex(key.toReversed())}`) < fieldPrime;
}

/** First check that an X25519 key fails (RFC 7748 §5, §6.1: u below p, top bit clear, contributory), or undefined. */
export function findX25519Fault(key: Uint8Array): PublicKeyFault | undefined {
  if (key.length !== keyLength) return 'length';
  if (!isCanonicalX25519(key)) return 'canonical';
  try {
    x25519.scalarMult(anyScalar, key);
    return undefined;
  } catch {
    return 'small-order';
  }
}

/** Throws `invalid-payload` that names field and check: `details: {field, check}`. */
export interface PublicKeyCheck {
  /** Throws unless it is a sound Ed25519 public key. */
  checkEd25519(key: Uint8Array, field: string): void;
  /** Throws unless it is a sound X25519 public key. */
  checkX25519(key: Uint8Array, field: string): void;
}

/** Creates a check that looks at each key once while it remembers it: at most `capacity` keys of each curve. */
export function createPublicKeyCheck(options: { readonly capacity?: number } = {}): PublicKeyCheck {
  const { capacity = 4096 } = options;
  const check = (findFault: (key: Uint8Array) => PublicKeyFault | undefined) => {
    const known = createBoundedCache<PublicKeyFault | 'none'>(capacity);
    return (key: Uint8Array, field: string): void => {
      const id = toHex(key.subarray(0, keyLength + 1));
      const fault = known.get(id) ?? findFault(key) ?? 'none';
      known.set(id, fault);
      if (fault === 'none') return;
      throw new VakError('invalid-payload', `${field}: ${faultTexts[fault]} (${key.length} bytes)`, {
        details: { field, check: fault },
      });
    };
  };
  return { checkEd25519: check(findEd25519Fault), checkX25519: check(findX25519Fault) };
}
