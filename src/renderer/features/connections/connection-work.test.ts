import { describe, expect, it, vi } from 'vitest';
import { VakError } from '../../../shared/base/vak-error.ts';
import type { ConnectionTest } from '../../../shared/contract/connections-contract.ts';
import { createConnectionWork } from './connection-work.ts';

const found: ConnectionTest = { rttMs: 4, server: null, jetStream: null, missing: [] };

function setUp() {
  const client = {
    test: vi.fn(async () => found),
    use: vi.fn(async () => {}),
    remove: vi.fn(async () => {}),
    importCredentials: vi.fn(async () => ({ isImported: true })),
    importNats: vi.fn(async () => ({ imported: ['a'], skipped: [{ name: 'b', why: 'it has no server' }] })),
  };
  const notify = vi.fn();
  const work = createConnectionWork({ client, notify });
  return { client, notify, work, outcome: (name: string) => work.store.getState().outcomes.get(name) };
}

describe('work on connections', () => {
  it('a test stands until another takes its place, and runs once at a time for one context', async () => {
    const { client, work, outcome } = setUp();
    const first = work.test('prod');
    expect(outcome('prod')).toEqual({ kind: 'running', doing: 'Test' });
    await work.test('prod');
    await work.use('prod');
    expect([client.test.mock.calls.length, client.use.mock.calls.length]).toEqual([1, 0]);
    await work.test('dev');
    await first;
    expect([outcome('prod'), outcome('dev')?.kind]).toEqual([{ kind: 'tested', result: found }, 'tested']);
    work.dismiss('prod');
    expect(outcome('prod')).toBeUndefined();
  });

  it('a failure says what, why and what next, at the context that it is of', async () => {
    const { client, work, outcome } = setUp();
    client.use.mockRejectedValue(new VakError('unauthorized', 'the server refused the credentials'));
    await work.use('prod');
    expect(outcome('prod')).toMatchObject({
      kind: 'failed',
      report: {
        doing: 'Use prod',
        why: 'the server refused the credentials',
        next: expect.stringContaining('credentials'),
      },
    });
    client.use.mockResolvedValue();
    await work.use('prod');
    expect(outcome('prod')).toBeUndefined();
  });

  it('what was called off is no failure', async () => {
    const { client, work, outcome, notify } = setUp();
    client.importCredentials.mockRejectedValue(new VakError('aborted', 'the window was closed'));
    await work.importCredentials('prod');
    client.importCredentials.mockResolvedValue({ isImported: false });
    await work.importCredentials('prod');
    client.importNats.mockRejectedValue(new VakError('aborted', 'the window was closed'));
    await work.importNats();
    expect([outcome('prod'), work.store.getState().imported, notify.mock.calls]).toEqual([undefined, undefined, []]);
  });

  it('says that credentials are kept, and what an import took and left', async () => {
    const { client, work, notify } = setUp();
    await work.importCredentials('prod');
    expect(notify).toHaveBeenCalledWith('The credentials for prod are in the key store.');
    await Promise.all([work.importNats(), work.importNats()]);
    expect(client.importNats).toHaveBeenCalledTimes(1);
    expect(work.store.getState().imported).toEqual({
      kind: 'done',
      imported: ['a'],
      skipped: [{ name: 'b', why: 'it has no server' }],
    });
    client.importNats.mockRejectedValue(new VakError('not-found', 'no contexts are there'));
    await work.importNats();
    expect(work.store.getState().imported).toMatchObject({ kind: 'failed', report: { why: 'no contexts are there' } });
  });
});
