/**
 * What is wrong with the app itself and its connection, beside the incidents of the work (product.md "Operations Center").
 * Law: these are the same that the Operations Center lists, under the same ids and marks; its test holds both together.
 *
 * Pure: it is given what is known.
 */
import type { ConnectionsState } from '../../shared/contract/connections-contract.ts';
import type { ProvisioningState } from '../../shared/contract/provisioning-contract.ts';
import type { QueuesState } from '../../shared/contract/queues-contract.ts';
import type { QuarantineState, StreamsStatus } from '../../shared/contract/streams-contract.ts';
import type { SwarmState } from '../../shared/contract/swarm-contract.ts';

/** Something that is wrong. */
export interface Alarm {
  /** Stable while it lasts. */
  readonly id: string;
  /** How it is now: an acknowledgement is of this, and what has grown since is news. Null: a condition, which stands until it is over. */
  readonly mark: string | null;
}

/** What they are found in. */
export interface AlarmSources {
  readonly flow: Pick<StreamsStatus, 'droppedCount'>;
  readonly swarm: Pick<SwarmState, 'state' | 'workers' | 'problem' | 'keptOut' | 'coordinator'>;
  readonly quarantine: Pick<QuarantineState, 'refusedCount'>;
  readonly connection: ConnectionsState;
  readonly provisioning: ProvisioningState;
  readonly queues: Pick<QueuesState, 'problem'>;
}

const one = (id: string, isThere: boolean, mark: string | number | null = null): readonly Alarm[] =>
  isThere ? [{ id, mark: mark === null ? null : String(mark) }] : [];

function ofConnection({ status, staleSinceMs, problem, missing, outbox, outages }: ConnectionsState): readonly Alarm[] {
  const isLost = status.kind === 'reconnecting' || status.kind === 'closed';
  const over = outages.filter(({ toMs }) => toMs !== null);
  return [
    ...one('connection', isLost || staleSinceMs !== null),
    ...one('connection-change', problem !== null, problem?.message ?? ''),
    ...one(
      'store',
      missing.some(({ feature }) => feature === 'storing'),
    ),
    ...one('outbox', outbox !== null && outbox.problem !== null),
    ...one('outage', over.length > 0, over.at(-1)?.fromMs ?? 0),
  ];
}

function ofSwarm({ state, workers, problem, keptOut, coordinator }: AlarmSources['swarm']): readonly Alarm[] {
  const isOn = state !== 'stopped';
  return [
    ...workers.flatMap(({ session, death }) => one(`death ${session}`, death !== null, death?.atMs ?? 0)),
    ...one('swarm', isOn && problem !== null),
    ...one('kept-out', isOn && keptOut !== null),
    ...one('coordinator', isOn && coordinator.kind === 'failed'),
  ];
}

/** All that there are now. */
export function alarmsOf({
  flow,
  swarm,
  quarantine,
  connection,
  provisioning,
  queues,
}: AlarmSources): readonly Alarm[] {
  return [
    ...ofConnection(connection),
    ...one('streams', provisioning.lacking.length > 0),
    ...one('unread', queues.problem !== null && connection.status.kind === 'connected'),
    ...ofSwarm(swarm),
    ...one('refused', quarantine.refusedCount > 0, quarantine.refusedCount),
    ...one('drops', flow.droppedCount > 0, flow.droppedCount),
  ];
}

/** Marks of those that were acknowledged, by id. */
export type AlarmMarks = Readonly<Record<string, string>>;

/** Those that nobody has acknowledged as they are. */
export function openAlarms(alarms: readonly Alarm[], marks: AlarmMarks): readonly Alarm[] {
  return alarms.filter(({ id, mark }) => mark === null || marks[id] !== mark);
}
