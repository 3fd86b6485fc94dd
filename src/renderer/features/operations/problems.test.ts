import { describe, expect, it } from 'vitest';
import type { StreamsStatus } from '../../../shared/contract/streams-contract.ts';
import type { WorkerSummary } from '../../../shared/contract/swarm-contract.ts';
import { findProblems } from './problems.ts';

const flow = (droppedCount: number) => ({ droppedCount }) as StreamsStatus;

function worker(peer: string, diedAtMs?: number): WorkerSummary {
  const death =
    diedAtMs === undefined ? null : { atMs: diedAtMs, exitCode: null, signal: 'SIGKILL', reason: 'killed by SIGKILL' };
  const state = death === null ? 'idle' : 'dead';
  return { peer, session: `s-${peer}`, pid: null, state, task: null, death, doneCount: 0, failedCount: 0 };
}

describe('what is wrong now', () => {
  it('is nothing before anything is known, and nothing when all is well', () => {
    expect(findProblems(undefined, undefined)).toEqual([]);
    expect(findProblems(flow(0), { state: 'running', workers: [worker('w1')] })).toEqual([]);
  });

  it('names every dead worker with its cause, the latest first, then the drops', () => {
    const problems = findProblems(flow(1204), {
      state: 'running',
      workers: [worker('w1', 10), worker('w2'), worker('w3', 20)],
    });
    expect(problems.map(({ id }) => id)).toEqual(['death w3', 'death w1', 'drops']);
    expect(problems[0]).toMatchObject({ why: 'killed by SIGKILL', session: 's-w3', atMs: 20, tone: 'bad' });
  });
});
