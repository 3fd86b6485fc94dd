/**
 * What is known of a workspace's work on one engine: its tasks, its queues, its approvals (protocol.md W6–W9).
 * Law: it only looks, and makes no consumer; all of it is bounded, however much lies in the streams.
 */
import { createDisposer, type Disposable } from '../../shared/base/disposer.ts';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import type { RecordAuthor } from '../../shared/contract/approvals-contract.ts';
import { parseSubject } from '../../shared/protocol/subject.ts';
import type { DurablePlane } from '../bus/durable.ts';
import { createBoundedCache } from '../crypto/bounded-cache.ts';
import type { EnvelopeReader } from '../envelope/envelope-reader.ts';
import type { StoredJudge } from '../envelope/stored-judge.ts';
import type { StateReader } from '../identity/state-values.ts';
import type { Clock } from '../ports/clock.ts';
import { type ApprovalReading, createApprovalReading } from './approval-reading.ts';
import { type QueueFlag, type QueueFlags, watchQueueFlags } from './queue-flags.ts';
import { createQueueRates, type QueueRates } from './queue-rates.ts';
import { createQueueWorkers, type QueueWorkers } from './queue-workers.ts';
import { claimedAuthor } from './record-author.ts';
import { createRefusalList, type RefusalList, type RefusedThing } from './refusal-list.ts';
import { type RefusedValue, stateBucketOf } from './state-watch.ts';
import type { ReadingPace } from './stream-reading.ts';
import { createTaskBook, type TaskBook, type TaskRecord, type TaskState } from './task-book.ts';
import { createWatchedQueues, type WatchedQueues } from './watched-queues.ts';
import { createWorkFollower, type RefusedRecord } from './work-follower.ts';
import { workStreamOf } from './work-queue.ts';

/** A record of what became of tasks that does not count. */
export interface RefusedWork extends RefusedThing {
  /** Stream, or bucket of values, that it lies in; `seq` is its place there. */
  readonly stream: string;
  readonly kind: RefusedRecord['kind'] | 'pause-flag' | 'repeat';
  /** As its subject says: session of a receipt, peer of a dead letter or an operator's action. Of a flag its key. */
  readonly from: string;
}

/** A request or verdict that does not count. */
export interface RefusedAnswer extends RefusedThing {
  readonly author: RecordAuthor | null;
  readonly kind: 'request' | 'verdict';
}

export interface WatchedWorkDeps {
  readonly workspace: string;
  readonly durable: DurablePlane;
  readonly judge: StoredJudge;
  readonly reader: EnvelopeReader;
  readonly state: StateReader;
  /** Names what is known of grants and secrets: as long as it is the same, so is every verdict. */
  readonly basis: () => number;
  readonly clock: Clock;
  /** Told of each task of which something new is known. */
  readonly onTask: (record: TaskRecord, before: TaskState | undefined) => void;
  /** Told when a flag of a queue has changed, and when the figures were read. */
  readonly onChange: () => void;
  /** Whether anything can be judged: a look that finds out that nothing can ends. */
  readonly isOpen: () => boolean;
}

export interface OtherRefusals {
  /** `isSound`: it was soundly said by somebody who may not say it, so that only who asked for it refuses it. */
  note(refused: RefusedRecord, isSound: boolean): void;
  takeBack(proven: Omit<RefusedRecord, 'why'>): void;
}

export interface WatchedWork extends Disposable {
  readonly book: TaskBook;
  readonly rates: Pick<QueueRates, 'of'>;
  readonly workers: Pick<QueueWorkers, 'of'>;
  readonly approvals: ApprovalReading;
  /** When they were read last, ms since the epoch. */
  approvalsAtMs(): number | null;
  readonly refusedWork: Pick<RefusalList<RefusedWork>, 'count' | 'newest'>;
  readonly refusedAnswers: Pick<RefusalList<RefusedAnswer>, 'count' | 'newest'>;
  /** Lists what another reading of the workspace has refused, unless the work's own one tells it. */
  readonly refusals: OtherRefusals;
  readonly queues: Omit<WatchedQueues, 'read'>;
  /** Looks at everything now. Throws what reading throws. */
  look(): Promise<void>;
  /** What is remembered of the tasks of an id that stood in the stream; several only if somebody repeats ids. */
  tasksOf(taskId: string): readonly TaskRecord[];
  /** Queue of a task by its id; null: it is not known. */
  queueOf(taskId: string): string | null;
}

