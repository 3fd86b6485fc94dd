/**
 * What is asked of the membership service on `vak.control.<ws>.rooms.append` and `.mine`, and what it answers (docs/spec/rooms.md R24, R25).
 * Law: both ends use these; an answer is a hint, which the logs prove.
 */
import { z } from 'zod';
import { count } from './payload-fields.ts';
import { roomEntry } from './payload-room-log.ts';
import { roomIdField } from './room-fields.ts';

/** An entry's JSON, however a foreign writer escapes it, is no longer. */
export const maxRoomEntryBytes = 16 * 1024;

/** Asks for an entry to be stored. */
export const roomAppendRequest = z.looseObject({ entry: roomEntry });
/** Asks in which rooms the asker's key is. */
export const roomMineRequest = z.looseObject({});

/** Where the entry lies. */
export const roomAppended = z.object({ ok: z.literal(true), seq: count });

/** Rooms that one answer names at most. */
export const maxRoomHints = 1_000;
const roomHint = z.object({ room: roomIdField, n: count, standing: z.enum(['member', 'invited']) });
/** A room in whose log a key is a member or invited; `n`: of the log's newest entry then. */
export type RoomHint = z.infer<typeof roomHint>;
export const roomHints = z.object({ ok: z.literal(true), rooms: z.array(roomHint).max(maxRoomHints) });
