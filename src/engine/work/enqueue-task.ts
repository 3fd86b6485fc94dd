/**
 * How a task is checked and its queue made ready before it is published (protocol.md W1, W2, §3).
 * Law: what no worker could run is refused before anything is sent; a task never asks for more retries than its queue allows.
 */
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import type { PayloadOf } from '../../shared/protocol/payloads.ts';
import type { DurablePlane } from '../bus/durable.ts';
import { defaultMaxRetries } from './retry-policy.ts';
import { openQueue, type QueuePlace } from './work-queue.ts';
import { checkRunnable } from './worker-requests.ts';

/** Throws `invalid-payload` that names the field unless a worker could run the task; for an input its handler stands in. */
export function checkForWorker(task: PayloadOf<'vak.work.task'>): void {
  const { input: _, ...rest } = task;
  checkRunnable(task.command === undefined ? { ...rest, command: ['sh'] } : task);
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

/**
 * Opens the queue for a task that wants so many retries; `field` names them to who asked. Throws `conflict` if they are more than its
 * queue allows, `not-found` (there is no stream of tasks).
 */
export async function openForTask(
  durable: DurablePlane,
  place: QueuePlace,
  { maxRetries, field }: { readonly maxRetries: number | undefined; readonly field: string },
): Promise<void> {
  const allowed = await retriesOf(durable, place, maxRetries);
  if (maxRetries === undefined || maxRetries <= allowed) return;
  const message = `${field}: queue ${place.queue} allows ${allowed} retries, and was made so; ask for fewer, or take another queue`;
  throw new VakError('conflict', message, { details: { field } });
}
