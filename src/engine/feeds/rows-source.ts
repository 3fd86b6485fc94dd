/**
 * Rows of the live table as frames by column (architecture.md §5: one JSON text a frame).
 * Law: at most 256 rows or 64 KiB a frame; payloads do not ride along, only their previews.
 */
import type { RowsFrame } from '../../shared/contract/streams-contract.ts';
import { checkPattern, matches } from '../../shared/protocol/subject.ts';
import type { FeedSource, FrameBuilder } from './feed-pump.ts';
import type { HeldMessage } from './message-buffer.ts';
import { previewOf } from './preview.ts';
import type { SubjectReader } from './subject-reader.ts';

/** Most rows of a frame. */
export const maxFrameRows = 256;
/** Most bytes of a frame, about. */
export const maxFrameBytes = 64 * 1024;
const rowOverhead = 48;

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

function createRowsFrame(reader: SubjectReader, peerOf: (session: string) => string | null): FrameBuilder {
  const subjects = createDictionary();
  const peers = createDictionary();
  const seq: number[] = [];
  const atMs: number[] = [];
  const subjectIndex: number[] = [];
  const peerIndex: number[] = [];
  const sizeBytes: number[] = [];
  const preview: string[] = [];
  let bytes = 0;

  function add(message: HeldMessage): boolean {
    if (seq.length >= maxFrameRows || bytes >= maxFrameBytes) return false;
    const { type, session } = reader.read(message.subject);
    const peer = session === null ? null : peerOf(session);
    const line = previewOf(type, message.data);
    seq.push(message.seq);
    atMs.push(message.atMs);
    subjectIndex.push(subjects.indexOf(message.subject));
    peerIndex.push(peer === null ? -1 : peers.indexOf(peer));
    sizeBytes.push(message.data.length);
    preview.push(line);
    bytes += line.length + rowOverhead;
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
        dropped,
        scannedSeq,
      };
      return JSON.stringify(frame);
    },
  };
}

/** What the rows of a pattern are made from. */
export interface RowsSourceOptions {
  readonly pattern: string;
  readonly reader: SubjectReader;
  readonly peerOf: (session: string) => string | null;
}

/** Rows of every subject that a pattern matches. Throws `invalid-pattern`. */
export function createRowsSource({ pattern, reader, peerOf }: RowsSourceOptions): FeedSource {
  checkPattern(pattern);
  return {
    accepts: (subject) => pattern === '>' || matches(pattern, subject),
    createFrame: () => createRowsFrame(reader, peerOf),
  };
}
