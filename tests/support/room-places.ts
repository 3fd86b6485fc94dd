/** Places of people in rooms, as peers look at them; no card of anybody is known. */
import type { RoomPlace } from '../../src/engine/rooms/room-place.ts';
import type { Person, RoomPeople } from './room-people.ts';

export function placeIn(room: string, { desk, name, asker }: Person): RoomPlace {
  return { desk: desk(room), me: { peer: name, sign: asker.key }, cards: { find: () => undefined } };
}

/** A room of the first one's, in which the others are. */
export async function roomWith(people: RoomPeople, owner: Person, others: readonly Person[]): Promise<string> {
  const { run } = people.place;
  const { room } = await run(owner.rooms.create({ name: 'Night shift', topic: '', history: 'joined' }));
  for (const other of others) await admitTo(people, room, { owner, other });
  return room;
}

/** Invites somebody, who joins and is given the key. */
async function admitTo(
  people: RoomPeople,
  room: string,
  { owner, other }: { readonly owner: Person; readonly other: Person },
): Promise<void> {
  const { run } = people.place;
  const { asker, name: peer } = other;
  await run(owner.desk(room).commit({ type: 'INVITE', peer, role: 'member' }, { subject: asker.key }));
  await run(owner.rooms.exchange.invite(owner.desk(room).reader.log(), peer));
  await people.settle(other);
  await run(other.desk(room).commit({ type: 'JOIN', peer }));
  await people.settle(owner, other);
}
