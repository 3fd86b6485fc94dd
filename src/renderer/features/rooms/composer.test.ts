import { describe, expect, it, vi } from 'vitest';
import { roomMessage } from '../../../../tests/support/room-states.ts';
import { bytesOf, createComposer } from './composer.ts';

const room = 'r';

function setUp() {
  const calls = {
    send: vi.fn(async () => {}),
    edit: vi.fn(async () => {}),
    setDraft: vi.fn(),
    setTyping: vi.fn(),
  };
  const timers = new Set<() => void>();
  let nowMs = 0;
  const composer = createComposer({
    calls,
    now: () => nowMs,
    later: (_ms, run) => {
      timers.add(run);
      return () => timers.delete(run);
    },
  });
  const pass = (ms: number): void => {
    nowMs += ms;
    for (const run of [...timers]) {
      timers.delete(run);
      run();
    }
  };
  const draft = () => composer.store.getState()[room];
  return { calls, composer, pass, draft };
}

describe('the composer', () => {
  it('keeps a draft once typing rests, and what was kept comes back', () => {
    const { calls, composer, pass, draft } = setUp();
    composer.open(room, 'half a');
    expect(draft()?.text).toBe('half a');
    composer.type(room, 'half a th');
    composer.type(room, 'half a thought');
    expect(calls.setDraft).not.toHaveBeenCalled();
    pass(800);
    expect(calls.setDraft.mock.calls).toEqual([[room, 'half a thought']]);
    composer.open(room, 'older');
    composer.flush(room);
    expect([draft()?.text, calls.setDraft.mock.calls.length]).toEqual(['half a thought', 1]);
  });

  it('R11 sends what was typed, as a reply where one was begun, and is empty then', async () => {
    const { calls, composer, draft } = setUp();
    composer.type(room, '  first\nsecond ');
    composer.reply(room, roomMessage(4, { text: 'one\ntwo' }));
    expect(draft()?.mode).toEqual({ kind: 'reply', messageId: 'msg-4', peer: 'bob', line: 'one' });
    expect(await composer.submit(room)).toBe(true);
    expect(calls.send).toHaveBeenCalledExactlyOnceWith({ room, text: 'first\nsecond', replyTo: 'msg-4' });
    expect(draft()).toEqual({ text: '', mode: { kind: 'new' } });
    expect(await composer.submit(room)).toBe(false);
    expect(calls.send).toHaveBeenCalledOnce();
  });

  it('R11 a change leaves the draft as it was, whether it is made or taken back', async () => {
    const { calls, composer, draft, pass } = setUp();
    composer.type(room, 'my draft');
    composer.edit(room, roomMessage(4, { text: 'teh' }));
    expect(draft()?.text).toBe('teh');
    composer.type(room, 'the');
    pass(800);
    expect(calls.setDraft).toHaveBeenLastCalledWith(room, 'my draft');
    await composer.submit(room);
    expect(calls.edit).toHaveBeenCalledExactlyOnceWith({ room, messageId: 'msg-4', text: 'the' });
    expect(draft()).toEqual({ text: 'my draft', mode: { kind: 'new' } });
    composer.edit(room, roomMessage(4, { text: 'teh' }));
    composer.cancel(room);
    expect(draft()?.text).toBe('my draft');
  });

  it('R11 a change that changes nothing is not sent', async () => {
    const { calls, composer } = setUp();
    composer.edit(room, roomMessage(4, { text: 'the' }));
    expect(await composer.submit(room)).toBe(true);
    expect(calls.edit).not.toHaveBeenCalled();
  });

  it('R8 what could not be handed on comes back, before what was begun meanwhile', async () => {
    const { calls, composer, draft } = setUp();
    calls.send.mockRejectedValue(new Error('disk full'));
    composer.type(room, 'lost?');
    await expect(composer.submit(room)).rejects.toThrow('disk full');
    expect(draft()?.text).toBe('lost?');
    const second = composer.submit(room);
    composer.type(room, 'next');
    await expect(second).rejects.toThrow('disk full');
    expect(draft()?.text).toBe('lost?\n\nnext');
  });

  it('tells that somebody writes at most every four seconds, and that it is over', async () => {
    const { calls, composer, pass } = setUp();
    composer.type(room, 'a');
    composer.type(room, 'ab');
    pass(4_000);
    composer.type(room, 'abc');
    composer.type('other', 'x');
    composer.type('other', '');
    expect(calls.setTyping.mock.calls).toEqual([
      [room, true],
      [room, true],
      [room, false],
      ['other', true],
      ['other', false],
    ]);
  });

  it('R13 counts bytes, not characters', () => {
    expect(bytesOf('aé👍')).toBe(7);
  });
});
