/**
 * Who is in a room, and who can read what was said in it (product.md "Rooms", protocol.md R4, R6).
 * Law: members are keys; what a card says of one counts only if it names that key.
 */

import { VakError } from '../../shared/base/vak-error.ts';
import { visibleText } from '../../shared/base/visible-text.ts';
import type { RoomMemberReport, RoomReaders } from '../../shared/contract/rooms-contract.ts';
import type { WithheldReason } from '../../shared/protocol/room-key-records.ts';
import type { EpochStart, RoomLog } from './room-log.ts';
import { cardOfMember, type RoomPlace } from './room-place.ts';
import { epochCause } from './room-words.ts';

const withheldWords: Readonly<Record<WithheldReason, string>> = {
  'not-member': 'it is no member by the log as it is read here',
  'joined-later': 'it joined later',
  'do-not-have': 'nobody here has the key to give it yet',
  blocked: 'its key is in doubt or it is blocked: compare its safety number (Identity & access)',
  'no-box-key': 'no card of it with a valid box key is known here: add its card, or have it renewed',
};

const ranks = { owner: 0, moderator: 1, member: 2 } as const;

export interface MembersOptions {
  /** Members that were not given the present key. */
  readonly withheld: ReadonlyMap<string, WithheldReason>;
  /** When a peer was heard last, ms since the epoch. */
  readonly heardMs: (peer: string) => number | undefined;
}

/** Members and who is invited; who leads comes first, then by name. */
export function membersOf(place: RoomPlace, { withheld, heardMs }: MembersOptions): readonly RoomMemberReport[] {
  const { desk, cards } = place;
  const standing = desk.reader.log().standing();
  const spoke = new Map(
    desk.reader
      .timeline()
      .all()
      .map(({ peer, atMs }) => [peer, atMs]),
  );

  function report(
    { sign, peer, role }: { readonly sign: string; readonly peer: string; readonly role: RoomMemberReport['role'] },
    isInvited: boolean,
  ): RoomMemberReport {
    const card = cardOfMember(cards, { peer, sign });
    const seen = [heardMs(peer), spoke.get(peer)].filter((one) => one !== undefined);
    const reason = withheld.get(peer);
    return {
      ...{ sign, role, isInvited, peer: visibleText(peer) },
      name: card === undefined ? null : visibleText(card.name),
      kind: card?.kind ?? null,
      isAgent: card?.isAgent ?? false,
      // Its card names another key: what was pinned is not this member.
      peerState: card?.state ?? (cards.find(peer) === undefined ? null : 'changed'),
      lastSeenMs: seen.length === 0 ? null : Math.max(...seen),
      withheldWhy: isInvited || reason === undefined ? null : withheldWords[reason],
    };
  }

  const members = Array.from(standing?.members.values() ?? [], (one) => report(one, false));
  const invited = Array.from(standing?.invited.values() ?? [], (one) => report(one, true));
  const order = (left: RoomMemberReport, right: RoomMemberReport): number =>
    Number(left.isInvited) - Number(right.isInvited) ||
    ranks[left.role] - ranks[right.role] ||
    (left.peer < right.peer ? -1 : 1);
  return [...members, ...invited].sort(order);
}

/** Keys that were members as soon as an epoch had begun. */
function membersAt(log: RoomLog, { seq }: EpochStart): readonly string[] {
  const keys = new Set(log.entries().flatMap(({ entry }) => [entry.actor, ...(entry.subject ? [entry.subject] : [])]));
  return [...keys].filter((sign) => log.roleAt(sign, seq + 1) !== undefined);
}

/** Who has, or can work out, the key of an epoch: all that were in since the key was made that it follows from by steps. */
function holdersOf(log: RoomLog, epoch: number): ReadonlySet<string> {
  const holders = new Set<string>();
  for (let at = epoch; at >= 0; at--) {
    const start = log.epochs()[at];
    if (start === undefined) break;
    for (const sign of membersAt(log, start)) holders.add(sign);
    if (start.kind !== 'JOIN') break;
  }
  return holders;
}

/** Who can read a message. Throws `not-found`. */
export function readersOf({ desk }: RoomPlace, messageId: string): RoomReaders {
  const log = desk.reader.log();
  const message = desk.reader.timeline().byId(messageId);
  const start = message && log.epochs()[message.epoch];
  if (start === undefined)
    throw new VakError('not-found', 'who can read: no message of this id that counts is in the room here');
  const members = log.standing()?.members;
  const readers = Array.from(holdersOf(log, start.epoch), (sign) => ({
    peer: visibleText(log.peerOf(sign) ?? 'somebody'),
    isStillIn: members?.has(sign) === true,
  }));
  readers.sort((left, right) => Number(right.isStillIn) - Number(left.isStillIn) || (left.peer < right.peer ? -1 : 1));
  return {
    ...{ epoch: start.epoch, sinceMs: start.atMs, readers },
    cause: epochCause(start.kind, log.peerOf(start.author) ?? 'somebody'),
    isShared: log.standing()?.history === 'shared',
  };
}
