import { describe, expect, it } from 'vitest';
import { roomMember, roomMessage, roomSummary, roomsState } from '../../../../tests/support/room-states.ts';
import * as words from './room-words.ts';

describe('words for rooms', () => {
  it('the summary says what waits, else how many there are', () => {
    expect(words.roomsSummary({ rooms: [roomSummary()] })).toBe('1 room');
    const rooms = [
      roomSummary({ standing: 'invited' }),
      roomSummary({ unreadCount: 4 }),
      roomSummary({ unreadCount: 9, isMuted: true }),
    ];
    expect(words.roomsSummary({ rooms })).toBe('1 invitation · 4 unread');
  });

  it('a muted room counts for the badge with mentions alone', () => {
    const rooms = [
      roomSummary({ unreadCount: 9, isMuted: true }),
      roomSummary({ unreadCount: 9, isMuted: true, mentionCount: 1 }),
      roomSummary({ unreadCount: 1 }),
      roomSummary({ standing: 'invited' }),
      roomSummary(),
    ];
    expect([words.roomsWaiting({ rooms }), words.roomsWaiting(undefined)]).toEqual([3, 0]);
  });

  it('finds rooms by every word of name, topic and inviter', () => {
    const rooms = [roomSummary({ topic: 'Night shift' }), roomSummary({ name: 'dev', invitedBy: 'carol' })];
    expect(words.filterRooms(rooms, ' ops NIGHT ')).toEqual([rooms[0]]);
    expect(words.filterRooms(rooms, 'carol')).toEqual([rooms[1]]);
    expect(words.filterRooms(rooms, ' ')).toBe(rooms);
    expect(words.filterRooms(rooms, 'nothing')).toEqual([]);
  });

  it('R13 a name cannot reorder what stands beside it', () => {
    expect(words.roomTitle(roomSummary({ name: 'ops\u202egnp' }))).toBe('ops‹U+202E›gnp');
    expect(words.typingWords(['b\u202eb'])).toBe('b‹U+202E›b is writing…');
  });

  it('names few, and counts the rest', () => {
    expect(words.typingWords([])).toBe('');
    expect(words.typingWords(['bob', 'carol'])).toBe('bob and carol are writing…');
    expect(words.peersWords(['a', 'b', 'c', 'd', 'e'])).toBe('a, b and 3 more');
  });

  it('R32 whoever did not get the key comes first, the invited last', () => {
    const members = [
      roomMember('dora', { isInvited: true }),
      roomMember('bob'),
      roomMember('alice', { role: 'owner' }),
      roomMember('zoe', { withheldWhy: 'its key changed' }),
    ];
    expect(words.sortMembers(members).map(({ peer }) => peer)).toEqual(['zoe', 'alice', 'bob', 'dora']);
    const numbered = ['w10', 'w9', 'w1'].map((peer) => roomMember(peer));
    expect(words.sortMembers(numbered).map(({ peer }) => peer)).toEqual(['w1', 'w9', 'w10']);
  });

  it('I2 a bot whose keys are held here is not you', () => {
    expect(words.memberTrust('own', true).word).toBe('you');
    expect(words.memberTrust('own', false).word).toBe('of this profile');
    expect(words.memberTrust('verified', false).word).toBe('verified');
  });

  it('a kind that no card has told is not guessed', () => {
    expect(words.kindOf(roomMember('b', { kind: null }))).toBe('no card yet');
    expect(words.kindOf(roomMember('b', { kind: 'bot', isAgent: true }))).toBe('bot, agent');
  });

  it('tells who has read, of those who let it be known, without oneself', () => {
    const room = roomSummary().room;
    const read = [
      { peer: 'alice', seq: 9 },
      { peer: 'bob', seq: 5 },
      { peer: 'carol', seq: 4 },
    ];
    const state = roomsState({ presence: [{ room, typing: [], read }] });
    expect(words.readersOf(state, { room, seq: 5 })).toEqual(['bob']);
    expect(words.readersOf(undefined, { room, seq: 5 })).toEqual([]);
  });

  it('R10 one line of a message, whatever it is', () => {
    expect(words.lineOf(roomMessage(1, { text: '\n\n**first**\nsecond' }))).toBe('first');
    const file = { name: '*a*.log', mime: 'text/plain', sizeBytes: 1, hasPreview: false };
    expect(words.lineOf(roomMessage(1, { text: null, attachment: file }))).toBe('*a*.log');
    expect(words.lineOf(roomMessage(1, { redacted: { by: 'bob', reason: null } }))).toBe('removed');
  });

  it('R13 a screen reader hears what the marks show', () => {
    const room = roomSummary({ unreadCount: 4, mentionCount: 1, waitingCount: 2, isMuted: true });
    expect(words.roomAria(room)).toBe('ops, 1 mention, 4 unread, 2 not sent, muted');
  });
});