const capacity = 50_000;
const maxRefused = 200;
/** What was stored longer ago is not read, ms. */
const backMs = 24 * 3_600_000;
/** So long without a look, and what is read then does not count as having come now, ms. */
const gapMs = 10_000;
/** Tasks of one id that are told apart; of more nothing is said. */
const maxNamesakes = 8;
/** Signatures are checked one by one: a page of them does not hold up the rest of the program. */
const pageLimit = 128;

/** Rates that begin when everything that was there has been read, and anew after a gap. */
function createWatchRates(clock: Clock) {
  let rates: QueueRates | undefined;
  let lookedMs = Number.NEGATIVE_INFINITY;
  return {
    note(record: TaskRecord, before: TaskState | undefined): void {
      rates?.note(record, before);
    },
    of: (queue: string) => rates?.of(queue) ?? { inPerSec: 0, outPerSec: 0 },
    beginLook(): void {
      if (clock.monotonic() - lookedMs > gapMs) rates = undefined;
    },
    endLook(): void {
      lookedMs = clock.monotonic();
      rates ??= createQueueRates(clock);
    },
  };
}

/** Flags of queues; where the bucket is not there yet it is tried again at each look. */
function createFlagWatch(
  { workspace, durable, state: reader, clock, onChange }: WatchedWorkDeps,
  refusedWork: RefusalList<RefusedWork>,
) {
  const keyOf = ({ revision }: RefusedValue): string => `pause-flag ${revision}`;
  let flags: QueueFlags | undefined;
  return {
    of: (queue: string): QueueFlag | undefined => flags?.of(queue),
    refusedOf: (queue: string): RefusedValue | undefined => flags?.refusedOf(queue),
    begin(): void {
      try {
        flags ??= watchQueueFlags({
          ...{ workspace, durable, reader, clock, onChange },
          onRefused(from, why, flag) {
            const { revision: seq, atMs, by } = flag;
            const who = by === null || why.includes(by) ? '' : ` It is signed by ${by}.`;
            const stream = stateBucketOf(workspace);
            refusedWork.add(keyOf(flag), { kind: 'pause-flag', stream, seq, atMs, why: `${why}${who}`, from });
            onChange();
          },
          onTakenBack: (flag) => refusedWork.takeBack(keyOf(flag)),
        });
      } catch (error) {
        if (!isVakError(error)) throw error;
      }
    },
    dispose: () => flags?.dispose(),
  };
}

/** Tasks by the id that they are called by. */
function createTaskNames(bookOf: () => Pick<TaskBook, 'get'>) {
  const leaves = createBoundedCache<readonly string[]>(capacity);
  const wasSeen = ({ place }: TaskRecord): boolean => place !== undefined;
  const isSeen = (leaf: string): boolean => bookOf().get(leaf)?.place !== undefined;
  const recordsOf = (taskId: string): readonly TaskRecord[] =>
    (leaves.get(taskId) ?? []).flatMap((leaf) => {
      const record = bookOf().get(leaf);
      return record?.taskId === taskId ? [record] : [];
    });
  return {
    note({ taskId, leaf }: TaskRecord): void {
      if (taskId === null) return;
      const known = leaves.get(taskId) ?? [];
      if (known.includes(leaf)) return;
      // Any worker can sign receipts that name an id: they push out nothing that stood in the stream.
      const kept = known.length < maxNamesakes ? known : known.filter(isSeen);
      leaves.set(taskId, [...kept, leaf].slice(0, maxNamesakes));
    },
    tasksOf: (taskId: string): readonly TaskRecord[] => recordsOf(taskId).filter(wasSeen),
    queueOf(taskId: string): string | null {
      const all = recordsOf(taskId);
      return (all.find(wasSeen) ?? all[0])?.queue ?? null;
    },
  };
}

