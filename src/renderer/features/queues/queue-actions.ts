/** What can be done with queues; the palette, the keys and the buttons share it. */
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { Action } from '../../actions/action-registry.ts';
import type { Workbench } from '../../workbench.tsx';
import { type QueueSituation, whyNotEnqueue, whyNotPause, whyNotPurge, whyNotResume } from './queue-reasons.ts';
import type { QueueWork } from './queue-work.ts';

const group = 'Queues';

export interface QueueActionsDeps extends Pick<Workbench, 'mirror' | 'view'> {
  readonly work: Pick<QueueWork, 'enqueue' | 'pause' | 'resume' | 'requestPurge'>;
}

function situationOf({ mirror, view }: QueueActionsDeps): QueueSituation {
  const { 'connections.state': connection, 'queues.state': state } = mirror.getState();
  return { connection, state, selected: view.getState().selectedQueue };
}

/** "Enqueue a task…", from anywhere; its key is one of the Queues view. */
export function createEnqueueAction(deps: QueueActionsDeps, isQueuesView: boolean): Action {
  return {
    id: 'queues.enqueue',
    title: 'Enqueue a task…',
    group,
    ...(isQueuesView ? { keys: ['e'] } : {}),
    disabledReason: () => whyNotEnqueue(situationOf(deps)),
    run: () => deps.work.enqueue(isQueuesView ? deps.view.getState().selectedQueue : null),
  };
}

export interface SelectedQueue {
  /** Null: none is selected. */
  readonly queue: string | null;
  readonly isPaused: boolean;
}

/** What is done with the selected queue: it is paused, or resumed where it is paused, and purged. */
export function createSelectedActions(deps: QueueActionsDeps, { queue, isPaused }: SelectedQueue): readonly Action[] {
  const { work } = deps;
  const name = queue === null ? 'the selected queue' : visibleText(queue);
  const run = (call: (queue: string) => Promise<void>) => async (): Promise<void> => {
    if (queue !== null) await call(queue);
  };
  const pause: Action = {
    id: 'queues.pause',
    title: `Pause ${name}`,
    group,
    keys: ['p'],
    disabledReason: () => whyNotPause(situationOf(deps)),
    run: run(work.pause),
  };
  const resume: Action = {
    id: 'queues.resume',
    title: `Resume ${name}`,
    group,
    keys: ['p'],
    disabledReason: () => whyNotResume(situationOf(deps)),
    run: run(work.resume),
  };
  return [
    isPaused ? resume : pause,
    {
      id: 'queues.purge',
      title: `Purge ${name}…`,
      group,
      keys: ['Delete'],
      disabledReason: () => whyNotPurge(situationOf(deps)),
      run: run(work.requestPurge),
    },
  ];
}

/** How the view is gone through. */
export interface QueueMoves {
  readonly open: () => void;
  readonly focusFilter: () => void;
  readonly copyName: () => void;
  readonly sort: (order: string) => void;
}

export function createMoveActions(moves: QueueMoves): readonly Action[] {
  const go = (id: string, title: string, keys: readonly string[]) => ({ id: `queues.${id}`, title, group, keys });
  const sort = (id: string, title: string, order: string): Action => ({
    ...{ id: `queues.sort.${id}`, title, group, run: () => moves.sort(order) },
  });
  return [
    { ...go('open', 'Open the selected queue', ['Enter']), run: moves.open },
    { ...go('filter', 'Filter the queues', ['/']), run: moves.focusFilter },
    { ...go('copyName', 'Copy the name of the selected queue', ['y']), run: moves.copyName },
    sort('name', 'Sort queues by name', 'name'),
    sort('state', 'Sort queues by state, worst first', '-state'),
    sort('lag', 'Sort queues by lag, largest first', '-lag'),
    sort('oldest', 'Sort queues by their oldest task', '-oldest'),
  ];
}
