/**
 * Rooms: where people, bots and processes talk, encrypted from end to end (product.md "Rooms", protocol.md §7).
 * Law: timelines are read in pages; every text of somebody else's was made visible; no key and no frame leaves the engine.
 */
import { z } from 'zod';
import type { ErrorShape } from '../base/vak-error.ts';
import type { PeerState } from './access-contract.ts';
import { call, snapshot } from './define-contract.ts';

export type RoomRoleName = 'owner' | 'moderator' | 'member';

/** How this peer stands to a room. `ended`: it was closed; what was said stays readable. */
export type OwnStanding = 'member' | 'invited' | 'left' | 'kicked' | 'ended';

/**
 * Why a room is stopped: nothing is sent to it any more. `fork`: two entries that count have one place. `rolled-back`: its log ends
 * before what was seen. `diverged`: somebody has another entry at the same place.
 */
export interface RoomTrouble {
  readonly kind: 'fork' | 'rolled-back' | 'diverged';
  /** What it is, who, and what to do next. */
  readonly text: string;
}

/** Times in ms since the epoch. */
export interface RoomSummary {
  readonly room: string;
  readonly name: string;
  readonly topic: string;
  readonly standing: OwnStanding;
  /** Null unless a member. */
  readonly role: RoomRoleName | null;
  readonly history: 'joined' | 'shared';
  readonly memberCount: number;
  readonly epoch: number;
  /** Somebody left: the next message brings a new key first. */
  readonly isRekeyPending: boolean;
  /** Who invited this peer; null unless it is invited. */
  readonly invitedBy: string | null;
  readonly unreadCount: number;
  readonly mentionCount: number;
  /** Place of the first message that is unread; null: none is. */
  readonly firstUnreadSeq: number | null;
  readonly lastMs: number | null;
  /** Who said what last, one line; null: nothing that could be opened. */
  readonly lastLine: { readonly peer: string; readonly text: string } | null;
  readonly isMuted: boolean;
  readonly draft: string;
  readonly trouble: RoomTrouble | null;
  /** Own messages that are not stored yet. */
  readonly waitingCount: number;
  /** Messages that cannot be opened for want of a key. */
  readonly lockedCount: number;
  /** Messages that were gone through, of so many; null: all. */
  readonly reading: { readonly doneCount: number; readonly count: number } | null;
  /** Changes whenever an answer about this room would. */
  readonly version: number;
}

/** Who is writing, and how far people have read. Only of who lets it be known. */
export interface RoomPresence {
  readonly room: string;
  readonly typing: readonly string[];
  readonly read: readonly { readonly peer: string; readonly seq: number }[];
}

/** A file on its way. */
export interface RoomTransfer {
  readonly transferId: string;
  readonly room: string;
  /** Of which message the file is; null: it is not known yet. */
  readonly messageId: string | null;
  readonly name: string;
  readonly direction: 'up' | 'down';
  readonly doneBytes: number;
  readonly sizeBytes: number;
  /** Its turn comes when those before it are done. */
  readonly isWaiting: boolean;
  readonly error: ErrorShape | null;
}

/** Several files that the person chose; they are sent with `attachChosen`. */
export interface RoomFileChoice {
  readonly choiceId: string;
  readonly files: readonly { readonly name: string; readonly sizeBytes: number }[];
}

export interface RoomsState {
  /** This peer; null while the key store is locked. */
  readonly me: { readonly peer: string; readonly sign: string } | null;
  readonly problem: ErrorShape | null;
  /** Whether somebody orders the logs: without, nothing can change in a room, and talking goes on. Null: not known yet. */
  readonly hasService: boolean | null;
  readonly readAtMs: number | null;
  /** Those that need an answer first, then by the last that was said. */
  readonly rooms: readonly RoomSummary[];
  readonly presence: readonly RoomPresence[];
  readonly transfers: readonly RoomTransfer[];
  readonly sendsReceipts: boolean;
  readonly sendsTyping: boolean;
}

