/**
 * Streams: what passes on the bus, live (architecture.md §5).
 * Law: feeds are lossy and bounded, and every loss is counted in the frame that follows it.
 */
import { z } from 'zod';
import { maxSliceBytes } from '../base/slice-bounds.ts';
import { maxSubjectLength } from '../protocol/subject.ts';
import { call, feed, snapshot } from './define-contract.ts';
import type { OpenFailure, RefusalReason, TrustReport } from './trust-report.ts';

const seq = z.int().nonnegative();

/** A message as it lies in the engine's buffer, or in a stream. */
export interface BufferedMessage {
  /** Place in the engine's buffer since its start, or in the stream, from 1. */
  readonly seq: number;
  /** The stream in which it lies; null: it was heard live. */
  readonly stream: string | null;
  /** Arrival at the engine, or when it was stored, ms since the epoch. */
  readonly atMs: number;
  readonly subject: string;
  /** `vak.<plane>.<verb>`, or `foreign` if the subject fits no row (S4). */
  readonly type: string;
  readonly session: string | null;
  /** As the envelope claims; `trust.signature` says whether that is so. */
  readonly peer: string | null;
  /** The first `headBytes` as they came; all of them if there are no more. */
  readonly bytes: Uint8Array;
  /** Of the whole message. */
  readonly sizeBytes: number;
  readonly trust: TrustReport;
}

/** A payload, opened on request: its first `headBytes`, and how many there are. */
export type OpenedHead =
  | { readonly kind: 'opened'; readonly bytes: Uint8Array; readonly sizeBytes: number; readonly wasSealed: boolean }
  | { readonly kind: 'failed'; readonly failure: OpenFailure };

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

/** A stream of the durable plane, as it was when it was looked at. */
export interface StoredStream {
  readonly name: string;
  /** Patterns of the subjects that it takes. */
  readonly subjects: readonly string[];
  readonly messageCount: number;
  readonly bytes: number;
  /** `lastSeq + 1` if it is empty. */
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** When the first and the last message were stored, ms since the epoch; null: there is none. */
  readonly oldestMs: number | null;
  readonly newestMs: number | null;
}

/** The streams that these credentials see, in order of their names; `why`: why there are none. */
export interface StoredStreams {
  readonly streams: readonly StoredStream[];
  readonly why: string | null;
}

/**
 * A page of a stream: rows whose `seq` is the place in the stream and whose `atMs` is when they were stored. All from `fromSeq` to
 * `toSeq` was looked at; what the filter does not mean is left out. `fromSeq` > `toSeq`: nothing lay there.
 */
export interface StoredPage {
  readonly rows: RowsFrame;
  readonly fromSeq: number;
  readonly toSeq: number;
  /** Of the stream when it was read; `lastSeq + 1` if it is empty. */
  readonly firstSeq: number;
  readonly lastSeq: number;
}

/** Longest filter of messages, in UTF-16 units. */
const maxFilterLength = 2048;
const filterText = z.string().max(maxFilterLength).optional();
/** A stream by its name; undefined: what was heard live. */
const streamName = z.string().regex(/^[A-Za-z0-9_-]{1,128}$/);

/**
 * Parameters of `streams.rows`: subjects to show, which of their messages (as typed, `messageFields`; none or empty: all), and where to
 * begin (0: everything still buffered). A filter with a fault is refused with `invalid-input`.
 */
export const rowsParams = z.object({
  pattern: z.string().min(1).max(maxSubjectLength),
  filter: filterText,
  fromSeq: seq,
});
/** Parameters of `streams.tail`: what is stored from a place on, as it is stored. */
export const tailParams = z.object({ stream: streamName, filter: filterText, fromSeq: seq.min(1) });
/** Parameters of `streams.session`. */
export const sessionParams = z.object({ session: z.string().min(1).max(64), fromSeq: seq });

/** Where a page lies: the newest, what is older than a place, what is there from a place on, or from a time of storing on. */
const pagePlace = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('newest') }),
  z.object({ kind: z.literal('before'), seq: seq.min(1) }),
  z.object({ kind: z.literal('from'), seq: seq.min(1) }),
  z.object({ kind: z.literal('time'), ms: z.int().nonnegative() }),
]);
const pageInput = z.object({ stream: streamName, filter: filterText, at: pagePlace });
export type PageInput = z.infer<typeof pageInput>;

