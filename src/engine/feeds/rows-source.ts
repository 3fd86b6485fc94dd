/**
 * Rows of the live table as frames by column (architecture.md §5: one JSON text a frame).
 * Law: at most 256 rows or 64 KiB a frame; payloads do not ride along, only their previews.
 */
import type { RowsFrame } from '../../shared/contract/streams-contract.ts';
import { checkPattern, matches } from '../../shared/protocol/subject.ts';
import type { FeedSource, FrameBuilder } from './feed-pump.ts';
import type { HeldMessage } from './message-buffer.ts';
import type { MessageMatcher } from './message-query.ts';
import type { RowReader } from './row-reader.ts';

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

function createRowsFrame(rows: RowReader, waitingCount: number): FrameBuilder {
  const subjects = createDictionary();
  const peers = createDictionary();
  const seq: number[] = [];
  const atMs: number[] = [];
  const subjectIndex: number[] = [];
  const peerIndex: number[] = [];
  const sizeBytes: number[] = [];
  const preview: string[] = [];
  const marks: number[] = [];
  let checksLeft = waitingCount > maxReadRows ? 0 : maxFrameChecks;
  let bytes = 0;

  function add(message: HeldMessage): boolean {
    if (seq.length >= maxFrameRows || bytes >= maxFrameBytes) return false;
    const isChecked = message.trust.signature !== 'unchecked';
    const row = rows.read(message, isChecked || checksLeft > 0);
    if (!isChecked) checksLeft--;
    seq.push(message.seq);
    atMs.push(message.atMs);
    subjectIndex.push(subjects.indexOf(message.subject));
    peerIndex.push(row.peer === null ? -1 : peers.indexOf(row.peer));
    sizeBytes.push(message.data.length);
    preview.push(row.preview);
    marks.push(row.marks);
    bytes += row.preview.length + rowOverhead;
    return true;
  }

  return {
    get isEmpty() {
      return seq.length === 0;
    },
    add,
    build(dropped, scannedSeq) {
      const frame: RowsFrame = {
        seq,
        atMs,
        subjects: subjects.values,
        subjectIndex,
        peers: peers.values,
        peerIndex,
        sizeBytes,
        preview,
        marks,
        dropped,
        scannedSeq,
      };
      return JSON.stringify(frame);
    },
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
