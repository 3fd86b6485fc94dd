/**
 * The storage of a live table: a ring of rows by column, with the markers that stand between them.
 * Law: an index belongs to one row for as long as that is held; what is put in between moves what stands behind it by one.
 */
import type { Outage } from '../../shared/contract/connections-contract.ts';
import type { RowsFrame } from '../../shared/contract/streams-contract.ts';

/** One entry: a message, or a marker that stands where `droppedCount` messages were lost, or where there was no connection. */
export interface LiveRow {
  readonly kind: 'message' | 'dropped' | 'outage';
  /** Place on the bus; of a marker: between the messages beside it. */
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
  /** Of a marker that stands for a time without a connection. */
  readonly outage: Outage | undefined;
}

export interface RowRing {
  /** Index of the oldest entry held. */
  readonly first: number;
  /** One beyond the index of the newest entry. */
  readonly end: number;
  /** Takes in row `i` of a frame. */
  push(frame: RowsFrame, i: number): void;
  /** Takes in row `i` of a frame before the first entry; where there is no room the last one goes. */
  unshift(frame: RowsFrame, i: number): void;
  /** Puts row `i` of a frame in the place of the one with its seq, if that is held. */
  replace(frame: RowsFrame, i: number): void;
  /** A marker before that seq; losses that follow each other are one. */
  pushDropped(count: number, beforeSeq: number): void;
  /** Puts a marker at an index above the first and not beyond the end. */
  insertOutage(index: number, outage: Outage): void;
  /** Index of the marker of this outage, or −1. */
  findOutage(outage: Outage): number;
  /** Takes in how long it took; false when the marker says so already: its object stays, so that it is not drawn again. */
  learnOutage(index: number, outage: Outage): boolean;
  rowAt(index: number): LiveRow | undefined;
  indexOfSeq(seq: number): number;
  findSeq(seq: number): number;
  marksAt(index: number): number;
  setMarks(seq: number, marks: number): boolean;
  clear(): void;
}

/** Before any message that follows, and before the marker of messages that were lost behind it. */
export const outageSeq = ({ afterSeq }: Outage): number => afterSeq + 0.25;

/** The values, by slot. */
function createColumns(capacity: number) {
  return {
    seqs: new Float64Array(capacity),
    times: new Float64Array(capacity),
    sizes: new Float64Array(capacity),
    drops: new Float64Array(capacity),
    marks: new Uint16Array(capacity),
    subjects: [] as string[],
    peers: [] as string[],
    previews: [] as string[],
    outages: [] as (Outage | undefined)[],
  };
}

/** Rounds of a ring that may be put before its first entry, in all: a session at a table never gets there. */
const roundsBefore = 2 ** 20;

/** Creates an empty ring of that many entries. `takesOlder`: entries may come before the first. */
export function createRowRing(capacity: number, takesOlder = false): RowRing {
  const origin = takesOlder ? capacity * roundsBefore : 0;
  const { seqs, times, sizes, drops, marks, subjects, peers, previews, outages } = createColumns(capacity);
  let first = origin;
  let end = origin;

  /** Makes room for one entry and returns its slot. */
  function nextSlot(): number {
    if (end - first === capacity) first++;
    return end++ % capacity;
  }

  function write(slot: number, frame: RowsFrame, i: number): void {
    seqs[slot] = frame.seq[i] as number;
    times[slot] = frame.atMs[i] as number;
    sizes[slot] = frame.sizeBytes[i] as number;
    drops[slot] = 0;
    marks[slot] = frame.marks[i] as number;
    subjects[slot] = frame.subjects[frame.subjectIndex[i] as number] ?? '';
    peers[slot] = frame.peers[frame.peerIndex[i] as number] ?? '';
    previews[slot] = frame.preview[i] as string;
    outages[slot] = undefined;
  }

  function writeMarker(slot: number, seq: number): void {
    seqs[slot] = seq;
    times[slot] = sizes[slot] = drops[slot] = marks[slot] = 0;
    subjects[slot] = peers[slot] = previews[slot] = '';
    outages[slot] = undefined;
  }

  function pushDropped(count: number, beforeSeq: number): void {
    const last = (end - 1) % capacity;
    if (end > first && (drops[last] as number) > 0) {
      drops[last] = (drops[last] as number) + count;
      seqs[last] = beforeSeq - 0.5;
      return;
    }
    const slot = nextSlot();
    writeMarker(slot, beforeSeq - 0.5);
    drops[slot] = count;
  }

  /** Puts the marker at an index above the first; what stands from there on moves by one. */
  function insertOutage(index: number, outage: Outage): void {
    nextSlot();
    for (let at = end - 1; at > index; at--) {
      const to = at % capacity;
      const from = (at - 1) % capacity;
      for (const column of [seqs, times, sizes, drops, marks]) column[to] = column[from] as number;
      for (const column of [subjects, peers, previews]) column[to] = column[from] as string;
      outages[to] = outages[from];
    }
    const slot = index % capacity;
    writeMarker(slot, outageSeq(outage));
    outages[slot] = outage;
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
    get first() {
      return first;
    },
    get end() {
      return end;
    },
    push: (frame, i) => write(nextSlot(), frame, i),
    unshift(frame, i) {
      if (end - first === capacity) end--;
      first--;
      write(first % capacity, frame, i);
    },
    replace(frame, i) {
      const index = findSeq(frame.seq[i] as number);
      if (index >= 0) write(index % capacity, frame, i);
    },
    pushDropped,
    insertOutage,
    findOutage(outage) {
      const seq = outageSeq(outage);
      for (let index = indexOfSeq(seq); index < end && seqs[index % capacity] === seq; index++) {
        if (outages[index % capacity]?.fromMs === outage.fromMs) return index;
      }
      return -1;
    },
    learnOutage(index, outage) {
      const slot = index % capacity;
      if (outages[slot]?.toMs === outage.toMs) return false;
      outages[slot] = outage;
      return true;
    },
    rowAt(index) {
      if (index < first || index >= end) return undefined;
      const slot = index % capacity;
      const droppedHere = drops[slot] as number;
      const outage = outages[slot];
      return {
        kind: outage !== undefined ? 'outage' : droppedHere > 0 ? 'dropped' : 'message',
        seq: seqs[slot] as number,
        atMs: times[slot] as number,
        subject: subjects[slot] as string,
        peer: peers[slot] as string,
        sizeBytes: sizes[slot] as number,
        preview: previews[slot] as string,
        marks: marks[slot] as number,
        droppedCount: droppedHere,
        outage,
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
      first = end = origin;
      for (const column of [subjects, peers, previews, outages]) column.length = 0;
    },
  };
}
