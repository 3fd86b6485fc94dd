/**
 * How far a look through the streams went (docs/spec/trace.md T1, T6).
 * Law: what was not looked at is told with what was.
 */

/** How much of a stream was looked at. */
export interface TraceSearch {
  readonly stream: string;
  readonly readCount: number;
  /** All that lies there was. */
  readonly isWhole: boolean;
  /** Why it was not read; null: it was. */
  readonly problem: string | null;
}
