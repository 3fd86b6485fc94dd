import { inspect } from 'node:util';
import { fromSeed } from 'nkeys.js';
import { describe, expect, test } from 'vitest';
import { refusal } from '../../../tests/support/expected-failure.ts';
import { root as foreignRoot, grantWith, signerOf } from '../../../tests/support/identity-fixture.ts';
import { fromBase64Url } from '../../shared/base/base64url.ts';
import { agreeX25519, deriveX25519PublicKey } from '../crypto/x25519.ts';
import { createFakeClock } from '../ports/fake-clock.ts';
import { createSeededRandomness } from '../ports/randomness.ts';
import { verifyCard } from './cards.ts';
import { verifyGrant } from './grants.ts';
import type { KeyStoreContents } from './key-store.ts';
import { encodeNkey } from './nkey.ts';
import {
  cardOf,
  createFirstIdentity,
  createPeerIdentity,
  currentBoxKey,
  operatorRoles,
  rotateBoxKey,
} from './operator-identity.ts';
import { grant, revokeGrant } from './root-grants.ts';
import { createRecordChecks } from './signed-record.ts';

const empty: KeyStoreContents = { identities: [], workspaces: [], credentials: new Map(), roomKeys: new Map() };
const checks = createRecordChecks();
const dayMs = 86_400_000;

function first(seed = 1, contents = empty) {
  const clock = createFakeClock();
  const ports = { clock, randomness: createSeededRandomness(seed) };
  const made = createFirstIdentity({ ...ports, contents, peer: 'ada', name: 'Ada Lovelace', workspace: 'local' });
  const [identity] = made.contents.identities;
  const [workspace] = made.contents.workspaces;
  const [own] = made.grants;
  if (!(identity && workspace && own)) throw new Error('one of each was expected');
  return { ...made, ...ports, identity, workspace, own };
}

