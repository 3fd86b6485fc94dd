import { expect, it } from 'vitest';
import { allKey, filterOfGroup, type LetterPlace, scopeOf, selectionOf } from './letter-scope.ts';

const place: LetterPlace = {
  ...{ filter: 'after:2h ', by: 'cause', group: '00112233aabbccdd', letter: 7, awaitedRow: null, pane: 'groups' },
  ...{ picked: new Set(), isAll: false },
};

it('W5 D12 a group is told in the words of the filter; one without a name is not told at all', () => {
  expect(filterOfGroup(place)).toBe('after:2h cause:00112233aabbccdd');
  expect(filterOfGroup({ ...place, by: 'type', group: 'a b' })).toBe('after:2h type:"a b"');
  expect(filterOfGroup({ ...place, group: allKey })).toBe('after:2h');
  expect(filterOfGroup({ ...place, by: 'worker', group: '' })).toBeUndefined();
});

it('W5 D6 what is picked comes before the cursor, and all that match before what is picked', () => {
  expect(scopeOf(place)).toMatchObject({ kind: 'matching', filter: 'after:2h cause:00112233aabbccdd' });
  expect(scopeOf({ ...place, pane: 'letters' })).toEqual({ kind: 'letter', seqs: [7] });
  expect(scopeOf({ ...place, pane: 'letters', letter: null })).toBeUndefined();
  // What the keys do then is for the letter that comes, and nobody knows which.
  expect(scopeOf({ ...place, pane: 'letters', awaitedRow: 700 })).toBeUndefined();
  const picked = { ...place, pane: 'letters', picked: new Set([3, 9]) } as const;
  expect(scopeOf(picked)).toEqual({ kind: 'picked', seqs: [3, 9] });
  expect(scopeOf({ ...picked, isAll: true })).toMatchObject({ kind: 'matching' });
  expect(scopeOf({ ...place, group: null })).toBeUndefined();
  expect(scopeOf({ ...place, by: 'worker', group: '', isAll: true })).toBeUndefined();
});

it('D12 what is archived is found by a restore alone', () => {
  const scope = { kind: 'matching', filter: 'queue:q', isWhole: false } as const;
  expect(selectionOf(scope, 'retry')).toEqual({ filter: 'queue:q' });
  expect(selectionOf(scope, 'restore')).toEqual({ filter: 'queue:q state:archived' });
  expect(selectionOf({ kind: 'picked', seqs: [2] }, 'restore')).toEqual({ seqs: [2] });
});
