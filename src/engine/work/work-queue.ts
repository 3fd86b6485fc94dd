/**
 * A queue of the work plane: its one consumer, and how a task gets into it (protocol.md §1, W1, W2).
 * Law: whoever comes first makes the consumer; nobody who comes later makes it another one.
 */
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import { buildSubject, checkToken } from '../../shared/protocol/subject.ts';
import type { Consumer, ConsumerSpec, DurablePlane, Stream } from '../bus/durable.ts';
import { defaultMaxRetries } from './retry-policy.ts';

export interface QueuePlace {
  readonly workspace: string;
  readonly queue: string;
}

export interface OpenQueue {
  readonly consumer: Consumer;
  readonly spec: ConsumerSpec;
}

/** A claim is held for so long without a word of its worker (W1). */
export const ackWaitMs = 30_000;
const maxInFlight = 1024;

/** Subject of a queue's tasks. Throws `invalid-subject`. */
export function taskSubject({ workspace, queue }: QueuePlace): string {
  return buildSubject({ plane: 'work', workspace, entity: queue, verb: 'task' });
}

/** Name of the stream of tasks. */
export function workStreamOf(workspace: string): string {
  return `VAK_WORK_${checkToken(workspace, 'workspace')}`;
}

/** The queue of a consumer's name; undefined if it is that of none. */
export function queueOfConsumer(name: string): string | undefined {
  return name.startsWith('queue-') ? name.slice('queue-'.length) : undefined;
}

/** The queue's consumer. `maxRetries`: tries after the first. */
export function queueConsumer(place: QueuePlace, maxRetries = defaultMaxRetries): ConsumerSpec {
  const filter = taskSubject(place);
  return {
    ...{ name: `queue-${place.queue}`, filter, ackWaitMs, maxDeliver: maxRetries + 1, maxInFlight, start: 'all' },
  };
}

async function makeConsumer(stream: Stream, wanted: ConsumerSpec, { workspace, queue }: QueuePlace): Promise<Consumer> {
  try {
    return await stream.ensureConsumer(wanted);
  } catch (error) {
    if (!isVakError(error, 'not-found')) throw error;
    const message = `queue ${queue}: the server has no streams of workspace ${workspace}; whoever may administer it makes them once with vak provision`;
    throw new VakError('not-found', message, { cause: error });
  }
}

/**
 * The queue as it is, or made now. Without `maxRetries` whatever it allows is taken. Throws `conflict` if it is there and allows other
 * retries, `not-found` (there is no stream of tasks), and what asking throws.
 */
export async function openQueue(durable: DurablePlane, place: QueuePlace, maxRetries?: number): Promise<OpenQueue> {
  const wanted = queueConsumer(place, maxRetries);
  const stream = durable.stream(workStreamOf(place.workspace));
  const consumer = stream.consumer(wanted.name);
  try {
    const { spec } = await consumer.state();
    if (maxRetries === undefined || spec.maxDeliver === wanted.maxDeliver) return { consumer, spec };
  } catch (error) {
    if (!isVakError(error, 'not-found')) throw error;
    return { consumer: await makeConsumer(stream, wanted, place), spec: wanted };
  }
  const message = `queue ${place.queue}: it was made with other retries; leave them out, or take another queue`;
  throw new VakError('conflict', message, { details: { field: 'maxRetries' } });
}
