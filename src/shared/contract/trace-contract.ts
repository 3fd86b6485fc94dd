/**
 * One trace, gathered from the streams and from what was heard (protocol.md E4, docs/spec/trace.md).
 * Law: every text was made visible, every list is bounded, and what does not count is told apart from what does.
 */
import { z } from 'zod';
import type { ChainProofSaved, ChainProofVerdict, ChainReport, ChainSources } from './chain-report.ts';
import { call } from './define-contract.ts';
import type { TraceSearch } from './trace-search.ts';

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

const source = z.string().min(1).max(2_048);

export const traceContract = {
  /** Which trace an envelope is of; null: neither it nor anything that it caused is here. Throws `aborted`. */
  find: call(z.object({ envelopeId: z.uuid().lowercase() }))<{ readonly traceId: string | null }>(),
  /** Sources of which something lies in the streams. Throws `aborted`. */
  sources: call(z.object({}))<ChainSources>(),
  /** What is visible of a source's chain; of one that nobody has seen nothing is. Throws `aborted`. */
  chain: call(z.object({ source }))<ChainReport>(),
  /**
   * Asks for a file and writes the inclusion proof of an envelope (E14). Throws `not-found` that says what is lacking, `conflict` where
   * what is here does not lead to the checkpoint, `aborted`, and what writing throws.
   */
  prove: call(z.object({ source, seq: z.int().nonnegative() }))<ChainProofSaved>(),
  /** Asks for a proof's file and checks it. Throws `invalid-input` for what is no proof, `limit-exceeded`, `aborted`. */
  checkProof: call(z.object({}))<ChainProofVerdict>(),
  /** Gathers a trace. A trace of which nothing is found has no rows. Throws `aborted`. */
  read: call(
    z.object({ traceId: z.string().regex(/^(?!0{32}$)[0-9a-f]{32}$/, 'expected 32 lower hex digits, not all zero') }),
  )<TraceReport>(),
} as const;