describe('I1 I4 the first identity', () => {
  test('I1 I4 identity, root and secret s1 are made, with a card and grants that verify', () => {
    const { contents, card, own, identity, workspace, clock } = first();
    expect(contents.identities).toHaveLength(1);
    expect(identity).toMatchObject({ peer: 'ada', kind: 'human', agent: false, name: 'Ada Lovelace' });
    expect(verifyCard(JSON.parse(JSON.stringify(card)), checks)).toMatchObject({
      ...{ ws: 'local', peer: 'ada', kind: 'human', agent: false, name: 'Ada Lovelace' },
      sign: fromSeed(identity.signSeed.reveal()).getPublicKey(),
      boxExpiresAt: Math.floor((clock.now() + 30 * dayMs) / 1000),
      serial: identity.cardSerial,
    });
    expect(verifyGrant(JSON.parse(JSON.stringify(own)), workspace.rootPublic, checks)).toMatchObject({
      ...{
        ws: 'local',
        peer: 'ada',
        sign: card.sign,
        roles: ['operator', 'human', 'provisioner'],
        queues: [],
        notAfter: 0,
      },
    });
    expect(workspace.rootSeed && fromSeed(workspace.rootSeed.reveal()).getPublicKey()).toBe(workspace.rootPublic);
    expect(workspace.rootPublic).not.toBe(card.sign);
    expect(workspace.secrets).toMatchObject([{ id: 's1', state: 'active', openOnlyUntilMs: null }]);
    expect(workspace.secrets[0]?.secret.length).toBe(32);
  });

  test('I1 the box key that is stored is the one on the card', () => {
    const { card, identity } = first();
    const stored = currentBoxKey(identity);
    expect(deriveX25519PublicKey(stored.secret.reveal())).toEqual(fromBase64Url(card.box, 'box'));
    const other = new Uint8Array(32).fill(5);
    expect(agreeX25519(other, fromBase64Url(card.box, 'box'))).toEqual(
      agreeX25519(stored.secret.reveal(), deriveX25519PublicKey(other)),
    );
    expect(Math.floor(stored.expiresMs / 1000)).toBe(card.boxExpiresAt);
  });

  test('B7 one seed, one history; another seed, other keys throughout', () => {
    expect(first(7).card).toEqual(first(7).card);
    const [a, b] = [first(7), first(8)];
    expect(a.card.sign).not.toBe(b.card.sign);
    expect(a.card.box).not.toBe(b.card.box);
    expect(a.workspace.rootPublic).not.toBe(b.workspace.rootPublic);
    expect(a.workspace.secrets[0]?.secret.reveal()).not.toEqual(b.workspace.secrets[0]?.secret.reveal());
  });

  test('I4 what the store held before stays; a second of the same name is refused', () => {
    const made = first();
    const more = { ...made, contents: made.contents, name: 'x' };
    expect(refusal(() => createFirstIdentity({ ...more, peer: 'ada', workspace: 'other' })).code).toBe('exists');
    expect(refusal(() => createFirstIdentity({ ...more, peer: 'bob', workspace: 'local' })).code).toBe('exists');
    const both = createFirstIdentity({ ...more, peer: 'bob', workspace: 'other' });
    expect(both.contents.identities.map(({ peer }) => peer)).toEqual(['ada', 'bob']);
    expect(both.contents.identities[0]).toBe(made.identity);
    expect(made.contents.identities).toHaveLength(1);
  });

  test.each([
    ['peer', { peer: 'a.b' }],
    ['workspace', { workspace: '' }],
    ['name', { name: '' }],
    ['name', { name: 'x'.repeat(65) }],
  ])('S1 a %s that does not fit is refused, and named', (field, change) => {
    const ports = { clock: createFakeClock(), randomness: createSeededRandomness(1) };
    const fields = { ...ports, contents: empty, peer: 'ada', name: 'Ada', workspace: 'local', ...change };
    expect(refusal(() => createFirstIdentity(fields))).toMatchObject({ code: 'invalid-input', details: { field } });
  });

  test('I4 begun anew, its serials are above those of the profile that was lost', () => {
    const lost = first(1);
    lost.clock.advance(60_000);
    const again = createFirstIdentity({
      ...{ contents: empty, peer: 'ada', name: 'Ada', workspace: 'local' },
      ...{ clock: lost.clock, randomness: createSeededRandomness(2) },
    });
    expect(again.card.serial).toBeGreaterThan(lost.card.serial);
    expect(again.grants[0]?.serial).toBeGreaterThan(lost.own.serial);
  });

  test('I3 no text, JSON or inspection of what is made shows a seed', () => {
    const { contents, identity, workspace } = first();
    const seeds = [identity.signSeed, workspace.rootSeed].map((one) => Buffer.from(one?.reveal() ?? []).toString());
    const shown = JSON.stringify(contents) + inspect(contents, { depth: 9 });
    for (const seed of seeds) expect(shown).not.toContain(seed);
    expect(operatorRoles).not.toContain('membershipd');
  });
});

describe('I4 identities of spawned peers', () => {
  const worker = (change = {}) => {
    const { contents, clock, workspace } = first();
    const ports = { clock, randomness: createSeededRandomness(9) };
    const fields = {
      peer: 'w1',
      kind: 'process',
      agent: false,
      name: 'Worker 1',
      roles: ['worker'],
      queues: ['builds'],
    } as const;
    return {
      ...createPeerIdentity({ ...ports, contents, workspace: 'local', ...fields, ...change }),
      workspace,
      clock,
    };
  };

  test('I3 I4 a worker gets keys of its own and a grant of its queue, as long as its box key', () => {
    const { identity, card, grant: granted, workspace } = worker();
    expect(verifyCard(card, checks)).toMatchObject({ peer: 'w1', kind: 'process', sign: granted.sign });
    expect(verifyGrant(granted, workspace.rootPublic, checks)).toMatchObject({
      ...{ ws: 'local', peer: 'w1', roles: ['worker'], queues: ['builds'], notAfter: card.boxExpiresAt },
    });
    expect(fromSeed(identity.signSeed.reveal()).getPublicKey()).toBe(card.sign);
  });

  test('I4 its grant goes above the highest serial seen', () => {
    expect(worker({ seenSerial: 5_000_000_000 }).grant.serial).toBe(5_000_000_001);
    expect(worker({ notAfter: 0 }).grant.notAfter).toBe(0);
  });

  test('I4 a worker without a queue, or an unknown workspace, is refused', () => {
    expect(refusal(() => worker({ queues: [] }))).toMatchObject({
      code: 'invalid-input',
      details: { field: 'queues' },
    });
    expect(refusal(() => worker({ workspace: 'other' })).code).toBe('not-found');
  });
});

