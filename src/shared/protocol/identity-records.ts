/**
 * Cards, grants and values of state as they lie in the workspace's buckets (protocol.md I1, I4, E13).
 * Law: a record is checked by its schema before any of it is used; its signature says whether it counts.
 */
import { z } from 'zod';
import { roles } from './roles.ts';

const token = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);
/** Public nkey of a user: `U` and 55 characters of base32. */
const userKey = z.string().regex(/^U[A-Z2-7]{55}$/);
/** 32 bytes as base64url without padding. */
const key32 = z.string().regex(/^[A-Za-z0-9_-]{43}$/);
/** 64 bytes as base64url without padding. */
const signature = z.string().regex(/^[A-Za-z0-9_-]{86}$/);
const serial = z.int().min(1);
const seconds = z.int().min(0);

/** A peer's card (I1), signed by the key that it names. Times in seconds since the epoch. */
export const cardRecord = z.strictObject({
  v: z.literal(1),
  ws: token,
  peer: token,
  kind: z.enum(['process', 'human', 'bot']),
  agent: z.boolean(),
  name: z.string().min(1).max(64),
  sign: userKey,
  box: key32,
  boxExpiresAt: seconds,
  serial,
  signature,
});
export type Card = z.infer<typeof cardRecord>;

/** What a peer may do (I4), signed by the workspace's root. `notAfter`: seconds since the epoch, 0 for no end. */
export const grantRecord = z.strictObject({
  v: z.literal(1),
  ws: token,
  peer: token,
  sign: userKey,
  roles: z.array(z.enum(roles)).max(roles.length),
  queues: z.array(token).max(64),
  serial,
  notAfter: seconds,
  signature,
});
export type Grant = z.infer<typeof grantRecord>;

/**
 * A value of the workspace's state, signed by the operator who set it (E13). `value`: JSON, as text. `at`: ms since the epoch; of two
 * of one key the later one counts.
 */
export const stateRecord = z.strictObject({
  v: z.literal(1),
  ws: token,
  key: z.string().regex(/^[A-Za-z0-9_-]{1,64}(\.[A-Za-z0-9_-]{1,64}){0,7}$/),
  value: z.string().max(4096),
  at: z.int().min(0),
  peer: token,
  sign: userKey,
  signature,
});
export type StateRecord = z.infer<typeof stateRecord>;
