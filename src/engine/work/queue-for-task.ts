/**
 * Opens the queue that a task goes into (protocol.md W2, W2c).
 * Law: a task never asks for more retries than its queue allows; the queue is made by its first task, with as many as that wants.
 */
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import { checkPayload, type PayloadOf } from '../../shared/protocol/payloads.ts';
import type { DurablePlane } from '../bus/durable.ts';
import { defaultMaxRetries } from './retry-policy.ts';
import { openQueue, type QueuePlace } from './work-queue.ts';
import { checkRunnable } from './worker-requests.ts';

/** How often a task may be tried after the first time, and what it was called where it was given. */
export interface WantedRetries {
  /** Undefined: as many as its queue allows. */
  readonly count: number | undefined;
  readonly field: string;
}

/** Throws `invalid-payload` that names the field unless a worker could run it; an input is its handler's business. */
export function checkForWorker(value: unknown): PayloadOf<'vak.work.task'> {
  const task = checkPayload('vak.work.task', value);
  const { input: _, ...rest } = task;
  checkRunnable(task.command === undefined ? { ...rest, command: ['sh'] } : task);
  return task;
}

/** Tries after the first that a queue allows. It is made if it is not there, with as many as are wanted, if that is more than usual. */
async function retriesOf(durable: DurablePlane, place: QueuePlace, wanted: number | undefined): Promise<number> {
  const open = async (maxRetries?: number): Promise<number> =>
    (await openQueue(durable, place, maxRetries)).spec.maxDeliver - 1;
  if (wanted === undefined || wanted <= defaultMaxRetries) return await open();
  try {
    return await open(wanted);
  } catch (error) {
    if (!isVakError(error, 'conflict')) throw error;
    return await open();
  }
}

/** Opens the queue for a task. Throws `conflict` if the task wants more retries than its queue allows, and what opening throws. */
export async function openQueueFor(
  durable: DurablePlane,
  place: QueuePlace,
  { count, field }: WantedRetries,
): Promise<void> {
  const allowed = await retriesOf(durable, place, count);
  if (count === undefined || count <= allowed) return;
  const message = `${field}: queue ${place.queue} allows ${allowed} retries, and was made so; ask for fewer, or take another queue`;
  throw new VakError('conflict', message, { details: { field } });
}