describe('I1 R14 a box key rotates', () => {
  test('I1 R14 the new key stands on a card of a higher serial; the old one still opens, until it is long ended', () => {
    let { contents, identity, clock, randomness, card } = first();
    const firstKey = currentBoxKey(identity);
    const ages: number[] = [];
    for (let round = 1; round <= 3; round++) {
      clock.advance(30 * dayMs);
      const rotated = rotateBoxKey(contents, { peer: 'ada', clock, randomness });
      const [renewed] = rotated.cards;
      if (renewed === undefined) throw new Error('a card was expected');
      expect(verifyCard(renewed, checks).serial).toBeGreaterThan(card.serial);
      expect(renewed.sign).toBe(card.sign);
      expect(renewed.box).not.toBe(card.box);
      contents = rotated.contents;
      card = renewed;
      identity = contents.identities[0] ?? identity;
      expect(cardOf(identity, 'local')).toEqual(renewed);
      ages.push(identity.boxKeys.length);
      expect(rotated.retired).toEqual(round === 2 ? [firstKey] : round === 3 ? [expect.anything()] : []);
    }
    expect(ages).toEqual([2, 2, 2]);
  });

  test('I4 a clock that was set back does not lower the serial', () => {
    const { contents, card, randomness } = first();
    const clock = createFakeClock(Date.UTC(2001, 0, 1));
    expect(rotateBoxKey(contents, { peer: 'ada', clock, randomness }).cards[0]?.serial).toBe(card.serial + 1);
    expect(refusal(() => rotateBoxKey(contents, { peer: 'bob', clock, randomness })).code).toBe('not-found');
  });
});

describe('I4 grants by root', () => {
  const target = (change = {}) => {
    const { contents, clock } = first();
    const base = { contents, workspace: 'local', peer: 'bob', sign: signerOf(2).nkey, seenSerial: 0, clock };
    return { ...base, roles: ['bot'], queues: [], notAfter: 0, ...change } as Parameters<typeof grant>[0];
  };

  test('I4 each is newer than the last, also within one second; revoking is a newer one without roles', () => {
    const one = target();
    const granted = grant(one);
    const revoked = revokeGrant({ ...one, seenSerial: granted.serial });
    expect(revoked).toMatchObject({ peer: 'bob', sign: one.sign, roles: [], queues: [], serial: granted.serial + 1 });
    expect(verifyGrant(revoked, one.contents.workspaces[0]?.rootPublic ?? '', checks)).toEqual(revoked);
    expect(() => verifyGrant(revoked, foreignRoot.nkey, checks)).toThrow(/signature/);
  });

  test('I4 without the root’s seed there is no grant', () => {
    const { contents } = target();
    const without = { ...contents, workspaces: contents.workspaces.map((one) => ({ ...one, rootSeed: null })) };
    expect(refusal(() => grant(target({ contents: without }))).code).toBe('forbidden');
    expect(refusal(() => grant(target({ workspace: 'other' }))).code).toBe('not-found');
  });

  test.each([
    ['a peer that is no token', { peer: 'b b' }, 'peer'],
    ['a queue that is no token', { roles: ['worker'], queues: ['a.b'] }, 'queue'],
    ['queues without a worker', { queues: ['builds'] }, 'queues'],
    ['an end that is past', { notAfter: 1 }, 'notAfter'],
    ['an unsound key', { sign: encodeNkey(Uint8Array.from([1, ...new Uint8Array(31)])) }, 'sign'],
    ['a key that is none', { sign: grantWith().signature }, 'sign'],
  ])('I4 %s is refused, and the field is named', (_, change, field) => {
    expect(refusal(() => grant(target(change)))).toMatchObject({ details: { field } });
  });

  test('I4 nothing is named twice', () => {
    expect(refusal(() => grant(target({ roles: ['bot', 'bot'] }))).code).toBe('invalid-input');
    expect(refusal(() => grant(target({ roles: ['worker'], queues: ['a', 'a'] }))).code).toBe('invalid-input');
  });
});
