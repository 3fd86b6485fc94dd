import { describe, expect, it, vi } from 'vitest';
import { VakError } from '../../../shared/base/vak-error.ts';
import type { AddedCard, PeerSummary } from '../../../shared/contract/access-contract.ts';
import type { NoticeOffer } from '../../ui/notice-store.ts';
import { type AccessWorkDeps, createAccessWork } from './access-work.ts';

const grant = { peer: 'bob', sign: 'UB', roles: ['worker'], queues: ['q'], serial: 1, notAfter: 0 };
const bob = { peer: 'bob', sign: 'UB', offered: { sign: 'UNEW' } } as PeerSummary;

function setUp(sight: AddedCard['sight'] = 'first') {
  const client = {
    ...{ grant: vi.fn(async () => {}), revoke: vi.fn(async () => {}), renewCard: vi.fn(async () => {}) },
    ...{
      addCard: vi.fn(async () => ({ peer: 'bob', sight })),
      addCardFile: vi.fn(async () => ({ peer: 'bob', sight })),
    },
    ...{ setVerified: vi.fn(async () => {}), acceptKey: vi.fn(async () => {}), setBlocked: vi.fn(async () => {}) },
    ...{ safety: vi.fn(), ownCard: vi.fn() },
  };
  const offers: NoticeOffer[] = [];
  const notify = vi.fn((_: string, offer?: NoticeOffer) => void (offer === undefined || offers.push(offer)));
  const reportError = vi.fn();
  const deps = { client, notify, reportError, environment: () => 'prod' } as unknown as AccessWorkDeps;
  return { work: createAccessWork(deps), client, notify, reportError, offers };
}

describe('grants', () => {
  it('I4 grants on the connection that was shown, and selects the peer', async () => {
    const { work, client } = setUp();
    work.ask('bob', undefined);
    const input = { peer: 'bob', sign: 'UB', roles: ['worker' as const], queues: ['q'], notAfter: 0 };
    await work.grant(input);
    expect(client.grant).toHaveBeenCalledWith({ ...input, environment: 'prod' });
    expect(work.store.getState()).toMatchObject({ granting: undefined, selectedGrant: 'bob' });
  });

  it('I4 a refused grant keeps its form open', async () => {
    const { work, client } = setUp();
    client.grant.mockRejectedValueOnce(new VakError('forbidden', 'no'));
    work.ask('bob', grant);
    await expect(work.grant({ peer: 'bob', sign: 'UB', roles: [], queues: [], notAfter: 0 })).rejects.toThrow('no');
    expect(work.store.getState().granting?.isRenewal).toBe(true);
  });

  it('I4 revokes what was asked about, with what was typed and why, once; a failure is reported', async () => {
    const { work, client, reportError } = setUp();
    work.askRevoke(grant);
    client.revoke.mockRejectedValueOnce(new VakError('read-only', 'no'));
    await work.revoke({ typed: 'bob', reason: 'left' });
    await work.revoke({ typed: 'bob', reason: undefined });
    expect(client.revoke.mock.calls).toEqual([
      [{ peer: 'bob', confirmedName: 'bob', environment: 'prod', reason: 'left' }],
    ]);
    expect(reportError).toHaveBeenCalledWith('Revoke bob', expect.any(VakError));
  });
});

describe('I2 peers', () => {
  it.each([
    ['first', 'is pinned'],
    ['changed', 'nothing is sent'],
    ['replay', 'changes nothing'],
  ] as const)('I2 a card that is %s is told as that', async (sight, words) => {
    const { work, notify } = setUp(sight);
    work.askCard();
    await work.addCard('{}');
    expect(notify).toHaveBeenCalledWith(expect.stringContaining(words));
    expect(work.store.getState()).toMatchObject({ isAddingCard: false, selectedPeer: 'bob' });
  });

  it('I2 a closed file dialog is no failure', async () => {
    const { work, client, notify } = setUp();
    client.addCardFile.mockRejectedValueOnce(new VakError('aborted', 'closed'));
    await work.addCardFile();
    expect(notify).not.toHaveBeenCalled();
  });

  it.each([true, false])(
    'I2 accepts the key that was shown, and marks it if it was compared (%s)',
    async (isCompared) => {
      const { work, client } = setUp();
      work.askAccept(bob, isCompared);
      await work.accept({ typed: 'bob', reason: undefined });
      expect(client.acceptKey).toHaveBeenCalledWith({ peer: 'bob', sign: 'UNEW', confirmedName: 'bob' });
      expect(client.setVerified.mock.calls).toEqual(
        isCompared ? [[{ peer: 'bob', sign: 'UNEW', isVerified: true }]] : [],
      );
    },
  );

  it('I2 blocking offers its way back', async () => {
    const { work, client, offers } = setUp();
    await work.setBlocked('bob', true);
    offers[0]?.run();
    expect(client.setBlocked.mock.calls).toEqual([
      [{ peer: 'bob', isBlocked: true }],
      [{ peer: 'bob', isBlocked: false }],
    ]);
  });
});
