/** Why something cannot be done in a room now. Pure; undefined: it can. */
import type { ConnectionsState } from '../../../shared/contract/connections-contract.ts';
import type {
  RoomItem,
  RoomMemberReport,
  RoomMessageItem,
  RoomSummary,
  RoomsState,
} from '../../../shared/contract/rooms-contract.ts';
import { publishLack, readOnlyLack } from '../../ui/connection-words.ts';

export interface RoomSituation {
  readonly connection: ConnectionsState | undefined;
  readonly state: RoomsState | undefined;
  /** Undefined: none is selected. */
  readonly room: RoomSummary | undefined;
}

export interface MessageSituation extends RoomSituation {
  /** Undefined: none is selected. */
  readonly item: RoomItem | undefined;
}

export interface MemberSituation extends RoomSituation {
  readonly member: RoomMemberReport | undefined;
}

const standingReasons = {
  invited: 'you are invited and have not joined yet',
  left: 'you have left this room',
  kicked: 'you were removed from this room',
  ended: 'this room was closed',
} as const;

const noService =
  'nobody orders the logs of rooms here; start vak membershipd on this connection, or use the embedded one';

/** Locked, or not a member, or the room is stopped. */
function whyNotTakePart({ state, room }: RoomSituation): string | undefined {
  if (room === undefined) return 'select a room first';
  if (state?.me == null) return 'the key store is locked';
  if (room.standing !== 'member') return standingReasons[room.standing];
  return room.trouble === null ? undefined : 'this room is stopped; what to do stands above its messages';
}

/** What is sent waits while there is no connection (R8), so only a read-only one is in the way. */
export function whyNotSend(situation: RoomSituation): string | undefined {
  return whyNotTakePart(situation) ?? readOnlyLack(situation.connection);
}

/** Bytes go into the store at once: that needs a connection. */
export function whyNotAttach(situation: RoomSituation): string | undefined {
  return whyNotTakePart(situation) ?? publishLack(situation.connection);
}

/** The log is changed by whoever orders it: that needs a connection, and somebody there. */
function whyNotCommit({ connection, state }: Pick<RoomSituation, 'connection' | 'state'>): string | undefined {
  return publishLack(connection) ?? (state?.hasService === false ? noService : undefined);
}

export function whyNotCreate({ connection, state }: Pick<RoomSituation, 'connection' | 'state'>): string | undefined {
  return state?.me == null ? 'the key store is locked' : whyNotCommit({ connection, state });
}

export function whyNotAnswerInvitation(situation: RoomSituation): string | undefined {
  const { room } = situation;
  if (room === undefined) return 'select a room first';
  if (room.standing !== 'invited') return 'you are not invited to it';
  return whyNotCreate(situation);
}

const isModerator = ({ room }: RoomSituation): boolean => room?.role === 'owner' || room?.role === 'moderator';

/** Invite, kick, set the topic (R3). */
export function whyNotModerate(situation: RoomSituation): string | undefined {
  return (
    whyNotTakePart(situation) ??
    (isModerator(situation) ? undefined : 'only its owner and its moderators can') ??
    whyNotCommit(situation)
  );
}

/** Set roles and close (R3). */
export function whyNotOwn(situation: RoomSituation): string | undefined {
  return (
    whyNotTakePart(situation) ??
    (situation.room?.role === 'owner' ? undefined : 'only its owner can') ??
    whyNotCommit(situation)
  );
}

/** Any member may begin a new key (R20). */
export function whyNotRotate(situation: RoomSituation): string | undefined {
  return whyNotTakePart(situation) ?? whyNotCommit(situation);
}

/** The owner hands the room over first (R19). A room that is stopped can be left. */
export function whyNotLeave(situation: RoomSituation): string | undefined {
  const { room, state } = situation;
  if (room === undefined) return 'select a room first';
  if (state?.me == null) return 'the key store is locked';
  if (room.standing !== 'member') return standingReasons[room.standing];
  if (room.role === 'owner') return 'you own it: make another member its owner first, or close it';
  return whyNotCommit(situation);
}

