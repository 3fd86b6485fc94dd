/**
 * What becomes of the tasks that a campaign has published, and whether an id is anywhere at all (docs/spec/triage.md D7).
 * Law: what counts is as the streams of the workspace say it (W6, W7); but whatever names an id, believed or not, keeps it from being
 * published again.
 */
import { parseSubject } from '../../shared/protocol/subject.ts';
import type { DurablePlane, StoredMessage } from '../bus/durable.ts';
import type { EnvelopeReader } from '../envelope/envelope-reader.ts';
import type { StoredJudge } from '../envelope/stored-judge.ts';
import type { Clock } from '../ports/clock.ts';
import type { ReadingPace } from '../work/stream-reading.ts';
import { createTaskBook, type TaskBook, type TaskRecord } from '../work/task-book.ts';
import { createWorkFollower, type FollowedBook } from '../work/work-follower.ts';
import { workStreamOf } from '../work/work-queue.ts';
import type { CampaignItem } from './campaign-record.ts';

export interface RetriedTasksDeps {
  readonly workspace: string;
  readonly durable: DurablePlane;
  readonly judge: StoredJudge;
  readonly reader: EnvelopeReader;
  /** What was stored before is not read, ms since the epoch. */
  readonly sinceMs: number;
  readonly pace: ReadingPace;
  readonly clock: Clock;
}

export interface RetriedTasks {
  /** The task stands in its queue, as who published it was told. */
  note(item: CampaignItem, queue: string): void;
  /** Reads what has come since. Throws what reading throws. */
  look(): Promise<void>;
  of(taskId: string): TaskRecord | undefined;
}

/** Follows the tasks of these ids; others are not kept. */
export function createRetriedTasks(deps: RetriedTasksDeps, ids: ReadonlySet<string>): RetriedTasks {
  /** Leaf of each id: the first that was seen, and what was published by us for certain. */
  const leafOf = new Map<string, string>();
  const book: TaskBook = createTaskBook({
    capacity: 4 * ids.size,
    onChange({ taskId, leaf }) {
      if (taskId !== null && !leafOf.has(taskId)) leafOf.set(taskId, leaf);
    },
  });
  const isOurs = (id: string | null): boolean => id !== null && ids.has(id);
  const followed: FollowedBook = {
    ...book,
    noteTask(task) {
      if (isOurs(task.taskId)) book.noteTask(task);
    },
    noteReceipt(receipt) {
      if (isOurs(receipt.taskId)) book.noteReceipt(receipt);
    },
    noteDeadLetter(letter) {
      if (isOurs(letter.envelopeId)) book.noteDeadLetter(letter);
    },
  };
  const follower = createWorkFollower({ ...deps, book: followed, onRefused: () => {} });
  return {
    note({ taskId, leaf, place }, queue) {
      if (leaf === null || place === null) return;
      leafOf.set(taskId, leaf);
      // Noted twice it would stand there again, although it may have been seen to go.
      if (book.get(leaf)?.place === undefined) book.noteTask({ ...place, leaf, queue, taskId });
    },
    look: () => follower.refresh(),
    of: (taskId) => book.get(leafOf.get(taskId) ?? ''),
  };
}

/** Where an id was found: in the stream of tasks; nulls: only somebody speaks of it. */
export type Found = Pick<CampaignItem, 'leaf' | 'place'>;

const pageLimit = 256;

/**
 * Looks for ids in the tasks, receipts and dead letters of a workspace that were stored since then. Tasks first: before one leaves its
 * queue its end is stored, so what is read afterwards tells of it. Throws what reading throws.
 */
export async function findIds(
  { workspace, durable, reader, sinceMs, pace }: RetriedTasksDeps,
  ids: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Found>> {
  const found = new Map<string, Found>();

  function take(message: StoredMessage): void {
    const reading = reader.read(message.data);
    if (reading.kind !== 'envelope') return;
    const { id, causationid = '' } = reading.envelope;
    const isTask = parseSubject(message.subject).plane === 'work';
    const { seq, storedMs } = message;
    if (isTask && ids.has(id)) found.set(id, { leaf: reading.leaf, place: { seq, storedMs } });
    else if (!isTask && ids.has(causationid) && !found.has(causationid))
      found.set(causationid, { leaf: null, place: null });
  }

  for (const name of [workStreamOf(workspace), `VAK_RECEIPTS_${workspace}`, `VAK_DLQ_${workspace}`]) {
    const stream = durable.stream(name);
    let from: { fromMs: number } | { fromSeq: number } | undefined = { fromMs: sinceMs };
    while (from !== undefined) {
      const page = await stream.read({ ...from, limit: pageLimit });
      for (const message of page.messages) take(message);
      await pace.rest();
      from = page.nextSeq === undefined ? undefined : { fromSeq: page.nextSeq };
    }
  }
  return found;
}
