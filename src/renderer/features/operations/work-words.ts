/** What the Operations Center says of the work as a whole. Pure. */
import type { ConnectionsState } from '../../../shared/contract/connections-contract.ts';
import type { QueueState, QueuesState } from '../../../shared/contract/queues-contract.ts';
import { staleWords } from '../../ui/connection-words.ts';
import { formatAge, formatCount, formatTimeOfDay, type Zone } from '../../ui/format.ts';

export type Trend = QueueState['trend'];

export const trendWords: Readonly<Record<Trend, string>> = { rising: 'rising', falling: 'falling', steady: 'steady' };

export interface QueueChoice {
  /** Those with the most to do, by name: a place does not change with each figure. */
  readonly shown: readonly QueueState[];
  readonly restCount: number;
  readonly restLag: number;
}

const maxShown = 5;

/** The queues that are shown here; the rest is counted. */
export function chooseQueues({ queues, leftOutCount }: Pick<QueuesState, 'queues' | 'leftOutCount'>): QueueChoice {
  const byLag = [...queues].sort((a, b) => b.lag - a.lag || (a.queue < b.queue ? -1 : 1));
  const rest = byLag.slice(maxShown);
  return {
    shown: byLag.slice(0, maxShown).sort((a, b) => (a.queue < b.queue ? -1 : 1)),
    restCount: rest.length + leftOutCount,
    restLag: rest.reduce((sum, { lag }) => sum + lag, 0),
  };
}

/** `3 more queues · 12 tasks`; undefined: all are shown. */
export function restWords({ restCount, restLag }: QueueChoice): string | undefined {
  if (restCount === 0) return undefined;
  const queues = `${formatCount(restCount)} more ${restCount === 1 ? 'queue' : 'queues'}`;
  return `${queues} · ${formatCount(restLag)} ${restLag === 1 ? 'task' : 'tasks'}`;
}

/** How long the oldest task of a queue has stood there. */
export function oldestWords({ oldestMs }: Pick<QueueState, 'oldestMs'>, nowMs: number): string {
  return oldestMs === null ? '–' : formatAge(nowMs - oldestMs);
}

/** How current the figures are; undefined: they are of now. */
export function ageWords(
  queues: Pick<QueuesState, 'readAtMs' | 'problem'>,
  connection: ConnectionsState | undefined,
  zone: Zone,
): string | undefined {
  const stale = connection && staleWords(connection, zone);
  if (stale !== undefined) return stale;
  if (queues.readAtMs === null) return queues.problem === null ? 'reading…' : 'not read yet';
  return queues.problem === null ? undefined : `as of ${formatTimeOfDay(queues.readAtMs, zone)}`;
}
