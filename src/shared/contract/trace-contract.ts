/**
 * One trace, gathered from the streams and from what was heard (protocol.md E4, docs/spec/trace.md).
 * Law: every text was made visible, every list is bounded, and what does not count is told apart from what does.
 */
import { z } from 'zod';
import { call } from './define-contract.ts';

/** Times are ms since the epoch by the clock of the streams: what a peer said was moved by its skew (T4). */
export interface TraceSegment {
  readonly kind: 'wait' | 'work';
  readonly fromMs: number;
  /** Null: it goes on. */
  readonly toMs: number | null;
}

export type TraceRowKind = 'task' | 'attempt' | 'letter' | 'request' | 'verdict' | 'message' | 'live';

/** `waiting`: nobody has it. `late`: it was done after it had been given up. `refused`: it does not count. `said`: nothing is to become of it. */
export type TraceRowState = 'waiting' | 'working' | 'done' | 'failed' | 'dead' | 'late' | 'refused' | 'said';

/** What the row leads to. */
export type TraceTarget =
  | { readonly kind: 'task'; readonly queue: string; readonly taskId: string }
  | { readonly kind: 'letter'; readonly taskId: string }
  | { readonly kind: 'approval'; readonly requestId: string }
  | { readonly kind: 'session'; readonly session: string }
  /** Place in the buffer of what was heard. */
  | { readonly kind: 'message'; readonly seq: number };

export interface TraceRow {
  /** Of the envelope; of `live` that of the session. */
  readonly id: string;
  readonly kind: TraceRowKind;
  /** Row that caused it; null: that is not in the trace. */
  readonly parentId: string | null;
  /** 0 for what nothing here caused; at most 8 are told apart. */
  readonly depth: number;
  readonly title: string;
  readonly peer: string | null;
  readonly session: string | null;
  readonly subject: string | null;
  readonly fromMs: number;
  /** The same as `fromMs`: a moment. Null: it goes on. */
  readonly toMs: number | null;
  readonly segments: readonly TraceSegment[];
  readonly state: TraceRowState;
  /** Why it failed or does not count; null: there is nothing to say. */
  readonly why: string | null;
  /** When it was published and stored; null: that is not known here. */
  readonly publishedMs: number | null;
  readonly storedMs: number | null;
  /** It is known only by what others say of it. */
  readonly isInferred: boolean;
  /** Its chain, and its place there; null: it is known by others alone. */
  readonly source: string | null;
  readonly chainSeq: number | null;
  readonly spanId: string | null;
  /** Messages that it stands for. */
  readonly count: number;
  readonly target: TraceTarget | null;
}

/** By so much a peer's clock must be off at least, for what is known to be possible: its time and this give the time of the streams. */
export interface TraceSkew {
  readonly peer: string;
  /** Negative: its clock is ahead. */
  readonly offsetMs: number;
  /** What it says cannot all be true. */
  readonly isContradictory: boolean;
}

/** How much of a stream was looked at. */
export interface TraceSearch {
  readonly stream: string;
  readonly readCount: number;
  /** All that lies there was. */
  readonly isWhole: boolean;
  /** Why it was not read; null: it was. */
  readonly problem: string | null;
}

export interface TraceReport {
  readonly traceId: string;
  /** In the order of the waterfall: whatever was caused stands below its cause. */
  readonly rows: readonly TraceRow[];
  readonly fromMs: number;
  readonly toMs: number;
  /** Of all tasks, up to now. */
  readonly waitMs: number;
  readonly workMs: number;
  readonly skews: readonly TraceSkew[];
  readonly searches: readonly TraceSearch[];
  readonly heardCount: number;
  /** All that is held of what was heard was looked at. */
  readonly isHeardWhole: boolean;
  /** Messages of the trace beyond what is shown. */
  readonly leftOutCount: number;
  readonly readAtMs: number;
}

export const traceContract = {
  /** Gathers a trace. A trace of which nothing is found has no rows. Throws `aborted`. */
  read: call(
    z.object({ traceId: z.string().regex(/^(?!0{32}$)[0-9a-f]{32}$/, 'expected 32 lower hex digits, not all zero') }),
  )<TraceReport>(),
} as const;
