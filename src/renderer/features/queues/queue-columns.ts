/** The columns of the table of queues, from left to right. */
import type { QueueColumn } from './queue-order.ts';

export interface ColumnHead {
  readonly id: QueueColumn;
  readonly title: string;
  /** What it counts, with its unit. */
  readonly meaning: string;
  readonly isNumber: boolean;
}

export const queueColumns: readonly ColumnHead[] = [
  { id: 'name', title: 'Queue', meaning: 'Name of the queue', isNumber: false },
  { id: 'state', title: 'State', meaning: 'Whether its tasks are worked on', isNumber: false },
  {
    id: 'lag',
    title: 'Lag',
    meaning: 'Tasks that are not done: pending and in flight; its line over the last minutes',
    isNumber: true,
  },
  { id: 'pending', title: 'Pending', meaning: 'Tasks that are not delivered yet', isNumber: true },
  {
    id: 'inFlight',
    title: 'In flight',
    meaning: 'Tasks that are claimed, or wait for their next attempt',
    isNumber: true,
  },
  { id: 'redelivered', title: 'Redeliv.', meaning: 'Tasks that were delivered more than once', isNumber: true },
  { id: 'oldest', title: 'Oldest', meaning: 'Age of the oldest task that stands in it', isNumber: true },
  { id: 'in', title: 'In /s', meaning: 'Tasks a second that came, over the last minute', isNumber: true },
  { id: 'out', title: 'Out /s', meaning: 'Tasks a second that left, over the last minute', isNumber: true },
  { id: 'drain', title: 'Drained in', meaning: 'Time until it is empty, at these rates', isNumber: true },
  { id: 'waiting', title: 'Claims', meaning: 'Claims of workers that wait for a task now', isNumber: true },
  { id: 'claim', title: 'Last claim', meaning: 'How long ago a task was last delivered', isNumber: true },
];
