import { expect, it } from 'vitest';
import type { PeerSummary } from '../../../shared/contract/access-contract.ts';
import { changeCause, peersSummary, sortPeers } from './peer-words.ts';

const peer = (name: string, state: PeerSummary['state'], isGranted?: boolean): PeerSummary =>
  ({ peer: name, state, offered: isGranted === undefined ? null : { isGranted } }) as PeerSummary;

it('I2 what needs somebody comes first, own peers last, else by name', () => {
  const sorted = sortPeers([
    peer('a', 'own'),
    peer('d', 'verified'),
    peer('c', 'pinned'),
    peer('z', 'changed'),
    peer('y', 'blocked'),
  ]);
  expect(sorted.map((one) => one.peer)).toEqual(['z', 'y', 'c', 'd', 'a']);
});

it('I2 the summary counts each state, and says nothing of those that nobody is in', () => {
  expect(peersSummary([peer('a', 'own'), peer('b', 'changed'), peer('c', 'pinned'), peer('d', 'pinned')])).toBe(
    '1 key changed · 2 pinned · 1 of this profile',
  );
  expect(peersSummary([])).toBe('');
});

it('I2 the true cause of a change is told: granted by the root, or by nobody', () => {
  expect(changeCause(peer('bob', 'changed', true))).toContain('has granted the new key');
  expect(changeCause(peer('bob', 'changed', false))).toContain('has not granted the new key');
});
