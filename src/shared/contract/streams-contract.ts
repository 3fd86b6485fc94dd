/**
 * Streams: what passes on the bus, live (architecture.md §5).
 * Law: feeds are lossy and bounded, and every loss is counted in the frame that follows it.
 */
import { z } from 'zod';
import { maxSubjectLength } from '../protocol/subject.ts';
import { call, feed, snapshot } from './define-contract.ts';

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
  readonly peer: string | null;
  readonly bytes: Uint8Array;
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

/** Rows by column: entry i of each array is row i, in order of `seq`. */
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
  /** Rows that this feed lost to the buffer's bound just before this frame. */
  readonly dropped: number;
  /** Highest seq that the feed has examined, matching or not. */
  readonly scannedSeq: number;
}

/** Messages of one session with their payloads, in order. `payload` is the JSON text as it came. */
export interface SessionFrame {
  readonly items: readonly {
    readonly seq: number;
    readonly atMs: number;
    readonly type: string;
    readonly payload: string;
  }[];
  /** Messages of any session that left the buffer unseen just before this frame. */
  readonly dropped: number;
  readonly scannedSeq: number;
}

/** Parameters of `streams.rows`: subjects to show, and where to begin (0: everything still buffered). */
export const rowsParams = z.object({ pattern: z.string().min(1).max(maxSubjectLength), fromSeq: seq });
/** Parameters of `streams.session`. */
export const sessionParams = z.object({ session: z.string().min(1).max(64), fromSeq: seq });

export const streamsContract = {
  /** The exact bytes of one message; `not-found` once it has left the buffer. */
  read: call(z.object({ seq: seq.min(1) }))<BufferedMessage>(),
  status: snapshot<StreamsStatus>(),
  rows: feed(rowsParams)<RowsFrame>(),
  session: feed(sessionParams)<SessionFrame>(),
} as const;
