/**
 * The calls of the Queues view (product.md "Queues", protocol.md W1, W9).
 * Law: what changes something is the operator's word, signed; looking claims nothing.
 */
import { utf8 } from '../../shared/base/bytes.ts';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import type { AppContract } from '../../shared/contract/app-contract.ts';
import type { Services } from '../../shared/contract/define-contract.ts';
import { checkToken } from '../../shared/protocol/subject.ts';
import { maxTaskBytes } from '../../shared/protocol/task-limits.ts';
import { startTrace } from '../../shared/protocol/trace-context.ts';
import type { EnvelopeDraft } from '../envelope/envelope-author.ts';
import { leafOf } from '../envelope/hashing.ts';
import type { StateReader } from '../identity/state-values.ts';
import { type OperatorPublishing, publishAsOperator } from '../outbox/publish-stored.ts';
import type { Clock } from '../ports/clock.ts';
import { createUuid, type Randomness } from '../ports/randomness.ts';
import { checkForWorker, openForTask } from './enqueue-task.ts';
import type { ActingOperator, OperatorRight } from './operator-right.ts';
import type { PurgeProgress } from './purge-progress.ts';
import { draftAction } from './purge-records.ts';
import { pauseQueue } from './queue-pause.ts';
import { createQueuePeek, type QueuePeekDeps } from './queue-peek.ts';
import { type PurgeRequest, purgeQueue } from './queue-purge.ts';
import { changedMsOf, taskReport } from './queues-state.ts';
import type { TaskRecord } from './task-book.ts';
import { taskSubject, workStreamOf } from './work-queue.ts';
import type { WorkWatch } from './work-watch.ts';

type Calls = Services<AppContract>['queues'];

/** Tasks that come all the time let nobody see one moment. */
const maxTries = 3;

export interface QueuesServiceDeps extends Omit<QueuePeekDeps, 'book'> {
  readonly watch: Pick<WorkWatch, 'work'>;
  readonly right: OperatorRight;
  /** Name of the context in use. */
  readonly environment: () => string;
  readonly purges: PurgeProgress;
  /** Reads values of the workspace's state. */
  readonly state: StateReader;
  readonly outbox: OperatorPublishing['outbox'];
  readonly clock: Clock;
  readonly randomness: Randomness;
}

/** Creates the calls of the queues contract. */
export function createQueuesService(deps: QueuesServiceDeps): Calls {
  const { workspace, watch, right, environment, purges, state, outbox, clock, randomness } = deps;
  const peek = createQueuePeek({ ...deps, book: () => watch.work()?.book });
  const work = () => deps.durable.stream(workStreamOf(workspace));

  const publish = (draft: EnvelopeDraft, signal: AbortSignal) => publishAsOperator(draft, { outbox, clock, signal });

  const setPaused = (queue: string, isPaused: boolean): Promise<void> =>
    right.run(isPaused ? 'pause' : 'resume', async ({ peer, ...operator }) => {
      const place = { workspace, queue: checkToken(queue, 'queue'), peer };
      await pauseQueue(place, isPaused, { ...operator, clock, reader: state });
    });

  /** How many tasks stand in a queue, and the place of the last: of one moment, if what comes lets it. */
  async function standing(queue: string): Promise<{ count: number; lastSeq: number }> {
    const subject = taskSubject({ workspace, queue: checkToken(queue, 'queue') });
    const lastPlace = async (): Promise<number> => (await work().last(subject))?.seq ?? 0;
    let lastSeq = await lastPlace();
    for (let tries = 0; ; tries++) {
      const count = await work().count(subject);
      const after = await lastPlace();
      if (after === lastSeq || tries === maxTries) return { count, lastSeq: after };
      lastSeq = after;
    }
  }

  function checkTask(task: Parameters<Calls['enqueue']>[0]['task']): Uint8Array {
    checkForWorker(task);
    const payload = utf8(JSON.stringify(task));
    if (payload.length <= maxTaskBytes) return payload;
    const message = `task: ${payload.length} bytes, at most ${maxTaskBytes} are taken; pass less in it`;
    throw new VakError('limit-exceeded', message, { details: { field: 'task', limit: maxTaskBytes } });
  }

  /** What is on record must be taken out: nothing stops it but the end of a part. */
  async function purge(request: PurgeRequest, { peer, durable }: ActingOperator): Promise<number> {
    const operationId = createUuid(clock, randomness);
    const progress = purges.begin({ ...request, operationId });
    try {
      const { signal } = progress;
      return await purgeQueue(
        { ...request, signal },
        {
          ...{ workspace, durable, operationId, onProgress: progress.note },
          async record(action) {
            const draft = draftAction(action, { workspace, peer, trace: startTrace(randomness.bytes) });
            await publish(draft, new AbortController().signal);
          },
        },
      );
    } finally {
      progress.end();
    }
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
    async enqueue({ queue, task }, { signal }) {
      checkToken(queue, 'queue');
      const payload = checkTask(task);
      return await right.run('enqueue', async ({ durable }) => {
        await openForTask(durable, { workspace, queue }, { maxRetries: task.maxRetries, field: 'maxRetries' });
        const draft = { subject: taskSubject({ workspace, queue }), payload, trace: startTrace(randomness.bytes) };
        const { envelope, appended } = await publish(draft, signal);
        return { taskId: envelope.id, leaf: leafOf(envelope), seq: appended.seq };
      });
    },
    pause: ({ queue }) => setPaused(queue, true),
    resume: ({ queue }) => setPaused(queue, false),
    async purge({ queue, confirmedName, environment: meant, lastSeq, reason }, { signal }) {
      checkToken(queue, 'queue');
      if (confirmedName !== queue) {
        const message = 'purge: what was typed is not the name of the queue; type it as it is shown';
        throw new VakError('invalid-input', message, { details: { field: 'confirmedName' } });
      }
      if (meant !== undefined && meant !== environment()) {
        throw new VakError('conflict', 'purge: the connection was changed meanwhile; look at the queue again', {
          details: { field: 'environment' },
        });
      }
      const request = { queue, lastSeq, reason: reason?.trim() === '' ? undefined : reason, signal };
      return { purgedCount: await right.run('purge', (operator) => purge(request, operator)) };
    },
    stopPurge({ operationId }) {
      if (!purges.stop(operationId)) throw new VakError('not-found', 'purge: it is over already');
    },
    async standing({ queue }) {
      try {
        return await standing(queue);
      } catch (error) {
        if (isVakError(error, 'not-found')) return { count: 0, lastSeq: 0 };
        throw error;
      }
    },
  };
}
