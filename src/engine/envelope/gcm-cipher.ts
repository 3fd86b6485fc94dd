/**
 * AES-256-GCM of payloads by `node:crypto` (protocol.md E6): ciphertext ‖ 16-byte tag.
 * Law: nothing leaves an opening whose tag does not fit, and a tag is always whole.
 */
import { createCipheriv, createDecipheriv, type KeyObject } from 'node:crypto';

/** Bytes of the tag that follows the ciphertext. */
export const tagLength = 16;

/** What is sealed or opened. */
export interface GcmInput {
  readonly key: KeyObject;
  /** 12 bytes. */
  readonly nonce: Uint8Array;
  readonly aad: Uint8Array;
  readonly bytes: Uint8Array;
}

/** Seals; the result is a new array, 16 bytes longer. */
export function sealGcm({ key, nonce, aad, bytes }: GcmInput): Uint8Array {
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagLength }).setAAD(aad);
  const sealed = new Uint8Array(bytes.length + tagLength);
  sealed.set(cipher.update(bytes));
  // GCM keeps nothing back: `final` makes the tag and gives no bytes.
  cipher.final();
  sealed.set(cipher.getAuthTag(), bytes.length);
  return sealed;
}

/** Opens; undefined if the tag does not fit. Needs at least the tag's 16 bytes. */
export function openGcm({ key, nonce, aad, bytes }: GcmInput): Uint8Array | undefined {
  const end = bytes.length - tagLength;
  if (end < 0) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagLength }).setAAD(aad);
  decipher.setAuthTag(bytes.subarray(end));
  const opened = decipher.update(bytes.subarray(0, end));
  try {
    decipher.final();
  } catch {
    // `final` throws for one reason: the tag. What was decrypted is not authentic and is erased.
    opened.fill(0);
    return undefined;
  }
  return new Uint8Array(opened.buffer, opened.byteOffset, opened.length);
}
