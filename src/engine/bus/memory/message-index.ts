/**
 * What is known in memory of every message of a stream: subject, time, size, and of some the content (protocol.md B3).
 * Law: about 30 bytes a message and one entry a subject; finding costs the logarithm of the count, a wildcard a walk.
 */
import { matches } from '../../../shared/protocol/subject.ts';
import type { StoredMessage } from '../durable.ts';
import { createSeqList, lowerBound, type SeqList } from './seq-list.ts';

export interface IndexedMessage {
  readonly seq: number;
  readonly subject: string;
  readonly storedMs: number;
  readonly sizeBytes: number;
}

interface SubjectEntry {
  readonly subject: string;
  readonly seqs: SeqList;
}

/** Which subjects are looked for; made once for a pattern, it remembers its answers. */
export interface SubjectMatch {
  readonly pattern: string;
  /** The one subject that it is, if it has no wildcard. */
  readonly exact: string | undefined;
  isMatch(subject: string): boolean;
}

/** Makes a match; undefined: every subject. */
export function createSubjectMatch(pattern = '>'): SubjectMatch {
  const isExact = !/(?:^|\.)[*>](?:\.|$)/.test(pattern);
  let lastSubject: string | undefined;
  let isLast = false;
  return {
    pattern,
    exact: isExact ? pattern : undefined,
    isMatch(subject) {
      if (pattern === '>') return true;
      if (subject === lastSubject) return isLast;
      lastSubject = subject;
      isLast = matches(pattern, subject);
      return isLast;
    },
  };
}

const segmentLength = 1024;

interface Segment {
  /** Seq of its first place. */
  readonly base: number;
  liveCount: number;
  /** No message is before this place. */
  low: number;
  /** Latest time of a message that was ever in it. */
  lastMs: number;
  readonly storedMs: Float64Array;
  readonly sizes: Uint32Array;
  /** Undefined: no message. */
  readonly subjects: (SubjectEntry | undefined)[];
  /** Of those that are held. */
  readonly contents: (StoredMessage | undefined)[];
}

const createSegment = (base: number): Segment => ({
  ...{ base, liveCount: 0, low: 0, lastMs: 0 },
  storedMs: new Float64Array(segmentLength),
  sizes: new Uint32Array(segmentLength),
  subjects: new Array<SubjectEntry | undefined>(segmentLength).fill(undefined),
  contents: [],
});

const messageAt = (segment: Segment, seq: number): IndexedMessage | undefined => {
  const at = seq - segment.base;
  const entry = segment.subjects[at];
  if (entry === undefined) return undefined;
  return {
    ...{ seq, subject: entry.subject },
    storedMs: segment.storedMs[at] as number,
    sizeBytes: segment.sizes[at] as number,
  };
};

const isIn = (segment: Segment | undefined, seq: number): segment is Segment =>
  segment?.subjects[seq - segment.base] !== undefined;

export interface MessageIndex {
  count(): number;
  bytes(): number;
  /** Adds a message above all others, not older than they. */
  add(message: IndexedMessage): void;
  get(seq: number): IndexedMessage | undefined;
  /** Whether it is there. */
  has(seq: number): boolean;
  /** The size of a message; 0: there is none. */
  sizeOf(seq: number): number;
  /** The content of a message, if it is held. */
  contentOf(seq: number): StoredMessage | undefined;
  /** Holds the content of a message, if that is there. */
  hold(content: StoredMessage): void;
  /** Lets a content go; the message stays. */
  dropContent(seq: number): void;
  /** Whether it was there. */
  remove(seq: number): boolean;
  /** The first message from `seq` on that matches. */
  next(seq: number, match: SubjectMatch): number | undefined;
  /** The first message that was stored at `ms` or later. */
  firstStoredFrom(ms: number): number | undefined;
  /** The subject's last message up to `seq`. */
  lastOf(subject: string, seq: number): number | undefined;
  /** How many from `seq` on match; costs the number of subjects. */
  countFrom(seq: number, match: SubjectMatch): number;
}

/** The segments in order, none of them empty. */
function createSegments() {
  const segments: Segment[] = [];
  /** The first segment that does not end before `seq`. */
  function indexOf(seq: number): number {
    let low = 0;
    let high = segments.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((segments[middle] as Segment).base + segmentLength > seq) high = middle;
      else low = middle + 1;
    }
    return low;
  }
  return {
    all: segments,
    indexOf,
    find(seq: number): Segment | undefined {
      const segment = segments[indexOf(seq)];
      return segment !== undefined && segment.base <= seq ? segment : undefined;
    },
    forAdding(seq: number): Segment {
      const last = segments.at(-1);
      if (last !== undefined && seq < last.base + segmentLength) return last;
      const segment = createSegment(seq - (seq % segmentLength));
      segments.push(segment);
      return segment;
    },
    drop(segment: Segment): void {
      segments.splice(indexOf(segment.base), 1);
    },
  };
}

