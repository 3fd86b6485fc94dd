/** Which workers still have a process. */
import type { WorkerSummary } from '../../shared/contract/swarm-contract.ts';

export function isLiveWorker({ state }: Pick<WorkerSummary, 'state'>): boolean {
  return state !== 'dead' && state !== 'ended';
}
