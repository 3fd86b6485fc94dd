import { expect, it } from 'vitest';
import type { SnapshotUpdate } from '../../shared/contract/define-contract.ts';
import { createMirrorStore } from './mirror-store.ts';

function setUp() {
  let push: (update: SnapshotUpdate) => void = () => {};
  const store = createMirrorStore({
    onSnapshot(listener: typeof push) {
      push = listener;
      return () => {};
    },
  } as unknown as Parameters<typeof createMirrorStore>[0]);
  const versions = new Map<string, number>();
  const send = (name: string, value: unknown, version = (versions.get(name) ?? 0) + 1): void => {
    versions.set(name, Math.max(version, versions.get(name) ?? 0));
    push({ name, version, text: JSON.stringify(value) });
  };
  return { store, send };
}

it('mirror: older versions than the one held are ignored', () => {
  const { store, send } = setUp();
  send('sessions.list', ['b'], 2);
  send('sessions.list', ['a'], 1);
  send('sessions.list', ['c'], 2);
  expect(store.getState()).toEqual({ 'sessions.list': ['b'] });
});

it.each(['locked', 'recovery', 'corrupt', 'absent', 'self-test-failed'])(
  'I3 mirror: a key store that is %s leaves nothing of the workspace in the window, in one step',
  (kind) => {
    const { store, send } = setUp();
    send('app.status', { version: '1' });
    send('identity.keyStore', { kind: 'unlocked' });
    send('identity.self', { peer: 'ada' });
    send('settings.current', { path: 'p' });
    send('sessions.list', ['s']);
    send('identity.keyStore', { kind });
    expect(store.getState()).toEqual({ 'app.status': { version: '1' }, 'identity.keyStore': { kind } });
    // What was on its way comes late, and what it replaced is not taken for new.
    send('sessions.list', ['old'], 1);
    expect(store.getState()['sessions.list']).toBeUndefined();
    send('identity.keyStore', { kind: 'unlocked' });
    send('sessions.list', ['s']);
    expect(store.getState()['sessions.list']).toEqual(['s']);
  },
);

it('mirror: an open key store that changes forgets nothing', () => {
  const { store, send } = setUp();
  send('identity.keyStore', { kind: 'unlocked', notices: [] });
  send('sessions.list', ['s']);
  send('identity.keyStore', { kind: 'unlocked', notices: ['n'] });
  expect(store.getState()['sessions.list']).toEqual(['s']);
});
