/** Which room, and which peer in it, a line means (cli.md: ROOM by id or the beginning of its name). */
import type { RoomDesk } from '../engine/rooms/room-desk.ts';
import type { RoomPlace } from '../engine/rooms/room-place.ts';
import { VakError } from '../shared/base/vak-error.ts';
import { visibleText } from '../shared/base/visible-text.ts';
import type { RunningRooms } from './room-peer.ts';

/** A room as its owner of the command sees it. */
export function placeOf({ cards, me }: RunningRooms, desk: RoomDesk): RoomPlace {
  return { desk, cards, me };
}

/** The room's name, as its log has it now; empty while the log is not read. */
export function nameOfRoom(desk: RoomDesk): string {
  return desk.reader.log().standing()?.name ?? desk.logs.log().standing()?.name ?? '';
}

const folded = (text: string): string => text.normalize('NFKC').toLowerCase();

/** Those that a word may mean, the best sort of them alone. */
function candidates(desks: readonly RoomDesk[], wanted: string): readonly RoomDesk[] {
  const name = folded(wanted);
  const sorts = [
    ({ room }: RoomDesk) => room === wanted,
    (desk: RoomDesk) => folded(nameOfRoom(desk)) === name,
    (desk: RoomDesk) => name !== '' && folded(nameOfRoom(desk)).startsWith(name),
  ];
  for (const isOne of sorts) {
    const found = desks.filter(isOne);
    if (found.length > 0) return found;
  }
  return [];
}

function only(found: readonly RoomDesk[]): RoomDesk | undefined {
  if (found.length < 2) return found[0];
  const list = found.map((desk) => `${desk.room} (${visibleText(nameOfRoom(desk))})`).slice(0, 8);
  throw new VakError('invalid-input', `ROOM: ${found.length} rooms are called so: ${list.join(', ')}; give the id`);
}

/** The room that is meant, its log read. Throws `not-found`, `invalid-input` if several are, and what reading throws. */
export async function chooseRoom(running: RunningRooms, wanted: string): Promise<RoomDesk> {
  const { rooms } = running;
  await Promise.all(rooms.list().map((desk) => desk.logs.catchUp()));
  const known = only(candidates(rooms.list(), wanted));
  if (known !== undefined) return known;
  // It may have been made, or its invitation have come, since this profile looked last.
  await rooms.look();
  const found = only(candidates(rooms.list(), wanted));
  if (found !== undefined) return found;
  throw new VakError('not-found', `ROOM: ${running.me.peer} is in no such room, nor invited to one; see vak room ls`);
}

/** Key of a member, or of whoever is invited. Throws `not-found` that says who is there. */
export function signInRoom(desk: RoomDesk, peer: string): string {
  const standing = desk.reader.log().standing() ?? desk.logs.log().standing();
  const all = [...(standing?.members.values() ?? []), ...(standing?.invited.values() ?? [])];
  const found = all.find((one) => one.peer === peer);
  if (found !== undefined) return found.sign;
  const names = all.map((one) => one.peer).slice(0, 16);
  throw new VakError('not-found', `PEER: ${peer} is not in the room, nor invited; there are ${names.join(', ')}`);
}

/** Key of a peer by its card. Throws `not-found` that says how its card comes here. */
export function signByCard({ cards }: RunningRooms, peer: string): string {
  const known = cards.find(peer);
  if (known !== undefined) return known.sign;
  throw new VakError(
    'not-found',
    `PEER: no card of ${peer} is known here; it comes over the bus when ${peer} has connected once, or give it with --card FILE (vak id card)`,
  );
}
