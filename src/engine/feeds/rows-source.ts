/**
 * Rows of the live table as frames by column (architecture.md §5: one JSON text a frame).
 * Law: at most 256 rows or 64 KiB a frame; payloads do not ride along, only their previews.
 */
import type { RowsFrame } from '../../shared/contract/streams-contract.ts';
import { checkPattern, matches } from '../../shared/protocol/subject.ts';
import type { FeedSource, FrameBuilder } from './feed-pump.ts';
import type { HeldMessage } from './message-buffer.ts';
import type { MessageMatcher } from './message-query.ts';
import type { RowFacts, RowReader } from './row-reader.ts';

/** Most rows of a frame. */
export const maxFrameRows = 256;
/** Most bytes of a frame, about. */
export const maxFrameBytes = 64 * 1024;
const rowOverhead = 48;
/** Signatures that a frame checks; rows beyond it are checked when they are looked at (quality.md P8). */
const maxFrameChecks = 8;
/** Rows that fill a window, about. Where more wait they run through unread: none is checked, and those that stay in sight are asked for. */
const maxReadRows = 48;

/** Strings of one frame by index. */
interface Dictionary {
  readonly values: string[];
  indexOf(value: string): number;
}

function createDictionary(): Dictionary {
  const indexes = new Map<string, number>();
  const values: string[] = [];
  return {
    values,
    indexOf(value) {
      const known = indexes.get(value);
      if (known !== undefined) return known;
      indexes.set(value, values.length);
      return values.push(value) - 1;
    },
  };
}

/** A row with its place. */
export interface PlacedRow extends RowFacts, Pick<HeldMessage, 'seq' | 'atMs' | 'subject'> {
  readonly sizeBytes: number;
}

/** The columns of one frame. */
export interface RowColumns {
  readonly count: number;
  /** Weight so far, about as many bytes as its JSON. */
  readonly bytes: number;
  add(row: PlacedRow): void;
  frame(dropped: number, scannedSeq: number): RowsFrame;
}

/** Creates an empty frame. */
export function createRowColumns(): RowColumns {
  const subjects = createDictionary();
  const peers = createDictionary();
  const columns = {
    seq: [] as number[],
    atMs: [] as number[],
    subjectIndex: [] as number[],
    peerIndex: [] as number[],
    sizeBytes: [] as number[],
    preview: [] as string[],
    marks: [] as number[],
  };
  let bytes = 0;
  return {
    get count() {
      return columns.seq.length;
    },
    get bytes() {
      return bytes;
    },
    add({ seq, atMs, subject, sizeBytes, peer, preview, marks }) {
      columns.seq.push(seq);
      columns.atMs.push(atMs);
      columns.subjectIndex.push(subjects.indexOf(subject));
      columns.peerIndex.push(peer === null ? -1 : peers.indexOf(peer));
      columns.sizeBytes.push(sizeBytes);
      columns.preview.push(preview);
      columns.marks.push(marks);
      bytes += preview.length + rowOverhead;
    },
    frame: (dropped, scannedSeq) => ({
      ...columns,
      subjects: subjects.values,
      peers: peers.values,
      dropped,
      scannedSeq,
    }),
  };
}

/** A message as a row; its signature is checked only if that is asked for. */
export function placedRow(rows: RowReader, message: HeldMessage, isChecked: boolean): PlacedRow {
  const { seq, atMs, subject, data } = message;
  return { ...rows.read(message, isChecked), seq, atMs, subject, sizeBytes: data.length };
}

function createRowsFrame(rows: RowReader, waitingCount: number): FrameBuilder {
  const columns = createRowColumns();
  let checksLeft = waitingCount > maxReadRows ? 0 : maxFrameChecks;
  return {
    get isEmpty() {
      return columns.count === 0;
    },
    add(message) {
      if (columns.count >= maxFrameRows || columns.bytes >= maxFrameBytes) return false;
      const isChecked = message.trust.signature !== 'unchecked';
      columns.add(placedRow(rows, message, isChecked || checksLeft > 0));
      if (!isChecked) checksLeft--;
      return true;
    },
    build: (dropped, scannedSeq) => JSON.stringify(columns.frame(dropped, scannedSeq)),
  };
}

/** Rows of every subject that a pattern matches; with `wants` only those that it means. Throws `invalid-pattern`. */
export function createRowsSource(pattern: string, rows: RowReader, wants?: MessageMatcher): FeedSource {
  checkPattern(pattern);
  return {
    accepts: (subject) => pattern === '>' || matches(pattern, subject),
    wants,
    createFrame: (waitingCount) => createRowsFrame(rows, waitingCount),
  };
}
