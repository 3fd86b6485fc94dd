/**
 * Base64url without padding (RFC 4648 §5): keys and signatures in records.
 * Law: decoding is strict: one text for one sequence of bytes, and anything else is a VakError that names the field.
 */
import { fromBase64, toBase64 } from './bytes.ts';
import { VakError } from './vak-error.ts';

/** Base64url of bytes, without padding. */
export function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Bytes of canonical base64url without padding; anything else is `invalid-payload`. */
export function fromBase64Url(text: string, field: string): Uint8Array {
  if (/[^A-Za-z0-9_-]/.test(text)) {
    throw new VakError('invalid-payload', `${field}: not base64url (${text.length} characters)`, {
      details: { field },
    });
  }
  const padding = '='.repeat((4 - (text.length % 4)) % 4);
  return fromBase64(text.replaceAll('-', '+').replaceAll('_', '/') + padding, field);
}
