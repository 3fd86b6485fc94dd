/**
 * The calls of the Queues view (product.md "Queues", protocol.md W1, W9).
 * Law: what changes something is the operator's word, signed; looking claims nothing.
 */
import { utf8 } from '../../shared/base/bytes.ts';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import type { AppContract } from '../../shared/contract/app-contract.ts';
import type { Services } from '../../shared/contract/define-contract.ts';
import { maxTaskBytes } from '../../shared/protocol/payloads.ts';
import { checkToken } from '../../shared/protocol/subject.ts';
import { startTrace } from '../../shared/protocol/trace-context.ts';
import type { EngineInUse } from '../connections/connection-switch.ts';
import { readOnlyRefusal } from '../connections/read-only-fabric.ts';
import { leafOf } from '../envelope/hashing.ts';
import type { KeyStore, StoredIdentity } from '../identity/key-store.ts';
import { createNkeySigner } from '../identity/nkey.ts';
import type { OperatorOutbox } from '../outbox/operator-outbox.ts';
import type { Clock } from '../ports/clock.ts';
import type { Randomness } from '../ports/randomness.ts';
import { checkForWorker, openForTask } from './enqueue-task.ts';
import { setQueuePaused } from './queue-flags.ts';
import { createQueuePeek, type QueuePeekDeps } from './queue-peek.ts';
import { changedMsOf, taskReport } from './queues-state.ts';
import type { TaskRecord } from './task-book.ts';
import { taskSubject, workStreamOf } from './work-queue.ts';
import type { WorkWatch } from './work-watch.ts';

type Calls = Services<AppContract>['queues'];

export interface QueuesServiceDeps extends Omit<QueuePeekDeps, 'book'> {
  readonly watch: Pick<WorkWatch, 'work' | 'follow'>;
  readonly engine: () => Pick<EngineInUse, 'readOnlyContext'> | undefined;
  readonly keyStore: Pick<KeyStore, 'state' | 'read'>;
  readonly outbox: Pick<OperatorOutbox, 'publish'>;
  readonly clock: Clock;
  readonly randomness: Randomness;
}

/** Creates the calls of the queues contract. */
export function createQueuesService(deps: QueuesServiceDeps): Calls {
  const { workspace, durable, watch, engine, keyStore, outbox, clock, randomness } = deps;
  const peek = createQueuePeek({ ...deps, book: () => watch.work()?.book });
  const work = () => durable.stream(workStreamOf(workspace));

  /** Throws `read-only`, `disconnected` (there is no engine yet). */
  function checkWritable(doing: string): void {
    const inUse = engine();
    if (inUse?.readOnlyContext !== undefined) throw readOnlyRefusal(inUse.readOnlyContext, doing);
    if (inUse !== undefined) return;
    throw new VakError('disconnected', `${doing}: there is no connection yet; try again when it is there`, {
      retryable: true,
    });
  }

  /** Throws `locked`. */
  function operator(doing: string): StoredIdentity {
    const found =
      keyStore.state().kind === 'unlocked'
        ? keyStore.read().identities.find(({ kind }) => kind === 'human')
        : undefined;
    if (found !== undefined) return found;
    throw new VakError('locked', `${doing}: the key store is locked; unlock it first`);
  }

  async function setPaused(queue: string, isPaused: boolean): Promise<void> {
    const doing = isPaused ? 'pause' : 'resume';
    checkWritable(doing);
    const { peer, signSeed } = operator(doing);
    const signer = createNkeySigner(signSeed);
    try {
      await setQueuePaused({ workspace, queue: checkToken(queue, 'queue'), peer }, isPaused, {
        durable,
        signer,
        clock,
      });
    } finally {
      signer.dispose();
    }
  }

  /** Tasks of a queue, and the place of the last one. */
  async function standing(queue: string, signal: AbortSignal): Promise<{ count: number; lastSeq: number }> {
    const subject = taskSubject({ workspace, queue: checkToken(queue, 'queue') });
    let [count, lastSeq] = [0, 0];
    let fromSeq: number | undefined = 1;
    while (fromSeq !== undefined) {
      const page = await work().read({ fromSeq, subject, limit: 1_000, signal });
      count += page.messages.length;
      lastSeq = page.messages.at(-1)?.seq ?? lastSeq;
      fromSeq = page.nextSeq;
    }
    return { count, lastSeq };
  }

  return {
    peek: ({ queue, fromSeq, limit }, { signal }) =>
      peek.page({ queue: checkToken(queue, 'queue'), fromSeq, limit, signal }),
    open: ({ queue, seq }) => peek.open(checkToken(queue, 'queue'), seq),
    tasks({ queue, limit }) {
      const isOf = (record: TaskRecord): boolean => record.queue === queue;
      return [...(watch.work()?.book.all() ?? [])]
        .filter(isOf)
        .sort((a, b) => changedMsOf(b) - changedMsOf(a))
        .slice(0, limit)
        .map(taskReport);
    },
    async enqueue({ queue, task }) {
      checkToken(queue, 'queue');
      checkForWorker(task);
      const payload = utf8(JSON.stringify(task));
      if (payload.length > maxTaskBytes) {
        const message = `task: ${payload.length} bytes, at most ${maxTaskBytes} are taken; pass less in it`;
        throw new VakError('limit-exceeded', message, { details: { field: 'task', limit: maxTaskBytes } });
      }
      checkWritable('enqueue');
      operator('enqueue');
      await openForTask(durable, { workspace, queue }, { maxRetries: task.maxRetries, field: 'maxRetries' });
      const { envelope, stored } = await outbox.publish({
        subject: taskSubject({ workspace, queue }),
        ...{ payload, trace: startTrace(randomness.bytes) },
      });
      const { seq } = await stored;
      return { taskId: envelope.id, leaf: leafOf(envelope), seq };
    },
    pause: ({ queue }) => setPaused(queue, true),
    resume: ({ queue }) => setPaused(queue, false),
    purge() {
      throw new VakError('unsupported', 'purge: not in this version');
    },
    async standing({ queue }, { signal }) {
      try {
        return await standing(queue, signal);
      } catch (error) {
        if (isVakError(error, 'not-found')) return { count: 0, lastSeq: 0 };
        throw error;
      }
    },
  };
}