/** Puts what does not count into the list, with its reason. `sinceMs`: what was stored before is not read here, ms since the epoch. */
function createWorkRefusals(
  list: RefusalList<RefusedWork>,
  { workspace, sinceMs }: Pick<WatchedWorkDeps, 'workspace'> & { readonly sinceMs: number },
) {
  const streams = { receipt: `VAK_RECEIPTS_${workspace}`, 'dead-letter': `VAK_DLQ_${workspace}` };

  function record({ kind, message, why }: RefusedRecord): void {
    const { stream, seq, storedMs: atMs, subject } = message;
    list.add(`${kind} ${seq}`, { kind, stream, seq, atMs, why, from: parseSubject(subject).entity });
  }

  /** Whoever may write to the stream of tasks on the server can put a task there again (docs/security.md). */
  function noteRepeat({ seq, storedMs: atMs }: TaskRecord['repeats'][number], { queue, taskId }: TaskRecord): void {
    const why = `Task ${taskId ?? 'without an id'} of queue ${queue} was stored before: a worker that has handled it drops it, another one runs it again.`;
    list.add(`repeat ${seq}`, { kind: 'repeat', stream: workStreamOf(workspace), seq, atMs, why, from: queue });
  }

  /** It is sound by itself, and says another thing of the task than the task does: whoever signed it has no say there. */
  function noteStray(stray: TaskRecord['strays'][number], { queue }: TaskRecord): void {
    const { kind, seq, storedMs: atMs, by: from } = stray;
    const why =
      stray.queue === queue
        ? 'It names another id than the task of its leaf has.'
        : `It names queue ${stray.queue}; the task of its leaf stands in queue ${queue}.`;
    list.add(`${kind} ${seq}`, { kind, stream: streams[kind], seq, atMs, why, from });
  }

  const takeBack: OtherRefusals['takeBack'] = ({ kind, message }) => list.takeBack(`${kind} ${message.seq}`);
  const others: OtherRefusals = {
    note(refused, isSound) {
      if (isSound || refused.message.storedMs < sinceMs) record(refused);
    },
    takeBack,
  };
  return {
    ...{ record, takeBack, others },
    strays(task: TaskRecord): void {
      for (const stray of task.strays) noteStray(stray, task);
      for (const place of task.repeats) noteRepeat(place, task);
    },
  };
}

/** Begins to watch; nothing is read before the first look. */
export function createWatchedWork(deps: WatchedWorkDeps): WatchedWork {
  const { workspace, durable, judge, reader, clock, onTask } = deps;
  const held = createDisposer();
  const rates = createWatchRates(clock);
  const workers = createQueueWorkers();
  const refusedWork = createRefusalList<RefusedWork>(maxRefused);
  const refusedAnswers = createRefusalList<RefusedAnswer>(maxRefused);
  const flags = held.add(createFlagWatch(deps, refusedWork));
  const sinceMs = clock.now() - backMs;
  const refuse = createWorkRefusals(refusedWork, { workspace, sinceMs });
  let approvalsAtMs: number | null = null;
  const pace: ReadingPace = { pageLimit, rest, basis: deps.basis };

  /** What is read while nobody can judge would have to be kept. */
  async function rest(): Promise<void> {
    await new Promise<void>((resolve) => clock.defer(resolve));
    if (!deps.isOpen()) throw new VakError('locked', 'the work is not read on: the key store is locked');
  }

  const names = createTaskNames(() => book);
  const book: TaskBook = createTaskBook({
    capacity,
    onChange(record, before) {
      rates.note(record, before);
      workers.note(record);
      refuse.strays(record);
      names.note(record);
      onTask(record, before);
    },
  });
  const queues = createWatchedQueues({
    ...{ workspace, durable, rates, book, flagOf: flags.of, refusedFlagOf: flags.refusedOf, clock },
  });
  const follower = createWorkFollower({
    ...{ workspace, durable, judge, reader, book, clock, pace, sinceMs, areTasksJudged: true },
    ...{ onRefused: refuse.record, onTakenBack: refuse.takeBack },
  });
  const approvals = createApprovalReading({
    ...{ workspace, durable, judge, pace },
    onRefused(message, why) {
      const { seq, storedMs: atMs, subject } = message;
      const kind = parseSubject(subject).verb === 'verdict' ? 'verdict' : 'request';
      refusedAnswers.add(`${seq}`, { kind, seq, atMs, why, author: claimedAuthor(message) });
    },
    onTakenBack: ({ seq }) => refusedAnswers.takeBack(`${seq}`),
  });

  return {
    ...{ book, rates, workers, approvals, refusedWork, refusedAnswers, refusals: refuse.others },
    queues,
    approvalsAtMs: () => approvalsAtMs,
    ...{ tasksOf: names.tasksOf, queueOf: names.queueOf },
    async look() {
      flags.begin();
      await queues.read();
      deps.onChange();
      rates.beginLook();
      await approvals.read();
      approvalsAtMs = clock.now();
      deps.onChange();
      await follower.refresh();
      rates.endLook();
    },
    dispose: () => held.dispose(),
  };
}
