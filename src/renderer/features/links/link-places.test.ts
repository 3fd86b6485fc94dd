import { expect, test, vi } from 'vitest';
import type { LinkedPlace } from '../../../shared/protocol/deep-link.ts';
import { createViewStore, type viewIds } from '../../state/view-store.ts';
import { isSeenHere, placeWords, shownPlace, showPlace } from './link-places.ts';

const uuid = '0197a3c0-0000-7000-8000-000000000001';
const places: readonly LinkedPlace[] = [
  { kind: 'session', peer: 'builder', session: 's-1' },
  { kind: 'view', view: 'rooms' },
  { kind: 'queue', queue: 'build', taskId: uuid },
  { kind: 'letters', filter: 'queue:build' },
  { kind: 'trace', traceId: '4bf92f3577b34da6a3ce929d0e0e4736' },
  { kind: 'approval', requestId: uuid },
  { kind: 'room', room: 'ops', messageId: uuid },
  { kind: 'peer', peer: 'mira' },
  { kind: 'setting', key: 'look.theme' },
];
const shownIn = ['streams', 'rooms', 'queues', 'dead-letters', 'trace', 'approvals', 'rooms', 'identity', 'settings'];

function createView() {
  return createViewStore({ getItem: () => null, setItem: vi.fn() });
}

test.each(places.map((place, index) => [place.kind, place, shownIn[index]] as const))(
  'L3 a link to a %s shows it, with words that name it',
  (_kind, place, view) => {
    const store = createView();
    showPlace(store, place);
    expect(store.getState().view).toBe(view);
    const { what, name, why } = placeWords(place, (id) => `title of ${id}`);
    expect([what.length > 0, name.length > 0, why]).toEqual([true, true, undefined]);
  },
);

test('L3 what is not here now is told apart from what is', () => {
  const mirror = { 'access.peers': { peers: [{ peer: 'mira' }], leftOutCount: 0 } } as never;
  expect(places.map((place) => isSeenHere(place, mirror))).toEqual([
    ...[false, true, true, true, true, false, false, true, true],
  ]);
});

test('L3 a view that this version has not is said, and nothing is shown', () => {
  const store = createView();
  const before = store.getState();
  showPlace(store, { kind: 'view', view: 'purge' });
  expect(store.getState()).toBe(before);
  expect(placeWords({ kind: 'view', view: 'purge' }, String).why).toMatch(/no such view/);
});

test('L4 the link of what is shown is the narrowest', () => {
  const shown = {
    ...{
      selectedSession: 's-1',
      selectedQueue: 'build',
      selectedRoom: 'ops',
      selectedTrace: 'ab',
      letterFilter: 'error:X',
    },
  };
  const sessions = [{ session: 's-1', peer: 'builder' }];
  const of = (view: (typeof viewIds)[number], more = {}) => shownPlace({ ...shown, ...more, view }, sessions);
  expect(of('streams')).toEqual({ kind: 'session', peer: 'builder', session: 's-1' });
  expect(of('streams', { selectedSession: 'unheard' })).toEqual({ kind: 'view', view: 'streams' });
  expect(of('queues')).toEqual({ kind: 'queue', queue: 'build', taskId: null });
  expect(of('dead-letters')).toEqual({ kind: 'letters', filter: 'error:X' });
  expect(of('rooms')).toEqual({ kind: 'room', room: 'ops', messageId: null });
  expect(of('rooms', { selectedRoom: null })).toEqual({ kind: 'view', view: 'rooms' });
  expect(of('trace')).toEqual({ kind: 'trace', traceId: 'ab' });
  expect(of('trace', { selectedTrace: null })).toEqual({ kind: 'view', view: 'trace' });
  expect(of('settings')).toEqual({ kind: 'view', view: 'settings' });
});
