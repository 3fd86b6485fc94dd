import { expect, test } from 'vitest';
import type { Card, Grant } from '../../shared/protocol/identity-records.ts';
import { createFakeClock } from '../ports/fake-clock.ts';
import { createSeededRandomness } from '../ports/randomness.ts';
import { emptyContents } from './contents-codec.ts';
import type { KeyStoreContents } from './key-store.ts';
import { createFirstIdentity, createPeerIdentity } from './operator-identity.ts';
import { highestGrantSerial, publishGrant, publishOwnRecords, type RecordPlaces } from './own-records.ts';
import type { SeenSerial } from './serial-floor.ts';

const clock = createFakeClock();
const ports = { clock, randomness: createSeededRandomness(7) };

function fakePlaces() {
  const cards = new Map<string, Card>();
  const grants: Grant[] = [];
  const seen: SeenSerial[] = [];
  const stored = <T>(record: T) => ({ record, storedMs: clock.now() });
  const places: RecordPlaces = {
    directory: {
      card: (peer) => (cards.has(peer) ? stored(cards.get(peer) as Card) : undefined),
      grants: (peer) => grants.filter((one) => one.peer === peer).map(stored),
      putCard: async (card) => void cards.set(card.peer, card),
      putGrant: async (grant) => void grants.push(grant),
    },
    floor: {
      highest: ({ kind, peer }) =>
        Math.max(0, ...seen.filter((one) => one.kind === kind && one.peer === peer).map(({ serial }) => serial)),
      judge: (one) =>
        one.serial > places.floor.highest(one) || seen.some((s) => s.digest === one.digest) ? 'known' : 'replay',
      raise: (one) => seen.push(one),
      settled: () => Promise.resolve(),
    },
  };
  return { places, cards, grants, seen };
}

const first = createFirstIdentity({ contents: emptyContents, peer: 'ada', name: 'Ada', workspace: 'ws', ...ports });

test('I4 what a crash or a restore left out is put again: own cards, and the maker’s grant', async () => {
  const { places, cards, grants, seen } = fakePlaces();
  const own = { contents: first.contents, workspace: 'ws', clock };
  await publishOwnRecords(own, places);
  expect(cards.get('ada')).toEqual(first.card);
  expect(grants).toMatchObject([{ peer: 'ada', sign: first.card.sign, roles: ['operator', 'human', 'provisioner'] }]);
  expect(seen.map(({ kind }) => kind)).toEqual(['card', 'grant']);
  await publishOwnRecords(own, places);
  expect([cards.size, grants.length, seen.length]).toEqual([1, 1, 2]);
});

test('I4 it grants above what was seen, and never again to one who was revoked', async () => {
  const { places, grants } = fakePlaces();
  places.floor.raise({ kind: 'grant', ws: 'ws', peer: 'ada', serial: 3_000_000_000, digest: 'd' });
  const own = { contents: first.contents, workspace: 'ws', clock };
  await publishOwnRecords(own, places);
  expect(grants[0]?.serial).toBe(3_000_000_001);
  const { grant: none } = createPeerIdentity({
    ...{ ...own, ...ports, peer: 'bob', kind: 'bot', agent: false, name: 'B', roles: [], queues: [] },
    seenSerial: highestGrantSerial('ws', 'bob', places),
  });
  await publishGrant({ ...none, peer: 'ada', serial: 3_000_000_002 }, places);
  await publishOwnRecords(own, places);
  expect(grants).toHaveLength(2);
});

test('I4 nobody else, and no profile without the root, grants anything', async () => {
  const { places, cards, grants } = fakePlaces();
  const peer = { ...ports, workspace: 'ws', peer: 'bob', kind: 'human', agent: false, name: 'Bob' } as const;
  const { identity } = createPeerIdentity({ ...peer, contents: first.contents, roles: [], queues: [] });
  const withBob: KeyStoreContents = { ...first.contents, identities: [...first.contents.identities, identity] };
  await publishOwnRecords({ contents: withBob, workspace: 'ws', clock }, places);
  expect([...cards.keys()]).toEqual(['ada', 'bob']);
  expect(grants.map((one) => one.peer)).toEqual(['ada']);

  const other = fakePlaces();
  const workspaces = first.contents.workspaces.map((one) => ({ ...one, rootSeed: null }));
  await publishOwnRecords({ contents: { ...first.contents, workspaces }, workspace: 'ws', clock }, other.places);
  expect([other.cards.size, other.grants.length]).toEqual([1, 0]);
});
