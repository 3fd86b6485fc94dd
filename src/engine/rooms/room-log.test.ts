import { describe, expect, test } from 'vitest';
import { signerOf } from '../../../tests/support/identity-fixture.ts';
import {
  commitOf,
  createBody,
  invite,
  keyOf,
  kick,
  peerOf,
  rekey,
  told,
  topic,
  type WrittenRoom,
  writeRoom,
} from '../../../tests/support/room-fixture.ts';
import type { RoomEntryBody } from '../../shared/protocol/payload-room-log.ts';
import { createRecordChecks } from '../identity/signed-record.ts';
import { signRoomCreate, signRoomEntry } from './room-entry.ts';
import { createRoomLog } from './room-log.ts';

const counts = expect.objectContaining({ kind: 'counts' });
const skipped = (why: string) => expect.objectContaining({ kind: 'skipped', why });
/** Owner 1, moderator 2, member 3; 4 is invited. */
function staffed(): WrittenRoom {
  const room = writeRoom();
  room.admit(2, 3);
  room.write(1, { type: 'ROLE', role: 'moderator' }, 2);
  room.write(1, invite(4), 4);
  return room;
}

describe('R1 the room’s beginning', () => {
  test('R1 whoever creates it is its owner, in epoch 0, and the id follows from the entry', () => {
    const { log, room } = writeRoom();
    expect(room).toMatch(/^[a-z2-7]{26}$/);
    expect([...(log.standing()?.members.values() ?? [])]).toEqual([{ sign: keyOf(1), peer: peerOf(1), role: 'owner' }]);
    expect(log.epochs()).toEqual([expect.objectContaining({ epoch: 0, kind: 'CREATE', author: keyOf(1), seq: 10 })]);
  });

  test('R1 the same words with another nonce, or by another, are another room', () => {
    const rooms = [
      signRoomCreate(createBody(), signerOf(1)).room,
      signRoomCreate(createBody({ nonce: 'AAAAAAAAAAAAAAAAAAAAAA' }), signerOf(1)).room,
      signRoomCreate(createBody(), signerOf(2)).room,
    ];
    expect(new Set(rooms).size).toBe(3);
  });

  test('R1 another room’s CREATE begins nothing here, nor does a second CREATE', () => {
    const { log, write, read } = writeRoom();
    const other = signRoomCreate(createBody({ name: 'Other' }), signerOf(1));
    expect(createRoomLog(log.room, createRecordChecks()).read(other.entry, 1)).toEqual(skipped('wrong-room'));
    expect(read(other.entry)).toEqual(skipped('wrong-room'));
    expect(read(signRoomCreate(createBody(), signerOf(1)).entry)).toEqual({ kind: 'repeated' });
    expect(write(1, topic('goes on'))).toEqual(counts);
  });

  test('R1 nothing counts before CREATE', () => {
    const { log, sign } = writeRoom();
    const empty = createRoomLog(log.room, createRecordChecks());
    expect(empty.read(sign(1, topic('x')), 1)).toEqual(skipped('wrong-place'));
    expect(empty.standing()).toBeUndefined();
  });
});

