/**
 * AES-256-GCM as the key store uses it: `nonce(12) ‖ ciphertext ‖ tag(16)`.
 * Law: whatever was not sealed under this key and this associated data opens to nothing; the tag is never short.
 */
import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { Randomness } from '../ports/randomness.ts';

/** Length of a key, bytes. */
export const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
/** How many bytes longer sealed bytes are. */
export const sealOverheadBytes = nonceBytes + tagBytes;

/** What a seal is bound to. */
export interface SealOptions {
  /** 32 bytes. */
  readonly key: Uint8Array;
  /** Associated data: authenticated, not kept in the result. */
  readonly bound: Uint8Array;
}

/** Seals under a fresh random nonce. The caller erases `plain`. */
export function sealBytes(plain: Uint8Array, randomness: Randomness, { key, bound }: SealOptions): Uint8Array {
  const nonce = randomness.bytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes });
  cipher.setAAD(bound);
  const parts = [nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()];
  return new Uint8Array(Buffer.concat(parts));
}

/** Opens; undefined if key, associated data or any byte differs. The caller owns the result and erases it. */
export function openBytes(sealed: Uint8Array, { key, bound }: SealOptions): Uint8Array | undefined {
  if (sealed.length < sealOverheadBytes) return undefined;
  const tagAt = sealed.length - tagBytes;
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, nonceBytes), { authTagLength: tagBytes });
  decipher.setAAD(bound);
  decipher.setAuthTag(sealed.subarray(tagAt));
  const plain = decipher.update(sealed.subarray(nonceBytes, tagAt));
  try {
    decipher.final();
  } catch {
    // What was decrypted is not authentic: nobody may look at it.
    plain.fill(0);
    return undefined;
  }
  return plain;
}
