import { describe, expect, it } from 'vitest';
import { connectionsState, prod } from '../../../../tests/support/connections-state.ts';
import type { PeerState, PeerSummary } from '../../../shared/contract/access-contract.ts';
import type { SelfSummary } from '../../../shared/contract/identity-contract.ts';
import {
  type AccessSituation,
  rootAdvice,
  whyNotAccept,
  whyNotBlock,
  whyNotChangeGrant,
  whyNotCompare,
  whyNotGrant,
  whyNotRenewCard,
  whyNotRevoke,
  whyNotUnverify,
} from './access-reasons.ts';

const self = { peer: 'ada', holdsRoot: true } as SelfSummary;
const grant = { peer: 'bob', sign: 'U', roles: ['human'], queues: [], serial: 1, notAfter: 0 };
const peer = (state: PeerState): PeerSummary =>
  ({ peer: 'bob', state, offered: state === 'changed' ? {} : null }) as PeerSummary;
const writable = connectionsState({ contexts: [{ ...prod, isReadOnly: false }] });
const situation = (change: Partial<AccessSituation> = {}): AccessSituation => {
  return { connection: writable, self, grant, peer: peer('pinned'), ...change };
};

describe('grants', () => {
  it('A4 on a read-only connection nothing is granted, revoked or renewed, and the reason names it', () => {
    const readOnly = situation({ connection: connectionsState() });
    for (const why of [whyNotGrant, whyNotChangeGrant, whyNotRevoke, whyNotRenewCard])
      expect(why(readOnly)).toMatch(/^the connection prod is read-only; use another/);
  });

  it('I4 without the root it says what to do instead; renewing the own card needs none', () => {
    const elsewhere = situation({ self: { ...self, holdsRoot: false } });
    for (const why of [whyNotGrant, whyNotChangeGrant, whyNotRevoke]) expect(why(elsewhere)).toBe(rootAdvice);
    expect(whyNotRenewCard(elsewhere)).toBeUndefined();
  });

  it('I4 the selected grant is changed and revoked unless it is the own one, or has nothing to revoke', () => {
    expect([whyNotChangeGrant(situation()), whyNotRevoke(situation())]).toEqual([undefined, undefined]);
    expect(whyNotRevoke(situation({ grant: { ...grant, peer: 'ada' } }))).toContain('your own');
    expect(whyNotRevoke(situation({ grant: { ...grant, roles: [] } }))).toBe('it has no role');
    expect(whyNotChangeGrant(situation({ grant: undefined }))).toBe('select a grant first');
  });
});

describe('I2 peers', () => {
  it.each([whyNotCompare, whyNotAccept, whyNotBlock, whyNotUnverify])(
    'I2 nothing is done with an own peer, nor with none',
    (why) => {
      expect(why({ peer: undefined })).toBe('select a peer first');
      expect(why({ peer: peer('own') })).toContain('this profile');
    },
  );

  it('I2 a key is accepted only where it changed, a mark taken back only where there is one', () => {
    expect(whyNotAccept({ peer: peer('pinned') })).toBe('its key has not changed');
    expect(whyNotAccept({ peer: peer('changed') })).toBeUndefined();
    expect(whyNotUnverify({ peer: peer('pinned') })).toContain('not marked');
    expect(whyNotUnverify({ peer: peer('verified') })).toBeUndefined();
    expect(whyNotCompare({ peer: peer('blocked') })).toBeUndefined();
  });
});