describe('R3 who may do what', () => {
  const cases: readonly [
    what: string,
    by: number,
    body: RoomEntryBody,
    about: number | undefined,
    expected: unknown,
  ][] = [
    ['the owner invites a moderator', 1, invite(5, 'moderator'), 5, counts],
    ['a moderator invites a member', 2, invite(5), 5, counts],
    ['a moderator invites no moderator', 2, invite(5, 'moderator'), 5, skipped('not-allowed')],
    ['a member invites nobody', 3, invite(5), 5, skipped('not-allowed')],
    ['who is invited invites nobody', 4, invite(5), 5, skipped('not-allowed')],
    ['a stranger invites nobody', 8, invite(5), 5, skipped('not-allowed')],
    ['a member is not invited again', 1, invite(3), 3, skipped('already-there')],
    ['who is invited is not invited again', 1, invite(4), 4, skipped('already-there')],
    ['a name that is taken is not invited under another key', 1, invite(3), 5, skipped('already-there')],
    ['nobody joins who is not invited', 5, { type: 'JOIN', peer: peerOf(5) }, undefined, skipped('not-allowed')],
    ['who is invited joins', 4, { type: 'JOIN', peer: peerOf(4) }, undefined, counts],
    [
      'who is invited joins under no other name',
      4,
      { type: 'JOIN', peer: peerOf(5) },
      undefined,
      skipped('not-allowed'),
    ],
    ['a member does not join again', 3, { type: 'JOIN', peer: peerOf(3) }, undefined, skipped('not-allowed')],
    ['who is invited declines', 4, { type: 'DECLINE' }, undefined, counts],
    ['nobody else declines', 3, { type: 'DECLINE' }, undefined, skipped('not-allowed')],
    ['a member leaves', 3, { type: 'LEAVE' }, undefined, counts],
    ['the owner does not leave', 1, { type: 'LEAVE' }, undefined, skipped('not-allowed')],
    ['who is invited does not leave', 4, { type: 'LEAVE' }, undefined, skipped('not-allowed')],
    ['the owner kicks a moderator', 1, kick(5), 2, counts],
    ['a moderator kicks a member', 2, kick(5), 3, counts],
    ['a moderator does not kick the owner', 2, kick(5), 1, skipped('not-allowed')],
    ['a moderator does not kick itself', 2, kick(5), 2, skipped('not-allowed')],
    ['the owner does not kick itself', 1, kick(5), 1, skipped('not-allowed')],
    ['a member kicks nobody', 3, kick(5), 2, skipped('not-allowed')],
    ['a member is not kicked without a new key', 1, { type: 'KICK' }, 3, skipped('not-allowed')],
    ['an invitation is withdrawn', 2, { type: 'KICK' }, 4, counts],
    ['an invitation is not withdrawn by a new key', 2, kick(5), 4, skipped('not-allowed')],
    ['a stranger is not kicked', 1, kick(5), 8, skipped('no-such-member')],
    ['the owner makes a moderator a member', 1, { type: 'ROLE', role: 'member' }, 2, counts],
    ['a moderator sets no role', 2, { type: 'ROLE', role: 'moderator' }, 3, skipped('not-allowed')],
    ['a role that somebody has is not set', 1, { type: 'ROLE', role: 'moderator' }, 2, skipped('already-there')],
    ['the owner does not lay its role down', 1, { type: 'ROLE', role: 'member' }, 1, skipped('not-allowed')],
    ['a stranger gets no role', 1, { type: 'ROLE', role: 'member' }, 8, skipped('no-such-member')],
    ['who is invited gets no role', 1, { type: 'ROLE', role: 'moderator' }, 4, skipped('no-such-member')],
    ['a member rotates the key', 3, rekey, undefined, counts],
    ['who is invited does not rotate it', 4, rekey, undefined, skipped('not-allowed')],
    ['a moderator sets the topic', 2, topic('Deploys'), undefined, counts],
    ['a member sets no topic', 3, topic('Deploys'), undefined, skipped('not-allowed')],
    ['a topic that is the same is not set', 1, topic(''), undefined, skipped('already-there')],
    ['a moderator does not close', 2, { type: 'CLOSE' }, undefined, skipped('not-allowed')],
    ['the owner closes', 1, { type: 'CLOSE' }, undefined, counts],
  ];
  test.each(cases)('R3 %s', (_what, by, body, about, expected) => {
    const room = staffed();
    const before = told(room.log);
    const entry = room.sign(by, body, about);
    expect(room.log.wouldRead(entry)).toEqual(expected);
    expect(told(room.log)).toEqual(before);
    expect(room.read(entry)).toEqual(expected);
    if (expected !== counts) expect(told(room.log)).toEqual(before);
  });

  test('R19 who is handed the room owns it, and the former owner is a moderator', () => {
    const { log, write } = staffed();
    expect(write(1, { type: 'ROLE', role: 'owner' }, 3)).toEqual(counts);
    expect(log.standing()?.members.get(keyOf(3))?.role).toBe('owner');
    expect(log.standing()?.members.get(keyOf(1))?.role).toBe('moderator');
    expect(write(1, { type: 'CLOSE' })).toEqual(skipped('not-allowed'));
    expect(write(1, { type: 'LEAVE' })).toEqual(counts);
  });

  test('R20 nothing counts after CLOSE', () => {
    const { log, write } = staffed();
    write(1, { type: 'CLOSE' });
    expect(write(1, topic('late'))).toEqual(skipped('closed'));
    expect(log.epochAt(log.head()?.seq ?? 0)).toBeDefined();
    expect(log.epochAt((log.head()?.seq ?? 0) + 1)).toBeUndefined();
  });

  test('R18 who was kicked, has left or declined comes back by a new invitation alone', () => {
    const { write } = staffed();
    write(1, kick(5), 2);
    write(3, { type: 'LEAVE' });
    write(4, { type: 'DECLINE' });
    for (const n of [2, 3, 4]) {
      expect(write(n, { type: 'JOIN', peer: peerOf(n) })).toEqual(skipped('not-allowed'));
      expect(write(1, invite(n), n)).toEqual(counts);
      expect(write(n, { type: 'JOIN', peer: peerOf(n) })).toEqual(counts);
    }
  });
});

