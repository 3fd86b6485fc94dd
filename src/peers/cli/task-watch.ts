/** What becomes of one task, as the streams say it, told from everything else that lies in them (protocol.md W6, W7). */
import type { DurablePlane } from '../../engine/bus/durable.ts';
import type { EnvelopeReader } from '../../engine/envelope/envelope-reader.ts';
import type { StoredJudge } from '../../engine/envelope/stored-judge.ts';
import type { Clock } from '../../engine/ports/clock.ts';
import type { TaskRecord } from '../../engine/work/task-book.ts';
import { createWatchedTaskBook, type WatchedTask } from '../../engine/work/watched-task.ts';
import { createWorkFollower } from '../../engine/work/work-follower.ts';
import { VakError } from '../../shared/base/vak-error.ts';

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

function ambiguous(count: number): VakError {
  const message = `ID: it is said of ${count} tasks; give --leaf and --queue, as vak task submit printed them`;
  return new VakError('conflict', message);
}

/** Begins to watch a task; of what was stored before `sinceMs` nothing is read. */
export function watchTask(task: WatchedTask, sinceMs: number, deps: TaskWatchDeps): TaskWatch {
  const { onRefused, ...rest } = deps;
  const { book, record, noteAllRead } = createWatchedTaskBook(task, ambiguous);
  const isAbout = (data: Uint8Array): boolean => {
    const reading = deps.reader.read(data);
    return reading.kind === 'envelope' && reading.envelope.causationid === task.id;
  };
  const follower = createWorkFollower({
    ...{ ...rest, book, sinceMs, areOutputsWanted: true },
    onRefused({ message, why }) {
      if (isAbout(message.data)) onRefused(why);
    },
  });
  return {
    isAbout,
    async look() {
      await follower.refresh();
      if (sinceMs === 0) noteAllRead(deps.clock.now());
      return record();
    },
  };
}
