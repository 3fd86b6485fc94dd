import { describe, expect, it } from 'vitest';
import {
  closeSessionTab,
  createViewStore,
  maxOpenSessions,
  openSessionTab,
  setSessionCursor,
  showApprovals,
  showChain,
  showGap,
  showMessage,
  showPeer,
  showQuarantine,
  showQueue,
  showRoom,
  showSession,
  showTrace,
  showTraceOf,
} from './view-store.ts';

function memoryStorage(initial?: string) {
  const items = new Map(initial === undefined ? [] : [['view-state-v1', initial]]);
  return {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
  };
}

describe('view store', () => {
  it('keeps choices over a restart, but no selection of messages: they belong to one run', () => {
    const storage = memoryStorage();
    const first = createViewStore(storage);
    first.setState({
      view: 'settings',
      theme: 'light',
      timeZone: 'local',
      isInspectorOpen: false,
      selectedSession: 's1',
    });
    first.setState({ sizesPx: { tree: 280 } });
    expect(createViewStore(storage).getState()).toMatchObject({
      view: 'settings',
      theme: 'light',
      timeZone: 'local',
      isInspectorOpen: false,
      selectedSession: null,
      sizesPx: { tree: 280 },
    });
  });

  it('keeps the sessions that stand open and their time cursors over a restart, within bounds', () => {
    const storage = memoryStorage();
    const store = createViewStore(storage);
    for (let at = 0; at < maxOpenSessions + 2; at++) openSessionTab(store, `s${at}`);
    openSessionTab(store, 's5');
    setSessionCursor(store, 's5', 1_234);
    setSessionCursor(store, 's0', 99);
    store.setState({ selectedSession: 's5', streamsMode: 'session' });
    const again = createViewStore(storage);
    expect(again.getState().openSessions).toHaveLength(maxOpenSessions);
    expect(again.getState().openSessions[0]).toBe('s2');
    expect(again.getState()).toMatchObject({ selectedSession: 's5', sessionCursors: { s5: 1_234 } });
    expect(again.getState().sessionCursors).not.toHaveProperty('s0');
    setSessionCursor(again, 's5', undefined);
    closeSessionTab(again, 's5');
    expect(again.getState()).toMatchObject({ selectedSession: 's6', sessionCursors: {} });
    expect(again.getState().openSessions).not.toContain('s5');
    for (const session of again.getState().openSessions) closeSessionTab(again, session);
    expect(again.getState()).toMatchObject({ openSessions: [], selectedSession: null });
    const hostile = JSON.stringify({ openSessions: [1, '', 'x'.repeat(65), 'a', 'a'], sessionCursors: { a: 'soon' } });
    expect(createViewStore(memoryStorage(hostile)).getState()).toMatchObject({
      ...{ openSessions: ['a'], sessionCursors: {}, selectedSession: null },
    });
  });

  it('a message that is asked for is shown among all subjects with its inspector, and not again after a restart', () => {
    const storage = memoryStorage();
    const store = createViewStore(storage);
    store.setState({ view: 'operations', selectedSession: 's1', streamsMode: 'session', isInspectorOpen: false });
    showMessage(store, 41);
    expect(store.getState()).toMatchObject({
      view: 'streams',
      selectedSession: null,
      streamsMode: 'messages',
      isInspectorOpen: true,
      wanted: { kind: 'message', seq: 41 },
    });
    showQuarantine(store);
    expect(store.getState()).toMatchObject({ view: 'operations', wanted: { kind: 'quarantine' } });
    expect(createViewStore(storage).getState().wanted).toBeNull();
  });

  it('a gap is shown among all subjects, a session with what became of it', () => {
    const store = createViewStore(memoryStorage());
    showSession(store, 's1');
    expect(store.getState()).toMatchObject({ view: 'streams', selectedSession: 's1', streamsMode: 'session' });
    showGap(store, 'dropped');
    expect(store.getState()).toMatchObject({
      selectedSession: null,
      streamsMode: 'messages',
      wanted: { kind: 'dropped' },
    });
  });

  it('a queue and an approval that are asked for are shown in their views, once', () => {
    const storage = memoryStorage();
    const store = createViewStore(storage);
    showQueue(store, 'render');
    expect(store.getState()).toMatchObject({
      view: 'queues',
      wanted: { kind: 'queue', queue: 'render', taskId: null },
    });
    showQueue(store, 'render', 't1');
    expect(store.getState().wanted).toEqual({ kind: 'queue', queue: 'render', taskId: 't1' });
    showApprovals(store);
    expect(store.getState()).toMatchObject({ view: 'approvals', wanted: { kind: 'approvals', requestId: null } });
    showApprovals(store, 'r1');
    expect(store.getState().wanted).toEqual({ kind: 'approvals', requestId: 'r1' });
    expect(createViewStore(storage).getState()).toMatchObject({ view: 'approvals', wanted: null });
  });

  it('order, filter, drafts and the open detail of queues survive a restart', () => {
    const storage = memoryStorage();
    const store = createViewStore(storage);
    store.setState({ queueOrder: '-lag', queueFilter: 'ren', drafts: { enqueue: '{"line":"ls"}' } });
    store.setState({ selectedQueue: 'render', isQueueOpen: true });
    expect(createViewStore(storage).getState()).toMatchObject({
      queueOrder: '-lag',
      queueFilter: 'ren',
      drafts: { enqueue: '{"line":"ls"}' },
      selectedQueue: 'render',
      isQueueOpen: true,
    });
  });

  it('takes no draft that is no text or too long', () => {
    const long = 'x'.repeat(65_537);
    const store = createViewStore(
      memoryStorage(JSON.stringify({ drafts: { a: 7, b: long, c: 'kept' }, queueFilter: 9 })),
    );
    expect(store.getState()).toMatchObject({ drafts: { c: 'kept' }, queueFilter: '' });
  });

  it.each(['', '{', 'null', '[]', '"text"', '{"view":"gone","theme":7,"timeZone":null,"isInspectorOpen":"yes"}'])(
    'starts with the defaults from %j',
    (stored) => {
      expect(createViewStore(memoryStorage(stored)).getState()).toEqual(createViewStore(memoryStorage()).getState());
    },
  );

  it('takes each value that it can read, whatever stands beside it', () => {
    const store = createViewStore(memoryStorage('{"view":"rooms","theme":"no such theme","more":1}'));
    expect(store.getState()).toMatchObject({ view: 'rooms', theme: 'system' });
  });

  it('takes no width that a panel cannot have', () => {
    const store = createViewStore(memoryStorage('{"sizesPx":{"tree":280,"a":-1,"b":1e9,"c":"9","d":null}}'));
    expect(store.getState().sizesPx).toEqual({ tree: 280 });
  });

  it('keeps the room that is shown, and leads to one of its messages or to a peer once', () => {
    const storage = memoryStorage();
    const store = createViewStore(storage);
    showRoom(store, 'r1', 'm1');
    store.setState({ isRoomMembersOpen: true });
    expect(store.getState()).toMatchObject({ view: 'rooms', wanted: { kind: 'room', room: 'r1', messageId: 'm1' } });
    const next = createViewStore(storage).getState();
    expect(next).toMatchObject({ selectedRoom: 'r1', isRoomMembersOpen: true, wanted: null });
    showTrace(store, 'ab'.repeat(16));
    expect(createViewStore(storage).getState()).toMatchObject({ view: 'trace', selectedTrace: 'ab'.repeat(16) });
    showChain(store, 'vak://default/ada/ada-1-d');
    const chain = { tracePage: 'chains', selectedChain: 'vak://default/ada/ada-1-d' };
    expect(createViewStore(storage).getState()).toMatchObject({ view: 'trace', ...chain });
    showTraceOf(store, 'e1');
    expect(store.getState()).toMatchObject({ tracePage: 'trace', wanted: { kind: 'trace', envelopeId: 'e1' } });
    storage.setItem('view-state-v1', '{"selectedTrace":"../x"}');
    expect(createViewStore(storage).getState().selectedTrace).toBeNull();
    showPeer(store, 'bob');
    expect(store.getState()).toMatchObject({ view: 'identity', identityTab: 'peers' });
  });
});