describe('R4 epochs', () => {
  test('R4 JOIN, a kick and REKEY step the epoch; nothing else does', () => {
    const { log, write } = staffed();
    const before = log.standing()?.epoch ?? 0;
    for (const body of [topic('a'), invite(5)]) write(1, body, body.type === 'INVITE' ? 5 : undefined);
    expect(log.standing()?.epoch).toBe(before);
    write(1, { type: 'KICK' }, 5);
    expect(log.standing()?.epoch).toBe(before);
    write(4, { type: 'JOIN', peer: peerOf(4) });
    write(1, kick(6), 4);
    write(3, rekey);
    expect(log.standing()?.epoch).toBe(before + 3);
    expect(log.epochs().map(({ epoch }) => epoch)).toEqual([0, 1, 2, 3, 4, 5]);
  });

  test.each([-1, 1])('R17 an entry whose epoch is off by %i is skipped', (by) => {
    const { log, write } = staffed();
    const { epoch } = log.draft(rekey);
    expect(write(1, rekey, undefined, { epoch: epoch + by })).toEqual(skipped('wrong-place'));
  });

  test('R4 who leaves makes a new key due, which REKEY or a kick brings and JOIN does not', () => {
    const { log, write } = staffed();
    write(3, { type: 'LEAVE' });
    expect(log.standing()?.isRekeyPending).toBe(true);
    write(4, { type: 'JOIN', peer: peerOf(4) });
    expect(log.standing()?.isRekeyPending).toBe(true);
    write(2, rekey);
    expect(log.standing()?.isRekeyPending).toBe(false);
    write(4, { type: 'LEAVE' });
    write(1, kick(4), 2);
    expect(log.standing()?.isRekeyPending).toBe(false);
  });

  test('R30 keys for who joins come from its inviter, the owner and moderators as they were then', () => {
    const room = staffed();
    room.write(1, { type: 'ROLE', role: 'member' }, 2);
    room.write(4, { type: 'JOIN', peer: peerOf(4) });
    room.write(1, { type: 'ROLE', role: 'moderator' }, 3);
    expect(room.log.epochs().at(-1)?.givers).toEqual([keyOf(1)]);
    room.write(3, invite(5), 5);
    room.write(1, { type: 'ROLE', role: 'member' }, 3);
    room.write(5, { type: 'JOIN', peer: peerOf(5) });
    expect(room.log.epochs().at(-1)?.givers).toEqual([keyOf(1), keyOf(3)]);
  });
});

