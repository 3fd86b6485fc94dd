/** Invites a peer to a room, and tells it where (protocol.md R4, docs/spec/rooms.md R28). */
import type { RunningRooms } from './room-peer.ts';

export interface Invitation {
  readonly room: string;
  readonly peer: string;
  /** `U…` */
  readonly sign: string;
  readonly role: 'member' | 'moderator';
}

/** Throws as `RoomDesk.commit`. */
export async function inviteTo({ rooms }: RunningRooms, { room, peer, sign, role }: Invitation): Promise<void> {
  const desk = rooms.get(room);
  await desk.commit({ type: 'INVITE', peer, role }, { subject: sign });
  await rooms.exchange.invite(desk.logs.log(), peer);
}
