/** Whose invitations a bot takes (docs/spec/rooms.md R72). */
import { grantAt } from '../engine/identity/grant-timeline.ts';
import type { RoomDesk } from '../engine/rooms/room-desk.ts';
import type { RunningRooms } from './room-peer.ts';

/** Who invited this peer, by the key that signed it: a name alone is anybody's. */
export interface Inviter {
  readonly peer: string;
  readonly sign: string;
}

/** Undefined: it is not invited. */
export function inviterOf({ me }: Pick<RunningRooms, 'me'>, { logs }: Pick<RoomDesk, 'logs'>): Inviter | undefined {
  const log = logs.log();
  const invited = log.standing()?.invited.get(me.sign);
  if (invited === undefined) return undefined;
  return { peer: log.peerOf(invited.by) ?? '', sign: invited.by };
}

/** Whether the inviter is one of those named; if nobody is, whether it is an operator of the workspace now. */
export function createBotDoor(
  { peer: { open }, cards }: Pick<RunningRooms, 'peer' | 'cards'>,
  accepted: readonly string[],
  nowMs: () => number,
): (inviter: Inviter) => boolean {
  const timelineOf = open.timelines(open.contents());

  function isOperator({ peer, sign }: Inviter): boolean {
    const granted = grantAt(timelineOf(peer), nowMs())?.grant;
    if (granted === undefined || granted.sign !== sign || !granted.roles.includes('operator')) return false;
    return granted.notAfter === 0 || granted.notAfter * 1000 > nowMs();
  }

  return (inviter) => {
    if (accepted.length === 0) return isOperator(inviter);
    const card = cards.find(inviter.peer);
    const isDoubted = card?.state === 'changed' || card?.state === 'blocked';
    return accepted.includes(inviter.peer) && card?.sign === inviter.sign && !isDoubted;
  };
}
