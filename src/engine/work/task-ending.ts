/**
 * Whether one task is over, by what is stored of it (protocol.md W6, W7): for who put it into its queue.
 * Law: only a receipt `done` or a dead letter of that very task that counts ends it; a failed attempt does not.
 */
import type { DurablePlane } from '../bus/durable.ts';
import type { StoredJudge } from '../envelope/stored-judge.ts';
import { judgeDeadLetter } from './dead-letter-judge.ts';
import { judgeReceipt } from './receipts.ts';
import { createStreamReading, type Noting, type StreamReadingDeps } from './stream-reading.ts';

export interface TaskEndingDeps {
  readonly workspace: string;
  readonly durable: DurablePlane;
  readonly judge: StoredJudge;
  /** 64 lower hex digits (E10). */
  readonly taskLeaf: string;
  /** Nothing was stored of it before, ms since the epoch. */
  readonly sinceMs: number;
}

/** Creates the look at a task: whether it is over. It throws what reading throws. */
export function createTaskEnding(deps: TaskEndingDeps): () => Promise<boolean> {
  const { workspace, durable, judge, taskLeaf, sinceMs } = deps;
  let isOver = false;

  const noteReceipt: StreamReadingDeps['note'] = (message): Noting => {
    const verdict = judgeReceipt(message, judge);
    if (verdict.kind === 'locked') return 'locked';
    if (verdict.kind === 'invalid') return verdict.isFinal ? 'noted' : 'unproven';
    const { receipt } = verdict;
    if (receipt.taskLeaf === taskLeaf && receipt.outcome === 'done') isOver = true;
    return 'noted';
  };
  const noteLetter: StreamReadingDeps['note'] = (message): Noting => {
    const verdict = judgeDeadLetter(message, judge);
    if (verdict.kind === 'locked') return 'locked';
    if (verdict.kind === 'invalid') return verdict.isFinal ? 'noted' : 'unproven';
    if (verdict.letter.taskLeaf === taskLeaf) isOver = true;
    return 'noted';
  };

  const from = { fromMs: sinceMs };
  const receipts = createStreamReading({ durable, stream: `VAK_RECEIPTS_${workspace}`, from, note: noteReceipt });
  const letters = createStreamReading({ durable, stream: `VAK_DLQ_${workspace}`, from, note: noteLetter });
  return async () => {
    if (!isOver) await receipts.read();
    if (!isOver) await letters.read();
    return isOver;
  };
}