describe('R8 R34 what was in force at a place of the stream', () => {
  test('R8 a kick takes effect at its place, not before it', () => {
    const { log, write } = staffed();
    const before = log.epochs().at(-1)?.epoch;
    write(1, kick(5), 3);
    const at = log.head()?.seq ?? 0;
    expect(log.roleAt(keyOf(3), at)).toBe('member');
    expect(log.epochAt(at)?.epoch).toBe(before);
    expect(log.roleAt(keyOf(3), at + 1)).toBeUndefined();
    expect(log.signOf(peerOf(3), at)).toBe(keyOf(3));
    expect(log.signOf(peerOf(3), at + 1)).toBeUndefined();
    expect(log.epochAt(at + 1)?.epoch).toBe((before ?? 0) + 1);
  });

  test('R34 a peer that comes back under a new key is told apart by the place', () => {
    const { log, write } = staffed();
    write(1, kick(5), 3);
    write(1, { type: 'INVITE', peer: peerOf(3), role: 'member' }, 6);
    write(6, { type: 'JOIN', peer: peerOf(3) });
    const at = log.head()?.seq ?? 0;
    expect(log.signOf(peerOf(3), at + 1)).toBe(keyOf(6));
    expect(log.signOf(peerOf(3), 31 + 20)).toBe(keyOf(3));
  });

  test('R34 before the room there is neither epoch nor member', () => {
    const { log } = writeRoom();
    expect(log.epochAt(10)).toBeUndefined();
    expect(log.roleAt(keyOf(1), 10)).toBeUndefined();
    expect(log.epochAt(11)?.epoch).toBe(0);
  });
});

