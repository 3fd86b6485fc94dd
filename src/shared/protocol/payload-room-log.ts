/**
 * An entry of a room's membership log, by its form (protocol.md R1, docs/spec/rooms.md R15, R16).
 * Law: every field is covered by the entry's signature, so an unknown one is refused; whether an entry counts only the log can tell.
 */
import { z } from 'zod';
import { isCleanText } from './clean-text.ts';
import { boundedText, count, tokenField } from './payload-fields.ts';
import { exactBytes, memberKeyField, roomIdField } from './room-fields.ts';

const clean = (text: z.ZodString) => text.refine(isCleanText, 'holds a control character or half of a pair');
const nameField = clean(z.string().min(1).max(64));
const topicField = clean(z.string().max(256));
/** HKDF(K, `vak-room-commit-v1`). */
const commitField = exactBytes(32);

export const roomRoles = ['owner', 'moderator', 'member'] as const;
export type RoomRole = (typeof roomRoles)[number];

const bodies = {
  create: z.strictObject({
    type: z.literal('CREATE'),
    nonce: exactBytes(16),
    peer: tokenField,
    name: nameField,
    topic: topicField,
    /** What a new member reads (R6): from its epoch on, or all of it. */
    history: z.enum(['joined', 'shared']),
    commit: commitField,
  }),
  invite: z.strictObject({ type: z.literal('INVITE'), peer: tokenField, role: z.enum(['member', 'moderator']) }),
  join: z.strictObject({ type: z.literal('JOIN'), peer: tokenField }),
  decline: z.strictObject({ type: z.literal('DECLINE') }),
  leave: z.strictObject({ type: z.literal('LEAVE') }),
  /** Without `commit`: of somebody who is only invited. */
  kick: z.strictObject({
    type: z.literal('KICK'),
    commit: commitField.optional(),
    reason: clean(boundedText(1024)).optional(),
  }),
  role: z.strictObject({ type: z.literal('ROLE'), role: z.enum(roomRoles) }),
  rekey: z.strictObject({
    type: z.literal('REKEY'),
    commit: commitField,
    cause: z.enum(['left', 'age', 'count', 'hand']),
  }),
  topic: z.strictObject({ type: z.literal('TOPIC'), name: nameField, topic: topicField }),
  close: z.strictObject({ type: z.literal('CLOSE') }),
} as const;

/** What an entry does, and to what. */
export const roomEntryBody = z.discriminatedUnion('type', [
  bodies.create,
  bodies.invite,
  bodies.join,
  bodies.decline,
  bodies.leave,
  bodies.kick,
  bodies.role,
  bodies.rekey,
  bodies.topic,
  bodies.close,
]);
export type RoomEntryBody = z.infer<typeof roomEntryBody>;

/** An entry. `prevHash` 32 bytes, `sig` 64; `room` is empty in CREATE alone; `epoch` is the one in force after it. */
export const roomEntry = z
  .strictObject({
    v: z.literal(1),
    room: z.union([roomIdField, z.literal('')]),
    n: count,
    epoch: count,
    prevHash: exactBytes(32),
    /** Key of whoever signed. */
    actor: memberKeyField,
    /** Key of whom it is about. */
    subject: memberKeyField.optional(),
    body: roomEntryBody,
    sig: exactBytes(64),
  })
  .refine(({ room, body }) => (room === '') === (body.type === 'CREATE'), 'room: it is empty in CREATE, and only there')
  .refine(
    ({ subject, body }) => (subject !== undefined) === ['INVITE', 'KICK', 'ROLE'].includes(body.type),
    'subject: INVITE, KICK and ROLE are about somebody, the others are not',
  );
export type RoomEntry = z.infer<typeof roomEntry>;