/** Why a message could not be opened or does not count (R10). `canAskAgain`: `requestKeys` may help. */
export interface UnopenedMessage {
  readonly cause:
    | 'no-key'
    | 'withheld'
    | 'before-joining'
    | 'not-member'
    | 'wrong-epoch'
    | 'wrong-head'
    | 'bad-signature'
    | 'replayed'
    | 'tampered'
    | 'bad-form'
    | 'unknown-target';
  /** Cause, who and what to do next, for people. */
  readonly text: string;
  readonly canAskAgain: boolean;
}

export interface RoomReaction {
  readonly emoji: string;
  readonly peers: readonly string[];
}

export interface RoomAttachment {
  readonly name: string;
  readonly mime: string;
  readonly sizeBytes: number;
  /** Whether `preview` gives an image. */
  readonly hasPreview: boolean;
}

/** What stands in a timeline. */
export interface RoomMessageItem {
  readonly kind: 'message';
  /** Place in the stream; null: it is not stored yet. */
  readonly seq: number | null;
  readonly messageId: string;
  readonly atMs: number;
  readonly peer: string;
  readonly isOwn: boolean;
  readonly isAgent: boolean;
  readonly senderKind: 'human' | 'bot' | 'process' | null;
  readonly epoch: number;
  /** Null where it could not be opened, or was redacted. */
  readonly text: string | null;
  readonly isMention: boolean;
  readonly editedMs: number | null;
  readonly redacted: { readonly by: string; readonly reason: string | null } | null;
  readonly replyTo: { readonly messageId: string; readonly peer: string; readonly line: string } | null;
  readonly reactions: readonly RoomReaction[];
  readonly attachment: RoomAttachment | null;
  readonly unopened: UnopenedMessage | null;
  /** Of own ones that are not stored. */
  readonly sending: { readonly state: 'waiting' | 'sending' | 'failed'; readonly error: ErrorShape | null } | null;
}

/** An entry of the log, or something about keys, with its true cause. */
export interface RoomEventItem {
  readonly kind: 'event';
  readonly seq: number;
  readonly atMs: number;
  readonly event:
    | 'created'
    | 'invited'
    | 'joined'
    | 'declined'
    | 'left'
    | 'kicked'
    | 'withdrawn'
    | 'role'
    | 'rekeyed'
    | 'topic'
    | 'closed'
    | 'skipped'
    | 'fork'
    | 'key-changed';
  readonly by: string;
  readonly about: string | null;
  /** The whole of it as a sentence. */
  readonly text: string;
  readonly epoch: number;
}

export type RoomItem = RoomMessageItem | RoomEventItem;

export interface RoomPage {
  readonly version: number;
  /** Oldest first; own ones that are not stored come last. */
  readonly items: readonly RoomItem[];
  readonly hasOlder: boolean;
  readonly hasNewer: boolean;
}

export interface RoomMemberReport {
  readonly sign: string;
  readonly peer: string;
  readonly name: string | null;
  readonly role: RoomRoleName;
  readonly isInvited: boolean;
  readonly kind: 'human' | 'bot' | 'process' | null;
  readonly isAgent: boolean;
  readonly peerState: PeerState | null;
  readonly lastSeenMs: number | null;
  /** Why it has not got the present key, as far as is known; null: it has, or nothing is known against it. */
  readonly withheldWhy: string | null;
}

/** Who can read a message: those who were in its epoch. */
export interface RoomReaders {
  readonly epoch: number;
  readonly sinceMs: number;
  readonly cause: string;
  readonly readers: readonly { readonly peer: string; readonly isStillIn: boolean }[];
  /** `history: shared`: who joins later reads it too. */
  readonly isShared: boolean;
}

export interface RoomHit {
  readonly room: string;
  readonly roomName: string;
  readonly messageId: string;
  readonly seq: number;
  readonly atMs: number;
  readonly peer: string;
  readonly line: string;
}

const room = z.string().regex(/^[a-z2-7]{26}$/);
const messageId = z.string().min(1).max(64);
const sign = z.string().regex(/^U[A-Z2-7]{55}$/);
const name = z.string().trim().min(1).max(64);
const topic = z.string().trim().max(256);
const text = z.string().min(1).max(65_536);
const peer = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);
const inRoom = z.object({ room });
const onMessage = z.object({ room, messageId });

