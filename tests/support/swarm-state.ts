/** States of the local swarm as a window gets them. */
import type { SwarmState, WorkerSummary } from '../../src/shared/contract/swarm-contract.ts';

export function swarmStateOf(change: Partial<SwarmState> = {}): SwarmState {
  return {
    ...{ state: 'running', workers: [], queue: 'local', problem: null, keptOut: null },
    coordinator: { kind: 'running', why: null },
    ...change,
  };
}

export function workerOf(peer: string, change: Partial<WorkerSummary> = {}): WorkerSummary {
  return {
    ...{ peer, session: `s-${peer}`, kind: 'queue', pid: null, state: 'idle', task: null, death: null, problem: null },
    ...{ doneCount: 0, failedCount: 0, cancelledCount: 0 },
    ...change,
  };
}
