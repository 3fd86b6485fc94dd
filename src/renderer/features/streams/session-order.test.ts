import { expect, it } from 'vitest';
import type { SessionSummary } from '../../../shared/contract/sessions-contract.ts';
import { createSessionOrder } from './session-order.ts';

function session(name: string, over: Partial<SessionSummary> = {}): SessionSummary {
  return {
    ...{ session: name, peer: `peer-${name}`, state: 'live', firstSeenMs: 0, lastSeenMs: 0 },
    ...{ messageCount: 0, perSecond: 2, note: '' },
    ...over,
  };
}

const idsOf = (sessions: readonly SessionSummary[]): readonly string[] => sessions.map((one) => one.session);

it('P14 sessions stand by peer as people count, then by age; one whose peer nobody named stands by its own name', () => {
  const order = createSessionOrder();
  const list = [
    session('10'),
    session('peer-5', { peer: null }),
    session('b', { peer: 'peer-9', firstSeenMs: 7 }),
    session('a', { peer: 'peer-9', firstSeenMs: 9 }),
    session('c', { peer: 'peer-9', firstSeenMs: 7 }),
  ];
  expect(idsOf(order(list))).toEqual(['peer-5', 'b', 'c', 'a', '10']);
  expect(idsOf(order([...list].reverse()))).toEqual(['peer-5', 'b', 'c', 'a', '10']);
});

it('P14 what has changed of them is shown in the same order; who comes, goes or gets a name is put in its place', () => {
  const order = createSessionOrder();
  const list = [session('2'), session('1'), session('3', { peer: null })];
  expect(idsOf(order(list))).toEqual(['3', '1', '2']);
  const spoken = list.map((one) => ({ ...one, messageCount: 5 }));
  expect(order(spoken).map(({ session: id, messageCount }) => [id, messageCount])).toEqual([
    ['3', 5],
    ['1', 5],
    ['2', 5],
  ]);
  const named = spoken.map((one) => (one.session === '3' ? { ...one, peer: 'peer-11' } : one));
  expect(idsOf(order(named))).toEqual(['1', '2', '3']);
  expect(idsOf(order([session('0'), ...named]))).toEqual(['0', '1', '2', '3']);
  expect(idsOf(order(named.slice(1)))).toEqual(['1', '3']);
});

it('P14 sessions that stay are not sorted again, however much is said of them', () => {
  const order = createSessionOrder();
  let asked = 0;
  const list = Array.from({ length: 200 }, (_, index) => session(String(index)));
  order(list);
  const watched = list.map((one) => ({
    ...one,
    get peer() {
      asked++;
      return one.peer;
    },
  }));
  expect(order(watched)).toHaveLength(200);
  // Once each, to see that it is the same; sorting asks some eight times as often.
  expect(asked).toBeLessThanOrEqual(200);
});
