/**
 * Which queues are listed, and in which order. Pure.
 * Law: the same figures give the same order, ties by name; an order that is held moves no row.
 */
import type { QueueState } from '../../../shared/contract/queues-contract.ts';
import type { HeldRows } from '../../ui/list-moves.ts';
import { healthWords } from '../../ui/queue-health-words.ts';

export type QueueColumn =
  | 'name'
  | 'state'
  | 'lag'
  | 'pending'
  | 'inFlight'
  | 'redelivered'
  | 'oldest'
  | 'in'
  | 'out'
  | 'drain'
  | 'waiting'
  | 'claim';

export interface QueueOrder {
  readonly column: QueueColumn;
  readonly isDescending: boolean;
}

type Compare = (a: QueueState, b: QueueState) => number;

/** Names without regard to case, numbers in them by their value; what is equal then by its code units. */
const byName: Compare = (a, b) =>
  a.queue.localeCompare(b.queue, 'en', { numeric: true, sensitivity: 'base' }) ||
  (a.queue < b.queue ? -1 : a.queue > b.queue ? 1 : 0);

const by =
  (figure: (queue: QueueState) => number): Compare =>
  (a, b) => {
    const [first, second] = [figure(a), figure(b)];
    return first === second ? 0 : first - second;
  };

const severity: Readonly<Record<QueueState['health'], number>> = {
  idle: 0,
  ok: 1,
  waiting: 2,
  paused: 3,
  'no-consumer': 4,
  stuck: 5,
};

const compares: Readonly<Record<QueueColumn, Compare>> = {
  name: byName,
  state: by(({ health }) => severity[health]),
  lag: by(({ lag }) => lag),
  pending: by(({ pendingCount }) => pendingCount),
  inFlight: by(({ inFlightCount }) => inFlightCount),
  redelivered: by(({ redeliveredCount }) => redeliveredCount),
  // The older, the larger its age; nothing has no age.
  oldest: by(({ oldestMs }) => (oldestMs === null ? Number.NEGATIVE_INFINITY : -oldestMs)),
  in: by(({ inPerSec }) => inPerSec),
  out: by(({ outPerSec }) => outPerSec),
  drain: by(({ lag, drainMs }) => (lag === 0 ? -1 : (drainMs ?? Number.POSITIVE_INFINITY))),
  waiting: by(({ waitingCount }) => waitingCount),
  // The longer ago, the larger; never seen is longest.
  claim: by(({ lastClaimMs }) => (lastClaimMs === null ? Number.POSITIVE_INFINITY : -lastClaimMs)),
};

/** Reads `lag`, `-lag`; what is none of the columns is by name. */
export function orderOf(text: string): QueueOrder {
  const isDescending = text.startsWith('-');
  const column = isDescending ? text.slice(1) : text;
  return Object.hasOwn(compares, column)
    ? { column: column as QueueColumn, isDescending }
    : { column: 'name', isDescending: false };
}

/** The order that a click on the head of a column leads to: figures from the largest on first, then the other way round. */
export function nextOrder(order: QueueOrder, column: QueueColumn): string {
  const isDescending = order.column === column ? !order.isDescending : column !== 'name';
  return `${isDescending ? '-' : ''}${column}`;
}

/** Queues whose name or state contains what was typed. */
export function filterQueues(queues: readonly QueueState[], filter: string): readonly QueueState[] {
  const part = filter.trim().toLowerCase();
  if (part === '') return queues;
  return queues.filter(
    ({ queue, health }) => queue.toLowerCase().includes(part) || healthWords[health].word.includes(part),
  );
}

export function sortQueues(queues: readonly QueueState[], { column, isDescending }: QueueOrder): readonly QueueState[] {
  const compare = compares[column];
  return [...queues].sort((a, b) => (isDescending ? -1 : 1) * compare(a, b) || byName(a, b));
}

/** Rows that are held: none has moved, what is gone is gone, what came is at the end. */
export function heldQueues(
  { kept, added }: HeldRows<QueueState>,
  present: readonly QueueState[],
): readonly QueueState[] {
  const names = new Set(present.map(({ queue }) => queue));
  return [...kept.filter(({ queue }) => names.has(queue)), ...added];
}
