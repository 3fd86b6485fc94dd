/** Where the local swarm publishes, everywhere in the same words. Pure. Law: it goes where the connection goes, and that is said. */
import type { ConnectionContext, ConnectionsState } from '../../shared/contract/connections-contract.ts';
import type { SwarmState, WorkerSummary } from '../../shared/contract/swarm-contract.ts';
import { placeWords, publishFault } from './connection-words.ts';
import { formatCount } from './format.ts';
import { isLiveWorker } from './live-worker.ts';

/** Workers that have a process, and so publish. */
export function liveWorkers(swarm: Pick<SwarmState, 'workers'> | undefined): number {
  return swarm?.workers.filter(isLiveWorker).length ?? 0;
}

const workersOf = (count: number): string =>
  `${formatCount(count)} ${count === 1 ? 'worker' : 'workers'} of the local swarm`;

/** Before the connection is changed: what that does to these workers. */
export function moveWords(
  count: number,
  context: Pick<ConnectionContext, 'name' | 'kind' | 'url' | 'isReadOnly'>,
): string {
  if (context.isReadOnly) return `${workersOf(count)} will publish nothing: ${context.name} is read-only.`;
  const place = context.name === context.kind ? context.name : `${context.name} (${placeWords(context)})`;
  return `${workersOf(count)} will publish to ${place}.`;
}

/** After it was changed: where these workers publish. */
export function movedWords(count: number, state: ConnectionsState): string {
  const fault = publishFault(state);
  return fault === undefined
    ? `${workersOf(count)} ${count === 1 ? 'publishes' : 'publish'} to ${state.current} now.`
    : `${workersOf(count)} cannot publish: ${fault}.`;
}

/** `publishes to prod`, or why it does not. */
export function publishesWords(state: ConnectionsState): string {
  const fault = publishFault(state);
  return fault === undefined ? `publishes to ${state.current}` : `cannot publish: ${fault}`;
}

/** The state of a worker in a word: one that could work, and whose words would reach nobody, is not idle. */
export function workerWord({ state }: Pick<WorkerSummary, 'state'>, fault: string | undefined): string {
  return state === 'idle' && fault !== undefined ? 'cannot publish' : state;
}
