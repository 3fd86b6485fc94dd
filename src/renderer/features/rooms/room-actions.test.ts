import { describe, expect, it, vi } from 'vitest';
import { createStore } from 'zustand/vanilla';
import { connectionsState, prod } from '../../../../tests/support/connections-state.ts';
import { roomEvent, roomMember, roomMessage, roomSummary, roomsState } from '../../../../tests/support/room-states.ts';
import type { RoomItem, RoomSummary } from '../../../shared/contract/rooms-contract.ts';
import type { Action } from '../../actions/action-registry.ts';
import type { Mirror } from '../../state/mirror-store.ts';
import { createViewStore } from '../../state/view-store.ts';
import { createMemberActions } from './member-actions.ts';
import { createMessageActions } from './message-actions.ts';
import { createRoomActions, createRoomsEverywhereActions, createRoomsViewActions } from './room-actions.ts';
import type { RoomWork } from './room-work.ts';

const mine = roomSummary();
const loud = roomSummary({ room: 'b'.repeat(26), name: 'loud', unreadCount: 9 });
const named = roomSummary({ room: 'c'.repeat(26), name: 'named', unreadCount: 1, mentionCount: 1, isMuted: true });

function setUp(rooms: readonly RoomSummary[] = [mine, loud, named]) {
  const connection = connectionsState({ contexts: [{ ...prod, isReadOnly: false }] });
  const state = roomsState({ rooms });
  const mirror = createStore<Mirror>(() => ({ 'connections.state': connection, 'rooms.state': state }));
  const view = createViewStore({ getItem: () => null, setItem: () => {} });
  view.setState({ selectedRoom: mine.room });
  const calls = { retrySending: vi.fn(), setPresence: vi.fn(), join: vi.fn() };
  const composer = { reply: vi.fn(), edit: vi.fn() };
  const store = createStore(() => ({ filter: '', side: undefined, timeline: undefined }));
  const work = { calls, composer, ask: vi.fn(), set: vi.fn(), goTo: vi.fn(), store };
  const deps = { mirror, view, work: work as unknown as RoomWork };
  const focus = { filter: vi.fn(), compose: vi.fn(), search: vi.fn() };
  const run = async (actions: readonly Action[], id: string): Promise<void> => {
    await actions.find((one) => one.id === id)?.run();
  };
  const whyOf = (actions: readonly Action[], id: string) => actions.find((one) => one.id === id)?.disabledReason?.();
  return { deps, view, calls, composer, work, focus, run, whyOf };
}

describe('actions of rooms', () => {
  it('no key and no id stands twice in the view', () => {
    const { deps, focus } = setUp();
    const all = [
      ...createRoomActions(deps),
      ...createRoomsViewActions(deps, focus),
      ...createRoomsEverywhereActions(deps, [mine, loud], true),
      ...createMessageActions(deps, roomMessage(1), focus.compose),
      ...createMemberActions(deps, roomMember('bob')),
    ];
    // Those of the list of messages, and of the frame.
    const taken = ['j', 'k', 'ArrowDown', 'ArrowUp', 'Home', 'End', '?', 'Mod+K'];
    const keys = [...taken, ...all.flatMap((one) => one.keys ?? [])];
    expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([]);
    const ids = all.map(({ id }) => id);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
  });

  it('every action that needs a room says so where none is selected', () => {
    const { deps, focus, whyOf } = setUp([]);
    const actions = createRoomActions(deps);
    for (const id of ['join', 'invite', 'topic', 'rotate', 'leave', 'close', 'attach', 'askKeys', 'mute', 'members'])
      expect([id, whyOf(actions, `rooms.${id}`)]).toEqual([id, 'select a room first']);
    expect(whyOf(createMessageActions(deps, undefined, focus.compose), 'rooms.reply')).toBe('select a message first');
    expect(whyOf(createMemberActions(deps, undefined), 'rooms.safety')).toBe('select a member first');
  });

  it('what is done with a message is done with the one that it was made for', async () => {
    const { deps, focus, composer, work, run } = setUp();
    const item = roomMessage(7, { replyTo: { messageId: 'msg-2', peer: 'bob', line: 'a' } });
    const actions = createMessageActions(deps, item, focus.compose);
    await run(actions, 'rooms.reply');
    expect([composer.reply.mock.calls, focus.compose.mock.calls.length]).toEqual([[[mine.room, item]], 1]);
    await run(actions, 'rooms.parent');
    expect(work.goTo).toHaveBeenCalledWith('msg-2');
    await run(actions, 'rooms.redact');
    expect(work.ask).toHaveBeenCalledWith({ kind: 'redact', room: mine, item });
    await run(actions, 'rooms.readers');
    expect(work.set).toHaveBeenCalledWith({ side: { kind: 'readers', room: mine.room, item } });
  });

  it('R10 nothing is done with an event', async () => {
    const { deps, focus, run, whyOf, work } = setUp();
    const actions = createMessageActions(deps, roomEvent(3) as RoomItem, focus.compose);
    expect(whyOf(actions, 'rooms.readers')).toBe('select a message first');
    await run(actions, 'rooms.readers');
    expect(work.set).not.toHaveBeenCalled();
  });

  it('goes on to the room that names one first, then to those that are not muted', async () => {
    const { deps, focus, view, run } = setUp();
    const actions = createRoomsViewActions(deps, focus);
    await run(actions, 'rooms.nextUnread');
    expect(view.getState().selectedRoom).toBe(named.room);
    await run(actions, 'rooms.nextUnread');
    expect(view.getState().selectedRoom).toBe(loud.room);
    await run(actions, 'rooms.previousRoom');
    expect(view.getState().selectedRoom).toBe(mine.room);
  });

  it('receipts and the hint of writing are switched each by itself', async () => {
    const { deps, focus, calls, run } = setUp();
    const actions = createRoomsViewActions(deps, focus);
    await run(actions, 'rooms.receipts');
    await run(actions, 'rooms.typing');
    expect(calls.setPresence.mock.calls).toEqual([
      [{ sendsReceipts: false, sendsTyping: true }],
      [{ sendsReceipts: true, sendsTyping: false }],
    ]);
  });

  it('every room is in the palette, by a name that reorders nothing', async () => {
    const { deps, view, run } = setUp();
    const actions = createRoomsEverywhereActions(deps, [{ room: loud.room, name: 'x\u202ey' }], false);
    expect(actions[1]).toMatchObject({ title: 'Open the room x‹U+202E›y', isOneOfMany: true });
    expect(actions[0]?.keys).toBeUndefined();
    await run(actions, `rooms.open.${loud.room}`);
    expect(view.getState()).toMatchObject({ view: 'rooms', selectedRoom: loud.room });
  });

  it('I2 a safety number is compared where the keys of peers are', async () => {
    const { deps, view, run } = setUp();
    await run(createMemberActions(deps, roomMember('bob')), 'rooms.safety');
    const { wanted, identityTab } = view.getState();
    expect([view.getState().view, identityTab, wanted]).toEqual(['identity', 'peers', { kind: 'peer', peer: 'bob' }]);
  });
});
