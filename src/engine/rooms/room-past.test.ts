import { expect, test } from 'vitest';
import { createBody, keyOf, peerOf } from '../../../tests/support/room-fixture.ts';
import type { RoomEntry, RoomEntryBody } from '../../shared/protocol/payload-room-log.ts';
import { createRoomPast } from './room-past.ts';

const [owner, guest] = [keyOf(1), keyOf(2)];
const bare = (n: number, body: RoomEntryBody, actor = owner, subject?: string): { readonly entry: RoomEntry } => {
  const about = subject === undefined ? {} : { subject };
  return { entry: { v: 1, room: '', n, epoch: 0, prevHash: '', sig: '', actor, ...about, body } };
};

/** A room in which peer 2 is invited, joins and leaves again, over and over. */
function entriesOf(count: number): readonly { readonly entry: RoomEntry }[] {
  const round: readonly ((n: number) => { readonly entry: RoomEntry })[] = [
    (n) => bare(n, { type: 'INVITE', peer: peerOf(2), role: 'member' }, owner, guest),
    (n) => bare(n, { type: 'JOIN', peer: peerOf(2) }, guest),
    (n) => bare(n, { type: 'LEAVE' }, guest),
  ];
  const later = Array.from({ length: count - 1 }, (_, index) => round[index % 3]?.(index + 1) ?? bare(0, createBody()));
  return [bare(0, createBody()), ...later];
}

test('R21 whoever names former entries without end costs a small part of the log each time', () => {
  const entries = entriesOf(4_096);
  let readCount = 0;
  const counted = new Proxy(entries, {
    get(target, name, receiver) {
      if (typeof name === 'string' && /^\d+$/.test(name)) readCount++;
      return Reflect.get(target, name, receiver) as unknown;
    },
  });
  const past = createRoomPast(counted);
  past.before(4_095);
  readCount = 0;
  for (let late = 0; late < 100; late++) past.before(4_000 - late);
  expect(readCount).toBeLessThan(100 * 520);
});

test('R21 the state before an entry is that of those before it, however it was come by', () => {
  const entries = entriesOf(1_300);
  const past = createRoomPast(entries);
  const told = (n: number): unknown => {
    const { members, invited, epoch } = past.before(n)?.standing ?? {};
    return { isIn: members?.has(guest), isInvited: invited?.has(guest), epoch };
  };
  expect(past.before(0)).toBeUndefined();
  for (const n of [1_299, 1, 2, 3, 4, 640, 641, 642, 1_299, 64, 65, 66])
    expect([n, told(n)]).toEqual([n, { isIn: n % 3 === 0, isInvited: n % 3 === 2, epoch: Math.floor(n / 3) }]);
});
