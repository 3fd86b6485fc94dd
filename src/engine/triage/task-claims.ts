/**
 * Which tasks a worker has claimed, as the queue's consumer tells it (protocol.md W1, W9; docs/spec/triage.md D13).
 * Law: the engine's own word; nothing is claimed and no consumer is made to hear it.
 */
import { isVakError } from '../../shared/base/vak-error.ts';
import type { DurablePlane } from '../bus/durable.ts';
import { queueConsumer, workStreamOf } from '../work/work-queue.ts';

/** A task's queue and its place in the stream of tasks; null: it is not known. */
export interface TaskPlace {
  readonly queue: string;
  readonly seq: number | null;
}

export interface TaskClaims {
  /** Asks about the queues of these. Throws what asking throws. */
  look(tasks: readonly TaskPlace[]): Promise<void>;
  /** Whether it was delivered to somebody by the last look. */
  has(task: TaskPlace): boolean;
}

/** Queues that are asked about at one look; the others at the next ones. */
const maxQueues = 16;

/** Creates it for the workspace's queues on one engine. */
export function createTaskClaims({
  workspace,
  durable,
}: {
  readonly workspace: string;
  readonly durable: DurablePlane;
}): TaskClaims {
  const reached = new Map<string, number>();
  let next = 0;

  async function ask(queue: string): Promise<void> {
    const { name } = queueConsumer({ workspace, queue });
    try {
      const { deliveredSeq } = await durable.stream(workStreamOf(workspace)).consumer(name).state();
      reached.set(queue, deliveredSeq);
    } catch (error) {
      // Nobody has made it yet, or may see it: then its first attempt tells.
      if (!isVakError(error, 'not-found') && !isVakError(error, 'forbidden')) throw error;
    }
  }

  return {
    async look(tasks) {
      const queues = [...new Set(tasks.map(({ queue }) => queue))].sort();
      const from = queues.length > maxQueues ? next % queues.length : 0;
      next = from + maxQueues;
      for (const queue of [...queues, ...queues].slice(from, from + Math.min(maxQueues, queues.length)))
        await ask(queue);
    },
    has: ({ queue, seq }) => seq !== null && seq <= (reached.get(queue) ?? 0),
  };
}
