/**
 * What becomes of the tasks that one process waits for, however many they are (protocol.md W6, W7).
 * Law: one reading for all of them, while somebody waits; it begins before what is waited for was stored, and makes no consumer.
 */
import { createDisposer, type Disposable } from '../../shared/base/disposer.ts';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import type { Bus } from '../bus/bus.ts';
import type { TrustKnowledge } from '../envelope/trust-knowledge.ts';
import { createDeferred } from '../wait.ts';
import { type AwaitedTask, createAwaitedTasks, type DeskMark } from './awaited-tasks.ts';
import { auditStreamOf } from './purge-records.ts';
import type { TaskRecord } from './task-book.ts';
import { earliestMs } from './watched-task.ts';
import { createWorkFollower, type WorkFollower, type WorkFollowerDeps } from './work-follower.ts';
import { workStreamOf } from './work-queue.ts';

export interface TaskDeskDeps extends Omit<WorkFollowerDeps, 'book' | 'sinceMs' | 'fromSeqs'> {
  readonly bus: Pick<Bus, 'subscribe'>;
  readonly knowledge: Pick<TrustKnowledge, 'onChange'>;
  /** Whether tasks may be read (A2). If not nobody is told of a task that is lost: it is waited for. */
  readonly mayReadTasks: boolean;
}

/** A task as it is asked for. */
export interface DeskTask {
  readonly id: string;
  readonly queue: string;
  /** Of its envelope; undefined: whichever has the id. */
  readonly leaf: string | undefined;
  /** Its place in the stream of tasks, as whoever submitted it was told. */
  readonly seq: number | undefined;
}

export interface TaskDesk extends Disposable {
  /** The place before what is stored from now on; at most a second old. Undefined: it cannot be told now. To be asked before submitting. */
  mark(): Promise<DeskMark | undefined>;
  /** A task that was submitted here, after the mark. */
  expect(task: DeskTask, mark: DeskMark | undefined): void;
  /**
   * Resolves when it has ended. Throws `not-found` if nothing is known of it, `conflict` if several are said to be it, what the
   * signal's reason is, `limit-exceeded`, `closed`, and what reading throws but for outages, which are sat out.
   */
  settled(task: DeskTask, signal: AbortSignal): Promise<TaskRecord>;
}

/** Looks so often although nothing was told, ms: what is told live can be missed, and nobody tells of what is lost. */
const lookEveryMs = 2_000;
const markMs = 1_000;
/** Tasks that are looked for at each of these looks: each takes a question to the server, and records wait for their answers. */
const maxLooks = 50;
/** Submitted tasks that are remembered; of what is forgotten more has to be read. */
const maxExpected = 10_000;

const earlier = (one: DeskMark, other: DeskMark): DeskMark =>
  new Map([...one].map(([stream, seq]) => [stream, Math.min(seq, other.get(stream) ?? seq)]));

/** Whether a failure passes by itself. */
const isOutage = (error: unknown): boolean => isVakError(error, 'disconnected') || isVakError(error, 'timeout');

/** Places of streams, asked for at most once a second. */
function createMarks({ workspace, durable, clock, mayReadTasks }: TaskDeskDeps) {
  const records = [`VAK_RECEIPTS_${workspace}`, `VAK_DLQ_${workspace}`];
  const streams = mayReadTasks ? [workStreamOf(workspace), ...records] : records;
  const actions = auditStreamOf(workspace);
  let last: { readonly mark: DeskMark; readonly atMs: number } | undefined;

  const endOf = async (name: string): Promise<[string, number]> => [
    name,
    (await durable.stream(name).state()).lastSeq + 1,
  ];

  /** What operators did is needed only to tell what is purged from what is lost; an older provisioning made no such stream. */
  async function endOfActions(): Promise<readonly [string, number][]> {
    if (!mayReadTasks) return [];
    try {
      return [await endOf(actions)];
    } catch (error) {
      if (['not-found', 'forbidden', 'unauthorized'].some((code) => isVakError(error) && error.code === code))
        return [];
      throw error;
    }
  }

  async function take(): Promise<DeskMark> {
    const atMs = clock.monotonic();
    const [ends, actionsEnd] = await Promise.all([Promise.all(streams.map(endOf)), endOfActions()]);
    const mark = new Map([...ends, ...actionsEnd]);
    last = { mark, atMs };
    return mark;
  }

  return {
    take,
    async recent(): Promise<DeskMark | undefined> {
      if (last !== undefined && clock.monotonic() - last.atMs < markMs) return last.mark;
      try {
        return await take();
      } catch (error) {
        // Then more has to be read when somebody waits.
        if (isVakError(error)) return undefined;
        throw error;
      }
    },
  };
}

/** The tasks that were submitted here lately, each with the place before it. */
function createExpected() {
  const tasks = new Map<string, { readonly task: DeskTask; readonly mark: DeskMark }>();
  return {
    add(task: DeskTask, mark: DeskMark): void {
      tasks.set(task.id, { task, mark });
      const oldest = tasks.keys().next();
      if (tasks.size > maxExpected && !oldest.done) tasks.delete(oldest.value);
    },
    /** The task as it was submitted, if it was here. */
    find({ id, queue, leaf }: DeskTask): { readonly task: DeskTask; readonly mark: DeskMark } | undefined {
      const known = tasks.get(id);
      const isIt = known !== undefined && known.task.queue === queue && (leaf ?? known.task.leaf) === known.task.leaf;
      return isIt ? known : undefined;
    },
  };
}

