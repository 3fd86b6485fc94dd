import { expect, test } from 'vitest';
import type { CampaignState } from '../../shared/contract/dlq-contract.ts';
import type { SaidAction } from './letter-records.ts';
import { createToldCampaigns, joinCampaigns } from './told-campaigns.ts';

let place = 0;
const said = (more: Partial<SaidAction>): SaidAction => ({
  ...{ seq: ++place, storedMs: 1_000, by: 'olga', operationId: 'op', action: 'dlq.retry', outcome: 'begun' },
  ...{
    scope: 'dead letters up to place 9 in prod: queue:q',
    reason: 'mended',
    places: [],
    task: null,
    fingerprint: null,
  },
  ...more,
});
const id = (at: number): string => `0197a3c0-0000-7000-8000-${at.toString(16).padStart(12, '0')}`;
const retry = (at: number, outcome: string, more: Partial<SaidAction> = {}): SaidAction =>
  said({ outcome, places: [[at, at]], task: { taskId: id(at), taskLeaf: null, queue: 'q' }, ...more });

test('D5 D8 what others are at is told by their records: how many, how far, by whom, and who wants it to end', () => {
  const told = createToldCampaigns();
  const begun = said({
    places: [
      [1, 4],
      [7, 7],
    ],
  });
  for (const action of [begun, begun, retry(1, 'published'), retry(1, 'done'), retry(2, 'published')])
    told.note(action);
  expect(told.states(2_000)).toMatchObject([
    {
      ...{ operationId: 'op', by: 'olga', kind: 'retry', count: 5, state: 'running', reason: 'mended' },
      counts: { done: 1, published: 1, requested: 3 },
    },
  ]);
  told.note(said({ action: 'dlq.cancel', by: 'otto', outcome: 'requested' }));
  expect(told.states(2_000)).toMatchObject([{ state: 'waiting', why: expect.stringMatching(/^otto cancelled it/) }]);
  // Nobody else's word ends it, nor counts as its outcome.
  told.note(said({ by: 'otto', outcome: 'cancelled' }));
  told.note(retry(3, 'done', { by: 'otto' }));
  expect(told.states(2_000)).toMatchObject([{ counts: { done: 1 } }]);
  told.note(said({ outcome: 'cancelled' }));
  expect(told.states(2_000)).toEqual([]);
});

test('D7 an end that becomes known before its beginning is an end; what is older than 12 h runs no more', () => {
  const told = createToldCampaigns();
  told.note(said({ operationId: 'a', outcome: 'done' }));
  told.note(said({ operationId: 'a', places: [[1, 2]] }));
  told.note(said({ operationId: 'b', action: 'dlq.edit', places: [[3, 3]] }));
  expect(told.states(2_000).map(({ operationId, kind }) => [operationId, kind])).toEqual([['b', 'edit']]);
  expect(told.states(1_000 + 12 * 3_600_000)).toEqual([]);
  for (let at = 0; at < 500; at++) told.note(said({ operationId: `many${at}`, places: [[1, 1]] }));
  expect(told.states(2_000)).toHaveLength(100);
});

test('D8 what is at work here is told once, and what runs comes first', () => {
  const one = (operationId: string, state: CampaignState['state']) => ({ operationId, state }) as CampaignState;
  const joined = joinCampaigns(
    [one('a', 'done'), one('b', 'running')],
    [one('b', 'running'), one('c', 'running')],
    (of) => ['a', 'b'].includes(of),
  );
  expect(joined.map(({ operationId }) => operationId)).toEqual(['b', 'c', 'a']);
});
