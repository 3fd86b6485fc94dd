import { describe, expect, it } from 'vitest';
import { swarmStateOf, workerOf } from '../../../../tests/support/swarm-state.ts';
import type { ConnectionsState } from '../../../shared/contract/connections-contract.ts';
import type { Incident, OperationsState } from '../../../shared/contract/operations-contract.ts';
import type { QueuesState } from '../../../shared/contract/queues-contract.ts';
import type { QuarantineState, StreamsStatus } from '../../../shared/contract/streams-contract.ts';
import type { WorkerSummary } from '../../../shared/contract/swarm-contract.ts';
import type { RefusalReason } from '../../../shared/contract/trust-report.ts';
import type { IncidentKind } from '../../../shared/protocol/incident-kinds.ts';
import { findProblems, isAcknowledged, type ProblemSources } from './problems.ts';

const nothing: ProblemSources = {
  ...{ flow: undefined, swarm: undefined, quarantine: undefined, connection: undefined },
  ...{ work: undefined, queues: undefined, provisioning: undefined },
};

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
    expect(findProblems({ ...nothing, connection: connected({ missing }) })).toMatchObject([
      { id: 'store', tone: 'bad', title: 'The store is read-only', why: `${why}.` },
    ]);
  });

  it('B8 an outbox that cannot be used is said', () => {
    const problem = { code: 'read-only', message: 'outbox: it is damaged', retryable: false } as const;
    const outbox = { waitingCount: 0, oldestMs: null, problem };
    expect(findProblems({ ...nothing, connection: connected({ outbox }) })).toMatchObject([
      { id: 'outbox', tone: 'bad', why: 'outbox: it is damaged.' },
    ]);
  });

  it('B3 a server without streams is a problem that says how they are made, and leads to the connections', () => {
    const provisioning = { lacking: ['VAK_WORK_ws', 'VAK_DLQ_ws'] };
    const [problem, ...others] = findProblems({ ...nothing, provisioning, connection: connected({}) });
    expect(problem).toMatchObject({ id: 'streams', title: 'prod lacks 2 streams of this workspace', tone: 'bad' });
    expect(problem?.next).toContain('vak provision');
    expect([problem?.place.kind, others]).toEqual(['connections', []]);
  });

  it('is nothing before anything is known, and nothing when all is well', () => {
    expect(findProblems(nothing)).toEqual([]);
    const swarm = swarmStateOf({ workers: [worker('w1')] });
    expect(
      findProblems({ ...nothing, flow: flow(0), swarm, quarantine: refused({}), connection: connected({}) }),
    ).toEqual([]);
  });

  it('names every dead worker with its cause, the latest first, then the drops', () => {
    const problems = findProblems({
      ...nothing,
      flow: flow(1204),
      swarm: swarmStateOf({ workers: [worker('w1', 10), worker('w2'), worker('w3', 20)] }),
    });
    expect(problems.map(({ id }) => id)).toEqual(['death s-w3', 'death s-w1', 'drops']);
    expect(problems[0]).toMatchObject({ why: 'killed by SIGKILL', place: { session: 's-w3' }, atMs: 20, tone: 'bad' });
  });

  it('E8 counts what was refused by its reasons, the most frequent first', () => {
    const problems = findProblems({
      ...nothing,
      flow: flow(1),
      swarm: swarmStateOf({ workers: [worker('w1', 10), worker('w2', 30)] }),
      quarantine: refused({ plain: 2, signature: 40, chain: 1 }, 20),
    });
    expect(problems.map(({ id }) => id)).toEqual(['refused', 'death s-w2', 'death s-w1', 'drops']);
    expect(problems[0]).toMatchObject({
      title: '43 messages refused since the start',
      why: '40 invalid signature · 2 sent plain · 1 broken chain',
      tone: 'bad',
      place: { kind: 'quarantine' },
    });
  });

  it('E8 one refused message is one message', () => {
    const [problem] = findProblems({ ...nothing, quarantine: refused({ malformed: 1 }) });
    expect(problem).toMatchObject({ title: '1 message refused since the start', why: '1 malformed' });
  });

  const error = { code: 'unauthorized', message: 'The server refused the credentials.', retryable: false } as const;

  it('B8 a lost connection stands first, since it was lost and not since the last attempt', () => {
    const status = { kind: 'reconnecting', sinceMs: 90, attempt: 3, error: null } as const;
    const problems = findProblems({
      ...nothing,
      swarm: swarmStateOf({ workers: [worker('w1', 100)] }),
      connection: connected({ status, staleSinceMs: 50 }),
    });
    expect(problems.map(({ id }) => id)).toEqual(['connection', 'death s-w1']);
    expect(problems[0]).toMatchObject({
      title: 'Not connected to prod',
      atMs: 50,
      tone: 'bad',
      place: { kind: 'connections' },
    });
    expect(problems[0]?.why).toContain('attempt 3');
  });

  it('B8 one that is closed or stale says so; one that connects for the first time is no problem', () => {
    const [closed] = findProblems({
      ...nothing,
      connection: connected({ status: { kind: 'closed', sinceMs: 7, error } }),
    });
    expect(closed).toMatchObject({ atMs: 7, why: expect.stringContaining('refused the credentials') });
    const [stale] = findProblems({
      ...nothing,
      connection: connected({ status: { kind: 'stale', sinceMs: 8 }, staleSinceMs: 8 }),
    });
    expect(stale).toMatchObject({ title: 'prod is stale', tone: 'wait' });
    expect(findProblems({ ...nothing, connection: connected({ status: { kind: 'connecting', sinceMs: 1 } }) })).toEqual(
      [],
    );
  });

  it('names the change of the connection that failed last', () => {
    const problems = findProblems({ ...nothing, connection: connected({ problem: error }) });
    expect(problems).toMatchObject([
      {
        id: 'connection-change',
        why: expect.stringContaining('refused the credentials'),
        place: { kind: 'connections' },
      },
    ]);
  });

  it('B8 outages that are over are said once, by the last of them; one that lasts is the connection’s', () => {
    const outages = [
      { fromMs: 10, toMs: 20, afterSeq: 1 },
      { fromMs: 1_000, toMs: 13_000, afterSeq: 2 },
      { fromMs: 20_000, toMs: null, afterSeq: 3 },
    ];
    expect(findProblems({ ...nothing, connection: connected({ outages }) })).toMatchObject([
      {
        id: 'outage',
        title: '2 outages are over',
        atMs: 13_000,
        place: { kind: 'outage' },
        tone: 'wait',
        lasting: { mark: '1000' },
      },
    ]);
    expect(findProblems({ ...nothing, connection: connected({ outages: outages.slice(2) }) })).toEqual([]);
  });

  it('a past event that was acknowledged as it is goes; one that has grown, and a condition that stands, do not', () => {
    const status = { kind: 'reconnecting', sinceMs: 90, attempt: 3, error: null } as const;
    const at = (count: number) =>
      findProblems({
        ...nothing,
        flow: flow(count),
        swarm: swarmStateOf({ workers: [worker('w1', 100)] }),
        connection: connected({ status, staleSinceMs: 50 }),
      });
    const acknowledged = { connection: 'read', 'death s-w1': '100', drops: '7' };
    const idsOf = (count: number) =>
      at(count)
        .filter((one) => !isAcknowledged(one, acknowledged))
        .map(({ id }) => id);
    expect(idsOf(7)).toEqual(['connection']);
    expect(idsOf(8)).toEqual(['connection', 'drops']);
    expect(at(7)[0]?.lasting).toEqual({ kind: 'standing', until: 'stands until it is back' });
  });

  function incident(kind: IncidentKind, more: Partial<Incident> = {}): Incident {
    const isStanding = ['lag', 'age', 'stuck', 'no-consumer', 'supervisor'].includes(kind);
    return {
      ...{
        id: `${kind}:q`,
        kind,
        tone: isStanding ? 'wait' : 'bad',
        title: kind,
        why: 'why.',
        next: 'next.',
        queue: 'q',
      },
      ...{ place: { kind: 'queue', queue: 'q' }, firstMs: 10, lastMs: 40, count: 3, weight: 3, isStanding },
      ...{ acknowledged: null, isMuted: false, records: [], ...more },
    };
  }
  const work = (...incidents: Incident[]) => ({ incidents }) as unknown as OperationsState;

  it('product.md incidents of the engine and what this window knows are one list, the worst first', () => {
    const problems = findProblems({
      flow: flow(5),
      swarm: swarmStateOf({ workers: [worker('w1', 100)] }),
      quarantine: refused({ plain: 1 }, 20),
      connection: connected({ staleSinceMs: 50 }),
      work: work(incident('lag'), incident('dead-letters'), incident('lost'), incident('denied'), incident('stuck')),
      queues: undefined,
      provisioning: { lacking: [] },
    });
    expect(problems.map(({ id }) => id)).toEqual([
      ...['connection', 'incident lost:q', 'incident denied:q', 'refused', 'death s-w1', 'incident dead-letters:q'],
      ...['incident stuck:q', 'incident lag:q', 'drops'],
    ]);
  });

  it('product.md a swarm that does not do what it was started for is a problem while it stands', () => {
    const coordinator = { kind: 'failed', why: 'the stream is full' } as const;
    const swarm = swarmStateOf({ problem: 'it may not spawn', coordinator });
    expect(findProblems({ ...nothing, swarm })).toMatchObject([
      { id: 'swarm', why: 'it may not spawn.', tone: 'wait' },
      { id: 'coordinator', why: 'the stream is full.', lasting: { kind: 'standing' } },
    ]);
    expect(findProblems({ ...nothing, swarm: { ...swarm, state: 'stopped' } })).toEqual([]);
  });

  it('A20 peers of the swarm that the server does not let in are one problem, which leads to the export', () => {
    const keptOut = { peers: ['swarm', 'worker-1', 'worker-2', 'worker-3', 'worker-4'], why: 'it was not told' };
    expect(findProblems({ ...nothing, swarm: swarmStateOf({ keptOut }) })).toMatchObject([
      {
        ...{ id: 'kept-out', tone: 'bad', place: { kind: 'access' }, lasting: { kind: 'standing' } },
        title: 'The server does not let in 5 peers of the local swarm',
        why: 'swarm, worker-1, worker-2 and 2 more: it was not told.',
      },
    ]);
  });

  it('W5 dead letters lead to themselves: those of the queue, of the class that the incident is about', () => {
    const placeOf = (id: string) =>
      findProblems({ ...nothing, work: work({ ...incident('dead-letters'), id }) })[0]?.place;
    const own = { kind: 'letters', filter: 'queue:q' };
    expect(placeOf('dead-letters:q:*')).toEqual(own);
    expect(placeOf('dead-letters:q:a "b"')).toEqual(own);
    expect(placeOf('dead-letters:q:net:timeout')).toEqual({ ...own, filter: 'queue:q error:net:timeout' });
    expect(findProblems({ ...nothing, work: work(incident('lag')) })[0]?.place).toEqual({ kind: 'queue', queue: 'q' });
  });

  it('look.md a line keeps its place while its incident goes on', () => {
    const ids = (lastMs: number) =>
      findProblems({
        ...nothing,
        work: work(
          incident('dead-letters', { id: 'a', firstMs: 10, lastMs }),
          incident('dead-letters', { id: 'b', firstMs: 20, lastMs: 30 }),
        ),
      }).map(({ id }) => id);
    expect(ids(25)).toEqual(['incident b', 'incident a']);
    expect(ids(99)).toEqual(['incident b', 'incident a']);
  });

  it('product.md an event says when it was last and first, a condition since when it stands', () => {
    const [event, condition] = findProblems({ ...nothing, work: work(incident('lost'), incident('lag')) });
    expect(event).toMatchObject({ atMs: 40, firstMs: 10, next: 'next.', lasting: { kind: 'event' } });
    expect(condition).toMatchObject({ atMs: 10, firstMs: null, lasting: { until: 'stands until it is over' } });
  });

  it('product.md the engine says what of its own was acknowledged; what is muted is listed, and asks for no attention', () => {
    const problems = findProblems({
      ...nothing,
      work: work(
        incident('lost', { acknowledged: { atMs: 9 } }),
        incident('denied', { isMuted: true }),
        incident('dead-letters'),
      ),
    });
    expect(problems.map((problem) => isAcknowledged(problem, { 'incident denied:q': '40 3' }))).toEqual([
      ...[true, false, false],
    ]);
    expect(problems.map((problem) => isAcknowledged(problem, {}))).toEqual([true, false, false]);
  });

  it('B8 queues that cannot be read over a sound connection are a problem, and none while there is no connection', () => {
    const problem = { code: 'timeout', message: 'the server does not answer', retryable: true } as const;
    const queues = { readAtMs: 7, problem } as QueuesState;
    expect(findProblems({ ...nothing, queues, connection: connected({}) })).toMatchObject([
      { id: 'unread', atMs: 7, why: 'the server does not answer. What is shown of them may be old.', tone: 'wait' },
    ]);
    const status = { kind: 'reconnecting', sinceMs: 1, attempt: 1, error: null } as const;
    expect(findProblems({ ...nothing, queues, connection: connected({ status }) }).map(({ id }) => id)).toEqual([
      'connection',
    ]);
  });
});
