/** A queue as a program uses it: tasks in, what becomes of them, its figures, its pause (protocol.md W1, W2, W6, W7, W9). */
import { createRecordChecks } from '../../engine/identity/signed-record.ts';
import { createStateReader } from '../../engine/identity/state-values.ts';
import { checkForWorker, openForTask } from '../../engine/work/enqueue-task.ts';
import { countsOf } from '../../engine/work/queue-figures.ts';
import { readQueueFlag } from '../../engine/work/queue-flags.ts';
import { pauseQueue } from '../../engine/work/queue-pause.ts';
import type { TaskRecord } from '../../engine/work/task-book.ts';
import type { DeskTask, TaskDesk } from '../../engine/work/task-desk.ts';
import { queueConsumer, taskSubject, workStreamOf } from '../../engine/work/work-queue.ts';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import { decodePayload } from '../../shared/protocol/payloads.ts';
import { checkToken } from '../../shared/protocol/subject.ts';
import { readId } from '../cli/id-input.ts';
import { asCall, type ConnectionLife } from './calls.ts';
import { type FunctionWorkDeps, startFunctionWork } from './function-work.ts';
import { jsonBytes, type Publish } from './publishing.ts';
import type { Queue, QueueFigures, QueueWorker, Receipt, SubmittedTask, TaskOutcome } from './queue-api.ts';

export interface QueueHandleDeps extends FunctionWorkDeps {
  readonly life: ConnectionLife;
  readonly publish: Publish;
  readonly desk: TaskDesk;
  /** Told of each worker that has begun, so that it ends with the connection. */
  readonly onWorker: (worker: QueueWorker) => void;
}

/** What submitting gave, or its id alone. Throws `invalid-input`. */
function readTask(task: unknown, queue: string): DeskTask {
  const given = typeof task === 'string' ? { id: task } : ((task ?? {}) as Partial<SubmittedTask>);
  const { id, leaf, seq } = given;
  if (typeof id !== 'string') throw new VakError('invalid-input', 'task: expected what submit gave, or its id');
  if (given.queue !== undefined && given.queue !== queue) {
    throw new VakError(
      'invalid-input',
      `task: it is of queue ${checkToken(given.queue, 'task.queue')}, not of ${queue}`,
    );
  }
  return { id: readId(id, 'submit'), queue, leaf, seq };
}

function toReceipt({ seq: _, storedMs: __, ...receipt }: TaskRecord['receipts'][number]): Receipt {
  return receipt;
}

function toOutcome({ taskId, queue, leaf, state, receipts: all, deadLetter }: TaskRecord): TaskOutcome {
  const receipts = all.map(toReceipt);
  const named = { id: taskId ?? '', queue, leaf, receipts };
  const [first] = all
    .filter(({ outcome }) => outcome === 'done')
    .sort((a, b) => a.storedMs - b.storedMs || a.seq - b.seq);
  if ((state === 'done' || state === 'finished-late') && first !== undefined) {
    return { ...named, kind: state, receipt: toReceipt(first), output: first.output };
  }
  if (state === 'dead' && deadLetter !== undefined) {
    const { reason, errorClass, attempts, stack, failedAt, workerId } = deadLetter;
    const told = { reason, errorClass, attempts, failedAt, workerId };
    return { ...named, kind: state, deadLetter: stack === undefined ? told : { ...told, stack } };
  }
  return { ...named, kind: state === 'purged' ? state : 'lost' };
}

/** The queue of that name. Throws `invalid-subject`. */
export function createQueueHandle(name: string, deps: QueueHandleDeps): Queue {
  const { peer, ports, life, publish, desk, onWorker } = deps;
  const { workspace, durable, permit, resolve, signer } = peer;
  const queue = checkToken(name, 'queue');
  const place = { workspace, queue };
  const subject = taskSubject(place);
  const consumer = queueConsumer(place).name;
  const flags = createStateReader({ workspace, verifier: createRecordChecks().verifier, resolve });
  let isOpen = false;

  /** Makes the queue where that is ours to do, and checks what the task asks of it. */
  async function prepare(maxRetries: number | undefined): Promise<void> {
    const mayOpen = permit.askStorage('make', `consumer.${workStreamOf(workspace)}.${consumer}`).allowed;
    if (!mayOpen || (isOpen && maxRetries === undefined)) return;
    try {
      await openForTask(durable, place, { maxRetries, field: 'task.maxRetries' });
      isOpen = true;
    } catch (error) {
      // While the server is away the task waits in the outbox; its worker makes the queue.
      if (!isVakError(error, 'disconnected') && !isVakError(error, 'timeout')) throw error;
    }
  }

  async function setPaused(isPaused: boolean): Promise<void> {
    const what = isPaused ? 'pause' : 'resume';
    await asCall(life, { what: `${what} ${queue}` }, () =>
      pauseQueue({ ...place, peer: peer.peer }, isPaused, { durable, signer, clock: ports.clock, reader: flags }),
    );
  }

  async function figures(): Promise<QueueFigures> {
    const state = await durable.stream(workStreamOf(workspace)).consumer(consumer).state();
    const counts = await countsOf(place, state, durable);
    const { pendingCount, inFlightCount, redeliveredCount, lag, oldestMs, waitingCount, maxDeliver } = counts;
    const flag = await readQueueFlag(place, { durable, reader: flags });
    const isPaused = flag?.isPaused === true;
    return {
      ...{ queue, pendingCount, inFlightCount, redeliveredCount, lag, oldestMs, isPaused },
      ...{ waitingWorkers: waitingCount, maxRetries: maxDeliver - 1 },
    };
  }

  return {
    name: queue,
    submit: async (draft, { signal } = {}) =>
      await asCall(life, { what: `submit to ${queue}`, signal }, async (call) => {
        const bytes = jsonBytes(draft, 'task');
        const checked = decodePayload('vak.work.task', bytes);
        checkForWorker(checked);
        permit.check('publish', subject);
        await prepare(checked.maxRetries);
        const mark = await desk.mark();
        call.throwIfAborted();
        const { id, leaf, seq = 0 } = await publish(subject, bytes, { signal: call });
        const submitted = { id, queue, leaf, seq };
        desk.expect(submitted, mark);
        return submitted;
      }),
    wait: async (task, { signal } = {}) =>
      await asCall(life, { what: `wait for a task of ${queue}`, signal }, async (call) =>
        toOutcome(await desk.settled(readTask(task, queue), call)),
      ),
    figures: async () => await asCall(life, { what: `figures of ${queue}` }, figures),
    pause: () => setPaused(true),
    resume: () => setPaused(false),
    work: async (handler, options = {}) =>
      await asCall(life, { what: `work on ${queue}` }, async () => {
        const worker = await startFunctionWork(deps, { queue, handler, options });
        onWorker(worker);
        return worker;
      }),
  };
}