describe('R21 what the service may try', () => {
  test('R2 it injects a join that nobody signed: the signature says so', () => {
    const { log, sign, read } = staffed();
    const forged = { ...sign(1, topic('x')), actor: keyOf(4), body: { type: 'JOIN', peer: peerOf(4) } };
    expect(read(forged)).toEqual(skipped('bad-signature'));
    const asAnother = signRoomEntry(log.draft({ type: 'JOIN', peer: peerOf(4) }), signerOf(8));
    expect(read({ ...asAnother, actor: keyOf(4) })).toEqual(skipped('bad-signature'));
    expect(log.standing()?.members.has(keyOf(4))).toBe(false);
  });

  test.each(['room', 'n', 'epoch', 'prevHash', 'actor', 'subject', 'body'] as const)(
    'R1 the signature covers %s',
    (field) => {
      const { sign, log } = staffed();
      const entry = sign(1, invite(5), 5);
      const others = {
        room: 'a'.repeat(26),
        n: entry.n + 1,
        epoch: entry.epoch + 1,
        prevHash: commitOf(3),
        actor: keyOf(2),
        subject: keyOf(6),
        body: invite(6),
      };
      expect(log.wouldRead({ ...entry, [field]: others[field] })).toEqual(skipped('bad-signature'));
    },
  );

  test('R1 an entry is skipped that leaves a place out, and what follows the last one still counts', () => {
    const { sign, read, write, log } = staffed();
    const first = sign(1, topic('one'));
    const second = { ...sign(1, topic('two')) };
    expect(read(signRoomEntry({ ...second, n: second.n + 1 }, signerOf(1)))).toEqual(skipped('wrong-place'));
    expect(read(first)).toEqual(counts);
    expect(write(1, topic('three'))).toEqual(counts);
    expect(log.standing()?.topic).toBe('three');
  });

  test('R2 of two commits for one place the first counts, and the second, signed for it too, is a fork that stops the room', () => {
    const { sign, read, write, log } = staffed();
    const [kicks, sets] = [sign(1, kick(5), 3), sign(2, topic('meanwhile'))];
    expect(read(kicks)).toEqual(counts);
    const head = log.head();
    expect(log.wouldRead(sets)).toEqual({ kind: 'fork', n: sets.n });
    expect(read(sets, 1_000)).toEqual({ kind: 'fork', n: sets.n });
    expect(log.forkAt()).toBe(1_000);
    expect(write(1, topic('after'))).toEqual({ kind: 'stopped' });
    expect(log.head()).toEqual(head);
    expect(log.epochAt(1_000)).toBeDefined();
    expect(log.epochAt(1_001)).toBeUndefined();
  });

  test('R21 a second entry for a place that would not have counted there is no fork', () => {
    const { sign, read, write } = staffed();
    const late = sign(3, topic('not mine to set'));
    write(1, topic('first'));
    expect(read(late)).toEqual(skipped('not-allowed'));
    expect(write(1, topic('goes on'))).toEqual(counts);
  });

  test('R21 a kicked member’s entry for the place of its own kick is judged as the room stood there', () => {
    const { sign, read, log } = staffed();
    const leave = sign(3, { type: 'LEAVE' });
    read(sign(1, kick(5), 3));
    expect(read(leave)).toEqual({ kind: 'fork', n: leave.n });
    expect(log.standing()?.members.has(keyOf(3))).toBe(false);
  });

  test('R21 an entry that comes again is no event, wherever it lies', () => {
    const { stored, read, write } = staffed();
    for (const { entry } of [...stored]) expect(read(entry)).toEqual({ kind: 'repeated' });
    expect(write(1, topic('goes on'))).toEqual(counts);
  });

  test.each([
    ['no object', 7],
    ['a field that nobody signed', { extra: 1 }],
    ['a name with a control character', { body: { ...createBody(), name: 'a\u0007b' } }],
    ['a name of 65 characters', { body: { ...createBody(), name: 'x'.repeat(65) } }],
    ['a name of 10 MB', { body: { ...createBody(), name: 'x'.repeat(10_000_000) } }],
    ['a subject where none belongs', { body: topic('x'), subject: keyOf(2) }],
    ['no subject where one belongs', { body: invite(5) }],
    ['a negative place', { n: -1 }],
    ['a key that is none', { actor: `U${'A'.repeat(55)}` }],
    ['an unknown type', { body: { type: 'GRANT' } }],
  ])('R13 %s is skipped with why', (_what, changed) => {
    const { log, sign } = staffed();
    const value = typeof changed === 'number' ? changed : { ...sign(1, topic('sound')), ...changed };
    const verdict = log.wouldRead(value);
    expect(verdict).toEqual(expect.objectContaining({ kind: 'skipped', why: expect.stringMatching(/^bad-/) }));
    expect(JSON.stringify(verdict).length).toBeLessThan(400);
  });
});

test('R59 a full log takes what ends something, and nothing else', () => {
  const written = writeRoom();
  written.admit(2, 3);
  written.write(1, invite(4), 4);
  const log = createRoomLog(written.room, createRecordChecks(), written.log.entries().length);
  for (const { entry, seq } of written.stored) log.read(entry, seq);
  const next = (by: number, body: RoomEntryBody, about?: number) =>
    log.read(signRoomEntry(log.draft(body, about === undefined ? undefined : keyOf(about)), signerOf(by)), 1_000);
  for (const verdict of [
    next(1, topic('x')),
    next(2, rekey),
    next(1, invite(5), 5),
    next(4, { type: 'JOIN', peer: peerOf(4) }),
  ])
    expect(verdict).toMatchObject({ kind: 'skipped', why: 'full' });
  for (const verdict of [
    next(4, { type: 'DECLINE' }),
    next(2, { type: 'LEAVE' }),
    next(1, kick(3), 3),
    next(1, { type: 'CLOSE' }),
  ])
    expect(verdict.kind).toBe('counts');
});
