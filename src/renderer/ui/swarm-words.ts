/** Where the local swarm publishes, everywhere in the same words. Pure. Law: it goes where the connection goes, and that is said. */
import { visibleText } from '../../shared/base/visible-text.ts';
import type { ConnectionContext, ConnectionsState } from '../../shared/contract/connections-contract.ts';
import type { RunningTask, SwarmState, WorkerSummary } from '../../shared/contract/swarm-contract.ts';
import { commandTitle } from '../../shared/protocol/command-title.ts';
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

/** What a worker is at, in a line. A command of the queue came over the bus: it is made visible. */
export function taskWords({ command, isWaiting }: RunningTask): string {
  const title = visibleText(commandTitle(command));
  return isWaiting ? `waits for approval: ${title}` : title;
}

/** Names in a line: `swarm, worker-1, worker-2 and 4 more`. */
function namesOf(peers: readonly string[]): string {
  const shown = peers.length > 4 ? peers.slice(0, 3) : peers;
  const more = peers.length - shown.length;
  return more === 0 ? shown.join(', ') : `${shown.join(', ')} and ${formatCount(more)} more`;
}

/** Whom the server does not let in, why, and what to do. */
export function keptOutWords({ peers, why }: NonNullable<SwarmState['keptOut']>): string {
  return `${namesOf(peers)}: ${why}.`;
}

/** What is wrong with the swarm as a whole, in a sentence; undefined: nothing. */
export function swarmTrouble({ problem, coordinator, keptOut }: SwarmState): string | undefined {
  if (problem !== null) return `${problem}.`;
  if (keptOut !== null) return keptOutWords(keptOut);
  if (coordinator.kind === 'failed') return `No tasks are put into the queue: ${coordinator.why ?? 'see the log'}.`;
  return undefined;
}

/** The state of a worker in a word: one that could work, and whose words would reach nobody, is not idle. */
export function workerWord(
  { state, task, problem }: Pick<WorkerSummary, 'state'> & Partial<Pick<WorkerSummary, 'task' | 'problem'>>,
  fault: string | undefined,
): string {
  if (state === 'idle' && fault !== undefined) return 'cannot publish';
  if (state === 'idle' && typeof problem === 'string') return 'cannot claim';
  return task?.isWaiting === true ? 'waiting' : state;
}
