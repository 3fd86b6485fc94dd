/**
 * Payload of `vak.rooms.frame`: a sealed message of a room, by its outer form (R7).
 * Law: bytes are canonical base64url of the length that they must have; what is inside only a member can tell.
 */
import { z } from 'zod';
import { base64UrlField, count, tokenField } from './payload-fields.ts';

/** A text of 64 KiB (R13), escaped, padded and sealed, fits. */
const maxSealedBytes = 512 * 1024;
const exactly = (bytes: number) => base64UrlField({ min: bytes, max: bytes });

/** A frame. `boot` 16 bytes, `head` 32, `sig` 64, `ct` at least the 16 of its tag; kinds of R11. */
export const roomFrame = z.looseObject({
  v: z.literal(1),
  room: z.string().regex(/^[a-z2-7]{26}$/, 'expected 26 of a–z 2–7'),
  epoch: count,
  sender: tokenField,
  boot: exactly(16),
  counter: count,
  messageId: tokenField,
  kind: z.enum(['text', 'edit', 'redaction', 'reaction', 'reply', 'attachment']),
  n: count,
  head: exactly(32),
  ct: base64UrlField({ min: 16, max: maxSealedBytes }),
  sig: exactly(64),
});
