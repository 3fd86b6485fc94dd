/**
 * A worker at its queue: everything between its peer on an engine and the sessions that run commands (protocol.md W1–W3, W6, W8, W9).
 * Law: one way to set it up, whoever runs it; a queue that is paused when it begins gives it nothing.
 */
import { type Disposable, toDisposable } from '../../shared/base/disposer.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import { streamsOf } from '../../shared/protocol/stream-table.ts';
import { createRecordChecks } from '../identity/signed-record.ts';
import { createStateReader } from '../identity/state-values.ts';
import { createApprovalGate } from './approval-gate.ts';
import { type CommandHandler, type CommandHandlerDeps, createCommandHandler } from './command-handler.ts';
import { createDeadLetterOffice } from './dead-letter-office.ts';
import { type QueueFlag, readQueueFlag, watchQueueFlags } from './queue-flags.ts';
import { createTaskRunner, type WorkEvent } from './task-attempt.ts';
import { createTaskIntake } from './task-intake.ts';
import type { WorkPeer, WorkPorts } from './work-peer.ts';
import { openQueue, workStreamOf } from './work-queue.ts';
import { startWorkerLoop, type WorkerLoop } from './worker-loop.ts';

export interface QueueWorkDeps extends WorkPorts, Omit<CommandHandlerDeps, 'approvals'> {
  /** It stays the caller's, and so do its sessions: one for each task that may run at the same time. */
  readonly peer: WorkPeer;
  readonly queue: string;
  readonly onEvent: (event: WorkEvent) => void;
  /** Told when an operator pauses the queue or lets it go on, and at the beginning if it is paused. */
  readonly onPaused: (flag: QueueFlag) => void;
  /** What does not count of a flag (`key`) or a verdict, and why. */
  readonly onRefused: (refused: { readonly key?: string; readonly why: string }) => void;
  /** Told once of each time during which nothing can be claimed. */
  readonly onTrouble: (code: string, message: string) => void;
  readonly onBack: () => void;
}

export interface QueueWork extends Pick<WorkerLoop, 'close' | 'runningCount'>, Pick<CommandHandler, 'cancel'> {}

/** What the workers of a queue do with a task that they have claimed. */
async function createRunner(deps: QueueWorkDeps, maxDeliver: number) {
  const { peer: own, queue, onEvent, onRefused, clock, randomness, logger } = deps;
  const { workspace, peer, bus, durable, publisher, judge, reader } = own;
  const stream = streamsOf(workspace).find(({ name }) => name === workStreamOf(workspace));
  if (stream === undefined) throw new TypeError('there are no tasks in the table of streams');
  const handled = await publisher.handled(stream);
  const common = { workspace, peer, publisher, judge, clock, randomness, logger };
  const office = createDeadLetterOffice({ ...common, durable: () => durable });
  const approvals = createApprovalGate({ ...common, durable, bus, onRefused: (why) => onRefused({ why }) });
  const handler = createCommandHandler({ ...deps, approvals });
  const runner = createTaskRunner({
    ...{ ...common, queue, reader, handled, office, maxDeliver, onEvent },
    intake: createTaskIntake({ ...common, reader, handled, office, maxDeliver }),
    handler: handler.handle,
  });
  return { runner, handler };
}

/** Follows the pause flag of the queue; where there is no state nothing is paused. */
async function followFlag(
  { peer, queue, onPaused, onRefused, clock }: QueueWorkDeps,
  setPaused: (isPaused: boolean) => void,
): Promise<Disposable> {
  const { workspace, durable, resolve } = peer;
  const reader = createStateReader({ workspace, verifier: createRecordChecks().verifier, resolve });
  const first = await readQueueFlag({ workspace, queue }, { durable, reader });
  if (first !== undefined) setPaused(first.isPaused);
  try {
    return watchQueueFlags({
      ...{ workspace, durable, reader, clock },
      onChange(name, flag) {
        if (name !== queue) return;
        setPaused(flag.isPaused);
        onPaused(flag);
      },
      onRefused: (key, why) => onRefused({ key, why }),
    });
  } catch (error) {
    if (!isVakError(error, 'not-found')) throw error;
    return toDisposable(() => {});
  }
}

/** Begins to work. Throws what opening the queue throws: `not-found` (the streams are not there) … */
export async function startQueueWork(deps: QueueWorkDeps): Promise<QueueWork> {
  const { peer, queue, sessions, onTrouble, onBack, clock, logger } = deps;
  const { workspace, durable } = peer;
  const place = { workspace, queue };
  const { consumer, spec } = await openQueue(durable, place);
  const { runner, handler } = await createRunner(deps, spec.maxDeliver);
  let loop: WorkerLoop | undefined;
  let isPaused = false;
  const flag = await followFlag(deps, (next) => {
    isPaused = next;
    loop?.setPaused(next);
  });
  const started = startWorkerLoop({
    ...{ consumer, runner, concurrency: sessions.length, clock, logger, onTrouble, onBack },
    ensure: async () => (await openQueue(durable, place)).consumer,
  });
  loop = started;
  // Before its first pull.
  started.setPaused(isPaused);
  return {
    cancel: handler.cancel,
    get runningCount() {
      return started.runningCount;
    },
    async close(limits) {
      flag.dispose();
      await started.close(limits);
    },
  };
}