/** Creates the desk of one process. */
export function createTaskDesk(deps: TaskDeskDeps): TaskDesk {
  const { workspace, bus, reader, clock, knowledge, mayReadTasks } = deps;
  const marks = createMarks(deps);
  const awaited = createAwaitedTasks();
  const expected = createExpected();
  /** Undefined: nobody waits. */
  let current: WorkFollower | undefined;
  /** Where reading has to begin anew, for who waits since the last one. */
  let restart: DeskMark | undefined;
  let isReading = false;
  let isStale = false;
  /** Whether the next reading looks for tasks that are gone, too. */
  let isWhole = false;
  let listening: Disposable | undefined;

  const followerFrom = (from: Pick<WorkFollowerDeps, 'fromSeqs' | 'sinceMs'>): WorkFollower =>
    createWorkFollower({ ...deps, book: awaited.book, maxLooks, areOutputsWanted: true, ...from });
  const readWholly = (follower: WorkFollower): Promise<void> =>
    mayReadTasks ? follower.refresh() : follower.readRecords();

  async function readOn(): Promise<void> {
    const readAll = isWhole;
    isWhole = false;
    const from = restart;
    if (from !== undefined) {
      // Who waits already misses nothing: what lies before the new beginning is read first.
      await current?.readRecords();
      current = followerFrom({ sinceMs: 0, fromSeqs: from });
      if (restart === from) restart = undefined;
    }
    if (current !== undefined) await (readAll ? readWholly(current) : current.readRecords());
  }

  async function readUntilFresh(): Promise<void> {
    isReading = true;
    while (isStale && awaited.count() > 0) {
      isStale = false;
      try {
        await readOn();
        awaited.tell();
      } catch (error) {
        if (!isOutage(error)) awaited.fail(error);
      }
    }
    isReading = false;
  }

  function look(): void {
    isStale = true;
    if (!isReading) void readUntilFresh();
  }

  function lookForAll(): void {
    isWhole = true;
    look();
  }

  function startFrom(mark: DeskMark): void {
    if (awaited.count() === 0) return;
    restart = restart === undefined ? mark : earlier(restart, mark);
    look();
  }

  /** Hears of records. Throws `forbidden` for who may not. */
  function listen(): Disposable {
    const held = createDisposer();
    const onMessage = ({ data }: { readonly data: Uint8Array }): void => {
      const said = reader.read(data);
      if (said.kind === 'envelope' && awaited.has(said.envelope.causationid)) look();
    };
    for (const pattern of [`vak.receipts.${workspace}.>`, `vak.dlq.${workspace}.>`]) {
      held.add(bus.subscribe(pattern, { kind: 'inline', onMessage }));
    }
    held.add(clock.setTicker(lookEveryMs, lookForAll));
    return held;
  }

  /** Nobody waits: nothing is read or heard any more. */
  function rest(): void {
    listening?.dispose();
    listening = undefined;
    current = undefined;
    restart = undefined;
  }

  // What could not be proved may be now: all that is waited for is read again.
  const learning = knowledge.onChange(() => {
    for (const { mark } of awaited.all()) if (mark !== undefined) startFrom(mark);
  });

  /** Reads what was stored before anybody waited for a task that was submitted elsewhere. */
  async function find({ task, record }: AwaitedTask): Promise<void> {
    const sinceMs = earliestMs(task.id, clock.now());
    for (const fromMs of sinceMs === 0 ? [0] : [sinceMs, 0]) {
      await readWholly(followerFrom({ sinceMs: fromMs }));
      if (record() !== undefined) return;
    }
    if (!mayReadTasks) return;
    const message = `task ${task.id}: it is in no queue, and no receipt or dead letter that counts names it; check its id, queue and server`;
    throw new VakError('not-found', message);
  }

  async function begin(entry: AwaitedTask, { queue, leaf, seq }: DeskTask, known: DeskMark | undefined): Promise<void> {
    listening ??= listen();
    if (leaf !== undefined && seq !== undefined) entry.note({ leaf, queue, seq, storedMs: clock.now() });
    const mark = known ?? (await marks.take());
    if (known === undefined) await find(entry);
    entry.mark = mark;
    startFrom(mark);
  }

  return {
    mark: marks.recent,
    expect(task, mark) {
      if (mark !== undefined) expected.add(task, mark);
    },
    async settled(asked, signal) {
      signal.throwIfAborted();
      const known = expected.find(asked);
      const task = known?.task ?? asked;
      const ending = createDeferred<TaskRecord>();
      const entry = awaited.add(task, ending);
      const stop = (): void => ending.reject(signal.reason);
      signal.addEventListener('abort', stop);
      begin(entry, task, known?.mark).catch(ending.reject);
      try {
        return await ending.promise;
      } finally {
        signal.removeEventListener('abort', stop);
        awaited.remove(entry);
        if (awaited.count() === 0) rest();
      }
    },
    dispose() {
      learning.dispose();
      awaited.fail(new VakError('closed', 'the connection is closed; the task goes on'));
    },
  };
}
