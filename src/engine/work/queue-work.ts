/**
 * A worker at its queue: everything between its peer on an engine and what does its tasks (protocol.md W1–W3, W6, W8, W9).
 * Law: one way to set it up, whoever runs it and whatever does the tasks; a queue that is paused when it begins gives it nothing.
 */
import { streamsOf } from '../../shared/protocol/stream-table.ts';
import { type ApprovalGate, createApprovalGate } from './approval-gate.ts';
import { createDeadLetterOffice } from './dead-letter-office.ts';
import { followFlag } from './follow-flag.ts';
import type { QueueFlag } from './queue-flags.ts';
import { createTaskRunner, type TaskHandler, type WorkEvent } from './task-attempt.ts';
import { createTaskIntake } from './task-intake.ts';
import type { WorkPeer, WorkPorts } from './work-peer.ts';
import { type OpenQueue, openQueue, workStreamOf } from './work-queue.ts';
import { startWorkerLoop, type WorkerLoop } from './worker-loop.ts';

/** What does the tasks. */
export interface QueueHandler {
  readonly handle: TaskHandler;
}

export interface QueueWorkDeps<Handler extends QueueHandler> extends WorkPorts {
  /** It stays the caller's. */
  readonly peer: WorkPeer;
  readonly queue: string;
  /** Tasks that may run at the same time. */
  readonly concurrency: number;
  /** Makes what does the tasks; it asks there for what an operator is to approve. */
  readonly createHandler: (approvals: ApprovalGate) => Handler;
  readonly onEvent: (event: WorkEvent) => void;
  /** Told of what an operator said of the queue last, if anything, and of each change. */
  readonly onPaused: (flag: QueueFlag) => void;
  /** What does not count of a flag (`key`) or a verdict, and why. */
  readonly onRefused: (refused: { readonly key?: string; readonly why: string }) => void;
  /** Told once of each time during which nothing can be claimed. */
  readonly onTrouble: (code: string, message: string) => void;
  readonly onBack: () => void;
}

export interface QueueWork<Handler extends QueueHandler> extends Pick<WorkerLoop, 'close' | 'runningCount'> {
  readonly handler: Handler;
}

/** What the workers of a queue do with a task that they have claimed. */
async function createRunner<Handler extends QueueHandler>(
  deps: QueueWorkDeps<Handler>,
  { consumer, spec: { maxDeliver } }: OpenQueue,
) {
  const { peer: own, queue, createHandler, onEvent, onRefused, clock, randomness, logger } = deps;
  const { workspace, peer, bus, durable, publisher, judge, reader } = own;
  const stream = streamsOf(workspace).find(({ name }) => name === workStreamOf(workspace));
  if (stream === undefined) throw new TypeError('there are no tasks in the table of streams');
  const handled = await publisher.handled(stream);
  const common = { workspace, peer, publisher, judge, clock, randomness, logger };
  const office = createDeadLetterOffice({ ...common, durable: () => durable });
  const approvals = createApprovalGate({
    ...{ ...common, durable, bus, onRefused: (why) => onRefused({ why }) },
    // Who asks has claimed a task, at that time or before it.
    engineMs: async () => (await consumer.state()).lastActiveMs ?? undefined,
  });
  const handler = createHandler(approvals);
  const runner = createTaskRunner({
    ...{ ...common, queue, reader, handled, office, maxDeliver, onEvent },
    intake: createTaskIntake({ ...common, reader, handled, office, maxDeliver }),
    handler: handler.handle,
  });
  return { runner, handler };
}

/** Begins to work. Throws what opening the queue throws: `not-found` (the streams are not there) … */
export async function startQueueWork<Handler extends QueueHandler>(
  deps: QueueWorkDeps<Handler>,
): Promise<QueueWork<Handler>> {
  const { peer, queue, concurrency, onPaused, onRefused, onTrouble, onBack, clock, logger } = deps;
  const { workspace, durable } = peer;
  const place = { workspace, queue };
  const queueNow = await openQueue(durable, place);
  const { consumer } = queueNow;
  const { runner, handler } = await createRunner(deps, queueNow);
  let loop: WorkerLoop | undefined;
  let isPaused = false;
  const flag = await followFlag({
    ...{ peer, queue, clock },
    onFlag(next) {
      isPaused = next.isPaused;
      loop?.setPaused(isPaused);
      onPaused(next);
    },
    onRefused: (key, why) => onRefused({ key, why }),
  });
  const started = startWorkerLoop({
    ...{ consumer, runner, concurrency, clock, logger, onTrouble, onBack },
    ensure: async () => (await openQueue(durable, place)).consumer,
  });
  loop = started;
  // Before its first pull.
  started.setPaused(isPaused);
  return {
    handler,
    get runningCount() {
      return started.runningCount;
    },
    async close(limits) {
      flag.dispose();
      await started.close(limits);
    },
  };
}
