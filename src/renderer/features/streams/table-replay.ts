/** How far what the engine held before is sent: a replay, until the live end is reached. Law: the end that counts is the present one. */
import type { LiveBuffer } from '../../state/live-buffer.ts';

/** What the engine holds, as far as it is known. */
export type HeldRange = () => { readonly oldestSeq: number; readonly newestSeq: number } | undefined;

export interface TableReplay {
  readonly isUnderWay: boolean;
  /** How many messages were looked at, of how many; undefined: the live end is reached. */
  readonly progress: { readonly doneCount: number; readonly totalCount: number } | undefined;
  /** What is held behind this seq is sent from now on; none if nothing is. */
  begin(afterSeq: number): void;
  /** What came since the last row is sent from now on, unless a replay is under way. */
  resume(): void;
  /** Takes in what was appended; answers whether a replay has ended with it. */
  settle(): boolean;
}

/** Creates it without a replay. */
export function createTableReplay(buffer: Pick<LiveBuffer, 'scannedSeq'>, held: HeldRange): TableReplay {
  /** The last message before those that are sent. */
  let after: number | undefined;
  const newestSeq = (): number => held()?.newestSeq ?? 0;
  function begin(afterSeq: number): void {
    const first = Math.max(afterSeq, (held()?.oldestSeq ?? 1) - 1);
    after = newestSeq() > first ? first : undefined;
  }
  return {
    get isUnderWay() {
      return after !== undefined;
    },
    get progress() {
      if (after === undefined) return undefined;
      const doneCount = Math.max(0, buffer.scannedSeq - after);
      return { doneCount, totalCount: Math.max(doneCount, newestSeq() - after) };
    },
    begin,
    resume() {
      if (after === undefined) begin(buffer.scannedSeq);
    },
    settle() {
      if (after === undefined || buffer.scannedSeq < newestSeq()) return false;
      after = undefined;
      return true;
    },
  };
}
