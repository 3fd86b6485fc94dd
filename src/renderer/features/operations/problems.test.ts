import { describe, expect, it } from 'vitest';
import { swarmStateOf, workerOf } from '../../../../tests/support/swarm-state.ts';
import type { ConnectionsState } from '../../../shared/contract/connections-contract.ts';
import type { QuarantineState, StreamsStatus } from '../../../shared/contract/streams-contract.ts';
import type { WorkerSummary } from '../../../shared/contract/swarm-contract.ts';
import type { RefusalReason } from '../../../shared/contract/trust-report.ts';
import { findProblems, unacknowledged } from './problems.ts';

const flow = (droppedCount: number) => ({ droppedCount }) as StreamsStatus;

function worker(peer: string, diedAtMs?: number): WorkerSummary {
  const death =
    diedAtMs === undefined ? null : { atMs: diedAtMs, exitCode: null, signal: 'SIGKILL', reason: 'killed by SIGKILL' };
  const state = death === null ? 'idle' : 'dead';
  return workerOf(peer, { state, death });
}

function refused(counts: Partial<Record<RefusalReason, number>>, newestMs?: number): QuarantineState {
  const none = { malformed: 0, misplaced: 0, plain: 0, unsigned: 0, chain: 0, signature: 0, sender: 0, unopenable: 0 };
  const newest = { seq: 1, subject: 's', sizeBytes: 1, reason: 'plain', why: '' } as const;
  return {
    refusedCount: Object.values(counts).reduce((sum, count) => sum + count, 0),
    countByReason: { ...none, ...counts },
    recent: newestMs === undefined ? [] : [{ ...newest, atMs: newestMs }],
    capacity: 256,
  };
}

function connected(more: Partial<ConnectionsState>): ConnectionsState {
  const status = { kind: 'connected', sinceMs: 5 } as const;
  const rest = { contexts: [], server: null, rttMs: null, missing: [], outbox: null, outages: [] };
  return { ...rest, current: 'prod', status, staleSinceMs: null, problem: null, ...more };
}

