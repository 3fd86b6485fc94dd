import { describe, expect, it, vi } from 'vitest';
import { roomMessage, roomSummary } from '../../../../tests/support/room-states.ts';
import { createComposer } from './composer.ts';
import type { RoomCalls } from './room-calls.ts';
import { createRoomWork } from './room-work.ts';

function setUp() {
  const calls = {
    ...{ send: vi.fn(), edit: vi.fn(), setDraft: vi.fn(), setTyping: vi.fn() },
    ...{ attachFiles: vi.fn<RoomCalls['attachFiles']>(), attach: vi.fn<RoomCalls['attach']>(), attachChosen: vi.fn() },
  };
  const page = vi.fn(async () => ({ version: 1, items: [roomMessage(1)], hasOlder: false, hasNewer: false }));
  const composer = createComposer({ calls, later: () => () => {}, now: () => 0 });
  const work = createRoomWork({ calls: calls as unknown as RoomCalls, composer, page });
  return { calls, page, composer, work, state: work.store.getState };
}

const other = roomSummary({ room: 'b'.repeat(26), draft: 'half' });

describe('work on rooms', () => {
  it('opens a room once, from its end, with what was kept of it', async () => {
    const { work, page, composer, state } = setUp();
    work.open(other);
    work.open({ ...other, version: 2 });
    expect(page).toHaveBeenCalledExactlyOnceWith({ room: other.room, limit: 60 });
    expect([state().timeline?.room, composer.store.getState()[other.room]?.text]).toEqual([other.room, 'half']);
  });

  it('another room keeps what was being written in the former, and nothing of what was selected', () => {
    const { work, calls, composer, state } = setUp();
    work.open(roomSummary());
    composer.type(roomSummary().room, 'unsent');
    work.set({ selectedKey: 'm:1', side: { kind: 'readers', room: roomSummary().room, item: roomMessage(1) } });
    work.open(other);
    expect(calls.setDraft).toHaveBeenCalledWith(roomSummary().room, 'unsent');
    expect([state().selectedKey, state().side]).toEqual([undefined, undefined]);
    work.set({ side: { kind: 'search' } });
    work.open(roomSummary());
    expect(state().side).toEqual({ kind: 'search' });
  });

  it('R6 nothing is read of a room before this peer has joined', async () => {
    const { work, page, state } = setUp();
    work.open(roomSummary({ standing: 'invited' }));
    expect(page).not.toHaveBeenCalled();
    await state().timeline?.refresh(1);
    expect(page).toHaveBeenCalledOnce();
  });

  it('what was read goes with the view, what was written stays', () => {
    const { work, composer, state } = setUp();
    work.open(other);
    composer.type(other.room, 'unsent');
    work.leave();
    expect([state().timeline, composer.store.getState()[other.room]?.text]).toEqual([undefined, 'unsent']);
  });

  it('a message that is sent leads to the end, where it comes; a change stays where it is', async () => {
    const { work, composer, state } = setUp();
    work.open(other);
    await state().timeline?.refresh(1);
    state().timeline?.arrive();
    composer.edit(other.room, roomMessage(1, { text: 'teh' }));
    composer.type(other.room, 'the');
    await work.submit(other.room);
    expect(state().timeline?.store.getState().goal).toBeUndefined();
    composer.type(other.room, 'new');
    await work.submit(other.room);
    expect(state().timeline?.store.getState().goal).toEqual({ kind: 'end' });
  });

  it('R12 one file is sent at once, several are asked about first', async () => {
    const { work, calls, state } = setUp();
    const file = { name: 'a', type: '', size: 1, arrayBuffer: vi.fn() };
    work.open(other);
    await state().timeline?.refresh(1);
    state().timeline?.arrive();
    await work.attachFiles(other, [file]);
    expect(state().timeline?.store.getState().goal).toEqual({ kind: 'end' });
    expect(calls.attachFiles).toHaveBeenCalledExactlyOnceWith(other.room, [file]);
    await work.attachFiles(other, [file, file]);
    expect(calls.attachFiles).toHaveBeenCalledOnce();
    const given = { kind: 'dropped', files: [file, file] };
    expect(state().question).toEqual({ kind: 'files', room: other, given });
  });

  it('R12 what is chosen with the paperclip goes at once if it is one, and is asked about in the same dialog if several', async () => {
    const { work, calls, state } = setUp();
    calls.attach.mockResolvedValueOnce(null);
    await work.attach(other);
    expect(state().question).toBeUndefined();
    const files = ['a', 'b'].map((name) => ({ name, sizeBytes: 3 }));
    calls.attach.mockResolvedValueOnce({ choiceId: 'c-1', files });
    await work.attach(other);
    const given = { kind: 'chosen', choiceId: 'c-1', files: files.map(({ name }) => ({ name, size: 3 })) } as const;
    expect(state().question).toEqual({ kind: 'files', room: other, given });
    await work.sendFiles(other.room, given);
    expect(calls.attachChosen).toHaveBeenCalledExactlyOnceWith(other.room, 'c-1');
  });

  it('R81 a file that waits for its turn can be cancelled, and the others go', async () => {
    const { work, calls, state } = setUp();
    const [first, second, third] = ['a', 'b', 'c'].map((name) => ({ name, type: '', size: 1, arrayBuffer: vi.fn() }));
    if (!first || !second || !third) throw new TypeError('three');
    const sent: string[] = [];
    calls.attachFiles.mockImplementationOnce(async (_room, files, isWanted) => {
      for (const file of files) {
        if (!isWanted?.(file)) continue;
        sent.push(file.name);
        if (file === first) {
          expect(state().waiting.map((one) => one.file.name)).toEqual(['b', 'c']);
          work.cancelWaiting(second);
        }
      }
    });
    await work.sendFiles(other.room, { kind: 'dropped', files: [first, second, third] });
    expect([sent, state().waiting]).toEqual([['a', 'c'], []]);
  });

  it('a question keeps what it was asked about', () => {
    const { work, state } = setUp();
    work.ask({ kind: 'redact', room: roomSummary(), item: roomMessage(4) });
    work.open(other);
    expect(state().question).toMatchObject({ kind: 'redact', item: { messageId: 'msg-4' } });
    work.close();
    expect(state().question).toBeUndefined();
  });
});
