/**
 * Follows what becomes of a workspace's tasks: the tasks themselves, receipts, dead letters (protocol.md W6, W7).
 * Law: it only reads, and makes no consumer; a task is held for lost only after everything that was stored before it went was read.
 */
import { isVakError } from '../../shared/base/vak-error.ts';
import { parseSubject } from '../../shared/protocol/subject.ts';
import type { DurablePlane, StoredMessage } from '../bus/durable.ts';
import type { EnvelopeReader } from '../envelope/envelope-reader.ts';
import type { StoredJudge } from '../envelope/stored-judge.ts';
import type { Clock } from '../ports/clock.ts';
import { createSerialLane } from '../serial-lane.ts';
import { taskLeafOf } from './dead-letter.ts';
import { judgeDeadLetter } from './dead-letter-judge.ts';
import { judgeReceipt } from './receipts.ts';
import { createStreamReading, type Noting, type StreamReadingDeps } from './stream-reading.ts';
import type { TaskBook } from './task-book.ts';
import { workStreamOf } from './work-queue.ts';

/** A receipt or dead letter that does not count, and why. */
export interface RefusedRecord {
  readonly kind: 'receipt' | 'dead-letter';
  readonly message: StoredMessage;
  readonly why: string;
}

/** What a follower tells of. */
export type FollowedBook = Pick<TaskBook, 'noteTask' | 'noteReceipt' | 'noteDeadLetter' | 'noteGone' | 'open'>;

export interface WorkFollowerDeps {
  readonly workspace: string;
  readonly durable: DurablePlane;
  readonly judge: StoredJudge;
  readonly reader: EnvelopeReader;
  readonly book: FollowedBook;
  /** What was stored before is not read, ms since the epoch. */
  readonly sinceMs: number;
  /** Of a stream: where its reading begins instead, whatever was stored when. */
  readonly fromSeqs?: ReadonlyMap<string, number>;
  /** Tasks that are looked for at each refresh at most; 500 unless told. */
  readonly maxLooks?: number;
  readonly clock: Clock;
  readonly onRefused: (refused: RefusedRecord) => void;
}

export interface WorkFollower {
  /** Reads what has come since, then looks which tasks have gone. Calls run one after the other. Throws what reading throws. */
  refresh(): Promise<void>;
  /** As {@link refresh}, receipts and dead letters alone: for who may not read tasks (A2), and wherever nobody asks what is lost. */
  readRecords(): Promise<void>;
}

/** Tasks that are looked for at each refresh, those that were looked for longest ago first. */
const standardLooks = 500;

/** Creates a follower of a workspace. */
export function createWorkFollower(deps: WorkFollowerDeps): WorkFollower {
  const { workspace, durable, judge, reader, book, sinceMs, fromSeqs, clock, onRefused } = deps;
  const { maxLooks = standardLooks } = deps;
  const work = durable.stream(workStreamOf(workspace));
  const lane = createSerialLane();
  /** Of a task that is open: when it was looked for, by `clock.monotonic`. */
  const lookedMs = new Map<string, number>();
  let isTaskStreamRead = false;

  function noteTask(message: StoredMessage): Noting {
    const { seq, storedMs, subject } = message;
    const reading = reader.read(message.data);
    const taskId = reading.kind === 'envelope' ? reading.envelope.id : null;
    const leaf = taskLeafOf(message, reading);
    book.noteTask({ leaf, queue: parseSubject(subject).entity, taskId, seq, storedMs });
    return 'noted';
  }

  /** What does not count is told once. */
  function refuse(refused: RefusedRecord, { isFinal, isTold }: { isFinal: boolean; isTold: boolean }): Noting {
    if (!isTold) onRefused(refused);
    return isFinal ? 'noted' : 'unproven';
  }

  function noteReceipt(message: StoredMessage, isTold: boolean): Noting {
    const verdict = judgeReceipt(message, judge);
    if (verdict.kind === 'locked') return 'locked';
    const { seq, storedMs } = message;
    if (verdict.kind === 'invalid') {
      return refuse({ kind: 'receipt', message, why: verdict.why }, { isFinal: verdict.isFinal, isTold });
    }
    book.noteReceipt({ ...verdict.receipt, seq, storedMs });
    return 'noted';
  }

  function noteDeadLetter(message: StoredMessage, isTold: boolean): Noting {
    const verdict = judgeDeadLetter(message, judge);
    if (verdict.kind === 'locked') return 'locked';
    const { seq, storedMs } = message;
    if (verdict.kind === 'invalid') {
      return refuse({ kind: 'dead-letter', message, why: verdict.why }, { isFinal: verdict.isFinal, isTold });
    }
    book.noteDeadLetter({ ...verdict.letter, seq, storedMs });
    return 'noted';
  }

  const readingOf = (stream: string, note: StreamReadingDeps['note']) => {
    const fromSeq = fromSeqs?.get(stream);
    return createStreamReading({
      durable,
      stream,
      from: fromSeq === undefined ? { fromMs: sinceMs } : { fromSeq },
      note,
    });
  };
  const tasks = readingOf(workStreamOf(workspace), noteTask);
  const receipts = readingOf(`VAK_RECEIPTS_${workspace}`, noteReceipt);
  const letters = readingOf(`VAK_DLQ_${workspace}`, noteDeadLetter);

  /** Tasks that should stand in the stream, and do not. */
  async function findGone(): Promise<string[]> {
    const standing = [...book.open()].filter(({ place, state }) => place !== undefined && state !== 'lost');
    const { firstSeq } = await work.state();
    const leaves = new Set(standing.map(({ leaf }) => leaf));
    for (const leaf of lookedMs.keys()) if (!leaves.has(leaf)) lookedMs.delete(leaf);
    const oldest = standing.sort((a, b) => (lookedMs.get(a.leaf) ?? -1) - (lookedMs.get(b.leaf) ?? -1));
    const gone: string[] = [];
    for (const { leaf, place } of oldest.slice(0, maxLooks)) {
      lookedMs.set(leaf, clock.monotonic());
      const seq = place?.seq ?? 0;
      if (seq < firstSeq || (await work.get(seq)) === undefined) gone.push(leaf);
    }
    return gone;
  }

  async function readRecords(): Promise<void> {
    await receipts.read();
    await letters.read();
  }

  async function readAll(): Promise<void> {
    await tasks.read();
    isTaskStreamRead = true;
    await readRecords();
    const gone = await findGone();
    if (gone.length === 0) return;
    // An honest worker stores what became of a task before the task goes (W1, W3): it is there now.
    await readRecords();
    // While the keys are locked nobody can tell.
    if (receipts.isLocked() || letters.isLocked()) return;
    const atMs = clock.now();
    for (const leaf of gone) book.noteGone(leaf, atMs);
  }

  return {
    readRecords: () => lane.run(readRecords),
    refresh: () =>
      lane.run(async () => {
        try {
          await readAll();
        } catch (error) {
          // A workspace whose streams were not made yet has no tasks.
          if (!isVakError(error, 'not-found') || isTaskStreamRead) throw error;
        }
      }),
  };
}
