/**
 * Follows what becomes of a workspace's tasks: the tasks themselves, receipts, dead letters, what operators purge (protocol.md W6, W7).
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
import { createGoneSearch } from './gone-search.ts';
import { auditStreamOf, auditSubject, readPurge } from './purge-records.ts';
import { judgeReceipt } from './receipts.ts';
import {
  createStreamReading,
  type Noting,
  type ReadingPace,
  type StreamReading,
  type StreamReadingDeps,
} from './stream-reading.ts';
import type { TaskBook } from './task-book.ts';
import { judgeTask } from './task-refusal.ts';
import { workStreamOf } from './work-queue.ts';

/** A record that does not count, and why. */
export interface RefusedRecord {
  readonly kind: 'receipt' | 'dead-letter' | 'action';
  readonly message: StoredMessage;
  readonly why: string;
}

/** What a follower tells of. */
export type FollowedBook = Pick<
  TaskBook,
  'noteTask' | 'noteReceipt' | 'noteDeadLetter' | 'noteGone' | 'notePurge' | 'open'
> &
  Partial<Pick<TaskBook, 'noteRefusal'>>;

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
  /** Whether tasks are judged as workers will judge them: it costs as much as receipts do. */
  readonly areTasksJudged?: boolean;
  /** Tasks that are looked for at each refresh at most; unless told as {@link createGoneSearch} has it. */
  readonly maxLooks?: number;
  /** Whether the outputs that receipts hold (W6c) are told: whoever remembers many tasks has no room for them. */
  readonly areOutputsWanted?: boolean;
  readonly clock: Clock;
  readonly onRefused: (refused: RefusedRecord) => void;
  /** It was refused, and is proven now. */
  readonly onTakenBack?: (proven: Omit<RefusedRecord, 'why'>) => void;
  readonly pace?: ReadingPace;
}

export interface WorkFollower {
  /** Reads what has come since, then looks which tasks have gone. Calls run one after the other. Throws what reading throws. */
  refresh(): Promise<void>;
  /** As {@link refresh}, receipts and dead letters alone: for who may not read tasks (A2), and wherever nobody asks what is lost. */
  readRecords(): Promise<void>;
}

/** Creates a follower of a workspace. */
export function createWorkFollower(deps: WorkFollowerDeps): WorkFollower {
  const { workspace, durable, judge, reader, book, sinceMs, fromSeqs, clock } = deps;
  const { maxLooks, areOutputsWanted = false, areTasksJudged = false, onRefused, onTakenBack = () => {}, pace } = deps;
  const lane = createSerialLane();
  const search = createGoneSearch({
    ...{ book, stream: durable.stream(workStreamOf(workspace)) },
    ...(maxLooks === undefined ? {} : { maxLooks }),
  });
  let isTaskStreamRead = false;
  let toldSeq = 0;
  let isBarred = false;

  function noteTask(message: StoredMessage): Noting {
    const { seq, storedMs, subject } = message;
    const reading = reader.read(message.data);
    const taskId = reading.kind === 'envelope' ? reading.envelope.id : null;
    const leaf = taskLeafOf(message, reading);
    const verdict = areTasksJudged ? judgeTask(message, judge) : undefined;
    const refusal = verdict?.kind === 'refused' ? verdict.why : undefined;
    // What is judged anew was told before, and may be gone by now.
    if (seq <= toldSeq) book.noteRefusal?.(leaf, refusal);
    else book.noteTask({ leaf, queue: parseSubject(subject).entity, taskId, seq, storedMs, refusal });
    toldSeq = Math.max(toldSeq, seq);
    if (verdict?.kind === 'locked') return 'locked';
    return verdict?.kind === 'refused' && !verdict.isFinal ? 'unproven' : 'noted';
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
    if (isTold) onTakenBack({ kind: 'receipt', message });
    const { output, ...said } = verdict.receipt;
    book.noteReceipt({ ...said, ...(areOutputsWanted && output !== undefined ? { output } : {}), seq, storedMs });
    return 'noted';
  }

  function noteDeadLetter(message: StoredMessage, isTold: boolean): Noting {
    const verdict = judgeDeadLetter(message, judge);
    if (verdict.kind === 'locked') return 'locked';
    const { seq, storedMs } = message;
    if (verdict.kind === 'invalid') {
      return refuse({ kind: 'dead-letter', message, why: verdict.why }, { isFinal: verdict.isFinal, isTold });
    }
    if (isTold) onTakenBack({ kind: 'dead-letter', message });
    book.noteDeadLetter({ ...verdict.letter, by: verdict.envelope.agentid, seq, storedMs });
    return 'noted';
  }

  function noteAction(message: StoredMessage, isTold: boolean): Noting {
    const reading = readPurge(message, judge);
    if (reading.kind === 'locked') return 'locked';
    if (reading.kind === 'invalid') {
      return refuse({ kind: 'action', message, why: reading.why }, { isFinal: reading.isFinal, isTold });
    }
    if (isTold) onTakenBack({ kind: 'action', message });
    if (reading.kind === 'purge') book.notePurge(reading.purge);
    return 'noted';
  }

  function readingOf(stream: string, note: StreamReadingDeps['note'], subject?: string): StreamReading {
    const fromSeq = fromSeqs?.get(stream);
    return createStreamReading({
      ...{ durable, stream, from: fromSeq === undefined ? { fromMs: sinceMs } : { fromSeq }, note },
      ...(subject === undefined ? {} : { subject }),
      ...(pace === undefined ? {} : { pace }),
    });
  }
  const tasks = readingOf(workStreamOf(workspace), noteTask);
  const receipts = readingOf(`VAK_RECEIPTS_${workspace}`, noteReceipt);
  const letters = readingOf(`VAK_DLQ_${workspace}`, noteDeadLetter);
  const actions = readingOf(auditStreamOf(workspace), noteAction, auditSubject(workspace));

  async function readRecords(): Promise<void> {
    await receipts.read();
    await letters.read();
  }

  /** Who may not read what operators did takes a purged task for a lost one, and does not ask again and again. */
  async function readActions(): Promise<void> {
    if (isBarred) return;
    try {
      await actions.read();
    } catch (error) {
      isBarred = isVakError(error, 'forbidden') || isVakError(error, 'unauthorized');
      // An older provisioning made no such stream.
      if (!isBarred && !isVakError(error, 'not-found')) throw error;
    }
  }

  async function readSaid(): Promise<void> {
    await readRecords();
    await readActions();
  }

  async function readAll(): Promise<void> {
    await tasks.read();
    isTaskStreamRead = true;
    await readSaid();
    const gone = await search.find();
    if (gone.length === 0) return;
    // An honest worker stores what became of a task before the task goes (W1, W3): it is there now.
    await readSaid();
    // While the keys are locked nobody can tell.
    if ([receipts, letters, actions].some((one) => one.isLocked())) return;
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