function firstInSegment(segment: Segment, from: number, isWanted: (at: number) => boolean): number | undefined {
  for (let at = Math.max(segment.low, from - segment.base); at < segmentLength; at++) {
    if (segment.subjects[at] !== undefined && isWanted(at)) return segment.base + at;
  }
  return undefined;
}

/** Creates an empty index. */
export function createMessageIndex(): MessageIndex {
  const segments = createSegments();
  const subjects = new Map<string, SubjectEntry>();
  let count = 0;
  let bytes = 0;

  function entryOf(subject: string): SubjectEntry {
    const known = subjects.get(subject);
    if (known !== undefined) return known;
    const entry = { subject, seqs: createSeqList() };
    subjects.set(subject, entry);
    return entry;
  }

  return {
    count: () => count,
    bytes: () => bytes,
    add({ seq, subject, storedMs, sizeBytes }) {
      const segment = segments.forAdding(seq);
      const entry = entryOf(subject);
      const at = seq - segment.base;
      segment.subjects[at] = entry;
      segment.storedMs[at] = storedMs;
      segment.sizes[at] = sizeBytes;
      segment.lastMs = storedMs;
      segment.liveCount++;
      entry.seqs.push(seq);
      count++;
      bytes += sizeBytes;
    },
    get(seq) {
      const segment = segments.find(seq);
      return segment === undefined ? undefined : messageAt(segment, seq);
    },
    has: (seq) => isIn(segments.find(seq), seq),
    sizeOf(seq) {
      const segment = segments.find(seq);
      return isIn(segment, seq) ? (segment.sizes[seq - segment.base] as number) : 0;
    },
    contentOf(seq) {
      const segment = segments.find(seq);
      return segment?.contents[seq - segment.base];
    },
    hold(content) {
      const segment = segments.find(content.seq);
      if (!isIn(segment, content.seq)) return;
      // In order, so that no place between is a hole.
      const at = content.seq - segment.base;
      while (segment.contents.length < at) segment.contents.push(undefined);
      segment.contents[at] = content;
    },
    dropContent(seq) {
      const segment = segments.find(seq);
      if (segment !== undefined && seq - segment.base < segment.contents.length) {
        segment.contents[seq - segment.base] = undefined;
      }
    },
    remove(seq) {
      const segment = segments.find(seq);
      const at = segment === undefined ? 0 : seq - segment.base;
      const entry = segment?.subjects[at];
      if (segment === undefined || entry === undefined) return false;
      entry.seqs.delete(seq);
      if (entry.seqs.size === 0) subjects.delete(entry.subject);
      segment.subjects[at] = undefined;
      if (at < segment.contents.length) segment.contents[at] = undefined;
      segment.liveCount--;
      while (segment.low < segmentLength && segment.subjects[segment.low] === undefined) segment.low++;
      if (segment.liveCount === 0) segments.drop(segment);
      count--;
      bytes -= segment.sizes[at] as number;
      return true;
    },
    next(seq, match) {
      if (match.exact !== undefined) return subjects.get(match.exact)?.seqs.firstFrom(seq);
      for (let i = segments.indexOf(seq); i < segments.all.length; i++) {
        const segment = segments.all[i] as Segment;
        const found = firstInSegment(segment, seq, (at) => match.isMatch(segment.subjects[at]?.subject as string));
        if (found !== undefined) return found;
      }
      return undefined;
    },
    firstStoredFrom(ms) {
      const first = lowerBound(segments.all.length, (index) => (segments.all[index]?.lastMs as number) >= ms);
      for (let i = first; i < segments.all.length; i++) {
        const segment = segments.all[i] as Segment;
        const found = firstInSegment(segment, 0, (at) => (segment.storedMs[at] as number) >= ms);
        if (found !== undefined) return found;
      }
      return undefined;
    },
    lastOf: (subject, seq) => subjects.get(subject)?.seqs.lastUpTo(seq),
    countFrom(seq, match) {
      if (match.exact !== undefined) return subjects.get(match.exact)?.seqs.countFrom(seq) ?? 0;
      let total = 0;
      for (const entry of subjects.values()) if (match.isMatch(entry.subject)) total += entry.seqs.countFrom(seq);
      return total;
    },
  };
}