export function whyNotKick(situation: MemberSituation): string | undefined {
  const { member, room, state } = situation;
  if (member === undefined) return 'select a member first';
  if (member.sign === state?.me?.sign) return 'this is you: leave the room instead';
  if (member.role === 'owner') return 'nobody can remove the owner';
  if (member.role === 'moderator' && room?.role !== 'owner') return 'only the owner can remove a moderator';
  return whyNotModerate(situation);
}

export function whyNotSetRole(situation: MemberSituation): string | undefined {
  const { member, state } = situation;
  if (member === undefined) return 'select a member first';
  if (member.isInvited) return 'it has not joined yet';
  if (member.sign === state?.me?.sign) return 'make another member the owner instead';
  return whyNotOwn(situation);
}

/** A message that others have; a reason where it is none. */
function whyNoMessage(item: RoomItem | undefined): string | undefined {
  if (item?.kind !== 'message') return 'select a message first';
  return item.seq === null ? 'it is not sent yet' : undefined;
}

const asMessage = (item: RoomItem | undefined): RoomMessageItem | undefined =>
  item?.kind === 'message' ? item : undefined;

/** Reply, react. */
export function whyNotAnswer(situation: MessageSituation): string | undefined {
  const item = asMessage(situation.item);
  const lacks = whyNoMessage(situation.item);
  if (lacks !== undefined) return lacks;
  if (item?.redacted != null) return 'it was removed';
  if (item?.unopened != null) return 'it could not be opened';
  return whyNotSend(situation);
}

export function whyNotEdit(situation: MessageSituation): string | undefined {
  const item = asMessage(situation.item);
  if (item !== undefined && !item.isOwn) return 'only whoever wrote it can change it';
  if (item?.attachment != null) return 'a file cannot be changed; remove it and send another';
  return whyNotAnswer(situation);
}

/** By its author, the owner and moderators (R35). */
export function whyNotRedact(situation: MessageSituation): string | undefined {
  const item = asMessage(situation.item);
  const lacks = whyNoMessage(situation.item);
  if (lacks !== undefined) return lacks;
  if (item?.redacted != null) return 'it was removed already';
  if (item?.unopened != null) return 'it could not be opened';
  if (item?.isOwn === false && !isModerator(situation))
    return 'only its author, the owner and moderators can remove it';
  return whyNotSend(situation);
}

export function whyNoReaders({ item, room }: Pick<MessageSituation, 'item' | 'room'>): string | undefined {
  return room === undefined ? 'select a room first' : whyNoMessage(item);
}

export function whyNotCopy({ item }: Pick<MessageSituation, 'item'>): string | undefined {
  const message = asMessage(item);
  if (message === undefined) return 'select a message first';
  return message.text === null ? 'it has no text' : undefined;
}

export function whyNotSave({ item }: Pick<MessageSituation, 'item'>): string | undefined {
  const message = asMessage(item);
  if (message?.attachment == null) return 'select a message with a file first';
  return message.seq === null ? 'it is not sent yet' : undefined;
}

export function whyNotAskAgain(situation: RoomSituation): string | undefined {
  const { room, state } = situation;
  if (room === undefined) return 'select a room first';
  if (state?.me == null) return 'the key store is locked';
  return publishLack(situation.connection) ?? (room.lockedCount === 0 ? 'no key is missing' : undefined);
}

export function whyNotCancelSending({ item }: Pick<MessageSituation, 'item'>): string | undefined {
  return asMessage(item)?.sending == null ? 'select a message that waits first' : undefined;
}

export function whyNotRetry(situation: MessageSituation): string | undefined {
  const state = asMessage(situation.item)?.sending?.state;
  if (state === undefined) return 'select a message that waits first';
  return state === 'failed' ? whyNotSend(situation) : 'it is tried by itself';
}
