import fc from 'fast-check';
import { expect, test } from 'vitest';
import { commitOf, invite, keyOf, peerOf, replay, told, writeRoom } from '../../../tests/support/room-fixture.ts';
import type { RoomEntryBody } from '../../shared/protocol/payload-room-log.ts';

/** What a peer may do, whether it may or not. */
const acts = fc.constantFrom<RoomEntryBody['type']>(
  'INVITE',
  'JOIN',
  'DECLINE',
  'LEAVE',
  'KICK',
  'ROLE',
  'REKEY',
  'TOPIC',
);

function bodyOf(type: RoomEntryBody['type'], { about, pick }: { about: number; pick: number }): RoomEntryBody {
  switch (type) {
    case 'INVITE':
      return invite(about, pick % 2 === 0 ? 'member' : 'moderator');
    case 'JOIN':
      return { type, peer: peerOf(about) };
    case 'KICK':
      return pick % 3 === 0 ? { type } : { type, commit: commitOf(pick) };
    case 'ROLE':
      return { type, role: (['owner', 'moderator', 'member'] as const)[pick % 3] ?? 'member' };
    case 'REKEY':
      return { type, commit: commitOf(pick), cause: 'hand' };
    case 'TOPIC':
      return { type, name: 'Night shift', topic: `t${pick}` };
    default:
      return { type } as RoomEntryBody;
  }
}

test('R1 any sequence of entries gives one state to whoever reads it, one owner, and no peer twice', () => {
  const step = fc.record({
    by: fc.integer({ min: 1, max: 5 }),
    about: fc.integer({ min: 1, max: 5 }),
    type: acts,
    pick: fc.integer({ min: 0, max: 20 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const room = writeRoom();
      for (const { by, about, type, pick } of steps) {
        const needs = ['INVITE', 'KICK', 'ROLE'].includes(type);
        room.write(by, bodyOf(type, { about: needs ? about : by, pick }), needs ? about : undefined);
        const members = [...(room.log.standing()?.members.values() ?? [])];
        const invited = [...(room.log.standing()?.invited.values() ?? [])];
        expect(members.filter(({ role }) => role === 'owner')).toHaveLength(1);
        const names = [...members, ...invited].map(({ peer }) => peer);
        expect(new Set(names).size).toBe(names.length);
      }
      expect(told(replay(room))).toEqual(told(room.log));
      const end = (room.log.head()?.seq ?? 0) + 1;
      for (const n of [1, 2, 3, 4, 5]) {
        expect(room.log.roleAt(keyOf(n), end)).toBe(room.log.standing()?.members.get(keyOf(n))?.role);
      }
    }),
    { numRuns: 60 },
  );
});
