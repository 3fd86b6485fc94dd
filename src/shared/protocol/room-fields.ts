/**
 * Fields that the records of rooms share (protocol.md R1, R5, R7).
 * Law: a room, a key and a message have one way of being written each, so that two texts are never one thing.
 */
import { z } from 'zod';
import { base64UrlField } from './payload-fields.ts';

/** A room's id: 26 characters of lower-case base32 (R1). */
export const roomIdField = z.string().regex(/^[a-z2-7]{26}$/, 'expected 26 of a–z 2–7');

/** A member by its signing key: the public nkey of a user. */
export const memberKeyField = z.string().regex(/^U[A-Z2-7]{55}$/, 'expected U and 55 of A–Z 2–7');

/** A UUID v7 in lower hex (R36). */
export const messageIdField = z
  .string()
  .regex(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/, 'expected a UUID v7 in lower hex');

/** Exactly so many bytes, as canonical base64url. */
export const exactBytes = (bytes: number) => base64UrlField({ min: bytes, max: bytes });
