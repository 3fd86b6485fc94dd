/**
 * X25519 (RFC 7748) by `node:crypto`, with raw 32-byte keys: the key pairs that cards name (protocol.md I1).
 * Law: an agreement with a key of small order throws, and never gives a secret that anybody could know.
 */
import { createPrivateKey, createPublicKey, diffieHellman, type KeyObject } from 'node:crypto';
import { VakError } from '../../shared/base/vak-error.ts';
import type { Randomness } from '../ports/randomness.ts';

/** Algorithm identifier of RFC 8410 up to the 32 bytes of the key. */
const privatePrefix = Buffer.from('302e020100300506032b656e04220420', 'hex');
const keyLength = 32;

/** 32 bytes each. The caller owns the secret and erases it. */
export interface X25519KeyPair {
  readonly secretKey: Uint8Array;
  readonly publicKey: Uint8Array;
}

function checkLength(bytes: Uint8Array, field: string): void {
  if (bytes.length !== keyLength)
    throw new VakError('invalid-input', `${field}: expected 32 bytes, got ${bytes.length}`);
}

function toPrivateKey(secretKey: Uint8Array): KeyObject {
  checkLength(secretKey, 'secretKey');
  const der = Buffer.concat([privatePrefix, secretKey]);
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  der.fill(0);
  return key;
}

/** The public half. As JWK, for that costs Node a fiftieth of what DER does. */
function publicHalf(key: KeyObject): Uint8Array {
  const { x } = createPublicKey(key).export({ format: 'jwk' });
  return Uint8Array.from(Buffer.from(x ?? '', 'base64url'));
}

function toPublicKey(publicKey: Uint8Array): KeyObject {
  checkLength(publicKey, 'publicKey');
  const x = Buffer.from(publicKey.buffer, publicKey.byteOffset, keyLength).toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'X25519', x }, format: 'jwk' });
}

function agree(own: KeyObject, publicKey: Uint8Array): Uint8Array {
  const other = toPublicKey(publicKey);
  try {
    return new Uint8Array(diffieHellman({ privateKey: own, publicKey: other }));
  } catch (cause) {
    throw new VakError('invalid-payload', 'publicKey: of small order', { cause });
  }
}

/** A secret key in the runtime's own form, for more than one use of it. */
export interface X25519Key {
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
  /** See {@link agreeX25519}. */
  agree(publicKey: Uint8Array): Uint8Array;
}

/** Copies a secret key into the runtime, which is the costly part of all that is done with one; the caller may erase its bytes. */
export function openX25519Key(secretKey: Uint8Array): X25519Key {
  const own = toPrivateKey(secretKey);
  return { publicKey: publicHalf(own), agree: (publicKey) => agree(own, publicKey) };
}

/** Public key of a secret one. */
export function deriveX25519PublicKey(secretKey: Uint8Array): Uint8Array {
  return publicHalf(toPrivateKey(secretKey));
}

/** A fresh key pair. */
export function createX25519KeyPair(randomness: Randomness): X25519KeyPair {
  const secretKey = randomness.bytes(keyLength);
  return { secretKey, publicKey: deriveX25519PublicKey(secretKey) };
}

/** The 32 bytes that both sides get. Throws `invalid-payload` if the other key is of small order. */
export function agreeX25519(secretKey: Uint8Array, publicKey: Uint8Array): Uint8Array {
  checkLength(publicKey, 'publicKey');
  return agree(toPrivateKey(secretKey), publicKey);
}
