import { describe, expect, it, vi } from 'vitest';
import { VakError } from '../../../shared/base/vak-error.ts';
import type { NoticeOffer } from '../../ui/notice-store.ts';
import { createQueueWork } from './queue-work.ts';

function setUp(standing = [{ count: 3, lastSeq: 9 }]) {
  const offers: NoticeOffer[] = [];
  const client = {
    pause: vi.fn(async () => {}),
    resume: vi.fn(async () => {}),
    standing: vi.fn(async () => standing.shift() ?? { count: 0, lastSeq: 0 }),
    purge: vi.fn(async (_asked: unknown) => ({ purgedCount: 2 })),
    stopPurge: vi.fn(async (_asked: unknown) => {}),
  };
  const said = {
    notify: vi.fn((_text: string, offer?: NoticeOffer) => void (offer === undefined || offers.push(offer))),
    refuse: vi.fn(),
    reportError: vi.fn(),
  };
  const whyNot = () => 'the connection prod is read-only';
  return { work: createQueueWork({ client, whyNot, ...said }), client, offers, ...said };
}

describe('purging', () => {
  it('A10 takes what was asked about, with what was typed and why, and says what went and what stayed', async () => {
    const { work, client, notify } = setUp([
      { count: 3, lastSeq: 9 },
      { count: 1, lastSeq: 12 },
    ]);
    await work.requestPurge('render');
    expect(work.store.getState().purging).toEqual({ queue: 'render', count: 3, lastSeq: 9 });
    await work.purge({ typed: 'render', reason: 'a wrong batch' }, 'prod-eu');
    expect(client.purge).toHaveBeenCalledWith({
      ...{ queue: 'render', confirmedName: 'render', environment: 'prod-eu' },
      ...{ lastSeq: 9, reason: 'a wrong batch' },
    });
    expect(notify).toHaveBeenCalledWith(
      '2 tasks purged from render. 1 task had left it before. 1 task came later and stays.',
    );
    expect(work.store.getState().purging).toBeUndefined();
  });

  it('A10 is ended by any window, by its id; that it has ended meanwhile is no failure', async () => {
    const { work, client, reportError } = setUp();
    const purge = { operationId: 'op-1', queue: 'render' };
    await work.stopPurge(purge);
    expect(client.stopPurge).toHaveBeenCalledWith({ operationId: 'op-1' });
    client.stopPurge.mockRejectedValueOnce(new VakError('not-found', 'purge: it is over already'));
    await work.stopPurge(purge);
    expect(reportError).not.toHaveBeenCalled();
    const failure = new VakError('locked', 'the key store is locked');
    client.stopPurge.mockRejectedValueOnce(failure);
    await work.stopPurge(purge);
    expect(reportError).toHaveBeenCalledWith('Stop the purge of render', failure);
  });

  it('A10 whoever asked for one that is stopped is told how far it came', async () => {
    const { work, client, reportError } = setUp();
    client.purge.mockRejectedValueOnce(new VakError('aborted', 'purge: it was stopped; 500 tasks had been taken out'));
    await work.requestPurge('render');
    await work.purge({ typed: 'render', reason: undefined }, 'prod-eu');
    expect(reportError).toHaveBeenCalledWith('Purge render', expect.objectContaining({ code: 'aborted' }));
  });

  it('asks nothing about a queue in which nothing stands', async () => {
    const { work, refuse } = setUp([]);
    await work.requestPurge('render');
    expect(work.store.getState().purging).toBeUndefined();
    expect(refuse).toHaveBeenCalledWith('Purge render: no task stands in it.');
  });

  it('a failure is reported, and a second press purges nothing', async () => {
    const { work, client, reportError, notify } = setUp();
    const failure = new VakError('read-only', 'prod is read-only');
    client.purge.mockRejectedValueOnce(failure);
    await work.requestPurge('render');
    await Promise.all([
      work.purge({ typed: 'render', reason: undefined }, 'prod-eu'),
      work.purge({ typed: 'render', reason: undefined }, 'prod-eu'),
    ]);
    expect(client.purge).toHaveBeenCalledOnce();
    expect(reportError).toHaveBeenCalledWith('Purge render', failure);
    expect(notify).not.toHaveBeenCalled();
  });
});

describe('pausing', () => {
  it('is said with the way back', async () => {
    const { work, client, offers, notify } = setUp();
    await work.pause('render');
    expect(notify.mock.calls[0]?.[0]).toContain('render is paused');
    // What forbids it stands at the notice before it is pressed (B10).
    expect(offers[0]?.whyNot?.()).toBe('the connection prod is read-only');
    offers[0]?.run();
    await vi.waitFor(() => expect(client.resume).toHaveBeenCalledWith({ queue: 'render' }));
  });
});
