/**
 * What lies on `vak.keys.<ws>.<peer>.package`: room keys, requests for them, why one is withheld, invitations (protocol.md R5, R28).
 * Law: every field has one length, so that a record is bounded before it is read; whether one counts only log and signature say.
 */
import { z } from 'zod';
import { count } from './payload-fields.ts';
import { exactBytes, memberKeyField, roomIdField } from './room-fields.ts';

/** What is in the box is as long in every package: see `vak-room-key-v1`; 48 bytes are the box's own. */
const boxBytes = 214 + 48;

/** Why a key is not handed out (R28). */
const withheldReasons = ['not-member', 'joined-later', 'do-not-have', 'blocked', 'no-box-key'] as const;
export type WithheldReason = (typeof withheldReasons)[number];

/** Which key is meant: of an epoch by the hash of the entry that began it. */
const epochFields = { v: z.literal(1), room: roomIdField, epoch: count, rekeyHash: exactBytes(32) };

const packageFields = {
  ...epochFields,
  sender: memberKeyField,
  recipient: memberKeyField,
  /** The X25519 key that the box is sealed to. */
  recipientBox: exactBytes(32),
  /** Commitment to the key of an epoch that a JOIN began; absent where the log has one. */
  stepCommit: exactBytes(32).optional(),
  box: exactBytes(boxBytes),
  issuedAt: count,
  sig: exactBytes(64),
};

/** A room key for one recipient (R29). `sender` and `recipient` are signing keys; `issuedAt`: seconds since the epoch. */
export const roomKeyPackage = z.looseObject(packageFields);
/** What of a package is signed, and its signature. */
export type RoomKeyPackage = z.infer<z.ZodObject<typeof packageFields>>;

/** Asks for the key of an epoch; whoever signs the envelope is asking. */
export const roomKeyRequest = z.looseObject(epochFields);

/** Says that a key is not handed out, and why. */
export const roomKeyWithheld = z.looseObject({ ...epochFields, reason: z.enum(withheldReasons) });

/** Tells an invited peer at which entry of which log to look. */
export const roomInvite = z.looseObject({ v: z.literal(1), room: roomIdField, n: count });