/** A message: by its place in what was heard, or in a stream. */
const messagePlace = z.object({ seq: seq.min(1), stream: streamName.nullish() });

/** An end of a range, itself included: a place, or a time of arrival or storing. */
const exportBound = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('seq'), seq }),
  z.object({ kind: z.literal('time'), ms: z.int().nonnegative() }),
]);
export type ExportBound = z.infer<typeof exportBound>;
const exportFormat = z.enum(['ndjson', 'csv', 'raw']);
export type ExportFormat = z.infer<typeof exportFormat>;
const exportInput = z.object({
  /** Null: what was heard and is still held. */
  stream: streamName.nullable(),
  /** Of what was heard: subjects. */
  pattern: z.string().min(1).max(maxSubjectLength).optional(),
  filter: filterText,
  from: exportBound.optional(),
  to: exportBound.optional(),
  format: exportFormat,
  /** Opened payloads beside the messages, where the format has room for both. */
  withPayload: z.boolean(),
});
export type ExportInput = z.infer<typeof exportInput>;

/** An export that is being written. */
export interface ExportProgress {
  /** By which `cancelExport` stops it. */
  readonly exportId: string;
  /** Of the file, without its folder. */
  readonly name: string;
  /** Messages that were looked at, of so many; in a stream counted by their places. */
  readonly lookedCount: number;
  readonly totalCount: number;
  readonly writtenCount: number;
  readonly writtenBytes: number;
}

/** Oldest first. */
export interface ExportsState {
  readonly running: readonly ExportProgress[];
}

export interface ExportDone {
  readonly path: string;
  readonly count: number;
  readonly bytes: number;
  /** Messages that left the buffer before they were written. */
  readonly lostCount: number;
}

/** The message as it came, or its opened payload. */
const messagePart = z.enum(['message', 'payload']);
export type MessagePart = z.infer<typeof messagePart>;
const sliceInput = messagePlace.extend({
  part: messagePart,
  offset: z.int().nonnegative(),
  length: z.int().min(1).max(maxSliceBytes),
});

/** Most rows whose signatures one call checks. */
const maxCheckedRows = 128;

export const streamsContract = {
  /** A message, the beginning of its bytes and what is known of its trust; `not-found` once it has left the buffer, or the stream. */
  read: call(messagePlace)<BufferedMessage>(),
  /** Opens the payload of one message; `not-found` once it has left the buffer, or the stream. */
  open: call(messagePlace)<OpenedHead>(),
  /**
   * Bytes from a place on, as many as there are up to `length`. `not-found` as above; `conflict` if the payload does not open,
   * `invalid-input` behind its end.
   */
  slice: call(sliceInput)<Uint8Array>(),
  /** Writes the whole of it to a file that the person chooses, to the byte. */
  save: call(messagePlace.extend({ part: messagePart }))<{ readonly path: string; readonly sizeBytes: number }>(),
  /** Which streams there are, and what lies in them. */
  stored: call(z.object({}))<StoredStreams>(),
  /**
   * A page of a stream. It looks at a bounded part, so it may have few rows or none although there are more: ask again from where it
   * ends. A filter with a fault is refused with `invalid-input`, a stream that is not there with `not-found`.
   */
  page: call(pageInput)<StoredPage>(),
  /** Checks the signatures of rows that are looked at; gives their marks in the same order, −1 for those that have left. */
  check: call(z.object({ seqs: z.array(seq.min(1)).min(1).max(maxCheckedRows) }))<{
    readonly marks: readonly number[];
  }>(),
  /**
   * Writes messages into a file that the person at the machine chooses, whole or not at all. Throws `aborted` (no file was chosen, or it was
   * cancelled), `invalid-input` (the filter), `disk-full`, `forbidden`, `locked`.
   */
  export: call(exportInput)<ExportDone>(),
  /** Stops an export; nothing of it is left. */
  cancelExport: call(z.object({ exportId: z.string().min(1).max(64) }))<void>(),
  exports: snapshot<ExportsState>(),
  quarantine: snapshot<QuarantineState>(),
  status: snapshot<StreamsStatus>(),
  rows: feed(rowsParams)<RowsFrame>(),
  /** Rows of a stream as they are stored, with the places and times of the stream. */
  tail: feed(tailParams)<RowsFrame>(),
  session: feed(sessionParams)<SessionFrame>(),
} as const;
