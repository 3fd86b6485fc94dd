/**
 * What this peer keeps of a room between two starts: how far it has read, what waits to be sent, its marks (docs/spec/rooms.md R8, R33).
 * Law: sealed on disk, whole at every moment, shared with other processes of the profile; what one of them has read is read.
 */
import { z } from 'zod';
import { utf8 } from '../../shared/base/bytes.ts';
import { isVakError, type VakError } from '../../shared/base/vak-error.ts';
import { detailField, tokenField } from '../../shared/protocol/payload-fields.ts';
import { messageKinds } from '../../shared/protocol/payload-rooms.ts';
import { exactBytes, messageIdField, roomIdField } from '../../shared/protocol/room-fields.ts';
import { openBytes, sealBytes } from '../identity/body-cipher.ts';
import type { Secret } from '../identity/secret.ts';
import { openSharedJsonFile, type SharedJsonFile, type SharedJsonFileOptions } from '../identity/shared-json-file.ts';
import type { Clock } from '../ports/clock.ts';
import type { Randomness } from '../ports/randomness.ts';

const seq = z.int().min(0);

/** A message that is to be sent. `content`: its JSON, as text. */
const intent = z.strictObject({
  messageId: messageIdField,
  kind: z.enum(messageKinds),
  content: z.string().max(512 * 1024),
  createdMs: z.int().min(0),
  /** Drawn once, told to nobody: see `frameIdOf`. */
  token: exactBytes(16),
  /** A frame of it was sealed: it may lie in the room. */
  isSealed: z.boolean(),
  /** Said ahead of it by the process of that boot, which takes it back if it does not get there (R79). */
  ahead: exactBytes(16).optional(),
  /** Why it is not tried again until somebody says so; null: it is tried. */
  failed: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
});
export type RoomIntent = z.infer<typeof intent>;

/** Rooms that a peer has open at most. */
export const maxRooms = 1_000;
/** Files that are under way to a room. */
export const maxUploads = 64;
/** Most messages that wait to be sent to a room. */
export const maxIntents = 1_000;
/** Frames below the place that was read up to which the window refused, the newest: they are refused again when they are read again. */
export const maxRefused = 2_000;
/** Frames that wait for their sender to be known. */
export const maxUndecided = 1_024;

const roomFile = z.strictObject({
  v: z.literal(1),
  /** All frames up to this place went through the window; 0: none yet. */
  readSeq: seq,
  /** As the window saves itself. */
  window: z.unknown(),
  /** Messages that counted under the key of that epoch and those that follow from it by steps. */
  keyUse: z.strictObject({ epoch: seq, count: seq }),
  refused: z.array(z.tuple([seq, z.string().max(32)])).max(maxRefused),
  /** Places below `readSeq` of frames that count if their sender has a grant, which was not known. */
  undecided: z.array(seq).max(maxUndecided),
  intents: z.array(intent).max(maxIntents),
  /** Objects of this peer that were stored, or are being, before a message about them was kept; `atMs`: since when, 0: it was taken back. */
  uploads: z.array(z.strictObject({ object: tokenField, atMs: z.int().min(0) })).max(maxUploads),
  /** Entries up to this one were looked at for who joined by this peer's invitation; -1: none. */
  dutyN: z.int().min(-1),
  /** Up to where somebody has read. */
  markSeq: seq,
  isMuted: z.boolean(),
  draft: detailField,
});
export type RoomFileState = z.infer<typeof roomFile>;

/** What this peer keeps of all its rooms. */
const indexFile = z.strictObject({
  v: z.literal(1),
  rooms: z.array(roomIdField).max(maxRooms),
  /** Up to where its own key packages were read. */
  keysSeq: seq,
  /** The settings say so by now (R80). */
  sendsReceipts: z.boolean().optional(),
  sendsTyping: z.boolean().optional(),
});
export type RoomIndexState = z.infer<typeof indexFile>;

export const emptyRoomFile: RoomFileState = {
  v: 1,
  readSeq: 0,
  window: null,
  keyUse: { epoch: 0, count: 0 },
  refused: [],
  undecided: [],
  intents: [],
  uploads: [],
  dutyN: -1,
  markSeq: 0,
  isMuted: false,
  draft: '',
};
const emptyIndex: RoomIndexState = { v: 1, rooms: [], keysSeq: 0 };

export interface RoomFileOptions {
  readonly path: string;
  /** 32 bytes; not owned. */
  readonly key: Secret;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly report: (error: VakError) => void;
}

/** Bound to its place: a file of another room put there does not open. */
function coverOf({ key, randomness }: RoomFileOptions, name: string) {
  const bound = utf8(`vak-room-file-v1|${name}`);
  return {
    cover: (plain: Uint8Array) => sealBytes(plain, randomness, { key: key.reveal(), bound }),
    uncover: (bytes: Uint8Array) => openBytes(bytes, { key: key.reveal(), bound }),
  };
}

/** A damaged file was set aside: that is said, and what it held is read from the streams again. */
async function openSound<T>(options: SharedJsonFileOptions<T>): Promise<SharedJsonFile<T>> {
  try {
    return await openSharedJsonFile(options);
  } catch (error) {
    if (!isVakError(error, 'corrupt')) throw error;
    options.report(error);
    return await openSharedJsonFile(options);
  }
}

/** Opens a room's file; one that was damaged is set aside, and the room is read again from its first epoch. Throws as {@link openSharedJsonFile} else. */
export function openRoomFile(options: RoomFileOptions, room: string): Promise<SharedJsonFile<RoomFileState>> {
  return openSound({ ...options, schema: roomFile, empty: emptyRoomFile, cover: coverOf(options, room) });
}

/** Opens the index of a peer's rooms, likewise: which rooms there are the service and invitations say again. */
export function openRoomIndex(options: RoomFileOptions): Promise<SharedJsonFile<RoomIndexState>> {
  return openSound({ ...options, schema: indexFile, empty: emptyIndex, cover: coverOf(options, 'index') });
}
