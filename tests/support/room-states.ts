/** Rooms as a page is told of them: one, of which this peer is the owner, and messages of it. */
import type {
  RoomEventItem,
  RoomMemberReport,
  RoomMessageItem,
  RoomSummary,
  RoomsState,
} from '../../src/shared/contract/rooms-contract.ts';

/** The id of the room that these are of. */
export const roomId = 'a'.repeat(26);
/** A signing key in form. */
const signOfPeer = (peer: string): string =>
  `U${peer
    .toUpperCase()
    .replace(/[^A-Z2-7]/g, 'A')
    .padEnd(55, 'A')}`;

/** 2026-11-30 14:00:00 UTC. */
export const roomDayMs = Date.UTC(2026, 10, 30, 14);

/** A room that all is well with, unless told otherwise. */
export function roomSummary(more: Partial<RoomSummary> = {}): RoomSummary {
  return {
    ...{ room: roomId, name: 'ops', topic: '', standing: 'member', role: 'owner', history: 'joined', memberCount: 3 },
    ...{ epoch: 2, isRekeyPending: false, invitedBy: null, unreadCount: 0, mentionCount: 0, firstUnreadSeq: null },
    ...{ lastMs: roomDayMs, lastLine: null, isMuted: false, draft: '', trouble: null, waitingCount: 0 },
    ...{ lockedCount: 0, reading: null, version: 1 },
    ...more,
  };
}

/** One room, and somebody who orders the logs. */
export function roomsState(more: Partial<RoomsState> = {}): RoomsState {
  return {
    ...{ me: { peer: 'alice', sign: signOfPeer('alice') }, problem: null, hasService: true, readAtMs: roomDayMs },
    ...{ rooms: [roomSummary()], presence: [], transfers: [], sendsReceipts: true, sendsTyping: true },
    ...more,
  };
}

/** A text by bob that was opened. */
export function roomMessage(seq: number | null, more: Partial<RoomMessageItem> = {}): RoomMessageItem {
  return {
    ...{
      kind: 'message',
      seq,
      messageId: `msg-${seq ?? 'new'}`,
      atMs: roomDayMs + (seq ?? 1_000) * 1_000,
      peer: 'bob',
    },
    ...{ isOwn: false, isAgent: false, senderKind: 'human', epoch: 2, text: `text ${seq}`, isMention: false },
    ...{
      editedMs: null,
      redacted: null,
      replyTo: null,
      reactions: [],
      attachment: null,
      unopened: null,
      sending: null,
    },
    ...more,
  };
}

/** That bob joined. */
export function roomEvent(seq: number, more: Partial<RoomEventItem> = {}): RoomEventItem {
  return {
    ...{ kind: 'event', seq, atMs: roomDayMs + seq * 1_000, event: 'joined', by: 'bob', about: 'bob' },
    ...{ text: 'bob joined, invited by alice', epoch: 2 },
    ...more,
  };
}

/** A person of the room whose key is pinned. */
export function roomMember(peer: string, more: Partial<RoomMemberReport> = {}): RoomMemberReport {
  return {
    ...{ sign: signOfPeer(peer), peer, name: null, role: 'member', isInvited: false, kind: 'human', isAgent: false },
    ...{ peerState: 'pinned', lastSeenMs: null, withheldWhy: null },
    ...more,
  };
}
