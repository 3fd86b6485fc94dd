/** What becomes of one task, as the streams say it, told from everything else that lies in them (protocol.md W6, W7). */
import type { DurablePlane } from '../../engine/bus/durable.ts';
import type { EnvelopeReader } from '../../engine/envelope/envelope-reader.ts';
import type { StoredJudge } from '../../engine/envelope/stored-judge.ts';
import type { Clock } from '../../engine/ports/clock.ts';
import { createTaskBook, type TaskBook, type TaskRecord } from '../../engine/work/task-book.ts';
import { createWorkFollower } from '../../engine/work/work-follower.ts';
import { VakError } from '../../shared/base/vak-error.ts';

export interface WatchedTask {
  readonly id: string;
  /** Of its envelope; undefined: whichever has the id, as for the queue. */
  readonly leaf: string | undefined;
  readonly queue: string | undefined;
}

export interface TaskWatchDeps {
  readonly workspace: string;
  readonly durable: DurablePlane;
  readonly judge: StoredJudge;
  readonly reader: EnvelopeReader;
  readonly clock: Clock;
  /** A receipt or dead letter that names the task and does not count, and why. */
  readonly onRefused: (why: string) => void;
}

export interface TaskWatch {
  /** Reads what has come, and gives what is known of the task. Throws `conflict` if several have its id, and what reading throws. */
  look(): Promise<TaskRecord | undefined>;
  /** Whether a message is about the task, as far as it says itself. */
  isAbout(data: Uint8Array): boolean;
}

/** Tasks of one id: more only if somebody forges. */
const capacity = 64;

/** A book that takes what names the task, and nothing else: so it never gives way to others. */
function createOwnBook({ id, leaf, queue }: WatchedTask) {
  const book = createTaskBook({ capacity, onChange: () => {} });
  /** Leaf and queue of each that is spoken of. */
  const spoken = new Set<string>();
  const isIt = (named: string | null, own: { readonly taskLeaf: string; readonly queue: string }): boolean => {
    const isSame = named === id && (leaf ?? own.taskLeaf) === own.taskLeaf && (queue ?? own.queue) === own.queue;
    if (isSame) spoken.add(`${own.taskLeaf} ${own.queue}`);
    return isSame;
  };
  const own: TaskBook = {
    ...book,
    noteTask(task) {
      if (isIt(task.taskId, { ...task, taskLeaf: task.leaf })) book.noteTask(task);
    },
    noteReceipt(receipt) {
      if (isIt(receipt.taskId, receipt)) book.noteReceipt(receipt);
    },
    noteDeadLetter(letter) {
      if (isIt(letter.envelopeId, letter)) book.noteDeadLetter(letter);
    },
  };

  /** The one that stood in its queue, else the only one that anybody speaks of. */
  function theOne(): TaskRecord | undefined {
    const all = [...book.all()];
    const seen = all.filter(({ place }) => place !== undefined);
    if (seen.length === 1 || spoken.size < 2) return seen[0] ?? all[0];
    const message = `ID: it is said of ${spoken.size} tasks; give --leaf and --queue, as vak task submit printed them`;
    throw new VakError('conflict', message);
  }

  return { book: own, theOne };
}

/** Begins to watch a task; of what was stored before `sinceMs` nothing is read. */
export function watchTask(task: WatchedTask, sinceMs: number, deps: TaskWatchDeps): TaskWatch {
  const { onRefused, ...rest } = deps;
  const { book, theOne } = createOwnBook(task);
  const isAbout = (data: Uint8Array): boolean => {
    const reading = deps.reader.read(data);
    return reading.kind === 'envelope' && reading.envelope.causationid === task.id;
  };
  const follower = createWorkFollower({
    ...{ ...rest, book, sinceMs },
    onRefused({ message, why }) {
      if (isAbout(message.data)) onRefused(why);
    },
  });
  return {
    isAbout,
    async look() {
      await follower.refresh();
      return theOne();
    },
  };
}