describe('what is wrong now', () => {
  it('B6 a store that was found damaged is said, whatever the connection says', () => {
    const why = 'the journal in /p/engine is damaged';
    const missing = [{ feature: 'storing', needs: why }];
    const sources = { flow: undefined, swarm: undefined, quarantine: undefined };
    expect(findProblems({ ...sources, connection: connected({ missing }) })).toMatchObject([
      { id: 'store', tone: 'bad', title: 'The store is read-only', why: `${why}.` },
    ]);
  });

  it('B8 an outbox that cannot be used is said', () => {
    const problem = { code: 'read-only', message: 'outbox: it is damaged', retryable: false } as const;
    const outbox = { waitingCount: 0, oldestMs: null, problem };
    const sources = { flow: undefined, swarm: undefined, quarantine: undefined };
    expect(findProblems({ ...sources, connection: connected({ outbox }) })).toMatchObject([
      { id: 'outbox', tone: 'bad', why: 'outbox: it is damaged.' },
    ]);
  });

  it('is nothing before anything is known, and nothing when all is well', () => {
    expect(findProblems({ flow: undefined, swarm: undefined, quarantine: undefined, connection: undefined })).toEqual(
      [],
    );
    const swarm = swarmStateOf({ workers: [worker('w1')] });
    expect(findProblems({ flow: flow(0), swarm, quarantine: refused({}), connection: connected({}) })).toEqual([]);
  });

  it('names every dead worker with its cause, the latest first, then the drops', () => {
    const problems = findProblems({
      flow: flow(1204),
      swarm: swarmStateOf({ workers: [worker('w1', 10), worker('w2'), worker('w3', 20)] }),
      quarantine: undefined,
      connection: undefined,
    });
    expect(problems.map(({ id }) => id)).toEqual(['death s-w3', 'death s-w1', 'drops']);
    expect(problems[0]).toMatchObject({ why: 'killed by SIGKILL', session: 's-w3', atMs: 20, tone: 'bad' });
  });

  it('E8 counts what was refused by its reasons, the most frequent first, and stands by its newest', () => {
    const problems = findProblems({
      flow: flow(1),
      swarm: swarmStateOf({ workers: [worker('w1', 10), worker('w2', 30)] }),
      quarantine: refused({ plain: 2, signature: 40, chain: 1 }, 20),
      connection: undefined,
    });
    expect(problems.map(({ id }) => id)).toEqual(['death s-w2', 'refused', 'death s-w1', 'drops']);
    expect(problems[1]).toMatchObject({
      title: '43 messages refused since the start',
      why: '40 invalid signature · 2 sent plain · 1 broken chain',
      tone: 'bad',
      place: 'quarantine',
    });
  });

  it('E8 one refused message is one message', () => {
    const [problem] = findProblems({
      flow: undefined,
      swarm: undefined,
      quarantine: refused({ malformed: 1 }),
      connection: undefined,
    });
    expect(problem).toMatchObject({ title: '1 message refused since the start', why: '1 malformed' });
  });

  const none = { flow: undefined, swarm: undefined, quarantine: undefined };
  const error = { code: 'unauthorized', message: 'The server refused the credentials.', retryable: false } as const;

  it('B8 a lost connection stands first, since it was lost and not since the last attempt', () => {
    const status = { kind: 'reconnecting', sinceMs: 90, attempt: 3, error: null } as const;
    const problems = findProblems({
      ...none,
      swarm: swarmStateOf({ workers: [worker('w1', 100)] }),
      connection: connected({ status, staleSinceMs: 50 }),
    });
    expect(problems.map(({ id }) => id)).toEqual(['connection', 'death s-w1']);
    expect(problems[0]).toMatchObject({ title: 'Not connected to prod', atMs: 50, tone: 'bad', place: 'connections' });
    expect(problems[0]?.why).toContain('attempt 3');
  });

  it('B8 one that is closed or stale says so; one that connects for the first time is no problem', () => {
    const [closed] = findProblems({
      ...none,
      connection: connected({ status: { kind: 'closed', sinceMs: 7, error } }),
    });
    expect(closed).toMatchObject({ atMs: 7, why: expect.stringContaining('refused the credentials') });
    const [stale] = findProblems({
      ...none,
      connection: connected({ status: { kind: 'stale', sinceMs: 8 }, staleSinceMs: 8 }),
    });
    expect(stale).toMatchObject({ title: 'prod is stale', tone: 'wait' });
    expect(findProblems({ ...none, connection: connected({ status: { kind: 'connecting', sinceMs: 1 } }) })).toEqual(
      [],
    );
  });

  it('names the change of the connection that failed last', () => {
    const problems = findProblems({ ...none, connection: connected({ problem: error }) });
    expect(problems).toMatchObject([
      { id: 'connection-change', why: expect.stringContaining('refused the credentials'), place: 'connections' },
    ]);
  });

  it('B8 outages that are over are said once, by the last of them; one that lasts is the connection’s', () => {
    const outages = [
      { fromMs: 10, toMs: 20, afterSeq: 1 },
      { fromMs: 1_000, toMs: 13_000, afterSeq: 2 },
      { fromMs: 20_000, toMs: null, afterSeq: 3 },
    ];
    expect(findProblems({ ...none, connection: connected({ outages }) })).toMatchObject([
      {
        id: 'outage',
        title: '2 outages are over',
        atMs: 13_000,
        place: 'outage',
        tone: 'wait',
        lasting: { mark: '1000' },
      },
    ]);
    expect(findProblems({ ...none, connection: connected({ outages: outages.slice(2) }) })).toEqual([]);
  });

  it('a past event that was acknowledged as it is goes; one that has grown, and a condition that stands, do not', () => {
    const status = { kind: 'reconnecting', sinceMs: 90, attempt: 3, error: null } as const;
    const at = (count: number) =>
      findProblems({
        ...none,
        flow: flow(count),
        swarm: swarmStateOf({ workers: [worker('w1', 100)] }),
        connection: connected({ status, staleSinceMs: 50 }),
      });
    const acknowledged = { connection: 'read', 'death s-w1': '100', drops: '7' };
    const idsOf = (count: number) => unacknowledged(at(count), acknowledged).map(({ id }) => id);
    expect(idsOf(7)).toEqual(['connection']);
    expect(idsOf(8)).toEqual(['connection', 'drops']);
    expect(at(7)[0]?.lasting).toEqual({ kind: 'standing', until: 'stands until it is back' });
  });
});
