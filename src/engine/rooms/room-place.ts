/**
 * One room as a service looks at it: its desk, and who looks (product.md "Rooms").
 * Law: it holds nothing of its own; what a room is says its log.
 */
import type { OwnStanding } from '../../shared/contract/rooms-contract.ts';
import type { CardBoxes, KnownCard } from './card-boxes.ts';
import type { RoomDesk } from './room-desk.ts';
import type { RoomLog } from './room-log.ts';

/** Who looks. */
export interface RoomSelf {
  readonly peer: string;
  /** `U…` */
  readonly sign: string;
}

export interface RoomPlace {
  readonly desk: RoomDesk;
  readonly me: RoomSelf;
  readonly cards: Pick<CardBoxes, 'find'>;
}

/** The card of a member, if it names the key that the log has. */
export function cardOfMember(
  cards: Pick<CardBoxes, 'find'>,
  { peer, sign }: { readonly peer: string; readonly sign: string },
): KnownCard | undefined {
  const known = cards.find(peer);
  return known?.sign === sign ? known : undefined;
}

/** Where the holder of a key came in last; undefined: it never did. */
export function lastJoinSeq(log: RoomLog, sign: string): number | undefined {
  return log.epochs().findLast(({ kind, author }) => author === sign && (kind === 'JOIN' || kind === 'CREATE'))?.seq;
}

/** How the holder of a key stands to a room; undefined: the log has never named it. */
export function standingOf(log: RoomLog, sign: string): OwnStanding | undefined {
  const standing = log.standing();
  if (standing === undefined) return undefined;
  const isIn = standing.members.has(sign);
  const last = log.entries().findLast(({ entry }) => entry.subject === sign || entry.actor === sign)?.entry;
  if (last === undefined) return undefined;
  if (standing.isClosed) return 'ended';
  if (isIn) return 'member';
  if (standing.invited.has(sign)) return 'invited';
  return last.body.type === 'KICK' && last.actor !== sign ? 'kicked' : 'left';
}
