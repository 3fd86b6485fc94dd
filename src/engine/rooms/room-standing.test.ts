import { expect, test } from 'vitest';
import { createBody } from '../../../tests/support/room-fixture.ts';
import type { RoomEntry, RoomEntryBody } from '../../shared/protocol/payload-room-log.ts';
import { beginRoom } from './room-standing.ts';

/** An entry that nobody signed: who is what does not look at signatures. */
const entry = <T extends RoomEntryBody>(body: T, actor: string, subject?: string) =>
  ({ v: 1, room: '', n: 0, epoch: 0, prevHash: '', actor, body, sig: '', ...(subject && { subject }) }) as RoomEntry & {
    readonly body: T;
  };

test('R13 R18 of members and invited together there are 1 000 at most; whoever goes makes room', () => {
  const { refusalOf, apply, standing } = beginRoom(entry(createBody(), 'owner'));
  const invite = (n: number) => entry({ type: 'INVITE', peer: `guest-${n}`, role: 'member' }, 'owner', `key-${n}`);
  const join = (n: number) => entry({ type: 'JOIN', peer: `guest-${n}` }, `key-${n}`);
  for (let n = 1; n < 1_000; n++) {
    expect(refusalOf(invite(n))).toBeUndefined();
    apply(invite(n));
    if (n % 2 === 0) apply(join(n));
  }
  expect(standing.members.size + standing.invited.size).toBe(1_000);
  expect(refusalOf(invite(1_000))).toBe('full');
  apply(entry({ type: 'DECLINE' }, 'key-1'));
  expect(refusalOf(invite(1_000))).toBeUndefined();
});
