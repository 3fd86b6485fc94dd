/**
 * Ed25519 (RFC 8032) by `node:crypto`, with raw 32-byte seeds and keys (protocol.md E13).
 * Law: verification is cofactorless, refuses S ≥ L, and never uses a public key that was not checked.
 */
import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import type { Disposable } from '../../shared/base/disposer.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { createBoundedCache } from './bounded-cache.ts';
import type { PublicKeyCheck } from './public-key-check.ts';

/** Algorithm identifiers of RFC 8410 up to the 32 bytes of the key. */
const privatePrefix = Buffer.from('302e020100300506032b657004220420', 'hex');
const publicPrefix = Buffer.from('302a300506032b6570032100', 'hex');
const keyLength = 32;
const signatureLength = 64;

/** Signs with one key. Disposing it drops the key; afterwards `sign` throws `locked`. */
export interface Ed25519Signer extends Disposable {
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
  /** 64 bytes. */
  sign(message: Uint8Array): Uint8Array;
}

/** What is verified. */
export interface SignedMessage {
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
  readonly message: Uint8Array;
  /** 64 bytes; any other length does not verify. */
  readonly signature: Uint8Array;
}

export interface Ed25519Verifier {
  /** Whether the signature is right. Throws `invalid-payload` naming `field` if the key itself is unsound (E13). */
  verify(signed: SignedMessage, field: string): boolean;
}

/** Creates a signer; the seed (32 bytes) is copied into the runtime's own key, the caller may erase its bytes. */
export function createEd25519Signer(seed: Uint8Array): Ed25519Signer {
  if (seed.length !== keyLength) throw new VakError('invalid-input', `seed: expected 32 bytes, got ${seed.length}`);
  const der = Buffer.concat([privatePrefix, seed]);
  let key: KeyObject | undefined = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  der.fill(0);
  const exported = createPublicKey(key).export({ format: 'der', type: 'spki' });
  return {
    publicKey: Uint8Array.from(exported.subarray(publicPrefix.length)),
    sign(message) {
      if (key === undefined) throw new VakError('locked', 'a signing key was used after it had been erased');
      return new Uint8Array(sign(null, message, key));
    },
    dispose() {
      key = undefined;
    },
  };
}

/** As JWK (RFC 8037), for that costs Node a seventh of what DER does: whoever joins a room of 1 000 makes 1 000. */
function toPublicKey(bytes: Uint8Array): KeyObject {
  const x = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}

/** Verifies with a key that nothing has checked: for known answers. Everything else goes through a verifier. */
export function verifyUnchecked({ publicKey, message, signature }: SignedMessage): boolean {
  if (publicKey.length !== keyLength || signature.length !== signatureLength) return false;
  return verify(null, message, toPublicKey(publicKey), signature);
}

/** Creates a verifier that checks each public key when it first sees it, and keeps at most `capacity` of them ready. */
export function createEd25519Verifier(options: {
  readonly keys: PublicKeyCheck;
  readonly capacity?: number;
}): Ed25519Verifier {
  const { keys, capacity = 4096 } = options;
  const ready = createBoundedCache<KeyObject>(capacity);
  function readyKey(bytes: Uint8Array, field: string): KeyObject {
    const id = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
    const known = ready.get(id);
    if (known !== undefined) return known;
    keys.checkEd25519(bytes, field);
    const key = toPublicKey(bytes);
    ready.set(id, key);
    return key;
  }
  return {
    verify({ publicKey, message, signature }, field) {
      const key = readyKey(publicKey, field);
      return signature.length === signatureLength && verify(null, message, key, signature);
    },
  };
}
