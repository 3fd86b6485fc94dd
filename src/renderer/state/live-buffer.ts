/**
 * Rows of one live table, by column, outside React (architecture.md §4 "live feed").
 * Law: bounded; the oldest go first but for what is put before them, and whatever is lost is counted. A row keeps its index for as long as it is held,
 * so a place in the table does not move when rows come or go. The one exception is a marker that comes to stand between rows that
 * are held already: `setOutages` says where, so that who holds a place can go along.
 */
import type { Outage } from '../../shared/contract/connections-contract.ts';
import type { RowsFrame } from '../../shared/contract/streams-contract.ts';
import { createRowRing, type LiveRow, outageSeq } from './row-ring.ts';

/** Entries that a table holds. */
const liveBufferCapacity = 50_000;

export interface LiveBuffer {
  readonly capacity: number;
  readonly size: number;
  /** Index of the oldest entry held. Indexes count up from 0 since `clear`, or from further on where older rows may come. */
  readonly firstIndex: number;
  /** One beyond the index of the newest entry. */
  readonly endIndex: number;
  /** Messages appended since `clear`; what was lost is not among them. */
  readonly messageCount: number;
  /** Messages that the feed lost before they came here. */
  readonly droppedCount: number;
  /** Highest seq that the feed has looked at. */
  readonly scannedSeq: number;
  /** Takes in a frame. A row that it has looked at before is one that was judged anew: it takes its own place. */
  append(frame: RowsFrame): void;
  /** Puts older messages, in order, before the first entry. Where there is no room the newest give way, and are taken anew if they come again. */
  prepend(frame: RowsFrame): void;
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
  /**
   * Takes in which outages there were, in order. Each gets a marker behind the last message before it, as soon as all of those were
   * looked at, unless no entry stands before it. Markers that stand already learn how long it took, and stay when it is forgotten.
   */
  setOutages(outages: readonly Outage[]): OutageChange;
  clear(): void;
}

/** What `setOutages` did. */
export interface OutageChange {
  /** Whether an entry came or reads differently. */
  readonly isChanged: boolean;
  /** Where a marker was put between entries, in ascending order: those from there on have moved by one. */
  readonly insertedAt: readonly number[];
}

/** Creates an empty buffer; `capacity` is a whole number ≥ 1. `takesOlder`: `prepend` may be called. */
export function createLiveBuffer(capacity = liveBufferCapacity, takesOlder = false): LiveBuffer {
  if (!Number.isSafeInteger(capacity) || capacity < 1) throw new RangeError(`live buffer: capacity ${capacity}`);
  const ring = createRowRing(capacity, takesOlder);
  let known: readonly Outage[] = [];
  /** Outages behind what has been looked at so far, in order. */
  let waiting: Outage[] = [];
  let messageCount = 0;
  let droppedCount = 0;
  let scannedSeq = 0;

  /** Puts the markers that belong before an entry with this seq. */
  function pushOutagesBefore(seq: number): void {
    while (waiting[0] !== undefined && outageSeq(waiting[0]) < seq) {
      const outage = waiting.shift() as Outage;
      if (ring.end > ring.first) ring.insertOutage(ring.end, outage);
    }
  }

  /** Markers behind the last entry, once nothing can come before them any more; the first entry waits for none. */
  function pushOutagesLookedAt(): void {
    if (ring.end > ring.first) pushOutagesBefore(scannedSeq + 1);
  }

  /** Puts in the marker of an outage that has none, or lets it wait; gives the index if entries behind it have moved. */
  function placeOutage(outage: Outage): number | undefined {
    // Behind the markers of the same place.
    const index = ring.indexOfSeq(outageSeq(outage) + 0.125);
    const isBetween = index < ring.end;
    if (!isBetween && outage.afterSeq >= scannedSeq) waiting.push(outage);
    else if (index > ring.first) {
      ring.insertOutage(index, outage);
      if (isBetween) return index;
    }
    return undefined;
  }

  return {
    capacity,
    get size() {
      return ring.end - ring.first;
    },
    get firstIndex() {
      return ring.first;
    },
    get endIndex() {
      return ring.end;
    },
    get messageCount() {
      return messageCount;
    },
    get droppedCount() {
      return droppedCount;
    },
    get scannedSeq() {
      return scannedSeq;
    },
    append(frame) {
      if (frame.dropped > 0) {
        const beforeSeq = frame.seq[0] ?? frame.scannedSeq + 1;
        droppedCount += frame.dropped;
        pushOutagesBefore(beforeSeq - 0.5);
        ring.pushDropped(frame.dropped, beforeSeq);
      }
      const count = frame.seq.length;
      for (let i = 0; i < count; i++) {
        const seq = frame.seq[i] as number;
        if (seq <= scannedSeq) {
          ring.replace(frame, i);
          continue;
        }
        if (waiting.length > 0) pushOutagesBefore(seq);
        ring.push(frame, i);
        messageCount++;
      }
      scannedSeq = Math.max(scannedSeq, frame.scannedSeq);
      pushOutagesLookedAt();
    },
    prepend(frame) {
      const endBefore = ring.end;
      for (let i = frame.seq.length - 1; i >= 0; i--) ring.unshift(frame, i);
      if (ring.end < endBefore) scannedSeq = ring.rowAt(ring.end - 1)?.seq ?? 0;
    },
    rowAt: ring.rowAt,
    indexOfSeq: ring.indexOfSeq,
    findSeq: ring.findSeq,
    marksAt: ring.marksAt,
    setMarks: ring.setMarks,
    setOutages(next) {
      const endBefore = ring.end;
      const insertedAt: number[] = [];
      let hasLearned = false;
      known = next;
      waiting = [];
      for (const outage of next) {
        const index = ring.findOutage(outage);
        if (index >= 0) {
          hasLearned = ring.learnOutage(index, outage) || hasLearned;
          continue;
        }
        const movedFrom = placeOutage(outage);
        if (movedFrom !== undefined) insertedAt.push(movedFrom);
      }
      pushOutagesLookedAt();
      return { isChanged: hasLearned || ring.end > endBefore, insertedAt };
    },
    clear() {
      waiting = [...known];
      messageCount = droppedCount = scannedSeq = 0;
      ring.clear();
    },
  };
}
