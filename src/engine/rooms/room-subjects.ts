/**
 * Names on the bus of rooms and their service (protocol.md §1, docs/spec/rooms.md R15, R24, R25).
 * Law: this is the only place that puts them together.
 */
import { buildSubject, type Subject } from '../../shared/protocol/subject.ts';

/** Type of an entry's envelope (R15). */
export const roomEntryType = 'vak.rooms.entry';
/** The service's name in `vak.control.<ws>.rooms.<verb>`. */
export const roomService = 'rooms';

/** What can be asked of the service. */
export type RoomRequest = 'append' | 'mine';
/** Type of a request's envelope (R24). */
export const roomRequestType = <T extends RoomRequest>(verb: T) => `vak.control.rooms.${verb}` as const;

/** Where a request goes. Throws `invalid-subject`. */
export function roomRequestSubject(workspace: string, verb: RoomRequest): Subject {
  return buildSubject({ plane: 'control', workspace, entity: roomService, verb });
}

/** The log of a room. Throws `invalid-subject`. */
export function roomLogSubject(workspace: string, room: string): Subject {
  return buildSubject({ plane: 'rooms', workspace, entity: room, verb: 'log' });
}

/** The logs of all rooms. */
export const roomLogsPattern = (workspace: string): string => `vak.rooms.${workspace}.*.log`;

/** The messages of a room. Throws `invalid-subject`. */
export function roomMessagesSubject(workspace: string, room: string): Subject {
  return buildSubject({ plane: 'rooms', workspace, entity: room, verb: 'messages' });
}

/** Who is in a room at the moment, and how far they have read. Throws `invalid-subject`. */
export function roomPresenceSubject(workspace: string, room: string): Subject {
  return buildSubject({ plane: 'rooms', workspace, entity: room, verb: 'presence' });
}

/** Keys, requests for them and invitations, for a peer. Throws `invalid-subject`. */
export function roomKeysSubject(workspace: string, peer: string): Subject {
  return buildSubject({ plane: 'keys', workspace, entity: peer, verb: 'package' });
}

/** The stream of them. */
export const keysStreamOf = (workspace: string): string => `VAK_KEYS_${workspace}`;

/** The stream of a workspace's rooms. */
export const roomStreamOf = (workspace: string): string => `VAK_ROOMS_${workspace}`;
