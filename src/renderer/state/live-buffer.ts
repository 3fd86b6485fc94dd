/**
 * Rows of one live table, by column, outside React (architecture.md §4 "live feed").
 * Law: bounded; the oldest go first, and whatever is lost is counted. A row keeps its index for as long as it is held,
 * so a place in the table does not move when rows come or go.
 */
import type { RowsFrame } from '../../shared/contract/streams-contract.ts';

/** Entries that a table holds. */
const liveBufferCapacity = 50_000;

/** One entry: a message, or a marker that stands where `droppedCount` messages were lost. */
export interface LiveRow {
  readonly kind: 'message' | 'dropped';
  /** Place on the bus; of a marker: half a step before the message that follows it. */
  readonly seq: number;
  readonly atMs: number;
  readonly subject: string;
  /** Empty when unknown. */
  readonly peer: string;
  readonly sizeBytes: number;
  readonly preview: string;
  /** What is known of its trust; see `unpackMarks`. */
  readonly marks: number;
  /** Messages that a marker stands for, else 0. */
  readonly droppedCount: number;
}

export interface LiveBuffer {
  readonly capacity: number;
  readonly size: number;
  /** Index of the oldest entry held. Indexes count up from 0 since `clear` and are never used again. */
  readonly firstIndex: number;
  /** One beyond the index of the newest entry. */
  readonly endIndex: number;
  /** Messages appended since `clear`; what was lost is not among them. */
  readonly messageCount: number;
  /** Messages that the feed lost before they came here. */
  readonly droppedCount: number;
  /** Entries that made room for newer ones. */
  readonly evictedCount: number;
  /** Highest seq that the feed has looked at. */
  readonly scannedSeq: number;
  append(frame: RowsFrame): void;
  /** Undefined when the entry is not held (any more). */
  rowAt(index: number): LiveRow | undefined;
  /** Index of the first entry with a seq of at least `seq`; `endIndex` when all are older. */
  indexOfSeq(seq: number): number;
  /** Index of the entry with exactly this seq, or −1. */
  findSeq(seq: number): number;
  /** Marks of an entry, 0 when it is not held: for those who look at many rows and need nothing else of them. */
  marksAt(index: number): number;
  /** Puts what was found out later; false when the entry is not held or says so already. */
  setMarks(seq: number, marks: number): boolean;
  clear(): void;
}

/** Creates an empty buffer; `capacity` is a whole number ≥ 1. */
export function createLiveBuffer(capacity = liveBufferCapacity): LiveBuffer {
  if (!Number.isSafeInteger(capacity) || capacity < 1) throw new RangeError(`live buffer: capacity ${capacity}`);
  const seqs = new Float64Array(capacity);
  const times = new Float64Array(capacity);
  const sizes = new Float64Array(capacity);
  const drops = new Float64Array(capacity);
  const marks = new Uint16Array(capacity);
  let subjects: string[] = [];
  let peers: string[] = [];
  let previews: string[] = [];
  let first = 0;
  let end = 0;
  let messageCount = 0;
  let droppedCount = 0;
  let scannedSeq = 0;

  /** Makes room for one entry and returns its slot. */
  function nextSlot(): number {
    if (end - first === capacity) first++;
    return end++ % capacity;
  }

  function pushMarker(count: number, beforeSeq: number): void {
    const last = (end - 1) % capacity;
    if (end > first && (drops[last] as number) > 0) {
      drops[last] = (drops[last] as number) + count;
      seqs[last] = beforeSeq - 0.5;
      return;
    }
    const slot = nextSlot();
    seqs[slot] = beforeSeq - 0.5;
    times[slot] = 0;
    sizes[slot] = 0;
    drops[slot] = count;
    marks[slot] = 0;
    subjects[slot] = peers[slot] = previews[slot] = '';
  }

  function indexOfSeq(seq: number): number {
    let low = first;
    let high = end;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if ((seqs[middle % capacity] as number) < seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  function findSeq(seq: number): number {
    const index = indexOfSeq(seq);
    return index < end && seqs[index % capacity] === seq ? index : -1;
  }

  return {
    capacity,
    get size() {
      return end - first;
    },
    get firstIndex() {
      return first;
    },
    get endIndex() {
      return end;
    },
    get messageCount() {
      return messageCount;
    },
    get droppedCount() {
      return droppedCount;
    },
    get evictedCount() {
      return first;
    },
    get scannedSeq() {
      return scannedSeq;
    },
    append(frame) {
      if (frame.dropped > 0) {
        droppedCount += frame.dropped;
        pushMarker(frame.dropped, frame.seq[0] ?? frame.scannedSeq + 1);
      }
      const count = frame.seq.length;
      for (let i = 0; i < count; i++) {
        const slot = nextSlot();
        seqs[slot] = frame.seq[i] as number;
        times[slot] = frame.atMs[i] as number;
        sizes[slot] = frame.sizeBytes[i] as number;
        drops[slot] = 0;
        marks[slot] = frame.marks[i] as number;
        subjects[slot] = frame.subjects[frame.subjectIndex[i] as number] ?? '';
        peers[slot] = frame.peers[frame.peerIndex[i] as number] ?? '';
        previews[slot] = frame.preview[i] as string;
      }
      messageCount += count;
      scannedSeq = Math.max(scannedSeq, frame.scannedSeq);
    },
    rowAt(index) {
      if (index < first || index >= end) return undefined;
      const slot = index % capacity;
      const droppedHere = drops[slot] as number;
      return {
        kind: droppedHere > 0 ? 'dropped' : 'message',
        seq: seqs[slot] as number,
        atMs: times[slot] as number,
        subject: subjects[slot] as string,
        peer: peers[slot] as string,
        sizeBytes: sizes[slot] as number,
        preview: previews[slot] as string,
        marks: marks[slot] as number,
        droppedCount: droppedHere,
      };
    },
    indexOfSeq,
    findSeq,
    marksAt: (index) => (index < first || index >= end ? 0 : (marks[index % capacity] as number)),
    setMarks(seq, found) {
      const index = findSeq(seq);
      const slot = index % capacity;
      if (index < 0 || marks[slot] === found) return false;
      marks[slot] = found;
      return true;
    },
    clear() {
      first = end = messageCount = droppedCount = scannedSeq = 0;
      subjects = [];
      peers = [];
      previews = [];
    },
  };
}