export const roomsContract = {
  create: call(z.object({ name, topic, history: z.enum(['joined', 'shared']) }))<{ readonly room: string }>(),
  join: call(inRoom)<void>(),
  decline: call(inRoom)<void>(),
  leave: call(inRoom)<void>(),
  close: call(inRoom)<void>(),
  setTopic: call(z.object({ room, name, topic }))<void>(),
  /** A peer whose card is known. Throws `not-found` that says how to get it. */
  invite: call(z.object({ room, peer, role: z.enum(['member', 'moderator']) }))<void>(),
  /** Asks for a card's file, adds the peer and invites it. Throws `aborted` when nothing was chosen. */
  inviteFromFile: call(inRoom)<{ readonly peer: string }>(),
  /** A member, or who is invited. */
  kick: call(z.object({ room, sign, reason: z.string().max(1024).optional() }))<void>(),
  setRole: call(z.object({ room, sign, role: z.enum(['owner', 'moderator', 'member']) }))<void>(),
  rotate: call(inRoom)<void>(),
  members: call(inRoom)<{ readonly version: number; readonly members: readonly RoomMemberReport[] }>(),
  /** The newest page, or the one that ends before a place, or begins after it, or has a message in its midst. */
  page: call(
    z.object({
      room,
      limit: z.int().min(1).max(200),
      beforeSeq: z.int().positive().optional(),
      afterSeq: z.int().min(0).optional(),
      around: messageId.optional(),
    }),
  )<RoomPage>(),
  /** Resolves when it is on disk; the timeline tells what becomes of it. */
  send: call(z.object({ room, text, replyTo: messageId.optional() }))<{ readonly messageId: string }>(),
  edit: call(z.object({ room, messageId, text }))<void>(),
  redact: call(z.object({ room, messageId, reason: z.string().max(1024).optional() }))<void>(),
  react: call(z.object({ room, messageId, emoji: z.string().min(1).max(64), isOff: z.boolean() }))<void>(),
  /** Of an own message that is not stored: takes it away. Throws `conflict` when it may have been stored. */
  cancelSending: call(onMessage)<void>(),
  retrySending: call(onMessage)<void>(),
  /** Asks for files. One is sent; several are not yet: their choice is answered. Throws `aborted` when nothing was chosen. */
  attach: call(z.object({ room, text: text.optional() }))<{ readonly choice: RoomFileChoice | null }>(),
  /** Sends them one after the other; each can be cancelled, also while it waits, and one that fails stays among the transfers. */
  attachChosen: call(z.object({ room, choiceId: z.string().min(1).max(64) }))<void>(),
  /** Bytes that were pasted or dropped, base64; at most 16 MiB. */
  attachBytes: call(
    z.object({ room, name: z.string().min(1).max(255), mime: z.string().max(127), data: z.string().max(22_400_000) }),
  )<void>(),
  /** Asks where to, and gives the path. */
  saveAttachment: call(onMessage)<{ readonly path: string }>(),
  /** The bytes of an image, base64, verified; throws `limit-exceeded` above 8 MiB, `unsupported` for what is no image. */
  preview: call(onMessage)<{ readonly mime: string; readonly data: string }>(),
  cancelTransfer: call(z.object({ transferId: z.string().min(1).max(64) }))<void>(),
  markRead: call(z.object({ room, seq: z.int().min(0) }))<void>(),
  setMuted: call(z.object({ room, isMuted: z.boolean() }))<void>(),
  setDraft: call(z.object({ room, text: z.string().max(65_536) }))<void>(),
  setTyping: call(z.object({ room, isTyping: z.boolean() }))<void>(),
  setPresence: call(z.object({ sendsReceipts: z.boolean(), sendsTyping: z.boolean() }))<void>(),
  whoCanRead: call(onMessage)<RoomReaders>(),
  /** Asks again for keys that are missing. */
  requestKeys: call(inRoom)<void>(),
  /** Words by their beginnings, over what this peer can open; newest first. */
  search: call(z.object({ text: z.string().min(1).max(256), room: room.optional(), limit: z.int().min(1).max(100) }))<{
    readonly hits: readonly RoomHit[];
    /** Messages that were looked at, of so many. */
    readonly doneCount: number;
    readonly count: number;
  }>(),
  state: snapshot<RoomsState>(),
} as const;
