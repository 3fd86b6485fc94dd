/** Why something cannot be done with a queue now. Pure; undefined: it can. */
import type { ConnectionsState } from '../../../shared/contract/connections-contract.ts';
import type { QueueState, QueuesState } from '../../../shared/contract/queues-contract.ts';
import { publishLack } from '../../ui/connection-words.ts';

export interface QueueSituation {
  readonly connection: ConnectionsState | undefined;
  readonly state: QueuesState | undefined;
  /** Null: none is selected. */
  readonly selected: string | null;
}

/** The selected queue, if it is there. */
function selectedQueue({ state, selected }: Pick<QueueSituation, 'state' | 'selected'>): QueueState | undefined {
  return selected === null ? undefined : state?.queues.find(({ queue }) => queue === selected);
}

export function whyNotEnqueue({ connection }: Pick<QueueSituation, 'connection'>): string | undefined {
  return publishLack(connection);
}

function whyNotChange(situation: QueueSituation): string | undefined {
  if (situation.selected === null) return 'select a queue first';
  return publishLack(situation.connection) ?? (selectedQueue(situation) === undefined ? 'it is gone' : undefined);
}

export function whyNotPause(situation: QueueSituation): string | undefined {
  return whyNotChange(situation) ?? (selectedQueue(situation)?.paused === null ? undefined : 'it is paused already');
}

export function whyNotResume(situation: QueueSituation): string | undefined {
  return whyNotChange(situation) ?? (selectedQueue(situation)?.paused === null ? 'it is not paused' : undefined);
}

export function whyNotPurge(situation: QueueSituation): string | undefined {
  return whyNotChange(situation) ?? (selectedQueue(situation)?.lag === 0 ? 'nothing stands in it' : undefined);
}
