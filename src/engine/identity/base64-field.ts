/**
 * Base64 inside the key store's JSON.
 * Law: only the one canonical text of bytes passes, and a refusal says nothing of the text but its length.
 */
import { z } from 'zod';
import { fromBase64 } from '../../shared/base/bytes.ts';
import { isVakError } from '../../shared/base/vak-error.ts';

/** Whether it is canonical base64 of `minBytes` to `maxBytes` bytes. The decoded bytes are erased. */
function isBase64(text: string, minBytes: number, maxBytes: number): boolean {
  try {
    const bytes = fromBase64(text, 'base64');
    bytes.fill(0);
    return bytes.length >= minBytes && bytes.length <= maxBytes;
  } catch (error) {
    if (isVakError(error)) return false;
    throw error;
  }
}

/** Schema of base64 of so many bytes: exactly `minBytes` unless `maxBytes` is given. */
export function base64Of(minBytes: number, maxBytes = minBytes) {
  return z
    .string()
    .max(Math.ceil(maxBytes / 3) * 4)
    .refine((text) => isBase64(text, minBytes, maxBytes), { error: 'not canonical base64 of the right length' });
}
