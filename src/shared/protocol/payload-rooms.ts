/**
 * Payloads of `vak.rooms.frame`, a sealed message of a room by its outer form (R7), and of `vak.rooms.presence` (R54).
 * Law: bytes are canonical base64url of the length that they must have; what is inside only a member can tell.
 */
import { z } from 'zod';
import { base64UrlField, count, tokenField } from './payload-fields.ts';
import { exactBytes, messageIdField, roomIdField } from './room-fields.ts';

/** A text of 64 KiB (R13), escaped, padded and sealed, fits. */
const maxSealedBytes = 512 * 1024;

/** What a message may be (R11). */
export const messageKinds = ['text', 'edit', 'redaction', 'reaction', 'reply', 'attachment'] as const;
export type MessageKind = (typeof messageKinds)[number];

const frameFields = {
  v: z.literal(1),
  room: roomIdField,
  epoch: count,
  sender: tokenField,
  boot: exactBytes(16),
  counter: count,
  messageId: messageIdField,
  kind: z.enum(messageKinds),
  n: count,
  head: exactBytes(32),
  ct: base64UrlField({ min: 16, max: maxSealedBytes }),
  sig: exactBytes(64),
};

/** A frame. `boot` 16 bytes, `head` 32, `sig` 64, `ct` at least the 16 of its tag; kinds of R11. */
export const roomFrame = z.looseObject(frameFields);
/** What of a frame counts; whatever else came with it is under no signature of a member. */
export type RoomFrame = z.infer<z.ZodObject<typeof frameFields>>;

/** Who is writing, and how far somebody has read: a place in the stream (R54). Each is left out where nothing is said of it. */
export const roomPresence = z.looseObject({
  v: z.literal(1),
  room: roomIdField,
  isTyping: z.boolean().optional(),
  readSeq: count.optional(),
});
