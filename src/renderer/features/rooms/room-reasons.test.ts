import { describe, expect, it } from 'vitest';
import { connectionsState, prod } from '../../../../tests/support/connections-state.ts';
import { roomEvent, roomMember, roomMessage, roomSummary, roomsState } from '../../../../tests/support/room-states.ts';
import * as why from './room-reasons.ts';

const open = connectionsState({ contexts: [{ ...prod, isReadOnly: false }] });
const away = connectionsState({
  contexts: [{ ...prod, isReadOnly: false }],
  status: { kind: 'closed', reason: 'gone', sinceMs: 0 } as never,
});
const base: why.RoomSituation = { connection: open, state: roomsState(), room: roomSummary() };

describe('why not, in rooms', () => {
  it.each([
    ['whyNotSend', why.whyNotSend],
    ['whyNotModerate', why.whyNotModerate],
    ['whyNotRotate', why.whyNotRotate],
    ['whyNotAttach', why.whyNotAttach],
  ])('R10 %s: none is selected, locked, not a member, stopped', (_name, reason) => {
    expect(reason(base)).toBeUndefined();
    expect(reason({ ...base, room: undefined })).toBe('select a room first');
    expect(reason({ ...base, state: roomsState({ me: null }) })).toBe('the key store is locked');
    expect(reason({ ...base, room: roomSummary({ standing: 'kicked' }) })).toBe('you were removed from this room');
    const trouble = { kind: 'fork', text: 'two entries' } as const;
    expect(reason({ ...base, room: roomSummary({ trouble }) })).toMatch(/^this room is stopped/);
    expect(reason({ ...base, connection: connectionsState() })).toMatch(/^the connection prod is read-only/);
  });

  it('R8 what is said waits without a connection; what changes the log does not', () => {
    expect(why.whyNotSend({ ...base, connection: away })).toBeUndefined();
    expect(why.whyNotAttach({ ...base, connection: away })).toMatch(/^there is no connection to prod/);
    expect(why.whyNotRotate({ ...base, connection: away })).toMatch(/^there is no connection to prod/);
  });

  it('R2 without somebody who orders the logs nothing changes in a room, and talking goes on', () => {
    const situation = { ...base, state: roomsState({ hasService: false }) };
    expect(why.whyNotSend(situation)).toBeUndefined();
    for (const reason of [why.whyNotCreate, why.whyNotModerate, why.whyNotOwn, why.whyNotRotate])
      expect(reason(situation)).toMatch(/^nobody orders the logs/);
    expect(why.whyNotCreate({ ...base, state: roomsState({ hasService: null }) })).toBeUndefined();
  });

  it('R3 roles: members say and rotate, moderators invite and kick, the owner sets roles and closes', () => {
    const as = (role: 'owner' | 'moderator' | 'member') => ({ ...base, room: roomSummary({ role }) });
    expect(why.whyNotModerate(as('member'))).toBe('only its owner and its moderators can');
    expect(why.whyNotModerate(as('moderator'))).toBeUndefined();
    expect(why.whyNotOwn(as('moderator'))).toBe('only its owner can');
    expect(why.whyNotRotate(as('member'))).toBeUndefined();
  });

  it('R19 the owner hands over before it leaves, and is kicked by nobody; moderators by the owner alone', () => {
    expect(why.whyNotLeave(base)).toMatch(/^you own it/);
    const asModerator = { ...base, room: roomSummary({ role: 'moderator' }) };
    expect(why.whyNotLeave(asModerator)).toBeUndefined();
    expect(why.whyNotKick({ ...asModerator, member: roomMember('bob', { role: 'owner' }) })).toBe(
      'nobody can remove the owner',
    );
    expect(why.whyNotKick({ ...asModerator, member: roomMember('bob', { role: 'moderator' }) })).toMatch(
      /^only the owner/,
    );
    expect(why.whyNotKick({ ...base, member: roomMember('bob', { role: 'moderator' }) })).toBeUndefined();
    expect(why.whyNotKick({ ...base, member: roomMember('alice') })).toMatch(/^this is you/);
  });

  it('R22 a room that is stopped can be left', () => {
    const trouble = { kind: 'rolled-back', text: 'its log ends' } as const;
    expect(why.whyNotLeave({ ...base, room: roomSummary({ role: 'member', trouble }) })).toBeUndefined();
  });

  it('R35 edits are the author’s, redactions also the owner’s and the moderators’', () => {
    const others = { ...base, item: roomMessage(1) };
    expect(why.whyNotEdit(others)).toBe('only whoever wrote it can change it');
    expect(why.whyNotRedact(others)).toBeUndefined();
    expect(why.whyNotRedact({ ...others, room: roomSummary({ role: 'member' }) })).toMatch(/^only its author/);
    expect(why.whyNotEdit({ ...base, item: roomMessage(1, { isOwn: true }) })).toBeUndefined();
    const attachment = { name: 'a', mime: 'a/b', sizeBytes: 1, hasPreview: false };
    expect(why.whyNotEdit({ ...base, item: roomMessage(1, { isOwn: true, attachment }) })).toMatch(/^a file/);
  });

  it('R10 nothing is done with what could not be opened, was removed, or is no message', () => {
    const unopened = { cause: 'no-key', text: 'ask', canAskAgain: true } as const;
    expect(why.whyNotAnswer({ ...base, item: roomMessage(1, { text: null, unopened }) })).toBe(
      'it could not be opened',
    );
    expect(why.whyNotAnswer({ ...base, item: roomMessage(1, { redacted: { by: 'bob', reason: null } }) })).toBe(
      'it was removed',
    );
    expect(why.whyNotAnswer({ ...base, item: roomEvent(1) })).toBe('select a message first');
    expect(why.whyNotAnswer({ ...base, item: undefined })).toBe('select a message first');
    expect(why.whyNoReaders({ ...base, item: roomMessage(null) })).toBe('it is not sent yet');
  });

  it('R8 what failed can be tried again, what waits is by itself', () => {
    const sending = (state: 'waiting' | 'failed') => ({
      ...base,
      item: roomMessage(null, { sending: { state, error: null } }),
    });
    expect(why.whyNotRetry(sending('failed'))).toBeUndefined();
    expect(why.whyNotRetry(sending('waiting'))).toBe('it is tried by itself');
    expect(why.whyNotCancelSending(sending('waiting'))).toBeUndefined();
    expect(why.whyNotCancelSending({ item: roomMessage(1) })).toMatch(/^select/);
  });

  it('R5 keys are asked for where some are missing', () => {
    expect(why.whyNotAskAgain(base)).toBe('no key is missing');
    expect(why.whyNotAskAgain({ ...base, room: roomSummary({ lockedCount: 2 }) })).toBeUndefined();
  });
});
