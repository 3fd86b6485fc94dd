/**
 * How many dead letters that count are kept, and how many lie there that do not (protocol.md W3d, W10).
 * Law: it only reads; what nobody can judge counts as neither, and what is kept is asked of the engine at each look.
 */
import type { DurablePlane, StoredMessage } from '../bus/durable.ts';
import type { StoredJudge } from '../envelope/stored-judge.ts';
import { judgeDeadLetter } from './dead-letter-judge.ts';
import { createStreamReading, type Noting, type StreamReading } from './stream-reading.ts';

/** Of those that lie in their stream now. */
export interface DeadLetterCounts {
  readonly countingCount: number;
  readonly refusedCount: number;
  /** Nobody could tell: the keys are not there, or they are older than the last 20 000. */
  readonly unjudgedCount: number;
}

export interface DeadLetterCount {
  /** Reads what has come since. Throws what reading throws: `not-found` where there is no such stream. */
  look(): Promise<DeadLetterCounts>;
}

export interface DeadLetterCountDeps {
  readonly workspace: string;
  readonly durable: DurablePlane;
  readonly judge: StoredJudge;
  /** Dead letters that are judged at most, the newest; 20 000 unless told. */
  readonly capacity?: number;
}

const usualCapacity = 20_000;

/** Creates it; nothing is read before the first look. */
export function createDeadLetterCount(deps: DeadLetterCountDeps): DeadLetterCount {
  const { workspace, durable, judge, capacity = usualCapacity } = deps;
  const name = `VAK_DLQ_${workspace}`;
  /** By place, whether it counts; undefined: nobody can tell. */
  let judged = new Map<number, boolean | undefined>();
  let reading: StreamReading | undefined;

  function note(message: StoredMessage): Noting {
    const verdict = judgeDeadLetter(message, judge);
    judged.set(message.seq, verdict.kind === 'locked' ? undefined : verdict.kind === 'valid');
    if (verdict.kind === 'locked') return 'locked';
    return verdict.kind === 'valid' || verdict.isFinal ? 'noted' : 'unproven';
  }

  const begin = (fromSeq: number): StreamReading =>
    createStreamReading({ durable, stream: name, from: { fromSeq }, note });

  /** Forgets what gave way, and the oldest beyond the bound. */
  function forget(firstSeq: number): void {
    for (const seq of judged.keys()) {
      if (seq >= firstSeq && judged.size <= capacity) return;
      judged.delete(seq);
    }
  }

  return {
    async look() {
      const { firstSeq, lastSeq } = await durable.stream(name).state();
      reading ??= begin(Math.max(1, firstSeq, lastSeq - capacity + 1));
      await reading.read();
      const { firstSeq: first, messageCount } = await durable.stream(name).state();
      forget(first);
      if (judged.size > messageCount) {
        // Something was deleted in between: what stands is read anew.
        judged = new Map();
        reading = begin(Math.max(1, first, lastSeq - capacity + 1));
        await reading.read();
      }
      const all = [...judged.values()];
      const [countingCount, refusedCount] = [all.filter((one) => one === true), all.filter((one) => one === false)].map(
        ({ length }) => length,
      ) as [number, number];
      return { countingCount, refusedCount, unjudgedCount: Math.max(0, messageCount - countingCount - refusedCount) };
    },
  };
}
