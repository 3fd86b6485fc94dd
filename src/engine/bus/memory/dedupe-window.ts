/**
 * Message ids that a stream remembers (protocol.md B3): within the window a second append under one of them stores nothing.
 * Law: remembered from when it was stored until the window has passed, whatever becomes of the message.
 */

interface Remembered {
  readonly messageId: string;
  readonly seq: number;
  readonly storedMs: number;
}

export interface DedupeWindow {
  readonly size: number;
  /** Where the message of that id was stored, if the window has not passed. */
  find(messageId: string, nowMs: number): number | undefined;
  /** Ids come in the order of their time. */
  remember(entry: Remembered): void;
  /** The id of a message, while it is remembered. */
  idOf(seq: number): string | undefined;
  /** For a message that was not stored after all. */
  forget(seq: number): void;
  /** Forgets what has passed, and gives the numbers. */
  expire(nowMs: number): number[];
}

/** Passed places at the front of the queue that are not worth a copy. */
const slack = 1_024;

/** Creates an empty window; `windowMs` is asked each time, for a stream can be changed. */
export function createDedupeWindow(windowMs: () => number): DedupeWindow {
  const byId = new Map<string, Remembered>();
  const bySeq = new Map<number, Remembered>();
  /** In order of time from `head` on; a map would be walked over all that it ever removed. */
  let queue: Remembered[] = [];
  let head = 0;

  function forget(seq: number): boolean {
    const entry = bySeq.get(seq);
    if (entry === undefined) return false;
    bySeq.delete(seq);
    if (byId.get(entry.messageId) === entry) byId.delete(entry.messageId);
    return true;
  }

  return {
    get size() {
      return bySeq.size;
    },
    find(messageId, nowMs) {
      const entry = byId.get(messageId);
      return entry !== undefined && entry.storedMs + windowMs() > nowMs ? entry.seq : undefined;
    },
    remember(entry) {
      byId.set(entry.messageId, entry);
      bySeq.set(entry.seq, entry);
      queue.push(entry);
    },
    idOf: (seq) => bySeq.get(seq)?.messageId,
    forget(seq) {
      forget(seq);
    },
    expire(nowMs) {
      const passed: number[] = [];
      for (let next = queue[head]; next !== undefined; next = queue[head]) {
        if (next.storedMs + windowMs() > nowMs) break;
        head++;
        if (forget(next.seq)) passed.push(next.seq);
      }
      if (head > slack && head * 2 > queue.length) {
        queue = queue.slice(head);
        head = 0;
      }
      return passed;
    },
  };
}
