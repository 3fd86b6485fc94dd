/**
 * Streams: what passes on the bus, live (architecture.md §5).
 * Law: feeds are lossy and bounded, and every loss is counted in the frame that follows it.
 */
import { z } from 'zod';
import { maxSubjectLength } from '../protocol/subject.ts';
import { call, feed, snapshot } from './define-contract.ts';
import type { OpenedPayload, RefusalReason, TrustReport } from './trust-report.ts';

const seq = z.int().nonnegative();

/** A message as it lies in the engine's buffer; `bytes` are exact. */
export interface BufferedMessage {
  /** Place in the engine's buffer since its start, from 1. */
  readonly seq: number;
  /** Arrival at the engine, ms since the epoch. */
  readonly atMs: number;
  readonly subject: string;
  /** `vak.<plane>.<verb>`, or `foreign` if the subject fits no row (S4). */
  readonly type: string;
  readonly session: string | null;
  /** As the envelope claims; `trust.signature` says whether that is so. */
  readonly peer: string | null;
  readonly bytes: Uint8Array;
  readonly trust: TrustReport;
}

/** A message that broke the workspace's policy and is not handled. */
export interface QuarantinedMessage {
  /** Place in the engine's buffer; it may have given way since. */
  readonly seq: number;
  readonly atMs: number;
  readonly subject: string;
  readonly sizeBytes: number;
  readonly reason: RefusalReason;
  readonly why: string;
}

/** Refused messages since the engine's start, without those that were found sound later: counts, and the newest of them, newest first. */
export interface QuarantineState {
  readonly refusedCount: number;
  readonly countByReason: Readonly<Record<RefusalReason, number>>;
  readonly recent: readonly QuarantinedMessage[];
  /** Most that `recent` holds. */
  readonly capacity: number;
}

/** The engine's message buffer and the flow through it. Counts since start, sizes in bytes, rates per second. */
export interface StreamsStatus {
  readonly receivedCount: number;
  readonly receivedBytes: number;
  readonly bufferedCount: number;
  readonly bufferedBytes: number;
  readonly capacityCount: number;
  readonly capacityBytes: number;
  /** Oldest seq still held; `newestSeq + 1` when the buffer is empty. */
  readonly oldestSeq: number;
  /** 0 before the first message. */
  readonly newestSeq: number;
  readonly inPerSecond: number;
  readonly outPerSecond: number;
  /** Messages that a bounded subscription or feed has dropped. */
  readonly droppedCount: number;
}

/**
 * Rows by column: entry i of each array is row i, in order of `seq`. A row that the feed sent before takes that one's place: its
 * message was judged anew. Such rows come in frames of their own.
 */
export interface RowsFrame {
  readonly seq: readonly number[];
  readonly atMs: readonly number[];
  /** Distinct subjects of this frame; `subjectIndex` points into it. */
  readonly subjects: readonly string[];
  readonly subjectIndex: readonly number[];
  /** Peer that sent the row, by the index into `peers`; −1 unknown. */
  readonly peers: readonly string[];
  readonly peerIndex: readonly number[];
  readonly sizeBytes: readonly number[];
  readonly preview: readonly string[];
  /** Trust of the row; see `unpackMarks`. */
  readonly marks: readonly number[];
  /** Rows that this feed lost to the buffer's bound just before this frame. */
  readonly dropped: number;
  /** Highest seq that the feed has examined, matching or not. */
  readonly scannedSeq: number;
}

/**
 * Accepted messages of one session with their opened payloads, in order. `payload` is the JSON text as it was written. What was
 * refused and is not any more comes in frames of its own, later than its `seq` says.
 */
export interface SessionFrame {
  readonly items: readonly {
    readonly seq: number;
    readonly atMs: number;
    readonly type: string;
    readonly payload: string;
  }[];
  /** Messages on this session's subjects that were refused, in this frame; below 0 where earlier ones are not refused any more. */
  readonly refused: number;
  /** Messages of any session that left the buffer unseen just before this frame. */
  readonly dropped: number;
  readonly scannedSeq: number;
}

/** Longest filter of messages, in UTF-16 units. */
const maxFilterLength = 2048;

/**
 * Parameters of `streams.rows`: subjects to show, which of their messages (as typed, `messageFields`; none or empty: all), and where to
 * begin (0: everything still buffered). A filter with a fault is refused with `invalid-input`.
 */
export const rowsParams = z.object({
  pattern: z.string().min(1).max(maxSubjectLength),
  filter: z.string().max(maxFilterLength).optional(),
  fromSeq: seq,
});
/** Parameters of `streams.session`. */
export const sessionParams = z.object({ session: z.string().min(1).max(64), fromSeq: seq });

/** Most rows whose signatures one call checks. */
const maxCheckedRows = 128;

export const streamsContract = {
  /** The exact bytes of one message and what is known of its trust; `not-found` once it has left the buffer. */
  read: call(z.object({ seq: seq.min(1) }))<BufferedMessage>(),
  /** Opens the payload of one message; `not-found` once it has left the buffer. */
  open: call(z.object({ seq: seq.min(1) }))<OpenedPayload>(),
  /** Checks the signatures of rows that are looked at; gives their marks in the same order, −1 for those that have left. */
  check: call(z.object({ seqs: z.array(seq.min(1)).min(1).max(maxCheckedRows) }))<{
    readonly marks: readonly number[];
  }>(),
  quarantine: snapshot<QuarantineState>(),
  status: snapshot<StreamsStatus>(),
  rows: feed(rowsParams)<RowsFrame>(),
  session: feed(sessionParams)<SessionFrame>(),
} as const;
