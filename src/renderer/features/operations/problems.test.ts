import { describe, expect, it } from 'vitest';
import type { QuarantineState, StreamsStatus } from '../../../shared/contract/streams-contract.ts';
import type { WorkerSummary } from '../../../shared/contract/swarm-contract.ts';
import type { RefusalReason } from '../../../shared/contract/trust-report.ts';
import { findProblems } from './problems.ts';

const flow = (droppedCount: number) => ({ droppedCount }) as StreamsStatus;

function worker(peer: string, diedAtMs?: number): WorkerSummary {
  const death =
    diedAtMs === undefined ? null : { atMs: diedAtMs, exitCode: null, signal: 'SIGKILL', reason: 'killed by SIGKILL' };
  const state = death === null ? 'idle' : 'dead';
  return { peer, session: `s-${peer}`, pid: null, state, task: null, death, doneCount: 0, failedCount: 0 };
}

function refused(counts: Partial<Record<RefusalReason, number>>, newestMs?: number): QuarantineState {
  const none = { malformed: 0, misplaced: 0, plain: 0, unsigned: 0, chain: 0, signature: 0, unopenable: 0 };
  const newest = { seq: 1, subject: 's', sizeBytes: 1, reason: 'plain', why: '' } as const;
  return {
    refusedCount: Object.values(counts).reduce((sum, count) => sum + count, 0),
    countByReason: { ...none, ...counts },
    recent: newestMs === undefined ? [] : [{ ...newest, atMs: newestMs }],
    capacity: 256,
  };
}

describe('what is wrong now', () => {
  it('is nothing before anything is known, and nothing when all is well', () => {
    expect(findProblems({ flow: undefined, swarm: undefined, quarantine: undefined })).toEqual([]);
    const swarm = { state: 'running', workers: [worker('w1')] } as const;
    expect(findProblems({ flow: flow(0), swarm, quarantine: refused({}) })).toEqual([]);
  });

  it('names every dead worker with its cause, the latest first, then the drops', () => {
    const problems = findProblems({
      flow: flow(1204),
      swarm: { state: 'running', workers: [worker('w1', 10), worker('w2'), worker('w3', 20)] },
      quarantine: undefined,
    });
    expect(problems.map(({ id }) => id)).toEqual(['death w3', 'death w1', 'drops']);
    expect(problems[0]).toMatchObject({ why: 'killed by SIGKILL', session: 's-w3', atMs: 20, tone: 'bad' });
  });

  it('E8 counts what was refused by its reasons, the most frequent first, and stands by its newest', () => {
    const problems = findProblems({
      flow: flow(1),
      swarm: { state: 'running', workers: [worker('w1', 10), worker('w2', 30)] },
      quarantine: refused({ plain: 2, signature: 40, chain: 1 }, 20),
    });
    expect(problems.map(({ id }) => id)).toEqual(['death w2', 'refused', 'death w1', 'drops']);
    expect(problems[1]).toMatchObject({
      title: '43 messages refused since the start',
      why: '40 invalid signature · 2 sent plain · 1 broken chain',
      tone: 'bad',
      place: 'quarantine',
    });
  });

  it('E8 one refused message is one message', () => {
    const [problem] = findProblems({ flow: undefined, swarm: undefined, quarantine: refused({ malformed: 1 }) });
    expect(problem).toMatchObject({ title: '1 message refused since the start', why: '1 malformed' });
  });
});
